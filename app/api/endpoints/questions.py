"""/questions: what is asked most about Transformers, a sentence each."""

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Question
from app.site.notes_service import select


class Questions(Question):
    pass


class Asking(StrictModel):
    """A question, an answer in a sentence, and the page that measures it."""

    name: str
    sentence: str
    page: str


def entries() -> list[dict[str, str]]:
    """The questions of lectures, then those of the notes."""
    asked = [*select("lecture"), *select("questions")]
    return [{"name": row.text, "sentence": row.settled, "page": row.page} for row in asked]


class QuestionsAnswer(EchoedAnswer):
    entries: list[Asking]


ENDPOINT = Endpoint(
    "questions",
    Questions,
    QuestionsAnswer,
    local=lambda *_: {"entries": entries()},
)
