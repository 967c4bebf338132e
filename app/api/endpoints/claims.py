"""/claims: what the notes say that is not so, and the number that says it."""

from app.api.endpoint import Endpoint
from app.schema.answers import Answer, Finding, StrictModel
from app.schema.questions import Question, Seed


class Claims(Question):
    seed: Seed = 0

    def estimated_seconds(self) -> float:
        """Measured on one core of a two-core server: .7 s, and .9 s beside other clients."""
        return 0.85


class Claim(StrictModel):
    """A sentence of the notes, what is so instead, and the numbers that say it."""

    id: str
    item: str
    verdict: str
    notes: str
    instead: str
    source: str
    page: str
    findings: list[Finding]


class ClaimsAnswer(Answer):
    init: str
    claims: list[Claim]


ENDPOINT = Endpoint(
    "claims",
    Claims,
    ClaimsAnswer,
)
