"""/limits: every limit with its value and unit, and what the server is doing now."""

from starlette.datastructures import State

from app.api import Word
from app.questions import Question


def limits(state: State) -> dict:
    logs = {"streams": len(state.streams.logs), "trainings": len(state.trainings.logs)}
    return {"limits": state.settings.limits(), "load": {**state.engine.load(), **logs}}


WORDS = (Word("limits", Question, "Every limit, and the present load", local=limits),)
