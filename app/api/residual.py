"""/residual: what every sub-layer writes into the stream."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import AboutModel, bounds

Names = Annotated[str, Field(max_length=bounds.names_length)]


class Residual(AboutModel):
    stack: Literal["encoder", "decoder"] | None = Field(None, description="Which stream; without it the one that predicts.")
    at: Annotated[str, Field(max_length=100)] | None = Field(None, description="The step whose sum is taken apart; without it the last.")
    position: Annotated[int, Field(ge=0, lt=bounds.text_length)] | None = Field(None, description="Keeps one position.")
    names: Names | None = Field(None, description="The tensors to send, with commas between them; without it all.")


WORDS = (
    Word(
        "residual",
        Residual,
        "The residual stream: its norm by step, the size and dependency of every write, the parts that sum to it",
        "model=translator&source=i+am+cold&position=2",
    ),
)
