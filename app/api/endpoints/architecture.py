"""/architecture: the parts of a model with the shapes of one run, and its parameters as a sum."""

from typing import ClassVar, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import DrawingFields, RunAnswer, StrictModel, optional
from app.schema.questions import AboutModel, Name, Viewport

Shape = list[int]


class ArchitectureDrawing(Viewport, AboutModel):
    """The model, its input, the room for the drawing, and what its table lists."""

    display_fields: ClassVar = (*Viewport.display_fields, "table", "open")

    table: Literal["parts", "weights"] = Field(
        "parts",
        description=(
            "What the table beside the drawing lists: the `parts` that hold parameters, or every"
            " attention weight that is drawn (`weights`)."
        ),
    )
    open: Name | None = Field(
        None,
        description=(
            "A stack of more than 8 blocks is drawn in groups of blocks. The name of a block, for"
            " instance `decoder.5`, opens its group. If it is left out, all groups are closed."
        ),
    )


class SubLayer(StrictModel):
    name: str
    kind: Literal[
        "attention", "cross_attention", "feed_forward", "row_attention", "row_feed_forward"
    ]
    count: int = Field(description="How many parameters the sub-layer has.")
    inner: Shape = Field(description="The shape of its attention pattern or of its hidden layer.")
    widths: Shape = Field(
        description=(
            "The number of channels at each step of a feed-forward network, from input to output."
        )
    )
    after: Shape = Field(description="The shape of the stream after the sub-layer.")


class DrawnBlock(StrictModel):
    name: str
    index: int
    count: int
    enters: Shape
    parts: list[SubLayer]


class DrawnStack(StrictModel):
    """A stack, its blocks and their sub-layers."""

    name: str
    axis: str = Field(description="The input whose tokens the stream has as rows.")
    told: bool = Field(
        description=(
            "Whether positions are added to its embedding, if the model adds positions at all."
        )
    )
    embedded: Shape
    blocks: list[DrawnBlock]
    final_norm: int = Field(description="How many parameters the norm after the last block has.")
    leaves: Shape
    count: int


class Beside(StrictModel):
    """What is read beside the stream, or said beside the distribution."""

    kind: Literal["bypass", "box"]
    reads: int
    inner: list[Shape]
    says: Shape


class HeadTransform(StrictModel):
    """One more layer between the last stream and the unembedding."""

    function: str
    normed: bool = Field(description="Whether a norm follows the function.")
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
    other: str = Field(description="The most probable of all the other tokens.")
    other_chance: float


class ArchitectureAnswer(RunAnswer):
    placement: str = Field(description="Where the norms stand.")
    positions: str = Field(description="The kind of positions that are added to the embeddings.")
    relative: str = Field(description="The kind of relative positions that self-attention uses.")
    stacks: list[DrawnStack]
    beside: list[Beside]
    parallel: bool = optional(
        "True where every sub-layer reads the input of its block, and not what the one before it"
        " has written."
    )
    transform: HeadTransform = optional("The transform of the head, where it has one.")
    output: Shape = Field(description="The shape of the probabilities at the end.")
    parameters: int
    census: list[Term] = Field(description="The terms of a sum that is equal to `parameters`.")
    holders: list[Holder]
    says: list[Saying] = Field(
        description=("The tokens that the model says at the end, with their probabilities.")
    )
    reads: str = Field(description="What the model reads, in words.")
    writes: str = Field(description="What the model writes, in words.")


class ArchitectureDrawingFields(DrawingFields):
    least: float = Field(description="The smallest height of the drawing, in em.")
    fills: bool = Field(description="Whether the drawing grows when it is given more height.")
    guess: str = Field(description="A sentence about the token that the model was least sure of.")
    sum: str = Field(description="The number of parameters as a sum, in words.")


ENDPOINT = Endpoint(
    "architecture",
    AboutModel,
    ArchitectureAnswer,
    "The parts of a model with the shapes of one run, and its parameters as a sum",
    "model=translator&source=i+am+cold",
    drawing=ArchitectureDrawing,
    drawing_fields=ArchitectureDrawingFields,
)
