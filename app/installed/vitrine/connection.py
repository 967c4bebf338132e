"""Speaks with a server of Vitrine over kept connections, one for each thread."""

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

from vitrine.errors import CaseError, InvalidQuestion, ending, reading

PATIENCE = 60  # seconds in which a busy server is asked again
SOON = 0.1  # seconds at least until then
LATE = 504  # the answer is not ready in time; whoever asks again has it then
LONGEST = 600  # seconds that a question may take
SENTENCE = 2_000  # letters of a server's sentence that are shown


class Connection:
    """`address` is that of a server, without a slash at its end. `advice` is said besides where it
    does not answer. One of its `own` is asked until it answers.
    """

    def __init__(self, address: str, advice: str = "", own: bool = False):
        try:
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError
            self.host = (parts.hostname, parts.port)
        except ValueError:  # a port that there is not, too
            raise CaseError(
                f"{address!r:.80} is no address of a server: write it like http://127.0.0.1:8000."
            ) from None
        self.address, self.advice, self.own = address, advice, own
        self.closed = False
        self.root = parts.path.rstrip("/")
        self.kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self.of_thread = threading.local()
        self.all: list[HTTPConnection] = []

    def get(self, path: str) -> Any:
        """What the server answers, as Python reads JSON, or as bytes where it is none."""
        return self.answer("GET", path)

    def post(self, path: str, question: dict[str, Any]) -> Any:
        """The answer to a question, which is asked again while the server is busy. Raises
        InvalidQuestion with the sentence of the API, and CaseError.
        """
        return self.answer("POST", path, as_json(question))

    def status(self, path: str) -> int:
        return self.exchange("GET", path, None)[0].status

    def page(self, path: str) -> HTTPResponse:
        """How the server answers where a page is. Raises as `post` does."""
        return self.answered("GET", path)[0]

    def sooner(self, path: str) -> Callable[[], bytes]:
        """Asks for what takes a while, and returns what reads it when it is needed. Both raise
        CaseError where no server answers.
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
            return self.exchange("GET", path, None)[1]  # the first has been given up

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
                if self.own and response.status == LATE:  # it computes, and keeps what it has found
                    until = time.monotonic() + PATIENCE
                elif response.status not in (429, 503, LATE) or time.monotonic() + wait > until:
                    raise refusal(response.status, content, self.own)
                else:
                    time.sleep(wait)

    def exchange(self, method: str, path: str, body: bytes | None) -> tuple[HTTPResponse, bytes]:
        """One request and its whole response. A kept connection that the server has closed in the
        meantime is opened again, once.
        """
        if self.closed:
            raise CaseError("This case was closed: make another with Case().")
        kept = getattr(self.of_thread, "connection", None)
        try:
            return self.sent(kept or self.opened(), method, path, body)
        except (HTTPException, OSError) as error:
            if kept is not None:
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
        for one in self.all:
            one.close()

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
        except BaseException:  # an interrupt too: the server then ends what nobody waits for
            connection.close()
            self.all.remove(connection)
            self.of_thread.connection = None
            raise


def seconds_of(retry_after: str) -> float:
    """How long to wait: a number of seconds or a date; 1 s where it is neither."""
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (OverflowError, TypeError, ValueError):
            wait = 1
    return max(wait, SOON) if math.isfinite(wait) else 1


def reason(error: BaseException) -> str:
    """What went wrong, in the words of the system."""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{why[:1].lower()}{why[1:].rstrip('.')}."


def as_json(question: dict[str, Any]) -> bytes:
    """A question as JSON; NumPy's numbers and arrays, and pandas' rows, are what they hold. Raises
    InvalidQuestion.
    """
    try:
        return json.dumps(question, default=plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidQuestion(f"The question cannot be sent: {reason(error)}") from None


def plain(value: Any) -> Any:
    for convert in ("tolist", "to_dict"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    raise TypeError(f"{type(value).__name__} is nothing that JSON can say")


def refusal(status: int, content: bytes, own: bool) -> CaseError:
    """Why there is no answer, in the sentence of the API. The limits of one's `own` server may be
    other ones.
    """
    try:
        problem = json.loads(content)
        sentence = problem["detail"]
        if not isinstance(sentence, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        return CaseError(f"The server answered with {status} and no reason.")
    if own and "it may cost" in sentence:
        sentence += " Case(work_seconds=300) lets a question cost 300 s."
    kind = InvalidQuestion if status in (400, 404, 413, 422) else CaseError
    return kind(sentence[:SENTENCE], problem)
