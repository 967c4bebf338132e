"""/questions: what is asked most about Transformers, a sentence each."""

from dataclasses import asdict

from app.api.answers import Asked, Part
from app.api.endpoint import Endpoint
from app.api.questions import Question
from app.site.notes import QUESTIONS


class Questions(Question):
    pass


class Asking(Part):
    """A question, an answer in a sentence, and the page that measures it."""

    name: str
    sentence: str
    page: str


class QuestionsAnswer(Asked):
    entries: list[Asking]


ENDPOINTS = (
    Endpoint(
        "questions",
        Questions,
        QuestionsAnswer,
        "What is asked most, each with an answer in a sentence and the page that measures it",
        local=lambda *_: {"entries": [asdict(note) for note in QUESTIONS]},
    ),
)
