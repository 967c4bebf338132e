"""What pages ask when they open is answered before anybody opens them, and kept afterwards."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from app.compute.backend import Job, Load, Query
from app.compute.engine import Engine
from app.compute.messages import Numbers, Outcome
from app.settings import Settings
from app.site import openings
from app.site.openings import answer_ahead
from app.site.pages import controls_of
from model.words import FOLDER as WORDS
from tests.app import loop
from tests.app.engines import FakeBackend, until

LONG = b'"' + b"a" * 5_000 + b'"'


class Counting(FakeBackend):
    """Answers at once, and counts what it was asked. It has as much to do as a test says."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.waiting = 0

    async def answer(self, job: Job) -> AsyncIterator[Outcome]:
        assert isinstance(job.request, Query)
        self.words.append(job.word)
        yield LONG

    def load(self) -> Load:
        return Load(waiting=self.waiting, paused=0, running=0, dropped=0, cancelled=0, replaced=0)


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pages, of which the second opens on nothing that is kept."""
    monkeypatch.setattr(openings, "addresses", lambda: ["/one?a=1", "/missing"])


def started(runs: Path, backend: Counting) -> Engine:
    """An engine whose server has answered what pages open on."""
    engine = Engine(Settings(), backend)

    async def app(scope: dict, receive: object, send: object) -> None:
        if scope["path"] == "/missing":
            await send({"type": "http.response.start", "status": 404, "headers": []})
            return
        question = {"asked": scope["query_string"].decode()}
        reply, _ = await engine.reply(Query("one", question, Numbers()), "br")
        headers = [(b"etag", reply.etag.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def work() -> None:
        ahead = asyncio.ensure_future(answer_ahead(app, engine, runs))
        if backend.waiting:
            await asyncio.sleep(0)
            assert backend.words == []
            backend.waiting = 0
        await until(ahead.done)
        ahead.result()

    loop.run(work())
    return engine


@pytest.mark.usefixtures("addresses")
def test_they_are_computed_once_and_kept_for_the_next_start(tmp_path: Path, monkeypatch):
    first, second, other = Counting(), Counting(), Counting()
    started(tmp_path, first)
    engine = started(tmp_path, second)
    assert (first.words, second.words) == (["one"], [])
    (entry,) = engine.cache.values()
    assert entry.body == LONG
    assert entry.variants["br"]
    monkeypatch.setattr(openings, "version_of_answers", lambda: "another")
    started(tmp_path, other)
    assert other.words == ["one"], "another version computes anew"


def test_a_changed_word_is_another_version():
    """Figures say what the files of words have."""
    assert {*WORDS.rglob("*.ftl")} <= {*openings.files()}


@pytest.mark.usefixtures("addresses")
def test_they_wait_while_somebody_asks(tmp_path: Path):
    backend = Counting()
    backend.waiting = 1
    started(tmp_path, backend)
    assert backend.words == ["one"]


@pytest.mark.usefixtures("addresses")
def test_without_a_place_to_write_they_are_computed_at_each_start(tmp_path: Path, caplog):
    (tmp_path / "taken").write_text("a file")
    started(tmp_path / "taken", Counting())
    assert "is not kept" in caplog.text


def test_they_ask_what_the_controls_of_the_pages_open_on():
    for address in openings.addresses():
        url = urlsplit(address)
        assert url.path.startswith("/api/v1/")
        word = url.path.removeprefix("/api/v1/").partition("/")[0]
        for name, value in parse_qsl(url.query):
            if (control := controls_of(word).get(name)) and control.opens is not None:
                assert value == str(control.opens), f"{word} opens on another {name}"
