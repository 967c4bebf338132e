"""/positions: what a scheme tells of positions or offsets, or a model's own table."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Head, Image, Name, Question, Row, Text, bounds

Names = Annotated[str, Field(max_length=bounds.names_length)]


class Positions(Question):
    scheme: Name | None = Field(None, description="none, integer, normalised, sigmoid, sine, sinusoidal, learned, shaw, t5, rope or alibi.")
    length: Annotated[int, Field(ge=1, le=bounds.positions_length)] | None = Field(None, description="How many positions.")
    d_model: Annotated[int, Field(ge=1, le=bounds.d_model)] | None = Field(None, description="How many channels.")
    base: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="sinusoidal, rope: the base of the wavelengths; 10000 in the papers."
    )
    period: Annotated[float, Field(gt=0, le=1e9)] | None = Field(None, description="sine: how many positions the wave needs.")
    heads: Annotated[int, Field(ge=1, le=bounds.heads)] | None = Field(
        None, description="alibi, t5: how many heads; each has its own numbers."
    )
    head: Head | None = Field(None, description="alibi, t5: the head whose numbers are `similarity`.")
    buckets: Annotated[int, Field(ge=1, le=512)] | None = Field(
        None, description="t5: how many numbers a head has, half of them for what lies ahead."
    )
    most: Annotated[int, Field(ge=1, le=4096)] | None = Field(
        None, description="shaw, t5: the offset from which farther ones are told as one."
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(
        None, description="learned, shaw, t5: where the draws begin; nothing is trained here."
    )
    board: bool = Field(False, description="Also every scheme against the same questions.")
    interpolated: Annotated[int, Field(ge=1, le=bounds.positions_length)] | None = Field(
        None, description="A table drawn out or pressed together to so many positions; of patches, to so many to a side."
    )
    model: Name | None = Field(None, description="A shipped model, for its own table.")
    source: Text | None = Field(None, description="With `model`: the sizes of these tokens' embeddings beside those of their positions.")
    target: Text | None = None
    text: Text | None = None
    image: Image | None = None
    row: Row | None = None
    names: Names | None = Field(None, description="The tensors to send, with commas between them; without it all.")


WORDS = (
    Word(
        "positions",
        Positions,
        "A scheme of positions, the similarity it gives them, and whether it keeps its promises",
        "scheme=sinusoidal&length=16&d_model=32",
    ),
)
