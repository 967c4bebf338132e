"""`Input`: the text, image, or row given to a model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Input:
    """One input of a model. Encoder-decoders and prefix models take `source` and optionally
    `target`. Other text models take `text`, image models `image`, and tabular models `row`.

    An image is the id of one of the model's examples, or its gray values from 0 to 1, row by row
    and separated by commas. For an object detector it is a scene in words: ellipse red 0.3 0.4 0.2
    0.3. A row is the id of an example, or columns with values: bill_length_mm=39.1,island=Biscoe.
    """

    source: str | None = None
    target: str | None = None
    text: str | None = None
    image: str | None = None
    row: str | None = None
