"""/images: an image in patches, what each token looks at and what [CLS] says, and the same at another resolution."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import AboutModel

MOST = 12  # patches to a side


class Images(AboutModel):
    query: Annotated[int, Field(ge=0, le=MOST**2)] = Field(0, description="The token whose weights are told; 0 is [CLS].")
    grid: Annotated[int, Field(ge=1, le=MOST)] | None = Field(
        None, description="Patches to a side; other than the model's own, the image is resampled and the positions are interpolated."
    )


WORDS = (
    Word(
        "images",
        Images,
        "An image in patches: what each token looks at, what [CLS] says at each point of its stream, and both at another resolution",
        "model=digits&image=three",
    ),
)
