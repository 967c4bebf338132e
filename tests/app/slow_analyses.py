"""The analyses of the fakes in a worker that is warm only when a test makes the file `go`, beside
the list of what was begun.
"""

import os
import time
from pathlib import Path

from tests.app.fake_analyses import CALLS, answer, stream, taken

__all__ = ["answer", "stream"]

while not taken(Path(os.environ[CALLS]).with_name("go")):
    time.sleep(0.01)
