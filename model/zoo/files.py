"""Files that a reader never meets half written."""

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Temporary file, fsync, rename: a reader never meets half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
