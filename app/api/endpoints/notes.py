"""/notes: what lecture notes say and ask about Transformers, row by row, with what settles it."""

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

FINDING = 0.005  # seconds, at most, in which all rows are looked through on one core

Section = Literal[
    "formulas", "systems", "experiments", "claims", "questions", "lecture", "readings"
]
Verdict = Literal[
    "right",
    "partly right",
    "wrong",
    "ambiguous",
    "disputed",
    "shipped",
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

    def estimated_seconds(self) -> float:
        """Finding the rows, and the dearest of the answers that are asked for numbers: these are
        asked one after another, so that other questions come between them, and are kept.
        """
        needed = answers_of(self).values() if self.measured else ()
        return FINDING + max(
            (seconds_of(endpoint_and_question(one)[1]) for one in needed), default=0
        )


def seconds_of(question: Question) -> float:
    """The work of one answer; what is shipped with the package is only read."""
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
    """The answers that the rows of a question need, one asked after another; raises Problem.

    Those that are computed by the deadline are kept, and the one under way goes on. So whoever asks
    again comes further.
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
        asyncio.gather(asking, return_exceptions=True)  # its own deadline is told to nobody
        n, of = len(answers), len(needed)
        raise Problem("too_slow", "measurements-in-time", seconds=seconds, n=n, of=of) from None
    except asyncio.CancelledError:  # the client has left
        asking.cancel()
        raise
    return answers


async def notes(services: Services, question: Question, client: str) -> dict:
    """The rows, and if asked their numbers, each answer asked once; raises Problem."""
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
    """One number that settles a row, and where it was measured."""

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
    """A row of the notes, its verdict, and what is so."""

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
