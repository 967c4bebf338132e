"""Where the files that are not Python lie: beside app/ in a checkout, inside it in a wheel."""

from pathlib import Path
from typing import Literal

APP = Path(__file__).resolve().parent


def folder(name: Literal["static", "templates"]) -> Path:
    """The folder of that name; a wheel's comes first, since only a wheel has one inside app/."""
    inside, beside = APP / name, APP.parent / name
    return inside if inside.is_dir() else beside


def weights() -> Path:
    """One folder a shipped model. Found without importing `model`, so that the web process can look at the files."""
    return APP.parent / "model" / "weights"
