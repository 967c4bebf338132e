"""The types of answers, as described in the OpenAPI document.

The worker writes the bytes of an answer, so none of this runs when answering. A test compares these
types with the server's answers. The answer type of each endpoint is next to its question.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from app.schema.described import Described
from app.schema.questions import Question
from model.answers import Kind


def optional(description: str = "") -> Any:
    """A field that an answer may omit, but never sets to null."""
    return Field(None, description=description or None)


class StrictModel(Described):
    """A part of an answer with exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class Axis(StrictModel):
    """One axis of the answer's tensors: what it indexes, and its size."""

    kind: str
    size: int
    labels: list[str] = optional()
    ids: list[int] = optional()
    values: list[float] = optional()
    title: str = optional()
    unit: str = optional()
    grid: list[int] = optional()
    parts: dict[str, int] = optional()
    value: list[str | float | None] = optional()


class TypedArray(StrictModel):
    """Numbers as little-endian bytes in base64, the format that Plotly reads."""

    dtype: Literal["f4", "f8", "i4", "u1"]
    bdata: str
    shape: str = Field(examples=["4, 5, 5"])


class Tensor(StrictModel):
    """Numbers on named axes, outermost first, and their formula."""

    axes: list[str]
    shape: list[int]
    dtype: Literal["float32", "float64", "int32", "uint8"]
    formula: str
    data: list[Any] | TypedArray


class Finding(StrictModel):
    """A result of a clinic: the measured number, the prediction, the expected range, and whether it
    holds.
    """

    name: str
    title: str = optional()
    kind: Literal["exact", "analytic", "statistical"]
    value: float | None = optional()
    mean: float | None = optional()
    min: float | None = optional()
    max: float | None = optional()
    seeds: int = optional()
    values: list[float | None] = optional()
    interval: list[float] = optional()
    method: str = optional()
    unit: str
    law: str
    band: list[float | None]
    holds: bool | None
    verdict: Literal["holds", "fails", "undecided", "not applicable"]
    seeds_needed: int = optional()
    premise: str = optional()


class Fact(StrictModel):
    """A measured number, the prediction in words, and whether it holds."""

    name: str
    value: float
    law: str
    holds: bool
    unit: str


class Label(StrictModel):
    """A token with its id."""

    text: str
    id: int


class Likely(Label):
    """A token with its probability."""

    probability: float


class Says(StrictModel):
    """The class that a model predicts."""

    name: str = Field(alias="class")
    probability: float


class Point(StrictModel):
    """A point of the residual stream, and the last sub-layer before it."""

    name: str
    wrote: str | None


class EchoedAnswer(StrictModel):
    """The first fields of every answer."""

    question: Question


class Answer(EchoedAnswer):
    """An answer with named axes and tensors."""

    kind: Kind
    axes: dict[str, Axis]
    tensors: dict[str, Tensor]
    model: str = optional()
    input: dict[str, str] = optional()
    notes: list[str] = optional()


class Confidence(StrictModel):
    """The confidence of a model's prediction, and its accuracy at similar confidence."""

    value: float
    low: float
    high: float
    right: float
    texts: int


class BrokenInvariant(StrictModel):
    """An equation that holds in every run without edits, but not in this one."""

    law: str
    names: list[str]
    cells: int
    largest: float | None


class EditReport(StrictModel):
    """The effect of one edit."""

    op: str
    at: str
    names: list[str]
    elements: int
    largest_change: float | None
    invariants: list[BrokenInvariant]


class RunAnswer(Answer):
    """An answer about one input of one model."""

    model: str
    input: dict[str, str]
    prediction: str = optional()
    certainty: str = optional()
    unlike: list[str] = optional()
    confidence: Confidence = optional()
    edits: list[EditReport] = optional()
    aligned: dict[str, list[int | None]] = optional()
    unedited: dict[str, Tensor] = optional()
    unedited_axes: dict[str, Axis] = optional()


class Difference(StrictModel):
    """The difference between the sum of the parts and the stream."""

    value: float
    formula: str


class Choice(StrictModel):
    """A choice offered by a control of the page."""

    value: str
    label: str


class Seen(StrictModel):
    """The page's text about one view."""

    see: str
    more: str
    explained: dict[str, str]


class Link(StrictModel):
    """A page that continues from here with the same state."""

    href: str
    text: str


class PageWords(StrictModel):
    """The page's text about an answer."""

    views: dict[str, Seen]
    choices: dict[str, list[Choice]]
    chosen: dict[str, str]
    links: list[Link]


class ClinicAnswer(Answer):
    """An answer of a clinic: a prediction, its source, and the measurements."""

    law: str
    source: str
    init: str
    findings: list[Finding]


class KeptAnswer(ClinicAnswer):
    """An answer of a clinic whose numbers come from stored trainings."""

    kept_seeds: int


class Table(StrictModel):
    """The numbers of a drawing as text."""

    caption: str
    head: list[str]
    rows: list[list[str | float]]


class ExerciseWords(StrictModel):
    """The question of a page before it shows the measurement."""

    asks: str
    choices: list[str]
    right: int | None
    reason: str


class Words(StrictModel):
    """The page's text about a clinic's answer, computed from the question and the findings."""

    claim: str
    look_for: str
    reading: str
    exercise: ExerciseWords
    explained: dict[str, str]
    counts: str
    standing_out: list[str]
    seeds: int | None
    findings: Table


class DrawingFields(StrictModel):
    """The fields that every drawing adds to the answer of its word."""

    svg: str
    table: Table


class ProblemError(StrictModel):
    """One thing to change in the question."""

    pointer: str
    code: str
    limit: str | float | bool | None
    given: str | float | bool | None
    hint: str


class Problem(StrictModel):
    """Why there is no answer (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    why: str = optional()
    errors: list[ProblemError] = Field(max_length=10)
    nearest: list[str] = optional()
    id: str = optional()


class Example(StrictModel):
    """An input to try, and what to notice."""

    id: str
    input: dict[str, str]
    look_for: str


class Card(StrictModel):
    """Everything known about a model. For an added model (`kind` is "yours"), the training, data,
    and quality are unknown.
    """

    id: str
    name: str
    family: Literal["encoder-only", "decoder-only", "encoder-decoder", "prefix"]
    modality: str
    task: str
    kind: str
    encoding: str
    config: dict[str, Any]
    parameters: int
    bytes: int
    limits: dict[str, int]
    quality: dict[str, dict[str, Any]]
    weights_sha256: str
    examples: list[Example]
    training: dict[str, Any] = optional()
    split: str = optional()
    data_notice: str = optional()
    data_sha256: str = optional()
    tokenizer_sha256: str = optional()
    kept: dict[str, Any] = optional()
    columns: list[Any] = optional()
    held_out: dict[str, Any] = optional()
    architecture: str = optional()
    source: str = optional()
    precision: str = optional()
    licence: str = optional()
    head: str = optional()
    classes: list[str] = optional()
    vocabulary: int = optional()
    left_aside: dict[str, str] = optional()
    unreadable: str = optional()
