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
    query: Annotated[int, Field(ge=0), below("object_queries")] = 0


class DetectionFigures(Detection):
    display_fields: ClassVar = ("layer", "head")

    layer: Layer | None = None
    head: Head | None = None


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
    classes: float
    l1: float
    giou: float


class SetLoss(StrictModel):
    """The loss of training for this picture, over all layers (Carion et al. 2020, equation 2)."""

    total: float
    classes: float
    l1: float
    giou: float
    without_object: float
    no_object_weight: float
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
    example="model=shapes&image=three",
    figures={
        "found": Figure("Detected boxes", found, tensor="boxes"),
        "heads": Figure("What a query attends to", heads, tensor="weights"),
        "board": Figure("What each query predicts", BOARD, meta=of_board),
        "loss": Figure("The loss for this image", LOSS, tensor="loss_terms", meta=of_loss),
    },
)
