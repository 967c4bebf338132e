"""/images: an image in patches, what each token looks at and what [CLS] says, and the same at
another resolution.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import images
from app.schema.answers import Fact, Point, RunAnswer, Says, StrictModel
from app.schema.bounds import up_to
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, Model


class Images(AboutRun):
    model: Model = "digits"
    query: Annotated[int, Field(ge=0), up_to("patches")] = Field(
        0,
        description=(
            "The token whose weights are sent. 0 is [CLS], and the patches follow row by row."
        ),
    )
    grid: Annotated[int, Field(ge=1), up_to("patch_grid")] | None = Field(
        None,
        description=(
            "How many patches the image has to a side. If this is not the model's own"
            " number, the image is resampled and the positions are interpolated."
        ),
    )
    window: Annotated[int, Field(ge=0), up_to("patch_grid")] | None = Field(
        None,
        description=(
            "Local attention: a patch sees the patches that are at most this many rows and"
            " columns away, and [CLS]. If it is left out, all patches see all others."
        ),
    )
    block: Annotated[int, Field(ge=1), up_to("patch_grid")] = Field(
        1,
        description=(
            "How many patches to a side a query block has. All patches of a block see the"
            " same patches."
        ),
    )


class ImagesFigures(Images):
    display_fields: ClassVar = ("layer", "head")

    layer: Layer | None = Field(
        None,
        description=(
            "The layer, counted from 0, whose head is drawn large. If it is left out, it is"
            " the last."
        ),
    )
    head: Head | None = Field(
        None,
        description=(
            "The head, counted from 0, that is drawn large. If it is left out, it is the first."
        ),
    )


class Cost(StrictModel):
    """What one size of patch costs."""

    patch_side: int
    tokens: int
    pairs: int


class ImagesAnswer(RunAnswer):
    query: int
    grid: int = Field(description="How many patches the image has to a side.")
    own_grid: int = Field(description="How many patches an image had to a side in training.")
    window: int | None = Field(
        description=("The window of local attention; null where all patches see all others.")
    )
    block: int
    visible: int = Field(description="How many pairs of a query and a key the mask allows.")
    points: list[Point]
    says: Says
    cost: list[Cost]
    facts: list[Fact]


EXPERIMENT = Experiment(
    question=Images,
    answer=ImagesAnswer,
    figure_query=ImagesFigures,
    sentence="An image in patches: where each token looks, what [CLS] says at each point of its"
    " stream, and both at another resolution",
    example="model=digits&image=three",
    figures={
        "painted": Figure("One head", images.painted, tensor="weights"),
        "heads": Figure("All heads", images.heads, tensor="weights"),
        "says": Figure("What [CLS] says on its way", images.says, tensor="says"),
    },
)
