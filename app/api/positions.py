"""/positions: the encoding a scheme gives out, or a model's own."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Name, Question, Text, bounds

Names = Annotated[str, Field(max_length=bounds.names_length)]


class Positions(Question):
    scheme: Name | None = Field(None, description="none, sinusoidal, learned …")
    length: Annotated[int, Field(ge=1, le=bounds.positions_length)] | None = Field(None, description="How many positions.")
    d_model: Annotated[int, Field(ge=1, le=bounds.d_model)] | None = Field(None, description="How many channels.")
    base: Annotated[float, Field(gt=0, le=1e9)] | None = Field(None, description="The base of the wavelengths; 10000 in the paper.")
    model: Name | None = Field(None, description="A shipped model, for its own table.")
    source: Text | None = Field(None, description="With `model`: the sizes of these tokens' embeddings beside those of their positions.")
    target: Text | None = None
    text: Text | None = None
    names: Names | None = Field(None, description="The tensors to send, with commas between them; without it all.")


WORDS = (
    Word(
        "positions",
        Positions,
        "A positional encoding, the similarity of its positions, and whether it keeps its promises",
        "scheme=sinusoidal&length=16&d_model=32",
    ),
)
