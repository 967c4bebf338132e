"""/memory: the feed-forward of a trained model as keys and values."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer, Part
from app.schema.bounds import up_to
from app.schema.questions import Clinic, Layer, Text


class Memory(Clinic):
    stack: Literal["encoder", "decoder"] = Field(
        "decoder", description=("The stack of the translator whose feed-forward network is read.")
    )
    layer: Layer = Field(2, description="The layer of that stack, counted from 0.")
    rank: Annotated[int, Field(ge=1), up_to("key_rank")] = Field(
        1, description="Which key is shown, counted from the one that fires most strongly."
    )
    slots: Annotated[int, Field(ge=0), up_to("slots")] = Field(
        8,
        description=(
            "How many persistent slots, which are pairs of a key and a value, stand beside"
            " the tokens."
        ),
    )
    text: Text | None = Field(
        None,
        description=(
            "The text that shakespeare-xl predicts with memories of several lengths; if it is left"
            " out, the first example of the model."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.3.

        The text that is read where none is given has about 480 characters.
        """
        characters = 480 if self.text is None else len(self.text)
        once, trial = (0.1, 0.165) if self.stack == "decoder" else (0.07, 0.025)
        return once + trial * self.seeds + 5.3e-4 * characters


class Key(Part):
    """A neuron of the feed-forward network, where it fires, and what it writes."""

    neuron: int
    tokens: list[str]
    words: list[str]


class Chosen(Part):
    """The key that is shown."""

    neuron: int
    rank: int
    firing: float


class MemoryAnswer(ClinicAnswer):
    keys: list[Key]
    chosen: Chosen
    sentences: list[list[str]]


ENDPOINTS = (
    Endpoint(
        "memory",
        Memory,
        MemoryAnswer,
        "Where the keys of a trained feed-forward network fire and which words their"
        " values write, and attention with persistent slots",
        "stack=encoder&layer=0&rank=2",
        figure="keys",
    ),
)
