"""/explain: one number, and the numbers it was computed from."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import AboutModel


class Explain(AboutModel):
    name: Annotated[str, Field(max_length=100)] = Field(description="The activation.", examples=["decoder.2.cross_attention.pattern"])
    at: Annotated[str, Field(max_length=60)] = Field(description="The index of the number, with commas between.", examples=["1,2,3"])


WORDS = (
    Word(
        "explain",
        Explain,
        "A number's formula, recomputed from its operands, each with its own name and index",
        "model=translator&source=i+am+cold&name=decoder.2.cross_attention.pattern&at=1,2,3",
    ),
)
