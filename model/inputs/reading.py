"""Reads files of external folders up to a size limit. Anything but a regular file, such as a pipe
or a link to a device, is never opened: reading it might not end.
"""

import json
from pathlib import Path
from typing import Any

from model.errors import NotRead

MAX_BYTES = 64_000_000
"""The maximum size of a file that is read whole; Gemma 3's tokenizer.json has 33 MB."""


def read_bytes(file: Path, most: int = MAX_BYTES) -> bytes:
    """The content of a file. Raises NotRead if it is missing, not a regular file, or larger than
    `most` bytes.
    """
    where = f"{file.name} in {file.parent.name}"
    try:
        if file.exists() and not file.is_file():
            raise NotRead("no-regular-file", where=where)
        with file.open("rb") as opened:
            content = opened.read(most + 1)
    except OSError as error:
        raise NotRead("no-file-that-can-be-read", parent=file.parent, file=file.name) from error
    if len(content) > most:
        raise NotRead("file-too-large", where=where, most=most)
    return content


def read_text(file: Path, most: int = MAX_BYTES) -> str:
    """The content of a UTF-8 file. Raises NotRead."""
    try:
        return read_bytes(file, most).decode()
    except UnicodeDecodeError as error:
        raise NotRead("no-text-in-utf-8", file=file.name, parent=file.parent.name) from error


def parsed(text: str, file: Path) -> dict[str, Any]:
    """The JSON object in the text of a file. Raises NotRead."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise NotRead("no-json", file=file.name, parent=file.parent.name, error=error) from error
    except RecursionError as error:
        raise NotRead("json-nested-too-deeply", file=file.name, parent=file.parent.name) from error
    if not isinstance(found, dict):
        raise NotRead("no-json-object", file=file.name, parent=file.parent.name)
    return found


def read_object(file: Path, most: int = MAX_BYTES) -> dict[str, Any]:
    """The JSON object in a file. Raises NotRead."""
    return parsed(read_text(file, most), file)


def read_settings(file: Path) -> dict[str, Any]:
    """The JSON object in an optional file, empty if the file does not exist. Raises NotRead."""
    return read_object(file) if file.exists() else {}
