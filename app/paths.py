"""Where the files lie that are not Python: beside app/, in a checkout as in an installation."""

from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]


def folder(name: Literal["static", "templates"]) -> Path:
    """Returns the folder of that name."""
    return ROOT / name


def weights() -> Path:
    """Returns the folder that holds one folder for each shipped model.

    It is found without importing `model`, so that the web process can look at the files.
    """
    return ROOT / "model" / "weights"
