"""/glossary: the terms of the field, a sentence each."""

from dataclasses import asdict

from app.api import Word
from app.notes import GLOSSARY
from app.questions import Question


class Glossary(Question):
    pass


WORDS = (
    Word(
        "glossary",
        Glossary,
        "Terms, each with a sentence and the page that shows it",
        local=lambda _: {"entries": [asdict(note) for note in GLOSSARY]},
    ),
)
