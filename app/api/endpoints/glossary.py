"""/glossary: the terms of the field, one sentence each."""

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Question
from app.site.notes_service import terms


class Glossary(Question):
    pass


class Entry(StrictModel):
    """A term, a sentence about it, the page that shows it, and the paper that introduced it."""

    name: str
    sentence: str
    page: str
    source: str


class GlossaryAnswer(EchoedAnswer):
    entries: list[Entry]


ENDPOINT = Endpoint(
    "glossary",
    Glossary,
    GlossaryAnswer,
    local=lambda *_: {
        "entries": [{name: getattr(term, name) for name in Entry.model_fields} for term in terms()]
    },
)
