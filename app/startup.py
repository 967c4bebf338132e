"""Checks what must be true before a page can be served. Each check says in one sentence what is
wrong, and none imports torch.
"""

import errno
import hashlib
import json
import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings

S = TypeVar("S", bound=BaseSettings)


class CannotStart(Exception):
    """The server cannot start. The message is the sentence for standard error."""


def unwritten(error: OSError, at: Path | None) -> CannotStart:
    """What the disk says of a file, or of the folder `at` where it names none."""
    return CannotStart(f"{error.filename or at}: {(error.strerror or str(error)).lower()}.")


def settings_from(kind: type[S], flags: dict[str, Any]) -> S:
    """Reads the settings: defaults, then VITRINE_* variables, then flags.

    Raises CannotStart for the first value that is not allowed, with the name of its variable or
    flag.
    """
    try:
        return kind(**flags)
    except ValidationError as error:
        first = error.errors()[0]
        sentence = (
            first["msg"]
            .removeprefix("Value error, ")
            .removesuffix(".")
            .replace("Input should", "it should", 1)
        )
        if not first["loc"]:  # it is about several of them, and says which
            raise CannotStart(f"{sentence}.") from error
        name = str(first["loc"][0])
        variable = f"--{name}" if name in flags else f"VITRINE_{name.upper()}"
        raise CannotStart(f"{variable} is {first['input']!r:.80}, but {sentence}.") from error


def check_platform() -> None:
    """Raises CannotStart on Windows: the server needs signals and file locks of Unix."""
    if sys.platform == "win32":
        raise CannotStart(
            "Vitrine runs on Linux and macOS. On Windows, install the Windows Subsystem for Linux"
            " (wsl --install) and run the same commands there."
        )


def check_engine(engine: str) -> None:
    """Raises CannotStart for the engine of a cluster where Ray is not installed."""
    if engine == "ray" and find_spec("ray") is None:
        raise CannotStart(
            "The engine ray needs Ray, which is not installed: pip install 'vitrine[cluster]'."
        )


def check_readable(folder: Path) -> None:
    """Raises CannotStart unless every folder below `folder` can be listed and every file in it can
    be read.
    """
    if not folder.is_dir():
        raise CannotStart(f"The folder {folder} is missing. Install Vitrine again.")
    for path in (folder, *folder.rglob("*")):
        if not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
            raise CannotStart(f"{path} cannot be read. Give this user the right to read it.")


def check_weights(weights: Path) -> None:
    """Raises CannotStart unless every shipped model has its card, and its files have the digests
    that the card states. A flipped bit is found here.
    """
    check_readable(weights)
    cards = sorted(weights.glob("*/card.json"))
    if not cards:
        raise CannotStart(f"There are no weights in {weights}. Install Vitrine again.")
    for card in cards:
        name = card.parent.name
        for file, digest in stated_digests(card).items():
            if not file.is_file():
                raise CannotStart(
                    f"The model {name} is not whole: {file} does not exist. Install Vitrine again."
                )
            if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
                raise CannotStart(
                    f"The model {name} is damaged: {file} has not the SHA-256 digest on its card."
                    " Install Vitrine again."
                )


def stated_digests(card: Path) -> dict[Path, str]:
    """Returns the digests that a card states, by file. Some models also have the weights of steps
    of their training.
    """
    try:
        said = json.loads(card.read_text(encoding="utf-8"))
        digests = {
            "model.safetensors": said["weights_sha256"],
            "tokenizer.json": said["tokenizer_sha256"],
        }
        if "kept" in said:
            digests["kept.safetensors"] = said["kept"]["sha256"]
        return {card.parent / file: digest for file, digest in digests.items()}
    except (ValueError, KeyError, TypeError) as error:
        raise CannotStart(f"The card {card} is damaged. Install Vitrine again.") from error


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that already listens, so that nobody can take the port between this check
    and the service. Port 0 stands for any free port. Raises CannotStart.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address, family=family, backlog=2048)
    except socket.gaierror as error:
        raise CannotStart(
            f"This machine does not know the address {host}. Use --host 127.0.0.1."
        ) from error
    except OSError as error:
        sentence = SENTENCES.get(error.errno or 0, "{host}:{port} cannot be used: {error}.")
        raise CannotStart(sentence.format(host=host, port=port, error=error)) from error
    # Connections take it over. asyncio does it for sockets that name their protocol, which these do
    # not; without it the body of an answer waits until its head is acknowledged, 40 ms on a kept
    # connection.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


SENTENCES = {
    errno.EADDRINUSE: (
        "Port {port} is in use on {host}. Choose another with --port, or --port 0 for any free one."
    ),
    errno.EACCES: (
        "Port {port} needs rights that this user does not have. Choose one of 1024 or above with"
        " --port."
    ),
    errno.EADDRNOTAVAIL: "{host} is not an address of this machine. Use --host 127.0.0.1.",
}
