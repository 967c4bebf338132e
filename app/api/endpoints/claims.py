"""/claims: the incorrect statements in the notes, and the numbers that show it."""

from app.api.endpoint import Endpoint
from app.schema.answers import Answer, Finding, StrictModel
from app.schema.questions import Question, Seed


class Claims(Question):
    seed: Seed = 0

    def sizes(self) -> dict[str, float]:
        return {"answer": 1}


class Claim(StrictModel):
    """A statement of the notes, its correction, and the numbers that support it."""

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
