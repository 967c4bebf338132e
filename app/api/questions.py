"""/questions: what is asked most about Transformers, a sentence each."""

from dataclasses import asdict

from app.api import Word
from app.notes import QUESTIONS
from app.questions import Question


class Questions(Question):
    pass


WORDS = (
    Word(
        "questions",
        Questions,
        "What is asked most, each with an answer in a sentence and the page that measures it",
        local=lambda _: {"entries": [asdict(note) for note in QUESTIONS]},
    ),
)
