"""/training: the same text at steps of a training, with two layers and with one."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.captions import fields
from app.captions.fields import where
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import training
from app.schema.answers import Answer, StrictModel
from app.schema.bounds import up_to
from app.schema.questions import Name, NamesSent, Question, Text


class Training(Question):
    text: Text | None = None
    step: Annotated[int, Field(ge=0), up_to("kept_step")] | None = None
    names: NamesSent = None


class TrainingFigures(Training):
    display_fields: ClassVar = ("at", "head")

    at: Annotated[int, Field(ge=0), up_to("kept_step")] | None = None
    head: Annotated[Name, Field(pattern=r"^[0-2]\.[0-3]$")] | None = None


class Formed(StrictModel):
    """The kept steps between which the loss of repeated letters falls."""

    before: int
    step: int


class HeldOut(StrictModel):
    """How the held-out letters were drawn, and what chance gives."""

    how: str
    by_chance: dict[str, float]


class TrainingAnswer(Answer):
    steps: list[int]
    formed: Formed | None
    guessing: float
    by_chance: dict[str, float | None]
    held_out: HeldOut


WORDS = Words(
    "training",
    fields={
        "maps": fields.Field(
            lambda answer, _: len(training.heads_of(answer)), "whole", measured=False
        ),
        "step": fields.Field(training.shown_step, "whole", measured=False),
        "head_name": fields.Field(training.shown_head, "name", measured=False),
    },
    conditions=where("one_head", lambda question: bool(question["head"])),
)
EXPERIMENT = Experiment(
    question=Training,
    answer=TrainingAnswer,
    figure_query=TrainingFigures,
    example="text=qvmtzkdbqvmtzkdbqvmt&step=200",
    figures={
        "maps": in_words(training.MAPS, tensor="pattern", meta=training.readout),
        "loss": in_words(training.LOSS),
        "time.roles": in_words(training.roles, tensor="held_out.induction"),
        "time.loss": in_words(training.OVER_TRAINING),
    },
    words=WORDS,
    source_fields={"names": None},  # an outline needs more than the map under it
)
