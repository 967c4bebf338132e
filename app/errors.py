"""Failures, all in one shape: application/problem+json (RFC 9457). A sentence names the limit and
what was given.
"""

import difflib
import logging
import uuid
from collections.abc import Iterable

import orjson
from starlette.responses import Response

log = logging.getLogger("vitrine")

MAX_ERRORS = 10
GIVEN_LENGTH = 80

# code: status, title
PROBLEMS = {
    "bad_request": (400, "The request is not valid HTTP"),
    "host": (400, "The server is not called by this name"),
    "origin": (403, "The request comes from another site"),
    "token": (403, "Only the lecturer of a room leads it"),
    "unknown": (404, "There is nothing of this name"),
    "method": (405, "The method is not allowed here"),
    "slow": (408, "The request took too long to arrive"),
    "too_large": (413, "The body is too large"),
    "media_type": (415, "The body is not JSON"),
    "invalid": (422, "The question cannot be answered as it stands"),
    "too_many": (429, "Too many of one's own at once"),
    "head_too_large": (431, "The address and headers are too long"),
    "failure": (500, "The server failed"),
    "busy": (503, "The server is busy"),
    "warming": (503, "The model is warming up"),
    "too_slow": (504, "The answer takes longer than the deadline"),
    "full": (507, "The disk is full"),
}


class Problem(Exception):
    """A failure that the client is told about.

    `code` is a row of PROBLEMS. `errors` say what to change, and where.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Iterable[dict] = (),
        headers: dict[str, str] | None = None,
        **more: object,
    ):
        super().__init__(detail)
        self.code, self.detail, self.errors, self.more = (
            code,
            detail,
            list(errors)[:MAX_ERRORS],
            more,
        )
        self.status, self.title = PROBLEMS[code]
        self.headers = headers or {}

    def as_dict(self) -> dict:
        named = {
            "type": f"/docs#problem-{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        return {**named, "errors": self.errors, **self.more}

    def body(self) -> bytes:
        return orjson.dumps(self.as_dict())

    def response(self) -> Response:
        headers = {"cache-control": "no-store", **self.headers}
        return Response(self.body(), self.status, headers, "application/problem+json")


def busy(detail: str, retry_after: float, code: str = "busy") -> Problem:
    return Problem(code, detail, headers={"Retry-After": str(max(1, round(retry_after)))})


def error(
    pointer: str, code: str, hint: str, *, limit: object = None, given: object = None
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
    """Returns enough of a value to recognise it, and never the whole of one that is longer than
    `most` characters.
    """
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
    return Problem(
        "failure", f"This is a fault of the server, written down in its log as {id}.", id=id
    )
