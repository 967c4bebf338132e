"""Atomic file replacement, and human-readable JSON."""

import json
import os
from pathlib import Path
from typing import Any

WIDTH = 100


def write_atomically(path: Path, content: bytes) -> None:
    """Writes `content` to a temporary file, flushes it to disk, and renames it to `path`, so that
    nobody reads half a file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON, atomically, with one record per line."""
    write_atomically(path, f"{record_a_line(value)}\n".encode())


def record_a_line(value: Any, indent: str = "") -> str:
    """A value as JSON. Lists of numbers or words, and everything else that fits, take one line;
    otherwise each item starts a line.
    """
    if isinstance(value, dict):
        items = [f"{json.dumps(str(key), ensure_ascii=False)}: " for key in value]
        values, (opening, closing) = list(value.values()), "{}"
    elif isinstance(value, list | tuple):
        items, values, (opening, closing) = [""] * len(value), list(value), "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    whole = json.dumps(value, ensure_ascii=False)
    flat = not isinstance(value, dict) and not any(isinstance(v, dict | list) for v in values)
    if flat or len(indent) + len(whole) < WIDTH:
        return whole
    inner = indent + " "
    lines = [
        f"{inner}{item}{record_a_line(value, inner)}"
        for item, value in zip(items, values, strict=True)
    ]
    return "\n".join([opening, ",\n".join(lines), f"{indent}{closing}"])
