"""Failures, all in one shape: application/problem+json (RFC 9457). A sentence names the limit and
what was given; it is a message of `templates/words/<language>/errors.ftl`, and is read in the
language of who asks.
"""

import difflib
import logging
import uuid
from collections.abc import Iterable
from typing import Any

import orjson
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from model.errors import Sentence

log = logging.getLogger("vitrine")

MAX_ERRORS = 10
GIVEN_LENGTH = 80

PROBLEMS = {
    "bad_request": 400,
    "host": 400,
    "origin": 403,
    "token": 403,
    "unknown": 404,
    "method": 405,
    "slow": 408,
    "too_large": 413,
    "media_type": 415,
    "invalid": 422,
    "too_many": 429,
    "head_too_large": 431,
    "failure": 500,
    "busy": 503,
    "warming": 503,
    "too_slow": 504,
    "full": 507,
}
"""The status of each code; its title is the message `title-<code>`."""


class Problem(Exception):
    """A failure that the client is told about.

    `code` is one of PROBLEMS, and `detail` a sentence, or the name of a message with its `values`;
    `why` is its reason, where it has one. The entries of `errors` say what to change, and where.
    `nearest` are names that there are, and `id` is one of the log.
    """

    def __init__(
        self,
        code: str,
        detail: str | Sentence,
        /,
        *,
        errors: Iterable[dict] = (),
        headers: dict[str, str] | None = None,
        nearest: list[str] | None = None,
        id: str | None = None,
        **values: object,
    ):
        super().__init__(code, detail)
        self.code, self.status = code, PROBLEMS[code]
        self.sentence = detail if isinstance(detail, Sentence) else sentence(detail, **values)
        self.entries, self.headers = list(errors)[:MAX_ERRORS], headers or {}
        more = {"nearest": nearest, "id": id}
        self.more = {name: value for name, value in more.items() if value is not None}

    def __str__(self) -> str:
        return self.detail

    @property
    def title(self) -> str:
        return title(self.code)

    @property
    def detail(self) -> str:
        return str(self.sentence)

    @property
    def errors(self) -> list[dict]:
        return [{**entry, "hint": str(entry["hint"])} for entry in self.entries]

    def as_dict(self) -> dict:
        named = {
            "type": f"/docs#problem-{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        why = {"why": self.sentence.why} if self.sentence.why else {}
        return {**named, **why, "errors": self.errors, **self.more}

    def body(self) -> bytes:
        return orjson.dumps(self.as_dict())

    def response(self) -> Response:
        headers = {"cache-control": "no-store", **self.headers}
        return Response(self.body(), self.status, headers, "application/problem+json")


def sentence(message: str, /, **values: object) -> Sentence:
    return Sentence.from_file("errors", message, **values)


def title(code: str) -> str:
    return str(sentence(f"title-{code}"))


def busy(message: str | Sentence, retry_after: float, code: str = "busy", **values: Any) -> Problem:
    headers = {"Retry-After": str(max(1, round(retry_after)))}
    return Problem(code, message, headers=headers, **values)


def error(
    pointer: str, code: str, hint: str | Sentence, *, limit: object = None, given: object = None
) -> dict:
    """Makes one entry of `errors`."""
    return {
        "pointer": pointer,
        "code": code,
        "limit": abbreviate(limit),
        "given": abbreviate(given),
        "hint": hint,
    }


def abbreviate(value: object, most: int = GIVEN_LENGTH) -> object:
    """Enough of a value to recognise it, never all of one longer than `most` characters."""
    if (
        value is None
        or isinstance(value, bool | float)
        or (isinstance(value, int) and abs(value) < 2**53)
    ):
        return (
            value if value == value and value not in (float("inf"), -float("inf")) else str(value)
        )
    text = (value if isinstance(value, str) else repr(value)).encode("utf-8", "replace").decode()
    return text if len(text) <= most else f"{text[: most - 1]}…"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)


def failure(cause: BaseException | str) -> Problem:
    """Logs the cause under a new id, and returns the problem that carries only this id."""
    id = uuid.uuid4().hex[:12]
    log.error(
        "failure %s: %s", id, cause, exc_info=cause if isinstance(cause, BaseException) else None
    )
    return Problem("failure", sentence("fault-of-the-server", id=id), id=id)


class ErrorMiddleware:
    """Answers an exception that nobody expected: it is logged under an id, and the client gets a
    500 with that id and no traceback.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except ClientDisconnect:
            log.debug("A client has left in the middle of its body.")
        except Exception as exception:
            if scope["type"] != "http" or started:
                raise
            await failure(exception).response()(scope, receive, send)
