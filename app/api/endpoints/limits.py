"""/limits: every limit with its value and unit, and what the server is doing now."""

from pydantic import Field
from starlette.datastructures import State

from app.api.endpoint import Endpoint
from app.schema.answers import Asked, Part
from app.schema.questions import Question


def limits(state: State, question: Question) -> dict:
    streams = len(state.steps.logs) + len(state.progress.logs)
    logs = {"streams": streams, "trainings": len(state.trainings.logs)}
    return {"limits": state.settings.limits(), "load": {**state.engine.load(), **logs}}


class Limit(Part):
    """A limit; `VITRINE_<NAME>` in the server's environment changes it."""

    name: str
    value: float
    unit: str
    sentence: str


class LimitsAnswer(Asked):
    limits: list[Limit]
    load: dict[str, str | float | None] = Field(
        description="What the server is doing now, as names with numbers."
    )


ENDPOINTS = (
    Endpoint(
        "limits",
        Question,
        LimitsAnswer,
        "Every limit of this server, and its present load",
        local=limits,
    ),
)
