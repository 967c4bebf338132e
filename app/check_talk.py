"""`vitrine check`: whether every address of a talk still answers and says what its page knows, and
every number that it names is still what the page shows.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from http.client import BadStatusLine, HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode
from urllib.request import urlopen

from app.errors import nearest
from app.lecture.offered import Offered
from app.lecture.talks import NotATalk, Scene, Talk, file_of, read_talk
from app.startup import CannotStart, settings_from, wording

OPENAPI = "/openapi.json"
ASKING_SECONDS = 300
GREETING_SECONDS = 20
WARMING_SECONDS = 600
LATER = (503, 504)
LATER_SECONDS = 2
NOT_FITTING = "refused"
SHARED = {
    *("model", "source", "target", "text", "image", "row", "another"),
    *("edits", "order", "positions", "pad", "padding_mask", "shows"),
    *("one", "present", "theme", "embed", "curtain"),
}
"""What every address may have: an input and changes of its run, which go along from page to page,
and how the page is shown. A name with a point is a switch of a figure.
"""

Known = dict[str, dict[str, bool]]


def add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "talks",
        metavar="TALK",
        nargs="+",
        help=wording("help-check-talks"),
    )
    command.add_argument(
        "--server",
        metavar="ADDRESS",
        help=wording("help-check-server"),
    )


def check(args: argparse.Namespace) -> None:
    """Prints a sentence for each thing that is wrong; raises CannotStart if there is one."""
    talks, wrong = [], 0
    for path in [path for name in args.talks for path in files_of(name)]:
        try:
            talks.append(read_talk(path))
        except NotATalk as error:
            wrong += len(error.args)
            print(*error.args, sep="\n")
    if talks:
        with at(args.server) if args.server else serving() as server:
            for talk in talks:
                wrong += checked(talk, server)
    if wrong:
        raise CannotStart("faults-found", n=wrong)


def checked(talk: Talk, server: str) -> int:
    """Prints what is wrong in a talk, or that nothing is; returns how many faults it has."""
    wrong = 0
    for sentence in failures(talk, server):
        wrong += 1
        print(f"{talk.id}.toml: {sentence}", flush=True)
    if not wrong:
        numbers = sum(scene.number is not None for scene in talk.scene)
        print(wording("all-as-stated", talk=talk.id, addresses=len(talk.scene), numbers=numbers))
    return wrong


def files_of(name: str) -> list[Path]:
    """The file of that path, those of a folder, or the one of a talk's name; raises CannotStart."""
    from app.settings import Settings

    path = Path(name)
    if path.is_dir():
        if found := sorted(path.glob("*.toml")):
            return found
        raise CannotStart("no-talk-in", folder=name)
    if not path.is_file():
        named = file_of(name, settings_from(Settings, {}).talks)
        if named is None:
            raise CannotStart("no-file-and-no-talk", name=name)
        path = named
    return [path]


@contextlib.contextmanager
def at(address: str) -> Generator[str]:
    """The address of a server that runs, once its model is ready; raises CannotStart."""
    if not re.match(r"https?://[^/\s]", address):
        raise CannotStart("no-address-of-a-server", address=repr(address)[:80])
    server = address.rstrip("/")
    try:
        document = json.loads(fetched(server, OPENAPI, GREETING_SECONDS))
        ours = document["info"]["title"] == "Vitrine"
    except NoAnswer as error:
        raise CannotStart("no-server-answers", server=server, why=error.why) from error
    except (LookupError, ValueError, TypeError):
        ours = False
    if not ours:
        raise CannotStart("no-vitrine", server=server)
    until_ready(server)
    yield server


def failures(talk: Talk, server: str) -> Iterator[str]:
    """A sentence for each address that does not answer or says what its page does not know, and for
    each number that is another.
    """
    known = words(server)
    for place, scene in enumerate(talk.scene, start=1):
        for faults in (faults_of_address, faults_of_number):
            try:
                for sentence in faults(server, scene, known):
                    yield wording("in-a-scene", scene=place, why=sentence)
            except LookupError as error:
                yield wording("in-a-scene", scene=place, why=error.args[0])


def words(server: str) -> Known:
    """The words of the API, each with the fields that it takes, and whether it needs them."""
    paths = json.loads(fetched(server, OPENAPI))["paths"]
    return {
        path.rpartition("/")[2]: {
            parameter["name"]: parameter.get("required", False)
            for parameter in operations["get"]["parameters"]
        }
        for path, operations in paths.items()
        if path.count("/") == 3
    }


