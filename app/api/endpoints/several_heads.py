"""/several-heads: one head beside four of the same total width."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class SeveralHeads(Clinic):
    steps: Annotated[int, Field(ge=50), up_to("training_steps")] = Field(
        300, description="How many steps each training has."
    )
    seeds: Annotated[int, Field(ge=1), up_to("seeds")] = Field(
        8,
        description=(
            "How many times each model is trained, each time from other weights on other texts."
        ),
    )

    def work(self) -> float:
        """Of all trainings together; fitted to measurements on one core of a two-core server."""
        return 0.3 + self.steps * (0.0042 + 0.0006 * self.seeds)


class SeveralHeadsAnswer(ClinicAnswer):
    guessing: float = Field(description="The loss of guessing, in nats.")
    parameters: dict[str, int] = Field(
        description="How many weights each model has, by its number of heads."
    )


ENDPOINTS = (
    Endpoint(
        "several-heads",
        SeveralHeads,
        SeveralHeadsAnswer,
        "One head beside four heads of the same total width, trained on a task that needs"
        " several looks at once",
        "steps=100&seeds=2",
        figure="loss",
    ),
)
