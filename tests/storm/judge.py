"""Nothing lost: the one judge of every scenario.

Every request gets exactly one complete and valid answer before its deadline. Every 2xx has the same
bytes as the same request asked alone. After a storm the server uses no more than before it.
"""

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.app.problems import assert_problem
from tests.app.serving import Running, audit
from tests.storm.client import DEADLINE, MARGIN, Answer
from tests.storm.ground import QuietServer
from tests.storm.report import Report

SETTLE = 30.0  # seconds in which everything returns to its base
OF_THE_MOMENT = ("/healthz", "/readyz", "/metrics", "/api/v1/limits")


@dataclass
class Judge:
    """`refusals` are the statuses beside 2xx that the fault of the scenario may cause."""

    refusals: tuple[int, ...] = (503,)
    deadline: float = DEADLINE
    answers: list[Answer] = field(default_factory=list)

    def report(self, report: Report, quiet: QuietServer | None = None, compared: int = 400) -> None:
        """Writes down every way in which something was lost; `quiet` asks at most `compared`
        different questions again.
        """
        counted = Counter(answer.status or answer.trouble for answer in self.answers)
        text = ", ".join(f"{n} x {what}" for what, n in sorted(counted.items(), key=str))
        report.note("answers", text)
        report.equal("requests without a complete answer", self.without(), 0)
        report.equal("answers after their deadline", self.late(), 0)
        report.equal("answers that are not valid", len(self.invalid()), 0)
        for wrong in self.invalid()[:3]:
            report.note("not valid", wrong)
        if quiet is not None:
            report.equal("2xx other than the same request alone", self.other(quiet, compared), 0)

    def without(self) -> int:
        return sum(bool(answer.trouble) for answer in self.answers)

    def late(self) -> int:
        return sum(answer.seconds > self.deadline + MARGIN for answer in self.answers)

    def invalid(self) -> list[str]:
        """What is wrong with the answers; equal ones are looked at once."""
        distinct = {(a.status, a.head, a.body): a for a in self.answers if not a.trouble}
        return [wrong for answer in distinct.values() if (wrong := self.fault(answer))]

    def fault(self, answer: Answer) -> str:
        try:
            response = as_response(answer)
            if answer.status == 307:  # from a slash at the end to the address without it
                assert not response.headers["location"].startswith("//"), answer.head[:200]
            elif not response.is_success:
                assert answer.status in self.refusals, f"{answer.status} {answer.body[:200]!r}"
                if answer.request.method != "HEAD":
                    assert_problem(response, answer.status)
            elif response.headers.get("content-type") == "application/json" and answer.body:
                response.json()
        except (AssertionError, ValueError) as wrong:
            return f"{answer.request.method} {answer.request.path[:60]}: {str(wrong)[:160]}"
        return ""

    def other(self, quiet: QuietServer, compared: int) -> int:
        """How many 2xx differ from what a server without a storm says to the same request."""
        bodies = {
            (a.request, a.body)
            for a in self.answers
            if 200 <= a.status < 300
            and not a.trouble
            and not a.request.path.startswith(OF_THE_MOMENT)
        }
        chosen = sorted(bodies, key=lambda pair: str(pair[0]))[:compared]
        return sum(quiet.body(request) != body for request, body in chosen)


def as_response(answer: Answer) -> httpx2.Response:
    """With the headers that every response must have; raises AssertionError."""
    lines = answer.head.decode("latin-1").strip().split("\r\n")[1:]
    response = httpx2.Response(
        answer.status,
        headers=[tuple(line.split(": ", 1)) for line in lines if ": " in line],
        content=answer.body,
        request=httpx2.Request(answer.request.method, "http://localhost/"),
    )
    audit(response)
    return response


@dataclass(frozen=True)
class Base:
    """What the web process uses: threads, file descriptors, and bytes beside the answers kept."""

    threads: int
    descriptors: int
    memory: int

    @classmethod
    def of(cls, server: Running) -> "Base":
        process = Path(f"/proc/{server.process.pid}")
        with server.client() as client:
            cached = client.get("/api/v1/limits").json()["load"]["cache_bytes"]
            threads = len(list((process / "task").iterdir()))
            descriptors = len(list((process / "fd").iterdir()))
            return cls(threads, descriptors, resident(server) - cached)

    def near(self, base: "Base") -> bool:
        return (
            abs(self.threads - base.threads) <= 2
            and abs(self.descriptors - base.descriptors) <= 2
            and self.memory <= 1.1 * base.memory
        )

    def report(self, report: Report, server: Running) -> None:
        """Waits until the server is back where it was before the storm, and says where it is."""
        begun = time.monotonic()
        while not (now := Base.of(server)).near(self) and time.monotonic() - begun < SETTLE:
            time.sleep(0.25)
        report.at_most("threads more than before", abs(now.threads - self.threads), 2)
        report.at_most("descriptors more than before", abs(now.descriptors - self.descriptors), 2)
        grown = 100 * (now.memory / self.memory - 1)
        report.at_most("memory more than before", round(grown, 1), 10, " %")


def resident(server: Running, field: str = "VmRSS") -> int:
    """Bytes of the web process; VmHWM is the most there have been."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(re.search(rf"{field}:\s+(\d+) kB", status)[1])


def forget_peak(server: Running) -> None:
    """VmHWM counts from here on."""
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
