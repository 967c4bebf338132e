"""/images: an image in patches, what each token looks at and what [CLS] says, and the same at
another resolution.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from app.api.answers import Fact, Part, Point, RunAnswer, Says
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Head, Layer


class Images(AboutModel):
    query: Annotated[int, Field(ge=0), up_to("patches")] = Field(
        0, description="The token whose weights are told; 0 is [CLS]."
    )
    grid: Annotated[int, Field(ge=1), up_to("patch_grid")] | None = Field(
        None,
        description=(
            "How many patches stand along a side. With another number than in training the image"
            " is resampled and the positions are interpolated."
        ),
    )
    window: Annotated[int, Field(ge=0), up_to("patch_grid")] | None = Field(
        None,
        description=(
            "Local attention: a patch sees the patches that are at most so many rows and columns"
            " away, and [CLS]; without it every token sees all."
        ),
    )
    block: Annotated[int, Field(ge=1), up_to("patch_grid")] = Field(
        1, description="The side of a query block, whose patches all see the same."
    )


class ImagesFigures(Images):
    view: ClassVar = ("layer", "head")

    layer: Layer | None = Field(
        None, description="The layer whose head is drawn large; without it the last."
    )
    head: Head | None = Field(
        None, description="The head that is drawn large; without it the first."
    )


class Cost(Part):
    """What one size of patch costs."""

    patch_side: int
    tokens: int
    pairs: int


class ImagesAnswer(RunAnswer):
    query: int
    grid: int = Field(description="Patches to a side.")
    own_grid: int = Field(description="Patches to a side in training.")
    window: int | None = Field(
        description="How many rows and columns away a patch sees; null where all see all."
    )
    block: int
    visible: int = Field(description="Pairs of tokens of which one sees the other.")
    points: list[Point]
    says: Says
    cost: list[Cost]
    facts: list[Fact]


ENDPOINTS = (
    Endpoint(
        "images",
        Images,
        ImagesAnswer,
        "An image in patches: what each token looks at, what [CLS] says at each point of its"
        " stream, and both at another resolution",
        "model=digits&image=three",
        drawn=ImagesFigures,
    ),
)
