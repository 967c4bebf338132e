"""What a new worker has from its first moment on. The process that workers are forked from imports
this file, and with it torch and all analyses; then it waits, with a single thread. A worker that is
replaced need not import them again, and shares their memory.
"""

import gc
import os
from importlib import import_module

from app.compute import ANALYSES
from app.compute.allocator import keep_freed_memory

os.environ["OMP_NUM_THREADS"] = "1"  # two threads were seen to collapse under load
keep_freed_memory()
gc.disable()  # until a worker has loaded, so that no page is written to that they share
import_module(ANALYSES).load_ahead()
gc.freeze()
