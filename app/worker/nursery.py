"""Preloads a worker. The process from which workers are forked imports this file, and with it torch
and all analyses; then it waits, with a single thread. A replacement worker does not have to import
them again, and shares their memory.
"""

import gc
import os
from importlib import import_module

from app.compute import ANALYSES
from app.compute.allocator import keep_freed_memory

os.environ["OMP_NUM_THREADS"] = "1"  # two threads were slower under load
keep_freed_memory()
gc.disable()  # until a worker has loaded, so that shared pages are not written to
import_module(ANALYSES).load_ahead()
gc.freeze()
