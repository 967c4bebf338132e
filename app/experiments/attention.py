"""/attention: who looks at whom, by layer and head."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import attention, attention_heads, attention_tiles, attention_values
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.bounds import below, up_to
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, LongText, Name, Role

Interval = Annotated[
    Name, Field(description="Positions from the first to before the second.", examples=["0:1024"])
]
Position = Annotated[int, Field(ge=0), below("long_tokens")]


class Attention(AboutRun):
    text: LongText | None = Field(
        None,
        description=(
            "The text that a model of one stack reads. With `level` it may have 4,096 tokens in a"
            " decoder whose scores have no bias and whose weights are a softmax."
        ),
    )
    level: Literal["auto", "0", "1", "2", "3", "4", "5", "6", "7", "8"] | None = Field(
        None,
        description=(
            "Asks for the pattern of one head by tiles: blocks of 2^level x 2^level cells, each as"
            " the mean and the maximum of its weights, at most 128 to a side. `auto` is the finest"
            " level that fits. The text is read without its maps, and the answer has no others."
        ),
    )
    rows: Interval | None = Field(
        None,
        description=(
            "With `level`: the queries in sight, from the first position to before the second, for"
            " example 1024:2048. They begin at a multiple of 2^level. If it is left out, all are."
        ),
    )
    columns: Interval | None = Field(
        None, description="With `level`: the keys in sight, as `rows` says the queries."
    )
    position: Position | None = Field(
        None,
        description=(
            "With `level`: the query whose largest weights are listed. If it is left out, it is the"
            " last one in sight."
        ),
    )
    after: Position | None = Field(
        None,
        description=(
            "With `level`: the key behind which the next peak of `position` is looked for. If it is"
            " left out, it is the first peak."
        ),
    )
    find: Name | None = Field(
        None, description="With `level`: the token whose positions are listed."
    )
    kind: Literal["self", "cross", "rows"] | None = Field(
        None,
        description=(
            "Which attention is sent: within one input, from target to source, or between"
            " the rows of a table. If it is left out, every kind is sent."
        ),
    )
    stack: Literal["encoder", "decoder"] | None = Field(
        None,
        description=("The stack whose attention is sent. If it is left out, that of both is sent."),
    )
    layer: Layer | None = Field(
        None, description="The layer, counted from 0. If it is left out, all layers are sent."
    )
    head: Head | None = Field(
        None, description="The head, counted from 0. If it is left out, all heads are sent."
    )
    stage: Literal["scores", "masked_scores", "pattern"] = Field(
        "pattern",
        description=(
            "`scores` are the scores before the mask, `masked_scores` those after it, and"
            " `pattern` is the weights after the softmax."
        ),
    )
    decimals: Annotated[int, Field(ge=0), up_to("decimals")] | None = Field(
        None,
        description=(
            "How many digits after the point the maps are rounded to, for small pictures."
            " If it is left out, nothing is rounded."
        ),
    )
    forward: Annotated[int, Field(ge=0), up_to("patches")] | None = Field(
        None,
        description=(
            "The position of a query, counted from 0. The answer then also says what its"
            " weights are used for: the values, their weighted sum, and what it adds to the"
            " stream. Needs `kind`, `stack`, `layer` and `head`."
        ),
    )


class AttentionFigures(Attention):
    display_fields: ClassVar = ("arranged", "query", "switches", "reduced", "role")

    role: Role | None = Field(
        None,
        description=(
            "Of a model of more than 8 layers: which heads the figure of all heads has in frames,"
            " those that have this role in the run."
        ),
    )

    reduced: Literal["maximum", "mean"] = Field(
        "maximum", description="With `level`: what the colour of a block is, of its weights."
    )

    arranged: Literal["stacked", "abreast", "column"] = Field(
        "stacked",
        description=(
            "How the figure of all heads arranges the kinds of attention: `stacked` one"
            " under the other, `abreast` side by side, `column` one under the other in a"
            " narrow column without a colour bar."
        ),
    )
    switches: bool = Field(
        False,
        description=(
            "Whether each head of the figure of all heads has a dot, which says whether the head"
            " is on, and what the edits are with the head turned on or off."
        ),
    )
    query: Annotated[int, Field(ge=0), up_to("patches")] = Field(
        0,
        description=(
            "The token, counted from 0, whose weights are drawn as frames around the"
            " patches of an image."
        ),
    )


class Look(StrictModel):
    """A key that a query looks at."""

    key: int
    weight: float
    together: float = Field(
        description="The share of the row that this key and all that weigh more have."
    )


class TileInSight(StrictModel):
    """What is in sight of the map of one head."""

    name: str = Field(description="The attention.")
    head: int
    level: int = Field(description="A block has 2^level x 2^level cells.")
    tokens: int = Field(description="The tokens of the whole text.")
    rows: list[int] = Field(description="The first query in sight, and that behind the last.")
    columns: list[int] = Field(description="The first key in sight, and that behind the last.")
    position: int = Field(description="The query whose weights are listed.")
    looks: list[Look] = Field(description="Its largest weights, the largest first.")
    peak: int | None = Field(
        description=(
            "Its next peak: the next key that weighs more than equal weights would, more than the"
            " key before it and no less than the one behind it."
        )
    )
    places: list[int] = Field(description="Where the token `find` stands.")


class Agreement(StrictModel):
    """How far two measures of the keys agree on their order."""

    first: str
    second: str
    rank_correlation: float | None = Field(
        description=(
            "Spearman's rank correlation over the keys that were removed; null with fewer"
            " than three keys, or where a measure is the same for all of them."
        )
    )


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
    looks_at: str = Field(description="The keys that a head of this role attends to.")
    attention: str
    head: int
    score: float
    chance: float = Field(description="The score of equal weights over the same keys.")
    heads: list[HeadOfRole] = Field(
        description=(
            "All heads whose score lies more than a quarter of the way from that of equal weights"
            " to 1, the largest first."
        )
    )


class AttentionAnswer(RunAnswer):
    stage: Literal["scores", "masked_scores", "pattern"]
    decimals: int | None
    entropy: dict[str, list[float | None]] = Field(
        description=(
            "The mean entropy of the rows of each head in nats, by name of the attention; null"
            " where an edit has made a weight negative."
        )
    )
    entropy_limit: dict[str, float] = Field(
        description=("The entropy of equal weights, which is the largest that is possible.")
    )
    distance: dict[str, list[float] | None] = Field(
        description=(
            "The mean distance between a query and the keys that it looks at, by name of"
            " the attention; null between different texts."
        )
    )
    expected: list[str] = Field(description="The token that comes next at each position.")
    expected_from: int
    roles: list[RoleHead] = optional(
        "Of a model of more than 8 layers, where all layers and heads are asked for: the head that"
        " has most of each role in this run."
    )
    tile: TileInSight = optional("With `level`: what is in sight; the maps have no measures then.")
    forward: int = optional("The position of the query whose weights are followed.")
    agreement: list[Agreement] = optional(
        "How far three measures of the keys agree: the weight, the length of the vector"
        " that a key adds to the stream, and the effect of its removal."
    )


EXPERIMENT = Experiment(
    question=Attention,
    answer=AttentionAnswer,
    figure_query=AttentionFigures,
    sentence="The attention maps of a run by layer and head, with their masks, entropy and"
    " distance",
    example="model=translator&source=i+am+cold&kind=cross&layer=2",
    figures={
        "map": Figure("One head", attention.one_head, has=attention.is_whole, marks_edits=True),
        "heads": Figure(
            "All heads", attention_heads.every_head, has=attention.is_whole, marks_edits=True
        ),
        "tile": Figure("One head", attention_tiles.in_sight, has=attention_tiles.is_by_tiles),
        "row": Figure(
            "One query",
            attention_tiles.ROW,
            has=attention_tiles.is_by_tiles,
            meta=attention_tiles.of_row,
        ),
        "over": Figure("Over the image", attention.over_image, has=attention.is_of_patches),
        "values": Figure(
            "What the weights are used for",
            attention_values.VALUES,
            has=attention_values.is_followed,
            meta=attention_values.of_values,
        ),
        "importance": Figure(
            "Does a large weight mean that the key matters?",
            attention_values.IMPORTANCE,
            has=attention_values.is_removed,
            meta=attention_values.of_importance,
        ),
    },
)
