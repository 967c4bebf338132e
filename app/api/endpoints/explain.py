"""/explain: one number, and the numbers it was computed from."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.bounds import at_most_long
from app.schema.edits import AboutRun
from app.schema.questions import Name


class Explain(AboutRun):
    name: Name = Field(
        description="The name of the activation that holds the number.",
        examples=["decoder.2.cross_attention.pattern"],
    )
    at: Annotated[str, at_most_long("index_length")] = Field(
        description=("The index of the number in the activation, with commas between its parts."),
        examples=["1,2,3"],
    )
    direction: Literal["backward", "forward"] = Field(
        "backward",
        description=(
            "`backward` sends the numbers from which it was computed, and `forward` also"
            " those that are computed from it."
        ),
    )


class Operand(StrictModel):
    """Numbers that the explained one was computed from."""

    name: str
    kind: str
    index: list[int | None] = Field(
        description=("The index of the operand in its tensor; null where a whole axis was read.")
    )
    shape: list[int]
    values: Any = Field(
        description=("A number or nested lists of numbers; null for a masked score.")
    )
    short: str = Field(
        description=("What the operand is called in formulas, for instance W_Q, q or mask.")
    )
    axis: str | None = Field(
        description="The input whose tokens the members of the operand belong to."
    )
    token: str | None = Field(description="The token to which the vector belongs.")


class Intermediate(StrictModel):
    """A step of the computation."""

    name: str
    formula: str
    values: Any = Field(
        description=("A number or nested lists of numbers; null for a masked score.")
    )


class Sign(StrictModel):
    """What stands between the numbers of an equation."""

    sign: str


class EquationTerm(StrictModel):
    """A number of an equation."""

    label: str
    name: str = Field(
        description=(
            "The name of the tensor from which the number is read, or the formula of a step."
        )
    )
    value: Any = Field(description="The number; null for a masked score.")
    at: list[int] | None = Field(
        description="The index of the number in the tensor; null for a step."
    )
    result: bool = Field(description="Whether it is the number that is explained.")


class Reader(StrictModel):
    """A later number that has the explained one among its operands."""

    at: list[int]
    roles: dict[str, int] = Field(description="The index of the number, by name of the axis.")
    labels: dict[str, str]
    value: float | None = Field(description="The number; null for a masked score.")
    weight: float = Field(
        description=(
            "The derivative of the later number with respect to the explained one, while"
            " all its other operands stay fixed. Where it is linear in that number, this is"
            " the coefficient."
        )
    )
    edited: bool = optional(
        "With `edits`: true where an edit has changed the later number. The weight is then that of"
        " the number before the edit."
    )


class Readers(StrictModel):
    """The later numbers of one activation that have the explained one among their operands."""

    name: str = Field(description="The name of the activation in which these numbers stand.")
    short: str
    formula: str
    sentence: str
    count: int = Field(description="How many such numbers there are.")
    largest: list[Reader] = Field(
        description="The numbers with the largest weights, largest first."
    )
    first_guess: Reader | None = Field(
        description=(
            "Among logits and among probabilities the number with the largest value, which is the"
            " model's first guess at its position; null elsewhere."
        )
    )


class Setting(StrictModel):
    """What an edit made of the number."""

    edit: int | None = Field(
        description=(
            "The number of the edit in `edits`, counted from 0; null for the positions of the whole"
            " run."
        )
    )
    op: str
    was: float | None = Field(description="The number before the edit; null for a masked score.")
    value: float | None = Field(description="The number after it; null for a masked score.")


class ExplainAnswer(RunAnswer):
    name: str
    at: list[int]
    roles: dict[str, int] = Field(description="The index of the number, by name of the axis.")
    labels: dict[str, str]
    value: float | None = Field(description="The number; null for a masked score.")
    recomputed: float | None = Field(
        description=(
            "What its operands give in float64; null for a masked score. For a number that an edit"
            " has set it is the number before the edits."
        )
    )
    difference: float | None = Field(
        description=(
            "How far `recomputed` is from the number of the run, before its edits if it has any;"
            " null for a masked score."
        )
    )
    set_by: list[Setting] = optional(
        "With `edits`: what each edit that has changed the number made of it, in their order."
    )
    formula: str
    written: str = Field(description="The formula as one would write it on a blackboard.")
    short: str = Field(description="What the number is called in formulas.")
    own: int | None = Field(description="The index of the number among the members of its softmax.")
    sentence: str
    rule: str
    operands: list[Operand]
    intermediates: list[Intermediate]
    equations: list[list[Sign | EquationTerm]]
    readers: list[Readers] = optional(
        "With `direction=forward`: the later numbers, by activation, in the order of"
        " the computation."
    )
    readers_count: int = optional(
        "With `direction=forward`: how many numbers are computed from the explained one."
    )


ENDPOINT = Endpoint(
    "explain",
    Explain,
    ExplainAnswer,
    "One number of a run: its formula, the numbers from which it was computed, and"
    " on request the numbers that use it",
    "model=translator&source=i+am+cold&name=decoder.2.cross_attention.pattern&at=1,2,3",
)
