"""The types of answers, as the OpenAPI document tells them to programs.

The worker writes the bytes of an answer, and nothing here is run for one. A test holds these types
against what the server answers. The answer of each endpoint stands beside its question.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from app.schema.described import Described
from app.schema.questions import Question


def optional(description: str = "") -> Any:
    """A field that an answer may leave out, but never sends as null."""
    return Field(None, description=description or None)


class StrictModel(Described):
    """A part of an answer: these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Axis(StrictModel):
    """One axis of the answer's tensors: what is counted along it, and how far."""

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
    """Numbers as little-endian bytes in base64, the form that Plotly reads."""

    dtype: Literal["f4", "f8", "i4", "u1"]
    bdata: str
    shape: str = Field(examples=["4, 5, 5"])


class Tensor(StrictModel):
    """Numbers on named axes, outermost first, and the formula that made them."""

    axes: list[str]
    shape: list[int]
    dtype: Literal["float32", "float64", "int32", "uint8"]
    formula: str
    data: list[Any] | TypedArray


class Finding(StrictModel):
    """What a clinic measured, its law, the band the law allows, and whether it holds."""

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
    """One number that was measured, the law it is held against in words, and whether it holds."""

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
    """The class that a model finds most probable."""

    name: str = Field(alias="class")
    probability: float


class Point(StrictModel):
    """A point of the residual stream, and the sub-layer that wrote last."""

    name: str
    wrote: str | None


class EchoedAnswer(StrictModel):
    """What every answer says first."""

    question: Question


class Answer(EchoedAnswer):
    """An answer in named axes and tensors."""

    kind: Literal["trained", "yours", "random initialisation", "analytic"]
    axes: dict[str, Axis]
    tensors: dict[str, Tensor]
    model: str = optional()
    input: dict[str, str] = optional()
    notes: list[str] = optional()


class Confidence(StrictModel):
    """How sure a model is of what it says, and how often it was right when it was as sure."""

    value: float
    low: float
    high: float
    right: float
    texts: int


class BrokenInvariant(StrictModel):
    """An equation that holds in every run without edits, and that holds no longer."""

    law: str
    names: list[str]
    cells: int
    largest: float | None


class EditReport(StrictModel):
    """What one edit changed."""

    op: str
    at: str
    names: list[str]
    elements: int
    largest_change: float | None
    invariants: list[BrokenInvariant]


class RunAnswer(Answer):
    """An answer about one input in one model."""

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
    """How far the sum of the parts is from the stream."""

    value: float
    formula: str


class Choice(StrictModel):
    """A choice that a control of the page offers."""

    value: str
    label: str


class Seen(StrictModel):
    """What the page says of one view."""

    see: str
    more: str
    explained: dict[str, str]


class Link(StrictModel):
    """A page that goes on from here, in the same state."""

    href: str
    text: str


class PageWords(StrictModel):
    """What the page says of an answer."""

    views: dict[str, Seen]
    choices: dict[str, list[Choice]]
    chosen: dict[str, str]
    links: list[Link]


class ClinicAnswer(Answer):
    """An answer of a clinic: a law, its source, and what was measured."""

    law: str
    source: str
    init: str
    findings: list[Finding]


class KeptAnswer(ClinicAnswer):
    """The answer of a clinic whose numbers were trained beforehand and kept."""

    kept_seeds: int


class Table(StrictModel):
    """The numbers of a drawing as text."""

    caption: str
    head: list[str]
    rows: list[list[str | float]]


class ExerciseWords(StrictModel):
    """What a page asks before it shows the measurement."""

    asks: str
    choices: list[str]
    right: int | None
    reason: str


class Words(StrictModel):
    """What a page says about an answer of its clinic, computed from the question and the
    findings.
    """

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
    """What every drawing adds to the answer of its word."""

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
    errors: list[ProblemError] = Field(max_length=10)
    nearest: list[str] = optional()
    id: str = optional()


class Example(StrictModel):
    """An input to try, and what to look for."""

    id: str
    input: dict[str, str]
    look_for: str


class Card(StrictModel):
    """What is known of a model. Of one that was added (`kind` is "yours") nobody has said how it
    was trained, on what and how well.
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
