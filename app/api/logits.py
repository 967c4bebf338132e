"""/logits: what the model expects next, at the end and at every point of the stream."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import AboutModel, bounds


class Logits(AboutModel):
    top: Annotated[int, Field(ge=1, le=bounds.top)] | None = Field(
        None, description="How many candidates for each position; without it 10, or all where there are fewer."
    )
    lens: bool = Field(False, description="Also read the stream after every sub-layer.")
    full: bool = Field(False, description="The whole vocabulary's logits and probabilities too.")
    attribution: bool = Field(False, description="What each part of the stream adds to a token's logit.")
    token: Annotated[int, Field(ge=0, lt=10**6)] | None = Field(None, description="The id of the token whose logit is attributed.")
    names: Annotated[str, Field(max_length=bounds.names_length)] | None = Field(
        None, description="The tensors to send, with commas between; without it all."
    )


WORDS = (
    Word(
        "logits",
        Logits,
        "The distribution over the next token, and with `lens` one for every point of the stream",
        "model=translator&source=i+am+cold&top=5&lens=true",
    ),
)
