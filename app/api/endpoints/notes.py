"""/notes: statements and questions from lecture notes, row by row, with answers."""

import asyncio
from typing import Any, Literal

import orjson
from pydantic import Field

from app.api.endpoint import Endpoint, endpoints
from app.errors import Problem
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Names, Question, Text
from app.site.notes_service import Reference, measurement, plain, references, select
from app.site.services import Services

Section = Literal[
    "formulas", "systems", "experiments", "claims", "questions", "lecture", "readings"
]
Verdict = Literal[
    "right",
    "partly right",
    "wrong",
    "ambiguous",
    "disputed",
    "included",
    "on a page",
    "measured here",
    "drawn here",
    "cited only",
    "answered",
    "open",
    "used here",
]


class Notes(Question):
    section: Section | None = None
    verdict: Verdict | None = None
    find: Text = ""
    items: Names = Field("", examples=["C57"])
    measured: bool = False

    def sizes(self) -> dict[str, float]:
        return {"answer": 1}

    def estimated_seconds(self) -> float:
        """Searching the rows, and the most expensive of the answers needed for numbers. These are
        computed one at a time, so that other questions can run in between, and are cached.
        """
        needed = answers_of(self).values() if self.measured else ()
        return super().estimated_seconds() + max(
            (seconds_of(endpoint_and_question(reference)[1]) for reference in needed), default=0
        )


def seconds_of(question: Question) -> float:
    """The cost of one answer; included results are only read."""
    return 0 if question.shipped else question.estimated_seconds()


def answers_of(question: Notes) -> dict[tuple, Reference]:
    """One reference for each answer that the rows of a question need."""
    return {
        (reference.word, reference.question): reference
        for row in chosen(question)
        for reference in references(row)
    }


def chosen(question: Notes) -> list:
    return select(question.section or "", question.verdict or "", question.find, question.items)


def endpoint_and_question(reference: Reference) -> tuple[Endpoint, Question]:
    """The endpoint and the question of a reference, with every default filled in."""
    endpoint = next(word for word in endpoints() if word.name == reference.word and not word.path)
    return endpoint, endpoint.question.model_validate(dict(reference.question))


async def answered(services: Services, question: Notes) -> dict[tuple, dict[str, Any]]:
    """The answers that the rows of a question need, computed one after another; raises Problem.

    Answers finished by the deadline are cached, and the current one continues, so asking again gets
    further.
    """
    needed, seconds = answers_of(question), services.settings.deadline_seconds
    answers: dict[tuple, dict[str, Any]] = {}
    try:
        async with asyncio.timeout(seconds):
            for key, reference in needed.items():
                endpoint, other = endpoint_and_question(reference)
                asking = asyncio.ensure_future(
                    services.engine.ask(endpoint.name, other.arguments())
                )
                reply = await asyncio.shield(asking)
                answers[key] = await asyncio.to_thread(orjson.loads, reply.body)
    except TimeoutError:
        asyncio.gather(asking, return_exceptions=True)  # its deadline error is not reported
        n, of = len(answers), len(needed)
        raise Problem("too_slow", "measurements-in-time", seconds=seconds, n=n, of=of) from None
    except asyncio.CancelledError:  # the client has left
        asking.cancel()
        raise
    return answers


async def notes(services: Services, question: Question, client: str) -> dict:
    """The rows and, if requested, their numbers, computing each answer once; raises Problem."""
    assert isinstance(question, Notes)
    answers = await answered(services, question) if question.measured else {}
    found = []
    for row in chosen(question):
        measured = [
            measurement(reference, answers[reference.word, reference.question])
            for reference in references(row)
            if question.measured
        ]
        number = measured[0]["number"] if measured else None
        found.append({**plain(row), "number": number, "measured": measured})
    return {"rows": found}


class Measured(StrictModel):
    """A number that supports a row, and where it was measured."""

    word: str
    asked: dict[str, str]
    finding: str
    title: str
    number: float
    said: str
    law: str
    verdict: Literal["holds", "fails", "undecided", "not applicable"]
    supports: bool | None
    sentences: str


class NotesRow(StrictModel):
    """A row of the notes, its verdict, and the correction or answer."""

    item: str
    section: Section
    text: str
    verdict: Verdict
    settled: str
    source: str
    page: str
    number: float | None
    measured: list[Measured]
    measurable: int


class NotesAnswer(EchoedAnswer):
    rows: list[NotesRow]


ENDPOINT = Endpoint(
    "notes",
    Notes,
    NotesAnswer,
    "items=C57&measured=true",
    local=notes,
)
