"""/detection: what each object query says is where, and which object it answers for."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures.detection import found
from app.figures.detection_classes import BOARD, LOSS, of_board, of_loss
from app.figures.detection_heads import heads
from app.schema.answers import Fact, RunAnswer, StrictModel
from app.schema.bounds import below
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, Model


class Detection(AboutRun):
    model: Model = "shapes"
    query: Annotated[int, Field(ge=0), below("object_queries")] = Field(
        0, description=("The object query whose attention weights are sent, counted from 0.")
    )


class DetectionFigures(Detection):
    display_fields: ClassVar = ("layer", "head")

    layer: Layer | None = Field(
        None,
        description=(
            "The layer, counted from 0, after which the boxes are drawn. If it is left out,"
            " it is the last."
        ),
    )
    head: Head | None = Field(
        None,
        description=(
            "The head, counted from 0, whose weights are drawn as frames around the"
            " patches. If it is left out, it is the first."
        ),
    )


class Found(StrictModel):
    """What one object query says, and the object it answers for, where there is one."""

    query: int
    name: str = Field(alias="class")
    probability: float
    object: int | None
    iou: float | None


class PairLoss(StrictModel):
    """What one matched pair adds to the loss, in one layer."""

    layer: int
    query: int
    object: int
    classes: float = Field(description="What the cross-entropy of the classes adds.")
    l1: float = Field(description="What 5 times the L1 distance of the boxes adds.")
    giou: float = Field(description="What 2 times (1 − generalised IoU) of the boxes adds.")


class SetLoss(StrictModel):
    """The loss of training for this picture, over all layers (Carion et al. 2020, equation 2)."""

    total: float
    classes: float
    l1: float
    giou: float
    without_object: float = Field(
        description="The part of `classes` that queries without an object add."
    )
    no_object_weight: float = Field(
        description="The weight of the class “no object”. The paper has 0.1."
    )
    pairs: list[PairLoss]


class DetectionAnswer(RunAnswer):
    query: int
    found: list[Found]
    loss: SetLoss
    mean_iou: float
    facts: list[Fact]


EXPERIMENT = Experiment(
    question=Detection,
    answer=DetectionAnswer,
    figure_query=DetectionFigures,
    sentence="The class and the box of each object query after every layer, where one query looks,"
    " which object it is matched with, and the loss term by term",
    example="model=shapes&image=three",
    figures={
        "found": Figure("What is where", found, tensor="boxes"),
        "heads": Figure("Where a query looks", heads, tensor="weights"),
        "board": Figure("What every query says", BOARD, meta=of_board),
        "loss": Figure("What this picture costs", LOSS, tensor="loss_terms", meta=of_loss),
    },
)
