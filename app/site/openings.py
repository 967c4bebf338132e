"""What a page asks when it opens is answered before anybody opens it: while a server has nothing
else to do, and once for all starts of this version, in a file beside the steps of trainings.
"""

import asyncio
import hashlib
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import brotli
from starlette.types import ASGIApp, Message

from app.compute.engine import Engine, Reply
from app.paths import ROOT, weights
from app.site.pages import TEMPLATES, controls_of, find_pages

log = logging.getLogger("vitrine.openings")

ADDRESSES = Path(__file__).with_suffix(".txt")
"""What the pages ask that are no clinics, an address of the API a line."""
FIGURE = re.compile(r"{% call figure\((.*)\) %}")
FIGURE_NAME, DRAWN_FROM = re.compile(r'\bdrawn="(.+?)"'), re.compile(r'\bdrawn_from="(.+?)"')
SELECTED = re.compile(r'data-asks="(\w+)=([^"]+)" (?:checked|selected)')
FILE = "openings.db"
POLL_SECONDS = 0.2  # seconds between two looks whether somebody else asks


StoredAnswer = tuple[bytes, str, bytes]
"""The key of an answer, its media type, and its bytes packed by brotli."""


async def answer_ahead(app: ASGIApp, engine: Engine, runs: Path, root_path: str = "") -> None:
    """Answers every opening that is not kept from an earlier start, each when nothing else is
    asked, and keeps it for the next.
    """
    stored, version = runs / FILE, await asyncio.to_thread(version_of_answers)
    for key, media_type, packed in await asyncio.to_thread(read, stored, version):
        body = await asyncio.to_thread(brotli.decompress, packed)
        reply = Reply(body, media_type, in_flight=engine.sending, variants={"br": packed}, key=key)
        engine.store(key, reply)
    for address in await asyncio.to_thread(addresses):
        while not is_idle(engine):
            await asyncio.sleep(POLL_SECONDS)
        before = engine.answered
        reply = await answered(app, engine, root_path + address)
        if reply is not None and engine.answered > before:
            assert reply.key is not None, "an answer that is kept has a key"
            entry = reply.key, reply.media_type, await reply.encoded("br")
            await asyncio.to_thread(write, stored, version, entry)
    log.info("what pages open on is answered")


def addresses() -> list[str]:
    """What pages ask when they open: first those that are no clinics."""
    clinics = [of_clinic(page.word) for page in find_pages() if page.has_claim]
    return ADDRESSES.read_text("utf-8").split() + clinics


def of_clinic(word: str) -> str:
    """What the page of a clinic asks: its controls as they open, and its first figures."""
    template = (TEMPLATES / "pages" / f"{word}.html").read_text("utf-8")
    figures = [figure_name(call, template) for call in FIGURE.findall(template)]
    fields = {name: control.opens for name, control in controls_of(word).items()}
    fields |= {"seed": "0", **dict(SELECTED.findall(template)), "figures": ",".join(figures)}
    chosen_fields = {name: value for name, value in fields.items() if value}
    return f"/api/v1/{word}/figures?{urlencode(chosen_fields | {'encoding': 'base64'})}"


def figure_name(call: str, template: str) -> str:
    """The figure in a frame when a page opens: its name, after what a control chooses."""
    chosen = [opens(name, template) for name in DRAWN_FROM.findall(call)]
    return ".".join([*chosen, *FIGURE_NAME.findall(call)])


def opens(name: str, template: str) -> str:
    """The choice that a control of a template opens on."""
    checked = rf'<input type="radio" name="{name}" value="([^"]+)"[^>]* checked'
    first = rf'<select name="{name}"[^>]*>\s*<option value="([^"]+)"'
    found = re.search(checked, template) or re.search(first, template)
    assert found, f"no control {name} chooses a figure"
    return found[1]


def is_idle(engine: Engine) -> bool:
    """Whether the worker is ready and nobody waits for it."""
    load = engine.backend.load()
    busy = load.waiting or load.running or load.paused
    return engine.backend.state == "ready" and not busy


async def answered(app: ASGIApp, engine: Engine, address: str) -> Reply | None:
    """The answer that is kept when the address has been asked; None where it has none."""
    path, _, query = address.partition("?")
    messages: list[Message] = []
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost"), (b"accept-encoding", b"br")],
        "server": ("localhost", 80),
        "client": ("openings", 0),
        "state": {},
    }
    body = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        if (message := next(body, None)) is None:
            await asyncio.Event().wait()  # the client never leaves
        return message or {}

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    etag = dict(messages[0].get("headers", ())).get(b"etag", b"").decode()
    return next((entry for entry in engine.cache.values() if entry.etag == etag), None)


def version_of_answers() -> str:
    """Changes with every file that an answer may depend on."""
    digest = hashlib.sha256()
    for path in files():
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def files() -> Iterator[Path]:
    """The code, the words of figures, and of each model the card, which states the digest of its
    weights.
    """
    for name in ("app", "model"):
        yield from sorted((ROOT / name).rglob("*.py"))
    yield from sorted(path for path in (TEMPLATES / "words").rglob("*.*") if path.is_file())
    yield from sorted(weights().glob("*/card.json"))


def read(stored: Path, version: str) -> list[StoredAnswer]:
    """What an earlier start has kept; nothing where there is none, or of another version."""
    try:
        with closing(sqlite3.connect(f"file:{stored}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT key, media, br FROM kept WHERE version = ?", (version,))
            return rows.fetchall()
    except sqlite3.Error:
        return []


def write(stored: Path, version: str, entry: StoredAnswer) -> None:
    """Keeps an answer for the next start, and none of another version. Where nothing can be
    written, the next start computes it again.
    """
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(stored)) as file, file:
            file.execute("CREATE TABLE IF NOT EXISTS kept (version, key PRIMARY KEY, media, br)")
            file.execute("DELETE FROM kept WHERE version != ?", (version,))
            file.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", (version, *entry))
    except (OSError, sqlite3.Error) as error:
        log.warning("what pages open on is not kept: %s", error)
