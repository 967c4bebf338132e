"""/limits: every limit with its value and unit, and what the server is doing now."""

from app.api import Word
from app.engine import Engine
from app.questions import Question


def limits(engine: Engine) -> dict:
    return {"limits": engine.settings.limits(), "load": engine.load()}


WORDS = (Word("limits", Question, "Every limit, and the present load", local=limits),)
