"""/images: an image in patches, what tokens look at, and the same at another resolution."""

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
    query: Annotated[int, Field(ge=0), up_to("patches")] = 0
    grid: Annotated[int, Field(ge=1), up_to("patch_grid")] | None = None
    window: Annotated[int, Field(ge=0), up_to("patch_grid")] | None = None
    block: Annotated[int, Field(ge=1), up_to("patch_grid")] = 1


class ImagesFigures(Images):
    display_fields: ClassVar = ("layer", "head")

    layer: Layer | None = None
    head: Head | None = None


class Cost(StrictModel):
    """What one size of patch costs."""

    patch_side: int
    tokens: int
    pairs: int


class ImagesAnswer(RunAnswer):
    query: int
    grid: int
    own_grid: int
    window: int | None
    block: int
    visible: int
    points: list[Point]
    says: Says
    cost: list[Cost]
    facts: list[Fact]


EXPERIMENT = Experiment(
    question=Images,
    answer=ImagesAnswer,
    figure_query=ImagesFigures,
    example="model=digits&image=three",
    figures={
        "painted": Figure("One head", images.painted, tensor="weights"),
        "heads": Figure("All heads", images.heads, tensor="weights"),
        "says": Figure("What [CLS] predicts after each sub-layer", images.says, tensor="says"),
    },
)
