"""/recurrence: networks that read step by step, with and without attention."""

from typing import Annotated

from annotated_types import Le
from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer, Part
from app.schema.bounds import Fixed, up_to
from app.schema.questions import Clinic, Text

Letters = Annotated[int, Field(ge=2), up_to("reversed_length")]
Training = Annotated[int, Field(ge=0), Fixed(Le(2), "each network was trained three times")]


class Recurrence(Clinic):
    text: Text = Field(
        "recurrent",
        description="The word that the networks write backwards: 1 to 20 of the letters a to z.",
    )
    length: Letters = Field(
        10, description=("How many letters the random words have whose gradients are measured.")
    )
    training: Training = Field(
        0,
        description=(
            "Which of its three trainings, counted from 0, each network comes from that"
            " writes the word."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        word = 0.012 + 0.006 * len(self.text)
        trained = 3 * (0.003 + 0.0023 * self.length)
        return word + trained + self.seeds * (0.009 + 0.0029 * self.length)


class Writing(Part):
    """What a network writes for the word: the text up to </s>, every token, and whether all is
    right.
    """

    network: str
    text: str
    tokens: list[str]
    right: bool


class RecurrenceAnswer(ClinicAnswer):
    word: list[str]
    writings: list[Writing]
    trained_length: int = Field(
        description="How many letters the longest word of the training has."
    )


ENDPOINTS = (
    Endpoint(
        "recurrence",
        Recurrence,
        RecurrenceAnswer,
        "Encoder-decoders with RNN and LSTM cells, with Bahdanau's attention and without, beside a"
        " Transformer: accuracy by length, alignment, gradient by distance, and training with"
        " truncated back-propagation",
        "text=recurrent&length=10",
        figure="letters",
    ),
)
