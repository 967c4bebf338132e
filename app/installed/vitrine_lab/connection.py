"""Connections to a Vitrine server, one kept open per thread."""

import json
import math
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from vitrine_lab.errors import CaseError, InvalidQuestion, ending, reading

PATIENCE = 60  # seconds of retrying a busy server
SOON = 0.1  # minimum seconds between tries
LATE = 504  # not ready in time; asking again gets the answer later
LONGEST = 600  # maximum seconds for a question
SENTENCE = 2_000  # maximum characters of a server's sentence


class Connection:
    """`address` is that of a server, without a trailing slash. `advice` is added to the error if it
    does not answer. A server that `is_own` is asked until it answers.
    """

    def __init__(self, address: str, advice: str = "", is_own: bool = False):
        try:
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError
            self.host = (parts.hostname, parts.port)
        except ValueError:  # also for an invalid port
            raise CaseError(
                f"{address!r:.80} is not a server address: write it like http://127.0.0.1:8000."
            ) from None
        self.address, self.advice, self.is_own = address, advice, is_own
        self.closed = False
        self.root = parts.path.rstrip("/")
        self.kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.of_thread = threading.local()
        self.all: list[HTTPConnection] = []

    def get(self, path: str) -> Any:
        """The server's response, parsed as JSON, or as bytes if it isn't JSON."""
        return self.answer("GET", path)

    def post(self, path: str, question: dict[str, Any]) -> Any:
        """The answer to a question, which is repeated while the server is busy. Raises
        InvalidQuestion with the API's sentence, and CaseError.
        """
        return self.answer("POST", path, as_json(question))

    def status(self, path: str) -> int:
        return self.exchange("GET", path, None)[0].status

    def page(self, path: str) -> HTTPResponse:
        """The server's response for a page. Raises as `post` does."""
        return self.answered("GET", path)[0]

    def sooner(self, path: str) -> Callable[[], bytes]:
        """Starts a slow request, and returns a function that reads the response when needed. Both
        raise CaseError if no server answers.
        """
        waiting = [self.kind(*self.host, timeout=LONGEST)]
        self.all.append(waiting[0])
        try:
            waiting[0].request("GET", self.root + path)
        except (HTTPException, OSError) as error:
            raise self.unreached(error) from None

        def read() -> bytes:
            while waiting:
                with closing(waiting.pop()) as early, suppress(HTTPException, OSError):
                    return early.getresponse().read()
            return self.exchange("GET", path, None)[1]  # the early request was abandoned

        return read

    def answer(self, method: str, path: str, body: bytes | None = None) -> Any:
        response, content = self.answered(method, path, body)
        if "json" not in response.headers.get("content-type", ""):
            return content
        with reading(self.address):
            return json.loads(content)

    def answered(
        self, method: str, path: str, body: bytes | None = None
    ) -> tuple[HTTPResponse, bytes]:
        until = time.monotonic() + PATIENCE
        with ending("The question"):
            while True:
                response, content = self.exchange(method, path, body)
                if response.status == 200:
                    return response, content
                wait = seconds_of(response.headers.get("retry-after", ""))
                if self.is_own and response.status == LATE:  # still computing
                    until = time.monotonic() + PATIENCE
                elif response.status not in (429, 503, LATE) or time.monotonic() + wait > until:
                    raise refusal(response.status, content, self.is_own)
                else:
                    time.sleep(wait)

    def exchange(self, method: str, path: str, body: bytes | None) -> tuple[HTTPResponse, bytes]:
        """One request and its response. A connection that the server closed is reopened once."""
        if self.closed:
            raise CaseError("This case is closed. Create another with Case().")
        connection = getattr(self.of_thread, "connection", None)
        try:
            return self.sent(connection or self.opened(), method, path, body)
        except (HTTPException, OSError) as error:
            if connection is not None:
                return self.exchange(method, path, body)
            raise self.unreached(error) from None

    def unreached(self, error: Exception) -> CaseError:
        return CaseError(f"There is no server at {self.address}: {reason(error)}{self.advice}")

    def opened(self) -> HTTPConnection:
        self.of_thread.connection = self.kind(*self.host, timeout=LONGEST)
        self.all.append(self.of_thread.connection)
        return self.of_thread.connection

    def close(self) -> None:
        self.closed = True
        for connection in self.all:
            connection.close()

    def sent(
        self, connection: HTTPConnection, method: str, path: str, body: bytes | None
    ) -> tuple[HTTPResponse, bytes]:
        headers = {"accept": "application/json, */*;q=0.5"}
        if body is not None:
            headers["content-type"] = "application/json"
        try:
            connection.request(method, self.root + path, body, headers)
            response = connection.getresponse()
            return response, response.read()
        except BaseException:  # including interrupts: the server then cancels the question
            connection.close()
            self.all.remove(connection)
            self.of_thread.connection = None
            raise


def seconds_of(retry_after: str) -> float:
    """The waiting time: a number of seconds or a date; 1 s if it is neither."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (OverflowError, TypeError, ValueError):
            wait = 1
    return max(wait, SOON) if math.isfinite(wait) else 1


def reason(error: BaseException) -> str:
    """The system's description of the error."""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{why[:1].lower()}{why[1:].rstrip('.')}."


def as_json(question: dict[str, Any]) -> bytes:
    """A question as JSON, converting NumPy and pandas values. Raises InvalidQuestion."""
    try:
        return json.dumps(question, default=plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidQuestion(f"The question could not be sent: {reason(error)}") from None


def plain(value: Any) -> Any:
    for convert in ("tolist", "to_dict"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def refusal(status: int, content: bytes, is_own: bool) -> CaseError:
    """Why there is no answer, in the API's sentence. One’s own server's limits can change."""
    try:
        problem = json.loads(content)
        sentence = problem["detail"]
        if not isinstance(sentence, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        return CaseError(f"The server answered {status} without a reason.")
    if is_own and "it may cost" in sentence:
        sentence += " Case(work_seconds=300) allows 300 s per question."
    kind = InvalidQuestion if status in (400, 404, 413, 422) else CaseError
    return kind(sentence[:SENTENCE], problem)
