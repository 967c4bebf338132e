"""/attention: who looks at whom, by layer and head."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import attention, attention_heads, attention_tiles, attention_values
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.bounds import below, up_to
from app.schema.described import shared
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, LongText, Name, Role

Interval = Annotated[Name, Field(description=shared("interval"), examples=["0:1024"])]
Position = Annotated[int, Field(ge=0), below("long_tokens")]


class Attention(AboutRun):
    text: LongText | None = None
    level: Literal["auto", "0", "1", "2", "3", "4", "5", "6", "7", "8"] | None = None
    rows: Interval | None = None
    columns: Interval | None = None
    position: Position | None = None
    after: Position | None = None
    find: Name | None = None
    kind: Literal["self", "cross", "rows"] | None = None
    stack: Literal["encoder", "decoder"] | None = None
    layer: Layer | None = None
    head: Head | None = None
    stage: Literal["scores", "masked_scores", "pattern"] = "pattern"
    decimals: Annotated[int, Field(ge=0), up_to("decimals")] | None = None
    forward: Annotated[int, Field(ge=0), up_to("patches")] | None = None


class AttentionFigures(Attention):
    display_fields: ClassVar = ("arranged", "query", "switches", "reduced", "role")

    role: Role | None = None

    reduced: Literal["maximum", "mean"] = "maximum"

    arranged: Literal["stacked", "abreast", "column"] = "stacked"
    switches: bool = False
    query: Annotated[int, Field(ge=0), up_to("patches")] = 0


class Look(StrictModel):
    """A key that a query looks at."""

    key: int
    weight: float
    together: float


class TileInSight(StrictModel):
    """What is in sight of the map of one head."""

    name: str
    head: int
    level: int
    tokens: int
    rows: list[int]
    columns: list[int]
    position: int
    looks: list[Look]
    peak: int | None
    places: list[int]


class Agreement(StrictModel):
    """How far two measures of the keys agree on their order."""

    first: str
    second: str
    rank_correlation: float | None


class HeadOfRole(StrictModel):
    """A head that has a role in this run."""

    attention: str
    head: int
    score: float


class RoleHead(StrictModel):
    """A role, and the head that has most of it in this run: its score is the mean weight on the
    keys of the role.
    """

    role: str
    name: str
    looks_at: str
    attention: str
    head: int
    score: float
    chance: float
    heads: list[HeadOfRole]


class AttentionAnswer(RunAnswer):
    stage: Literal["scores", "masked_scores", "pattern"]
    decimals: int | None
    entropy: dict[str, list[float | None]]
    entropy_limit: dict[str, float]
    distance: dict[str, list[float] | None]
    expected: list[str]
    expected_from: int
    roles: list[RoleHead] = optional()
    tile: TileInSight = optional()
    forward: int = optional()
    agreement: list[Agreement] = optional()


EXPERIMENT = Experiment(
    question=Attention,
    answer=AttentionAnswer,
    figure_query=AttentionFigures,
    example="model=translator&source=i+am+cold&kind=cross&layer=2",
    figures={
        "map": Figure("One head", attention.one_head, has=attention.is_whole, marks_edits=True),
        "heads": Figure(
            "All heads", attention_heads.every_head, has=attention.is_whole, marks_edits=True
        ),
        "tile": Figure("One head", attention_tiles.in_sight, has="tile"),
        "row": Figure("One query", attention_tiles.ROW, has="tile", meta=attention_tiles.of_row),
        "over": Figure("Over the image", attention.over_image, has=attention.is_of_patches),
        "values": Figure(
            "From weights to output",
            attention_values.VALUES,
            has="forward",
            meta=attention_values.of_values,
        ),
        "importance": Figure(
            "Does a large weight mean that a key matters?",
            attention_values.IMPORTANCE,
            has="removal",
            meta=attention_values.of_importance,
        ),
    },
)
