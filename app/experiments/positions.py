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
from app.parameters import SCHEMES, listed
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


class Positions(Question):
    scheme: Name | None = Field(
        None,
        description=(
            f"The scheme: {listed(tuple(SCHEME_NAMES), 'or')}. Give either a scheme or a model."
        ),
    )
    length: Annotated[int, Field(ge=1), up_to("positions_length")] | None = Field(
        None, description="How many positions the scheme is asked for."
    )
    d_model: Annotated[int, Field(ge=1), up_to("d_model")] | None = Field(
        None, description="How many channels the vector of a position has."
    )
    base: Annotated[float, Field(gt=0), up_to("wavelength")] | None = parameter(SCHEMES["base"])
    period: Annotated[float, Field(gt=0), up_to("wavelength")] | None = parameter(SCHEMES["period"])
    heads: Annotated[int, Field(ge=1), up_to("heads")] | None = parameter(SCHEMES["heads"])
    head: Head | None = Field(
        None,
        description=(
            "For alibi and t5: the head, counted from 0, whose numbers are sent as `similarity`."
        ),
    )
    buckets: Annotated[int, Field(ge=1), up_to("buckets")] | None = parameter(SCHEMES["buckets"])
    most: Annotated[int, Field(ge=1), up_to("max_offset")] | None = parameter(SCHEMES["most"])
    seed: Seed | None = parameter(SCHEMES["seed"])
    board: bool = Field(
        False, description=("Whether every scheme is measured with the same questions too.")
    )
    interpolated: Annotated[int, Field(ge=1), up_to("positions_length")] | None = Field(
        None,
        description=(
            "How many positions the vectors are interpolated to. For a table of patches, it"
            " is how many patches to a side."
        ),
    )
    model: Name | None = Field(
        None, description=("The id of a model, whose own positions are then measured.")
    )
    source: Text | None = Field(
        None,
        description=(
            "With `model`: the text that an encoder-decoder or a prefix model reads. The"
            " lengths of its embeddings are sent beside those of its positions."
        ),
    )
    target: Text | None = Field(
        None,
        description=(
            "With `model`: the text that has been written so far. If it is left out, the"
            " model writes its own."
        ),
    )
    text: Text | None = Field(
        None, description="With `model`: the text that a model of one stack reads."
    )
    image: Image | None = Field(
        None,
        description=(
            "With `model`: the image that a model of images reads, written as for `/tokens`."
        ),
    )
    row: Row | None = Field(
        None,
        description=(
            "With `model`: the row that a model of tables reads, written as for `/tokens`."
        ),
    )
    names: NamesSent = None

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s. The constant is what a model's own table costs; a few positions of a scheme
        cost less.

        Without a length there are 64 positions, without a width 128 channels.
        """
        length, d_model = max(self.length or 64, self.interpolated or 0), self.d_model or 128
        turning = self.scheme == "sinusoidal" or not (self.scheme or self.model)
        channel = 8e-10 + 7e-9 * self.board + 1e-8 * turning
        return 0.03 + length**2 * (6e-7 * turning + channel * d_model)


class PositionsFigures(Positions):
    display_fields: ClassVar = ("channels", "position", "offset")

    channels: Annotated[Names, Field(pattern=r"^(none|\d+(,\d+)*)$")] = Field(
        "0,4,8,12",
        description=(
            "The channels that are drawn as curves and as clocks, with commas between them;"
            " `none` draws none. At most six are drawn."
        ),
    )
    position: Annotated[int, Field(ge=0), up_to("positions_length")] = Field(
        4,
        description=(
            "The position p that is marked, counted from 0. If it is too large, it is the last."
        ),
    )
    offset: Annotated[int, Field(ge=1), up_to("positions_length")] = Field(
        3,
        description=(
            "The offset k from p that is marked. If it is too large, it ends at the last position."
        ),
    )


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
    how: str = optional("How the scheme is made.")
    facts: list[Fact]
    board: list[Scheme] = optional("Every scheme against the same questions.")
    interpolated: int = optional(
        "How many positions, or patches to a side, the table was interpolated to."
    )
    from_: Annotated[int, Field(alias="from")] = optional("How many there were before.")
    grid: int = optional("How many patches the image has to a side.")
    relative: str = optional("The relative positions that the model uses.")
    vocabulary_norm: list[Quantile] = optional(
        "How long the embeddings of the model's vocabulary are."
    )
    kinds: dict[str, str] = optional("The kind of each tensor.")


EXPERIMENT = Experiment(
    question=Positions,
    answer=PositionsAnswer,
    figure_query=PositionsFigures,
    sentence="A scheme of positions, how similar it makes them, and whether it meets the"
    " requirements that the notes name",
    example="scheme=sinusoidal&length=16&d_model=32",
    figures={
        "table": Figure("A vector for every position", positions.table, has=has_encoding),
        "shift": Figure(
            "One map shifts every position", shift, tensor="shift_error", has=has_encoding
        ),
        "similarity": Figure("Similarity", similarity, tensor="similarity"),
        "norms": Figure(
            "Embedding beside position",
            NORMS,
            has=lambda answer: bool(texts_of(answer)),
            meta=of_norms,
        ),
        "twice": Figure("At twice the length", twice, tensor="profile"),
        "board": Figure(
            "Every scheme against the same questions",
            board,
            has=lambda answer: "board" in answer.fields,
        ),
    },
)
