"""/residual: what every sub-layer writes into the stream."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.answers import Difference, Part, Point, RunAnswer, maybe
from app.api.bounds import below
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Name, Names


class Residual(AboutModel):
    stack: Literal["encoder", "decoder"] | None = Field(
        None, description="Which stream; without it the one that predicts."
    )
    at: Name | None = Field(
        None, description="The step whose sum is taken apart; without it the last."
    )
    position: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None, description="The position that is shown; without it all positions."
    )
    names: Names | None = Field(
        None, description="The tensors to send, with commas between them; without it all."
    )


class Step(Point):
    """A point of the stream, the norm that was applied last, and its formula."""

    norm: str | None
    formula: str


class Summand(Part):
    """A part of the sum that the stream is."""

    name: str
    kind: str
    layer: int | None
    head: int | None


class ResidualAnswer(RunAnswer):
    stack: str
    placement: str
    d_model: int
    steps: list[Step]
    at: str = Field(description="The step whose sum is taken apart.")
    parts: list[Summand]
    largest_difference: Difference
    position: int = maybe("The position that was asked for.")


ENDPOINTS = (
    Endpoint(
        "residual",
        Residual,
        ResidualAnswer,
        "The residual stream: its norm by step, the size and dependency of every write, the parts"
        " that sum to it",
        "model=translator&source=i+am+cold&position=2",
        figure="contributions",
    ),
)
