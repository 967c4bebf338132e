"""/activations: any number a run recorded, by name."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import AboutModel, Head, Layer, bounds

Names = Annotated[str, Field(max_length=bounds.names_length)]


class Activations(AboutModel):
    names: Names | None = Field(
        None, description="Globs with commas between them; without it the list of what there is.", examples=["decoder.*.residual.out"]
    )
    layer: Layer | None = Field(None, description="Keeps the names of one layer and those of none.")
    head: Head | None = Field(None, description="Keeps one head of what has heads.")


WORDS = (
    Word(
        "activations",
        Activations,
        "What a run recorded: the list of names, or the tensors whose names fit",
        "model=translator&source=i+am+cold&names=decoder.2.residual.*",
    ),
)
