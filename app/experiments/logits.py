"""/logits: what the model expects next, at the end and at every point of the stream."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import logits
from app.schema.answers import Label, Point, RunAnswer, optional
from app.schema.bounds import below, up_to
from app.schema.edits import AboutPart
from app.schema.questions import Layer, NamesSent


class Logits(AboutPart):
    top: Annotated[int, Field(ge=1), up_to("top")] | None = None
    lens: bool = False
    full: bool = False
    attribution: bool = False
    token: Annotated[int, Field(ge=0), below("vocabulary")] | None = None
    names: NamesSent = None
    first_layer: Layer | None = None
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = None


class LogitsFigures(Logits):
    display_fields: ClassVar = ("position",)

    position: Annotated[int, Field(ge=0), below("text_length")] | None = None


class WindowEnd(Point):
    """The last point of a window of layers."""

    first_layer: int


class LogitsAnswer(RunAnswer):
    top: int
    expected: list[str]
    expected_ids: list[int]
    expected_from: int
    top_tokens: list[list[str]]
    answered_at: list[int] = optional()
    points: list[Point] = optional()
    lens_tokens: list[list[list[str]]] = optional()
    windows: list[WindowEnd] = optional()
    whole_tokens: list[list[list[str]]] = optional()
    token: Label | None = optional()


EXPERIMENT = Experiment(
    question=Logits,
    answer=LogitsAnswer,
    figure_query=LogitsFigures,
    example="model=translator&source=i+am+cold&top=5&lens=true",
    figures={
        "lens": Figure(
            "The top prediction after each sub-layer", logits.lens, tensor="lens.top_probability"
        )
    },
    source_fields={"lens": True, "names": None},
)
