"""A case that joins what is no Vitrine: each call is answered or ends in one sentence, and nothing
of the server runs in the notebook or moves the cursor of a terminal.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx2
import pytest
from vitrine_lab import Answer, Case, CaseError
from vitrine_lab.connection import seconds_of
from vitrine_lab.notebook import bundle, frame

from tests.app.serving import Running

EVIL = "<script>alert('owned')</script><img src=x onerror=alert(1)>\x1b[2J\u202e\"'"
FIGURE = {"layout": {"meta": dict.fromkeys(("title", "kind", "description", "model"), EVIL)}}
FIGURE["layout"]["meta"] |= {"input": {EVIL: EVIL}, "edited": [EVIL], "weights_sha256": EVIL}
NUMBERS = {"axes": [EVIL], "shape": [1], "formula": EVIL}
SCRIPTS = {
    **dict.fromkeys(("kind", "model", "stage", "detail", "family", "modality"), EVIL),
    "question": {EVIL: EVIL},
    "input": {EVIL: EVIL},
    "axes": {EVIL: {"labels": [EVIL]}},
    "tensors": {EVIL: NUMBERS | {"data": {"dtype": "f4", "bdata": "AAAAAA=="}}},
    "figures": {EVIL: FIGURE},
}
SHAPES = {
    "a captive portal": b"<!doctype html><title>Log in</title>",
    "null": b"null",
    "a list": b"[]",
    "a text": b'"text"',
    "cut off": b"{",
    "deep": b"[" * 200_000,
    "empty": b"{}",
    "no UTF-8": b'{"question": "\xff"}',
    "numbers": b'{"question": {}, "tensors": {"a": 5}, "figures": {"a": 5}}',
    "a figure": b'{"question": {}, "figures": {"a": {"layout": {"meta": {"title": 5}}}}}',
    "lists": b'{"question": {}, "tokens": [5], "axes": {"a": 5}, "tensors": {}, "figures": {}}',
    "labels": json.dumps(SCRIPTS | {"axes": {EVIL: {"labels": []}}}).encode(),
    "scripts": json.dumps(SCRIPTS).encode(),
}
CALLS: list[Callable[[Case], object]] = [
    lambda case: case.models(),
    lambda case: printed(case.attention("i am cold")),
    lambda case: printed(case.attention(source="i am cold")),
    lambda case: case.attention(source="i am cold").figure,
    lambda case: printed(case.tokens(source="i am cold")),
    lambda case: printed(case.architecture(source="i am cold")),
    lambda case: case.explain(source="i am cold", name="logits", at=[0]).frame(),
    lambda case: case.open("/attention"),
    lambda case: case.add("folder"),
]


@pytest.fixture(scope="module")
def document(house: Running) -> bytes:
    with house.client() as client:
        return client.get("/openapi.json").content


@contextmanager
def answering(body: bytes, status: int = 200, document: bytes = b"", **headers: str) -> Iterator:
    """A server that has one body for every address, and perhaps the document of Vitrine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            stated = document and self.path == "/openapi.json"
            ready = stated or self.path == "/readyz"
            content = document if stated else body
            self.send_response(200 if ready else status)
            html = content.startswith(b"<")
            self.send_header("content-type", "text/html" if html else "application/json")
            self.send_header("content-length", str(len(content)))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=partial(server.serve_forever, 0.01), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def printed(answer: Answer) -> tuple[str, str]:
    """All that a terminal and a notebook show of an answer."""
    texts = [repr(answer), repr(answer.tensors), repr(answer.figures)]
    texts += [repr(tensor) for tensor in answer.tensors.values()]
    html = answer._repr_mimebundle_().get("text/html", "") + answer.frame().to_html()
    return "\n".join(texts), html


def sentence(call: Callable[[], object]) -> str:
    """What a call raises, as a notebook shows it; empty where it is answered."""
    try:
        call()
    except CaseError as error:
        error_caught = error
    else:
        return ""
    assert error_caught.__cause__ is None
    assert str(error_caught).isprintable()
    return str(error_caught)


@pytest.mark.parametrize("name", SHAPES)
def test_every_call_is_answered_or_ends_in_one_sentence(
    document: bytes, name: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    with answering(SHAPES[name]) as address:
        messages = sentence(lambda: Case(address))
        assert messages == f"The server at {address} is not this version of Vitrine."
    with answering(SHAPES[name], document=document) as address, Case(address) as case:
        messages = [sentence(partial(call, case)) for call in CALLS]
        assert all(
            len(message) < 200 and message.endswith((".", "Case().", "")) for message in messages
        )
        assert sum(map(bool, messages)) >= (2 if name == "scripts" else 3)
    with answering(SHAPES[name], 422, document) as address, Case(address) as case:
        assert all(sentence(partial(call, case)) for call in CALLS)


def test_nothing_of_another_server_runs_in_the_notebook(client: httpx2.Client, document: bytes):
    """Not its script: the one that is shown is that of the package."""
    with answering(SHAPES["scripts"], document=document) as address, Case(address) as case:
        html = bundle(case)["text/html"]
        script, _, rest = html.removeprefix("<script>").partition("</script>")
        assert script == client.get("/notebook.js").text
        texts, html = printed(case.attention(source="i am cold"))
        assert "\x1b" not in texts
        framed = frame(case, f"{address}/{EVIL}", f"frame-ancestors {EVIL}", 5)["text/html"]
        for text in (rest, html, framed):
            assert not re.search("<(script|img)", text)


def test_no_word_of_a_server_takes_the_place_of_what_a_case_does():
    field = {"requestBody": {"content": {"application/json": {"schema": {}}}}, "summary": EVIL}
    paths = {
        f"/api/v1/{name}": {"get": {"x-example": ""}, "post": field}
        for name in ("add", "close", "open", "connection", "model", "evil")
    }
    content = json.dumps({"info": {"title": "Vitrine"}, "paths": paths}).encode()
    with answering(content) as address, Case(address) as case:
        assert case.model is None
        assert "is a separate server" in sentence(lambda: case.add("folder"))
        assert "\x1b" not in case.evil.__doc__


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("", 1, 1),
        ("3", 3, 3),
        ("-5", 0.1, 0.1),
        ("nan", 1, 1),
        ("inf", 1, 1),
        ("soon", 1, 1),
        ("in an hour", 3_000, 3_600),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.1, 0.1),
    ],
)
def test_a_busy_server_is_asked_again_when_it_says(header: str, least: float, most: float):
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert least <= seconds_of(header.replace("in an hour", in_an_hour)) <= most
