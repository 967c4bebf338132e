"""/logits: what the model expects next, at the end and at every point of the stream."""

from typing import Annotated

from pydantic import Field

from app.api.answers import Label, Point, RunAnswer, maybe
from app.api.bounds import below, up_to
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Names


class Logits(AboutModel):
    top: Annotated[int, Field(ge=1), up_to("top")] | None = Field(
        None,
        description=(
            "How many candidates for each position; without it 10, or all where there are fewer."
        ),
    )
    lens: bool = Field(False, description="Also read the stream after every sub-layer.")
    full: bool = Field(False, description="The whole vocabulary's logits and probabilities too.")
    attribution: bool = Field(
        False, description="What each part of the stream adds to a token's logit."
    )
    token: Annotated[int, Field(ge=0), below("vocabulary")] | None = Field(
        None, description="The id of the token whose logit is attributed."
    )
    names: Names | None = Field(
        None, description="The tensors to send, with commas between; without it all."
    )


class LogitsAnswer(RunAnswer):
    top: int
    expected: list[str] = Field(description="The token that comes next at each position.")
    expected_ids: list[int]
    expected_from: int
    top_tokens: list[list[str]] = Field(description="By position and rank.")
    points: list[Point] = maybe("With `lens`: where the stream is read.")
    lens_tokens: list[list[list[str]]] = maybe("With `lens`: by point, position and rank.")
    token: Label | None = maybe("With `attribution`: null where the expected tokens are.")


ENDPOINTS = (
    Endpoint(
        "logits",
        Logits,
        LogitsAnswer,
        "The distribution over the next token, and with `lens` one for every point of the stream",
        "model=translator&source=i+am+cold&top=5&lens=true",
        figure="lens",
    ),
)
