"""The command `vitrine`. In a checkout there is no bundle: app/ is found where it lies."""

import os
import sys
from pathlib import Path

BUNDLE = Path(__file__).parent / "_bundle"


def main() -> int:
    """Runs the command and returns its exit code."""
    if BUNDLE.is_dir():
        sys.path.insert(0, str(BUNDLE))
        known = filter(None, [os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join([str(BUNDLE), *known])  # of its processes
    from app.cli import main as run

    return run()
