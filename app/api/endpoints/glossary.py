"""/glossary: the terms of the field, a sentence each."""

from dataclasses import asdict

from app.api.answers import Asked, Part
from app.api.endpoint import Endpoint
from app.api.questions import Question
from app.site.noted import terms


class Glossary(Question):
    pass


class Entry(Part):
    """A term, a sentence about it, and the page that shows it."""

    name: str
    sentence: str
    page: str


class GlossaryAnswer(Asked):
    entries: list[Entry]


ENDPOINTS = (
    Endpoint(
        "glossary",
        Glossary,
        GlossaryAnswer,
        "The terms of the field, each with an explanation and the page that shows it",
        local=lambda *_: {"entries": [asdict(term) for term in terms()]},
    ),
)
