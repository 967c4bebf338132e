"""What somebody gives a model to read, before it is tokens."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Input:
    """`source` and optional `target` for an encoder-decoder and a prefix model, `text` for another
    stack alone, `image` for patches, `row` for columns.

    An image is the id of one of the model's examples, or its grey values row by row, numbers from 0
    to 1 with commas between them; where shapes are found, a scene in words: ellipse red 0.3 0.4 0.2
    0.3. A row is such an id, or what stands in its columns: bill_length_mm=39.1,island=Biscoe.
    """

    source: str | None = None
    target: str | None = None
    text: str | None = None
    image: str | None = None
    row: str | None = None
