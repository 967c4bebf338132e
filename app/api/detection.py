"""/detection: what each object query says is where, and which object it answers for."""

from app.api import Word
from app.questions import AboutModel

WORDS = (
    Word(
        "detection",
        AboutModel,
        "Object queries: each one's class and box after every layer, where it looks, and its matching with what is there",
        "model=shapes&image=three",
    ),
)
