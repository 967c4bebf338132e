"""/attention: who looks at whom, by layer and head."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.api.answers import Part, RunAnswer, maybe
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Head, Layer


class Attention(AboutModel):
    kind: Literal["self", "cross", "rows"] | None = Field(
        None,
        description=(
            "Which attention: within one input (self), from the target to the source (cross), or"
            " between the rows of a table (rows); without it all of them."
        ),
    )
    stack: Literal["encoder", "decoder"] | None = Field(None, description="Without it both.")
    layer: Layer | None = Field(None, description="Counted from 0; without it all.")
    head: Head | None = Field(None, description="Counted from 0; without it all.")
    stage: Literal["scores", "masked_scores", "pattern"] = Field(
        "pattern", description="Before the mask, after it, or after the softmax."
    )
    decimals: Annotated[int, Field(ge=0), up_to("decimals")] | None = Field(
        None,
        description=(
            "Rounds the maps to so many digits after the point, for small pictures; without it they"
            " have all."
        ),
    )
    forward: Annotated[int, Field(ge=0), up_to("patches")] | None = Field(
        None,
        description=(
            "The query, counted from 0, whose weights are followed to what they are used for. It"
            " needs `kind`, `stack`, `layer` and `head`."
        ),
    )


class AttentionFigures(Attention):
    view: ClassVar = ("arranged", "query")

    arranged: Literal["stacked", "abreast", "column"] = Field(
        "stacked",
        description=(
            "All heads: kinds of attention stand one under the other or side by side; or one under"
            " the other in a narrow column, without a colour bar."
        ),
    )
    query: Annotated[int, Field(ge=0), up_to("patches")] = Field(
        0, description="Over an image: the token whose weights frame the patches, from 0."
    )


class Agreement(Part):
    """How far two measures of the keys agree on their order."""

    first: str
    second: str
    rank_correlation: float | None = Field(
        description=(
            "Spearman's, over the keys that were removed; null with fewer than three keys, or"
            " where a measure is the same for all."
        )
    )


class AttentionAnswer(RunAnswer):
    stage: Literal["scores", "masked_scores", "pattern"]
    decimals: int | None
    entropy: dict[str, list[float]] = Field(description="By attention, in nats, one a head.")
    entropy_limit: dict[str, float] = Field(
        description="The entropy, in nats, of equal weights over the keys that may be seen."
    )
    distance: dict[str, list[float] | None] = Field(
        description=(
            "By attention, for each head the mean distance from a query to the keys that it looks"
            " at, in positions; null where keys are not positions of the same text."
        )
    )
    expected: list[str] = Field(description="The token that comes next at each position.")
    expected_from: int
    forward: int = maybe("The query whose weights are followed.")
    agreement: list[Agreement] = maybe(
        "How far three measures of a key agree: its weight, the length of what it brings to the"
        " stream, and the effect of its removal; empty where nothing can be removed."
    )


ENDPOINTS = (
    Endpoint(
        "attention",
        Attention,
        AttentionAnswer,
        "Attention maps by layer and head, with their masks, entropy and distance",
        "model=translator&source=i+am+cold&kind=cross&layer=2",
        figure="map",
        drawn=AttentionFigures,
    ),
)
