"""Where the files lie that are not Python. In a checkout they lie beside app/, in a wheel inside
it.
"""

from pathlib import Path
from typing import Literal

APP = Path(__file__).resolve().parent


def folder(name: Literal["static", "templates"]) -> Path:
    """Returns the folder of that name. The one inside app/ is preferred, because only a wheel has
    one there.
    """
    inside, beside = APP / name, APP.parent / name
    return inside if inside.is_dir() else beside


def weights() -> Path:
    """Returns the folder that holds one folder for each shipped model.

    It is found without importing `model`, so that the web process can look at the files.
    """
    return APP.parent / "model" / "weights"
