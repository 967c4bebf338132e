"""/glossary: the terms of the field, a sentence each."""

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Question
from app.site.notes_service import terms


class Glossary(Question):
    pass


class Entry(StrictModel):
    """A term, a sentence about it, the page that shows it, and the paper that it comes from."""

    name: str
    sentence: str
    page: str
    source: str = Field(description="Authors and year; empty where the term is common knowledge.")


class GlossaryAnswer(EchoedAnswer):
    entries: list[Entry]


ENDPOINT = Endpoint(
    "glossary",
    Glossary,
    GlossaryAnswer,
    "The terms of the field, each with an explanation and the page that shows it",
    local=lambda *_: {
        "entries": [{name: getattr(term, name) for name in Entry.model_fields} for term in terms()]
    },
)
