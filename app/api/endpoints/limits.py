"""/limits: every limit with its value and unit, and the current load of the server."""

from app.api.endpoint import Endpoint
from app.schema.answers import EchoedAnswer, StrictModel
from app.schema.questions import Question
from app.site.services import Services


def limits(services: Services, question: Question, client: str) -> dict:
    streams = len(services.steps.logs) + len(services.progress.logs)
    logs = {"streams": streams, "trainings": len(services.trainings.logs)}
    return {"limits": services.settings.limits(), "load": {**services.engine.load(), **logs}}


class Limit(StrictModel):
    """A limit; `VITRINE_<NAME>` in the server's environment changes it."""

    name: str
    value: float
    unit: str
    sentence: str


class LimitsAnswer(EchoedAnswer):
    limits: list[Limit]
    load: dict[str, str | float | None]


ENDPOINT = Endpoint(
    "limits",
    Question,
    LimitsAnswer,
    local=limits,
)
