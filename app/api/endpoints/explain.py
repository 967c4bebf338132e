"""/explain: one number, and the numbers it was computed from."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import RunAnswer, StrictModel, optional
from app.schema.bounds import at_most_long
from app.schema.edits import AboutRun
from app.schema.questions import Name


class Explain(AboutRun):
    name: Name = Field(examples=["decoder.2.cross_attention.pattern"])
    at: Annotated[str, at_most_long("index_length")] = Field(examples=["1,2,3"])
    direction: Literal["backward", "forward"] = "backward"


class Operand(StrictModel):
    """Numbers that the explained one was computed from."""

    name: str
    kind: str
    index: list[int | None]
    shape: list[int]
    values: Any
    short: str
    axis: str | None
    token: str | None


class Intermediate(StrictModel):
    """A step of the computation."""

    name: str
    formula: str
    values: Any


class Sign(StrictModel):
    """Text between the numbers of an equation."""

    sign: str


class EquationTerm(StrictModel):
    """A number of an equation."""

    label: str
    name: str
    value: Any
    at: list[int] | None
    result: bool


class Reader(StrictModel):
    """A later number that uses the explained one as an operand."""

    at: list[int]
    roles: dict[str, int]
    labels: dict[str, str]
    value: float | None
    weight: float
    edited: bool = optional()


class Readers(StrictModel):
    """The later numbers of one activation that use the explained one as an operand."""

    name: str
    short: str
    formula: str
    sentence: str
    count: int
    largest: list[Reader]
    first_guess: Reader | None


class Setting(StrictModel):
    """The effect of an edit on the number."""

    edit: int | None
    op: str
    was: float | None
    value: float | None


class ExplainAnswer(RunAnswer):
    name: str
    at: list[int]
    roles: dict[str, int]
    labels: dict[str, str]
    value: float | None
    recomputed: float | None
    difference: float | None
    set_by: list[Setting] = optional()
    formula: str
    written: str
    short: str
    own: int | None
    sentence: str
    rule: str
    operands: list[Operand]
    intermediates: list[Intermediate]
    equations: list[list[Sign | EquationTerm]]
    readers: list[Readers] = optional()
    readers_count: int = optional()


ENDPOINT = Endpoint(
    "explain",
    Explain,
    ExplainAnswer,
    "model=translator&source=i+am+cold&name=decoder.2.cross_attention.pattern&at=1,2,3",
)
