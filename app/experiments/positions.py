"""/positions: what a scheme tells of positions or offsets, or a model's own table."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import positions
from app.figures.position_board import board
from app.figures.position_marks import has_encoding, texts_of
from app.figures.position_measures import NORMS, of_norms, similarity
from app.figures.position_shift import shift
from app.figures.position_twice import twice
from app.parameters import SCHEMES
from app.schema.answers import Answer, Fact, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.questions import (
    Head,
    Image,
    Name,
    Names,
    NamesSent,
    Question,
    Row,
    Seed,
    Text,
    parameter,
)
from model.layers.choice_names import SCHEME_NAMES
from model.words import text


class Positions(Question):
    scheme: Name | None = Field(
        None,
        description=text("positions", "Positions.scheme", {"names": tuple(SCHEME_NAMES)}, "en"),
    )
    length: Annotated[int, Field(ge=1), up_to("positions_length")] | None = None
    d_model: Annotated[int, Field(ge=1), up_to("d_model")] | None = None
    base: Annotated[float, Field(gt=0), up_to("wavelength")] | None = parameter(SCHEMES["base"])
    period: Annotated[float, Field(gt=0), up_to("wavelength")] | None = parameter(SCHEMES["period"])
    heads: Annotated[int, Field(ge=1), up_to("heads")] | None = parameter(SCHEMES["heads"])
    head: Head | None = None
    buckets: Annotated[int, Field(ge=1), up_to("buckets")] | None = parameter(SCHEMES["buckets"])
    most: Annotated[int, Field(ge=1), up_to("max_offset")] | None = parameter(SCHEMES["most"])
    seed: Seed | None = parameter(SCHEMES["seed"])
    board: bool = False
    interpolated: Annotated[int, Field(ge=1), up_to("positions_length")] | None = None
    model: Name | None = None
    source: Text | None = None
    target: Text | None = None
    text: Text | None = None
    image: Image | None = None
    row: Row | None = None
    names: NamesSent = None

    def sizes(self) -> dict[str, float]:
        """Without a length there are 64 positions, without a width 128 channels. The table of a
        model costs most of the answer; a few positions of a scheme cost less.
        """
        length, d_model = max(self.length or 64, self.interpolated or 0), self.d_model or 128
        pairs = length**2
        turning = self.scheme == "sinusoidal" or not (self.scheme or self.model)
        return {
            "answer": 1,
            "channels": pairs * d_model,
            "board": pairs * d_model * self.board,
            "turned_pairs": pairs * turning,
            "turned_channels": pairs * d_model * turning,
        }


class PositionsFigures(Positions):
    display_fields: ClassVar = ("channels", "position", "offset")

    channels: Annotated[Names, Field(pattern=r"^(none|\d+(,\d+)*)$")] = "0,4,8,12"
    position: Annotated[int, Field(ge=0), up_to("positions_length")] = 4
    offset: Annotated[int, Field(ge=1), up_to("positions_length")] = 3


class Scheme(StrictModel):
    """A scheme on the board, with its own parameters."""

    name: str
    how: str
    kind: str
    formula: str
    own: dict[str, float]
    facts: list[Fact]


class Quantile(StrictModel):
    """The norm that this share of the vocabulary's embeddings does not pass."""

    quantile: float
    value: float


class PositionsAnswer(Answer):
    scheme: str
    length: int
    d_model: int
    base: float = optional()
    period: float = optional()
    heads: int = optional()
    buckets: int = optional()
    most: int = optional()
    seed: int = optional()
    how: str = optional()
    facts: list[Fact]
    board: list[Scheme] = optional()
    interpolated: int = optional()
    from_: Annotated[int, Field(alias="from")] = optional()
    grid: int = optional()
    relative: str = optional()
    vocabulary_norm: list[Quantile] = optional()
    kinds: dict[str, str] = optional()


EXPERIMENT = Experiment(
    question=Positions,
    answer=PositionsAnswer,
    figure_query=PositionsFigures,
    example="scheme=sinusoidal&length=16&d_model=32",
    figures={
        "table": Figure("A vector for every position", positions.table, has=has_encoding),
        "shift": Figure(
            "One matrix shifts every position", shift, tensor="shift_error", has=has_encoding
        ),
        "similarity": Figure("Similarity", similarity, tensor="similarity"),
        "norms": Figure(
            "Norms of embeddings and positions",
            NORMS,
            has=lambda answer: bool(texts_of(answer)),
            meta=of_norms,
        ),
        "twice": Figure("At twice the length", twice, tensor="profile"),
        "board": Figure("All schemes compared", board, has="board"),
    },
)
