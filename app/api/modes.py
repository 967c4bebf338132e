"""/modes: one sentence, read in four ways."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Head, Layer, Name, Question, Text, bounds

Names = Annotated[str, Field(max_length=bounds.names_length)]


class Modes(Question):
    text: Text = Field(description="The sentence: what is read by one stack alone, or the source where there is a target.")
    target: Text | None = Field(None, description="What follows it; without it every model that reads one writes its own.")
    encoder_only: Name | None = Field(
        None, description="The id of a model of the family; without it the first shipped one that reads the text."
    )
    decoder_only: Name | None = Field(None, description="The same of a decoder alone.")
    encoder_decoder: Name | None = Field(None, description="The same of an encoder and a decoder.")
    prefix: Name | None = Field(None, description="The same of a prefix model.")
    layer: Layer | None = Field(None, description="Counted from 0; a model with fewer shows its last, and without it every model does.")
    head: Head = Field(0, description="Counted from 0; a model with fewer shows its last.")
    top: Annotated[int, Field(ge=1, le=20)] = Field(5, description="How many tokens are told of each position.")
    names: Names | None = Field(None, description="The tensors to send, with commas between them; without it all.")


WORDS = (
    Word(
        "modes",
        Modes,
        "One sentence read by an encoder alone, a decoder alone, both, and one stack under a prefix mask: masks, maps and predictions",
        "text=i+am+cold&head=1",
    ),
)
