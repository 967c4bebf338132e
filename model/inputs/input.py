"""`Input`: the text, image or row that a person gives a model to read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Input:
    """One input of a model. An encoder-decoder and a prefix model take `source` and, if wanted,
    `target`; another model of texts takes `text`, a model of images `image` and a model of tables
    `row`.

    An image is the id of one of the model's examples, or its grey values row by row, numbers from 0
    to 1 with commas between them. For a model that finds shapes it is a scene in words: ellipse red
    0.3 0.4 0.2 0.3. A row is the id of an example, or its columns with their values:
    bill_length_mm=39.1,island=Biscoe.
    """

    source: str | None = None
    target: str | None = None
    text: str | None = None
    image: str | None = None
    row: str | None = None
