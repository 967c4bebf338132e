"""/masks: who may look at whom, what that lets through, and a sentence run under it."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Commas, Json, Layer, Name, Question, Text, bounds

Place = Annotated[int, Field(ge=0, le=bounds.masks_length)]
Lengths = Annotated[list[Place], Field(max_length=bounds.masks_length), Commas]
Row = Annotated[list[Annotated[int, Field(ge=0, le=1)]], Field(max_length=bounds.masks_length)]
Cells = Annotated[list[Row], Field(max_length=bounds.masks_length), Json]


class Masks(Question):
    pattern: Name | None = Field(
        None,
        description="full, causal, prefix, padding, window, dilated, block or window_2d, or two with `and` or `or` between them: "
        "causal and block.",
    )
    length: Annotated[int, Field(ge=1, le=bounds.masks_length)] | None = Field(None, description="Rows and columns.")
    prefix: Place | None = Field(None, description="prefix: so many first positions are seen by all.")
    window: Place | None = Field(None, description="window, dilated: how many positions are seen, one's own included.")
    dilation: Place | None = Field(None, description="dilated: the step between the positions that are seen.")
    block: Place | None = Field(None, description="block: how many positions see each other.")
    columns: Place | None = Field(None, description="window_2d: the width of the grid; the length is a multiple of it.")
    above: Place | None = Field(None, description="window_2d: how many rows over one's own are seen.")
    beside: Place | None = Field(None, description="window_2d: how many columns to either side are seen.")
    lengths: Lengths | None = Field(None, description="padding: the real length of each text of a batch.")
    flip: Annotated[str, Field(max_length=bounds.text_length)] | None = Field(
        None, description="Cells painted over the pattern: query.key or query.first-last."
    )
    cells: Cells | None = Field(None, description="The mask itself, rows of 0 and 1; 1 allows.")
    layers: Annotated[int, Field(ge=0, le=bounds.layers)] | None = Field(None, description="Through so many layers `reach` is followed.")
    model: Name | None = Field(None, description="A shipped model to run the input under the mask.")
    source: Text | None = None
    target: Text | None = None
    text: Text | None = None
    stack: Literal["encoder", "decoder"] | None = Field(None, description="The stack that is masked.")
    layer: Layer | None = Field(None, description="The layer whose pattern is shown.")


WORDS = (
    Word(
        "masks",
        Masks,
        "An attention mask, what can reach what through several layers, and a sentence run under it",
        "pattern=window&length=8&window=2&layers=3",
    ),
)
