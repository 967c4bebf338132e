"""/architecture: the parts of a model with the shapes of one run, and its parameters as a sum."""

from typing import Literal

from pydantic import Field

from app.api.answers import Drawn, Part, RunAnswer
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Room

Shape = list[int]


class ArchitectureDrawing(Room, AboutModel):
    """The model, its input, and the room for the drawing."""


class SubLayer(Part):
    name: str
    kind: Literal[
        "attention", "cross_attention", "feed_forward", "row_attention", "row_feed_forward"
    ]
    count: int = Field(description="How many numbers it holds.")
    inner: Shape = Field(description="Of its attention pattern or of its hidden layer.")
    widths: Shape = Field(description="Channels of a feed-forward network, from input to output.")
    after: Shape = Field(description="Of the stream after it.")


class DrawnBlock(Part):
    name: str
    index: int
    count: int
    enters: Shape
    parts: list[SubLayer]


class DrawnStack(Part):
    """A stack, its blocks and their sub-layers."""

    name: str
    axis: str = Field(description="The input that its stream lies on.")
    told: bool = Field(description="Whether its embedding is told positions, if any are added.")
    embedded: Shape
    blocks: list[DrawnBlock]
    final_norm: int = Field(description="Parameters of the norm behind the last block.")
    leaves: Shape
    count: int


class Beside(Part):
    """What is read beside the stream, or said beside the distribution."""

    kind: Literal["bypass", "box"]
    reads: int
    inner: list[Shape]
    says: Shape


class Term(Part):
    name: str
    times: int
    each: int


class Holder(Part):
    """A module with parameters of its own."""

    name: str
    shapes: dict[str, Shape]
    count: int


class Saying(Part):
    token: str
    chance: float
    other: str = Field(description="The most probable of all other tokens.")
    other_chance: float


class ArchitectureAnswer(RunAnswer):
    placement: str = Field(description="Of the norms.")
    positions: str = Field(description="What is added to the embeddings.")
    relative: str = Field(description="What self-attention is told of relative positions.")
    stacks: list[DrawnStack]
    beside: list[Beside]
    output: Shape = Field(description="Of the probabilities at the end.")
    parameters: int
    census: list[Term] = Field(description="A sum whose terms add up to `parameters`.")
    holders: list[Holder]
    says: list[Saying] = Field(description="The tokens at the end, with their probabilities.")
    reads: str = Field(description="The input in words.")
    writes: str = Field(description="The output in words.")


class ArchitectureDrawn(Drawn):
    least: float = Field(description="The height below which it cannot go, in em.")
    fills: bool = Field(description="Whether it grows with the height of its room.")
    guess: str = Field(description="What the model was least sure of, in a sentence.")
    sum: str = Field(description="The parameters as a sum, in words.")


ENDPOINTS = (
    Endpoint(
        "architecture",
        AboutModel,
        ArchitectureAnswer,
        "The parts of a model with the shapes of one run, and its parameters as a sum",
        "model=translator&source=i+am+cold",
        drawing=ArchitectureDrawing,
        drawn_as=ArchitectureDrawn,
    ),
)
