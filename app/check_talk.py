"""`vitrine check`: whether every address of a talk still answers, and every number that it names is
still what the page shows.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode
from urllib.request import urlopen

from app.lecture.talks import NotATalk, Scene, Talk, file_of, read_talk
from app.startup import CannotStart, settings_from

ASKING_SECONDS = 300
WARMING_SECONDS = 600

Known = dict[str, dict[str, bool]]


def add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "talk", metavar="TALK", help="a file, or the name of a talk that /lecture lists"
    )
    command.add_argument(
        "--server",
        metavar="ADDRESS",
        help="ask a server that runs, for instance http://127.0.0.1:8000, and start none",
    )


def check(given: argparse.Namespace) -> None:
    """Prints a sentence for each scene that is wrong; raises CannotStart if there is one."""
    talk = resolve_talk(given.talk)
    with contextlib.nullcontext(given.server) if given.server else serving() as server:
        wrong = list(failures(talk, server.rstrip("/")))
    for sentence in wrong:
        print(sentence)
    if wrong:
        raise CannotStart(f"the talk {talk.id} has {len(wrong)} of these faults.")
    numbers = sum(scene.number is not None for scene in talk.scene)
    print(f"{talk.id}: {len(talk.scene)} addresses answer, {numbers} numbers are as stated.")


def resolve_talk(name: str) -> Talk:
    """The talk of a file or of a name; raises CannotStart."""
    from app.settings import Settings

    path = Path(name)
    if not path.is_file():
        named = file_of(name, settings_from(Settings, {}).talks)
        if named is None:
            raise CannotStart(f"There is no file {name}, and no talk of this name.")
        path = named
    try:
        return read_talk(path)
    except NotATalk as error:
        raise CannotStart(str(error)) from error


def failures(talk: Talk, server: str) -> Iterator[str]:
    """A sentence for each address that does not answer, and for each number that is another."""
    known = words(server)
    for place, scene in enumerate(talk.scene, start=1):
        for checked in (check_address, check_number):
            try:
                checked(server, scene, known)
            except LookupError as error:
                yield f"Scene {place}: {error.args[0]}"


def words(server: str) -> Known:
    """The words of the API, each with the fields that it takes, and whether it needs them."""
    paths = json.loads(fetched(server, "/openapi.json"))["paths"]
    return {
        path.rpartition("/")[2]: {
            one["name"]: one.get("required", False) for one in operations["get"]["parameters"]
        }
        for path, operations in paths.items()
        if path.count("/") == 3
    }


def check_address(server: str, scene: Scene, known: Known) -> None:
    """Raises LookupError unless the page opens and its word answers what the address asks. Where
    the page chooses the model or the input, it opens as it always does.
    """
    fetched(server, scene.address)
    path, _, query = scene.address.partition("?")
    word = path.strip("/")
    fields = known.get(word, {})
    asked = {name: value for name, value in parse_qsl(query) if name in fields}
    if word in known and all(name in asked for name, needed in fields.items() if needed):
        fetched(server, f"/api/v1/{word}?{urlencode(asked)}")


def check_number(server: str, scene: Scene, known: Known) -> None:
    """Raises LookupError unless the number of a scene is what the scene says."""
    number = scene.number
    if number is None:
        return
    answer: Any = json.loads(fetched(server, number.api_path))
    found = number.among(answer)
    if abs(found - number.value) > number.within:
        raise LookupError(
            f"{number.name} is {found:.6g}, and the talk says {number.value:g} within"
            f" {number.within:g}."
        )


def fetched(server: str, address: str) -> bytes:
    """What a server answers; raises LookupError with what it says instead."""
    try:
        with urlopen(server + address, timeout=ASKING_SECONDS) as response:  # noqa: S310
            return response.read()
    except HTTPError as error:
        said = error.read()
        try:
            detail = json.loads(said)["detail"]
        except (ValueError, KeyError, TypeError):
            detail = f"The server answers {error.code}."
        raise LookupError(f"{address} does not answer. {detail}") from error
    except (OSError, HTTPException, ValueError) as error:
        raise LookupError(f"{address} does not answer: {error}.") from error


@contextlib.contextmanager
def serving() -> Generator[str]:
    """The address of a server that is started for it and ends afterwards; raises CannotStart."""
    command = [sys.executable, "-m", "app.cli", "--host", "127.0.0.1", "--port", "0"]
    quiet = {**os.environ, "VITRINE_OPENINGS": "false", "VITRINE_LOG_LEVEL": "error"}
    with subprocess.Popen(command, env=quiet, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None, "it was asked for"
            address = re.search(r"http://\S+", server.stdout.readline())
            if address is None:
                raise CannotStart("No server could be started to ask.")
            until_ready(address[0].rstrip("/"))
            yield address[0]
        finally:
            server.terminate()


def until_ready(server: str) -> None:
    end = time.monotonic() + WARMING_SECONDS
    while True:
        with contextlib.suppress(LookupError):
            fetched(server, "/readyz")
            return
        if time.monotonic() > end:
            raise CannotStart("The model was not ready after ten minutes.")
        time.sleep(0.2)
