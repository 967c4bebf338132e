"""/padding: a padded batch with its mask and without, and what True means in a mask."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic, Head


class Padding(Clinic):
    sentences: Annotated[int, Field(ge=2), up_to("padded_sentences")] = Field(
        4, description="How many sentences the batch has."
    )
    pads: Annotated[int, Field(ge=0), up_to("pads")] = Field(
        2, description="How many columns of padding follow the longest sentence."
    )
    head: Head = Field(
        0, description=("The head of the first layer, counted from 0, whose weights are shown.")
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server."""
        return 0.01 + self.seeds * (0.025 + 0.005 * self.sentences)


class PaddingAnswer(ClinicAnswer):
    real: int = Field(
        description=("How many tokens the shortest sentence has. Padding follows them.")
    )


ENDPOINTS = (
    Endpoint(
        "padding",
        Padding,
        PaddingAnswer,
        "What True means in a mask, and how far padding changes the output of a batch"
        " with a mask and without one",
        "sentences=3&pads=4",
        figure="conventions",
    ),
)
