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

from model.errors import Sentence, VitrineError

S = TypeVar("S", bound=BaseSettings)


class CannotStart(VitrineError):
    """The command cannot do what it is asked. The message is the sentence for standard error."""

    FILE = "command-line"


def wording(message: str, /, **values: object) -> str:
    """What the command prints."""
    return str(Sentence.from_file(CannotStart.FILE, message, **values))


def unwritten(error: OSError, at: Path | None) -> CannotStart:
    """What the disk says of a file, or of the folder `at` where it names none."""
    why = (error.strerror or str(error)).lower()
    return CannotStart("not-written", file=error.filename or at, why=why)


def settings_from(kind: type[S], flags: dict[str, Any]) -> S:
    """Reads the settings: defaults, then VITRINE_* variables, then flags.

    Raises CannotStart for the first value that is not allowed, with the name of its variable or
    flag.
    """
    try:
        return kind(**flags)
    except ValidationError as error:
        first = error.errors()[0]
        why = first["msg"].removeprefix("Value error, ").removesuffix(".")
        why = why.replace("Input should", "it should", 1)
        if not first["loc"]:  # it is about several of them, and says which
            raise CannotStart("settings-contradict", why=why) from error
        name = str(first["loc"][0])
        variable = f"--{name}" if name in flags else f"VITRINE_{name.upper()}"
        value = repr(first["input"])[:80]
        raise CannotStart("setting-is-wrong", name=variable, value=value, why=why) from error


def check_platform() -> None:
    """Raises CannotStart on Windows: the server needs signals and file locks of Unix."""
    if sys.platform == "win32":
        raise CannotStart("not-on-windows")


def check_engine(engine: str) -> None:
    """Raises CannotStart for the engine of a cluster where Ray is not installed."""
    if engine == "ray" and find_spec("ray") is None:
        raise CannotStart("engine-needs-ray")


def check_readable(folder: Path) -> None:
    """Raises CannotStart unless every folder and file below `folder` can be read."""
    if not folder.is_dir():
        raise CannotStart("folder-missing", folder=folder)
    for path in (folder, *folder.rglob("*")):
        if not os.access(path, os.R_OK | os.X_OK if path.is_dir() else os.R_OK):
            raise CannotStart("no-right-to-read", path=path)


def check_weights(weights: Path) -> None:
    """Raises CannotStart unless every shipped model has its card, and its files have the digests
    that the card states. A flipped bit is found here.
    """
    check_readable(weights)
    cards = sorted(weights.glob("*/card.json"))
    if not cards:
        raise CannotStart("no-weights-in", folder=weights)
    for card in cards:
        name = card.parent.name
        for file, digest in stated_digests(card).items():
            if not file.is_file():
                raise CannotStart("model-not-whole", model=name, file=file)
            if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
                raise CannotStart("model-damaged", model=name, file=file)


def stated_digests(card: Path) -> dict[Path, str]:
    """Returns the digests that a card states, by file. Some models also have the weights of steps
    of their training.
    """
    try:
        fields = json.loads(card.read_text(encoding="utf-8"))
        digests = {
            "model.safetensors": fields["weights_sha256"],
            "tokenizer.json": fields["tokenizer_sha256"],
        }
        if "kept" in fields:
            digests["kept.safetensors"] = fields["kept"]["sha256"]
        return {card.parent / file: digest for file, digest in digests.items()}
    except (ValueError, KeyError, TypeError) as error:
        raise CannotStart("card-damaged", card=card) from error


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that already listens, so that nobody can take the port between this check
    and the service. Port 0 stands for any free port. Raises CannotStart.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address, family=family, backlog=2048)
    except socket.gaierror as error:
        raise CannotStart("address-unknown", host=host) from error
    except OSError as error:
        why = {errno.EADDRINUSE: "in-use", errno.EACCES: "rights", errno.EADDRNOTAVAIL: "elsewhere"}
        reason = why.get(error.errno or 0, "other")
        raise CannotStart(
            "cannot-listen", host=host, port=port, reason=reason, error=error
        ) from error
    # Connections take it over. asyncio does it for sockets that name their protocol, which these do
    # not; without it the body of an answer waits until its head is acknowledged, 40 ms on a kept
    # connection.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
