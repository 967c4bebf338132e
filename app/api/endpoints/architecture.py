"""/architecture: a model's parts with the shapes of one run, and its parameters as a sum."""

from typing import ClassVar, Literal

from app.api.endpoint import Endpoint
from app.schema.answers import DrawingFields, RunAnswer, StrictModel, optional
from app.schema.questions import AboutModel, Name, Viewport

Shape = list[int]


class ArchitectureDrawing(Viewport, AboutModel):
    """The model, its input, the space for the drawing, and the entries of its table."""

    display_fields: ClassVar = (*Viewport.display_fields, "table", "open")

    table: Literal["parts", "weights"] = "parts"
    open: Name | None = None


class SubLayer(StrictModel):
    name: str
    kind: Literal[
        "attention", "cross_attention", "feed_forward", "row_attention", "row_feed_forward"
    ]
    count: int
    inner: Shape
    widths: Shape
    after: Shape


class DrawnBlock(StrictModel):
    name: str
    index: int
    count: int
    enters: Shape
    parts: list[SubLayer]


class DrawnStack(StrictModel):
    """A stack, its blocks and their sub-layers."""

    name: str
    axis: str
    told: bool
    embedded: Shape
    blocks: list[DrawnBlock]
    final_norm: int
    leaves: Shape
    count: int


class Beside(StrictModel):
    """An input besides the residual stream, or an output besides the distribution."""

    kind: Literal["bypass", "box"]
    reads: int
    inner: list[Shape]
    says: Shape


class HeadTransform(StrictModel):
    """A layer between the last stream and the unembedding."""

    function: str
    normed: bool
    says: Shape
    count: int


class Term(StrictModel):
    name: str
    times: int
    each: int


class Holder(StrictModel):
    """A module with parameters of its own."""

    name: str
    shapes: dict[str, Shape]
    count: int


class Saying(StrictModel):
    token: str
    chance: float
    other: str
    other_chance: float


class ArchitectureAnswer(RunAnswer):
    placement: str
    positions: str
    relative: str
    stacks: list[DrawnStack]
    beside: list[Beside]
    parallel: bool = optional()
    transform: HeadTransform = optional()
    output: Shape
    parameters: int
    census: list[Term]
    holders: list[Holder]
    says: list[Saying]
    reads: str
    writes: str


class ArchitectureDrawingFields(DrawingFields):
    least: float
    fills: bool
    guess: str
    sum: str


ENDPOINT = Endpoint(
    "architecture",
    AboutModel,
    ArchitectureAnswer,
    "model=translator&source=i+am+cold",
    drawing=ArchitectureDrawing,
    drawing_fields=ArchitectureDrawingFields,
)
