"""/training: the same text at steps of a training, with two layers and with one."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.api.answers import Answer, Part
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Name, Names, Question, Text


class Training(Question):
    text: Text | None = Field(
        None,
        description=(
            "Letters that induction-2 and induction-1 read; without it the first example of the"
            " card."
        ),
    )
    step: Annotated[int, Field(ge=0), up_to("kept_step")] | None = Field(
        None, description="One of the kept steps; without it all."
    )
    names: Names | None = Field(
        None, description="The tensors to send, with commas between them; without it all."
    )


class TrainingFigures(Training):
    view: ClassVar = ("at", "head")

    at: Annotated[int, Field(ge=0), up_to("kept_step")] | None = Field(
        None,
        description=(
            "The step of the maps and of the loss by letter, or the kept step that is nearest;"
            " without it the step at which the induction head has formed."
        ),
    )
    head: Annotated[Name, Field(pattern=r"^[0-2]\.[0-3]$")] | None = Field(
        None,
        description=(
            "The head whose map is drawn alone: its layer, counted through both models, a dot and"
            " its number; without it all."
        ),
    )


class Formed(Part):
    """The kept steps between which the loss of repeated letters falls."""

    before: int
    step: int


class HeldOut(Part):
    """How the held-out letters were drawn, and what chance gives."""

    how: str
    by_chance: dict[str, float]


class TrainingAnswer(Answer):
    steps: list[int]
    formed: Formed | None
    guessing: float = Field(description="The loss of a guess, in nats.")
    by_chance: dict[str, float | None] = Field(description="By role of a head.")
    held_out: HeldOut


ENDPOINTS = (
    Endpoint(
        "training",
        Training,
        TrainingAnswer,
        "How an induction head forms: attention, loss by position and head roles at steps of a"
        " training, and a control of one layer",
        "text=qvmtzkdbqvmtzkdbqvmt&step=200",
        drawn=TrainingFigures,
    ),
)
