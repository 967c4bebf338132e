"""/questions: frequent questions about Transformers, one sentence each."""

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Question
from app.site.notes_service import select
from model.labels import label


class Questions(Question):
    pass


class Asking(StrictModel):
    """A question, a one-sentence answer, and the page that measures it."""

    name: str
    sentence: str
    page: str


def entries() -> list[dict[str, str]]:
    """The questions from lectures, followed by those from the notes."""
    rows = [*select("lecture"), *select("questions")]
    return [
        {"name": label(row.text), "sentence": label(row.settled), "page": row.page} for row in rows
    ]


class QuestionsAnswer(EchoedAnswer):
    entries: list[Asking]


ENDPOINT = Endpoint(
    "questions",
    Questions,
    QuestionsAnswer,
    local=lambda *_: {"entries": entries()},
)
