"""/modes: one sentence, read in four ways."""

from typing import Annotated

from pydantic import Field

from app.api.answers import Answer, Fact, Part
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Head, Layer, Name, Names, Question, Text


class Modes(Question):
    text: Text = Field(
        description=(
            "The sentence: what is read by one stack alone, or the source where there is a target."
        )
    )
    target: Text | None = Field(
        None, description="What follows it; without it every model that reads one writes its own."
    )
    encoder_only: Name | None = Field(
        None,
        description=(
            "The id of a model of the family; without it the first shipped one that reads the text."
        ),
    )
    decoder_only: Name | None = Field(None, description="The same of a decoder alone.")
    encoder_decoder: Name | None = Field(None, description="The same of an encoder and a decoder.")
    prefix: Name | None = Field(None, description="The same of a prefix model.")
    layer: Layer | None = Field(
        None,
        description=(
            "Counted from 0; a model with fewer shows its last, and without it every model does."
        ),
    )
    head: Head = Field(0, description="Counted from 0; a model with fewer shows its last.")
    top: Annotated[int, Field(ge=1), up_to("modes_top")] = Field(
        5, description="How many tokens are told of each position."
    )
    names: Names | None = Field(
        None, description="The tensors to send, with commas between them; without it all."
    )


class Mode(Part):
    """One way of reading the sentence, and the model that reads it so, where there is one."""

    mode: str
    sees: str
    model: str | None
    kind: str
    why: str | None = Field(description="Why no model reads it.")
    layer: int | None
    head: int | None
    layers: int | None
    heads: int | None
    target_from: int | None
    visible: Fact
    top_tokens: list[list[str]]
    expected: list[str]
    says: str | None


class ModesAnswer(Answer):
    modes: list[Mode]


ENDPOINTS = (
    Endpoint(
        "modes",
        Modes,
        ModesAnswer,
        "One sentence read by an encoder alone, a decoder alone, both, and one stack under a prefix"
        " mask: masks, maps and predictions",
        "text=i+am+cold&head=1",
    ),
)
