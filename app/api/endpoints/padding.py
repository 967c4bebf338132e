"""/padding: a padded batch with its mask and without, and what True means in a mask."""

from typing import Annotated

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Clinic, Head


class Padding(Clinic):
    sentences: Annotated[int, Field(ge=2), up_to("padded_sentences")] = Field(
        4, description="Sentences in the batch."
    )
    pads: Annotated[int, Field(ge=0), up_to("pads")] = Field(
        2, description="Columns of padding beyond the longest sentence."
    )
    head: Head = Field(0, description="The head of the first layer whose weights are shown.")

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server."""
        return 0.01 + self.seeds * (0.025 + 0.005 * self.sentences)


class PaddingAnswer(ClinicAnswer):
    real: int = Field(description="Tokens of the shortest sentence; what follows is padding.")


ENDPOINTS = (
    Endpoint(
        "padding",
        Padding,
        PaddingAnswer,
        "The attention of a padded sentence under each convention for True in a mask, and how far"
        " padding changes the output with a mask and without",
        "sentences=3&pads=4",
        figure="conventions",
    ),
)
