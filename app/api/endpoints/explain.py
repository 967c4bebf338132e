"""/explain: one number, and the numbers it was computed from."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app.api.answers import Part, RunAnswer, maybe
from app.api.bounds import at_most_long
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Name


class Explain(AboutModel):
    name: Name = Field(
        description="The activation.", examples=["decoder.2.cross_attention.pattern"]
    )
    at: Annotated[str, at_most_long("index_length")] = Field(
        description="The index of the number, with commas between.", examples=["1,2,3"]
    )
    direction: Literal["backward", "forward"] = Field(
        "backward",
        description=(
            "The numbers that it was computed from; or, besides, the later numbers that are"
            " computed from it."
        ),
    )


class Operand(Part):
    """Numbers that the explained one was computed from."""

    name: str
    kind: str
    index: list[int | None] = Field(description="null where a whole axis was read.")
    shape: list[int]
    values: Any = Field(description="A number or nested lists of them; null for a masked score.")
    short: str = Field(description="What it is called in formulas: W_Q, q, mask.")
    axis: str | None = Field(description="The input whose tokens its members are.")
    token: str | None = Field(description="The token to which its vector belongs.")


class Intermediate(Part):
    """A step of the computation."""

    name: str
    formula: str
    values: Any = Field(description="A number or nested lists of them; null for a masked score.")


class Sign(Part):
    """What stands between the numbers of an equation."""

    sign: str


class EquationTerm(Part):
    """A number of an equation."""

    label: str
    name: str = Field(description="The tensor that it is read from, or the formula of a step.")
    value: Any = Field(description="A number, or null for a masked score.")
    at: list[int] | None = Field(description="Its index in the tensor; null for a step.")
    result: bool = Field(description="Whether it is the explained number.")


class Reader(Part):
    """A later number that has the explained one among its operands."""

    at: list[int]
    roles: dict[str, int] = Field(description="The index by axis.")
    labels: dict[str, str]
    value: float | None = Field(description="null for a masked score.")
    weight: float = Field(
        description=(
            "Its derivative with respect to the explained number, all its other operands held"
            " fixed: where it is linear in the number, the coefficient."
        )
    )


class Readers(Part):
    """The later numbers of one activation that have the explained one among their operands."""

    name: str = Field(description="The activation in which they stand.")
    short: str
    formula: str
    sentence: str
    count: int = Field(description="How many there are.")
    largest: list[Reader] = Field(description="Those with the largest weights, in size.")
    first_guess: Reader | None = Field(
        description=(
            "Among logits and among probabilities the one with the largest value, which is the"
            " model's first guess; null elsewhere."
        )
    )


class ExplainAnswer(RunAnswer):
    name: str
    at: list[int]
    roles: dict[str, int] = Field(description="The index by axis.")
    labels: dict[str, str]
    value: float | None = Field(description="null for a masked score.")
    recomputed: float | None
    difference: float | None
    formula: str
    written: str = Field(description="The formula as on a blackboard.")
    short: str = Field(description="What the number is called in formulas.")
    own: int | None = Field(description="In a softmax, the member that the number belongs to.")
    sentence: str
    rule: str
    operands: list[Operand]
    intermediates: list[Intermediate]
    equations: list[list[Sign | EquationTerm]]
    readers: list[Readers] = maybe("Forward: by activation, in the order of computation.")
    readers_count: int = maybe("Forward: how many numbers are computed from the explained one.")


ENDPOINTS = (
    Endpoint(
        "explain",
        Explain,
        ExplainAnswer,
        "A number's formula, recomputed from its operands, each with its own name and index",
        "model=translator&source=i+am+cold&name=decoder.2.cross_attention.pattern&at=1,2,3",
    ),
)
