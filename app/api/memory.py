"""/memory: the feed-forward of a trained model as keys and values."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment, Layer, Text


class Memory(Experiment):
    stack: Literal["encoder", "decoder"] = Field("decoder", description="The stack whose feed-forward is read.")
    layer: Layer = Field(2, description="Its layer.")
    rank: Annotated[int, Field(ge=1, le=10_000)] = Field(1, description="Which key, counted from the one that fires strongest.")
    slots: Annotated[int, Field(ge=0, le=32)] = Field(8, description="Persistent key and value vectors beside the tokens.")
    text: Text | None = Field(None, description="What shakespeare-xl predicts, by how much it remembers; without it its first example.")


WORDS = (
    Word(
        "memory",
        Memory,
        "Where the keys of a trained feed-forward fire and what their values write; attention with persistent slots",
        "stack=encoder&layer=0&rank=2",
    ),
)