def faults_of_address(server: str, scene: Scene, known: Known) -> Iterator[str]:
    """What an address says that its page does not know. Raises LookupError unless the page opens
    and its word answers what the address asks. Where the page chooses the model or the input, it
    opens as it always does.
    """
    path, _, query = scene.address.partition("?")
    parameters = dict(parse_qsl(query))
    page = Offered(fetched(server, scene.address).decode())
    word = path.strip("/")
    fields = known.get(word, {})
    yield from unknown_names(path, parameters, {*SHARED, *page.controls, *fields})
    yield from unknown_choices(path, parameters, page, fields)
    if page.figures and parameters.get("one") not in page.figures:
        yield not_alone(path, query, parameters.get("one"), page.figures)
    question = {name: value for name, value in parameters.items() if name in fields}
    if word not in known or not all(name in question for name, needed in fields.items() if needed):
        return
    try:
        fetched(server, f"/api/v1/{word}?{urlencode(question)}")
    except Refusal as error:
        # A page that is about no run keeps in its address what does not fit, and does not ask it.
        if any(fields.values()) or error.codes != {NOT_FITTING}:
            raise


def unknown_names(path: str, query: Mapping[str, str], known: Collection[str]) -> Iterator[str]:
    for name in query:
        if name not in known and "." not in name:
            near = nearest(name, known)
            if near:
                yield wording("name-misspelt", path=path, name=name, near=near[0])
            else:
                yield wording("name-unknown", path=path, name=name)


def unknown_choices(
    path: str, query: Mapping[str, str], page: Offered, fields: Collection[str]
) -> Iterator[str]:
    """A page opens as it always does where a choice among figures is none of its own; what a field
    of the API may be, the API says itself.
    """
    for name, value in query.items():
        offered = page.controls.get(name) or ()  # a list of one is filled by the page's script
        if len(offered) > 1 and name not in fields and value not in offered:
            known = sorted(offered)
            yield wording("no-choice-of", name=name, value=value, path=path, known=known)


def not_alone(path: str, query: str, figure: str | None, figures: Sequence[str]) -> str:
    """How to choose a figure of a page where none, or none of its own, is chosen."""
    if figure is not None:
        return wording("no-figure", path=path, figure=figure, known=figures)
    return wording("whole-page", path=path, join="&" if query else "?", known=figures)


def faults_of_number(server: str, scene: Scene, known: Known) -> Iterator[str]:
    """What is wrong with the number of a scene; raises LookupError where there is none."""
    number = scene.number
    if number is None:
        return
    answer: Any = json.loads(fetched(server, number.api_path))
    found = number.among(answer)
    if abs(found - number.value) > number.within:
        yield wording(
            "another-number",
            name=number.name,
            found=found,
            value=number.value,
            within=number.within,
        )


class NoAnswer(LookupError):
    """Nothing came from a server; `why` says why."""

    def __init__(self, address: str, why: str):
        super().__init__(wording("address-silent", address=address, why=why))
        self.why = why


class Refusal(LookupError):
    """What a server says instead of an answer, with its codes, none if it is no Vitrine's."""

    def __init__(self, address: str, refused: HTTPError):
        detail, self.codes = wording("server-answers", code=refused.code), set[str]()
        with contextlib.suppress(OSError, HTTPException, ValueError, LookupError, TypeError):
            problem = json.loads(refused.read())
            detail, self.codes = problem["detail"], {error["code"] for error in problem["errors"]}
        super().__init__(wording("address-refused", address=address, why=detail))


def fetched(server: str, address: str, seconds: float = ASKING_SECONDS) -> bytes:
    """What a server answers, after as many seconds at most. It is asked again as long as it says
    that the answer comes later. Raises Refusal with what it says instead, and NoAnswer where it
    says nothing.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            with urlopen(server + address, timeout=seconds) as response:  # noqa: S310
                return response.read()
        except HTTPError as error:
            pause = float(error.headers.get("Retry-After") or LATER_SECONDS)
            if error.code not in LATER or time.monotonic() + pause > end:
                raise Refusal(address, error) from error
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer(address, reason(error, seconds)) from error
        time.sleep(pause)


def reason(error: Exception, seconds: float) -> str:
    """Why nothing came, as the end of a sentence without its point."""
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return wording("nothing-came", seconds=seconds)
    if isinstance(cause, BadStatusLine) and not isinstance(cause, OSError):
        return wording("no-http")
    return str(getattr(cause, "strerror", None) or cause).rstrip(".")


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
                raise CannotStart("no-server-started")
            with at(address[0]) as ready:
                yield ready
        finally:
            server.terminate()


def until_ready(server: str) -> None:
    try:
        fetched(server, "/readyz", WARMING_SECONDS)
    except LookupError as error:
        raise CannotStart("model-not-ready", server=server, why=error.args[0]) from error
