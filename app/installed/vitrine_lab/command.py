"""The command `vitrine`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLE = HERE / "_bundle"
ROOT = BUNDLE if BUNDLE.is_dir() else HERE.parents[2]
"""The folder of app/ and model/: the bundle of an installation, or a checkout."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    sys.path.insert(0, str(ROOT))
    known = filter(None, [os.environ.get("PYTHONPATH")])
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *known])  # for its subprocesses
    from app.cli import main as run

    return run(arguments)
