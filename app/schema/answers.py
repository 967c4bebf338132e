"""The types of answers, as the OpenAPI document tells them to programs.

The worker writes the bytes of an answer, and nothing here is run for one. A test holds these types
against what the server answers. The answer of each endpoint stands beside its question.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.schema.questions import Question


def optional(description: str = "") -> Any:
    """A field that an answer may leave out, but never sends as null."""
    return Field(None, description=description or None)


class StrictModel(BaseModel):
    """A part of an answer: these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Axis(StrictModel):
    """One axis of the answer's tensors: what is counted along it, and how far."""

    kind: str = Field(
        description=(
            "What is counted along the axis: position, patch, column, slot, head, channel,"
            " vocabulary or step."
        )
    )
    size: int
    labels: list[str] = optional("A text for each index of the axis.")
    ids: list[int] = optional("The id of the token at each index of the axis.")
    values: list[float] = optional("The number that each index of the axis stands for.")
    title: str = optional("The name of `values`, as the axis of a figure shows it.")
    unit: str = optional("The unit of `values`.")
    grid: list[int] = optional(
        "The number of rows and of columns, where the axis is an image in patches."
    )
    parts: dict[str, int] = optional(
        "The parts that the axis is put together from, in their order, each with its size."
    )
    value: list[str | float | None] = optional(
        "The value in each column, where the axis is a row of a table; null where it is missing."
    )


class TypedArray(StrictModel):
    """Numbers as little-endian bytes in base64, the form that Plotly reads."""

    dtype: Literal["f4", "f8", "i4", "u1"]
    bdata: str
    shape: str = Field(
        description="The sizes of the axes, with commas between them.", examples=["4, 5, 5"]
    )


class Tensor(StrictModel):
    """Numbers on named axes, outermost first, and the formula that made them."""

    axes: list[str]
    shape: list[int]
    dtype: Literal["float32", "float64", "int32", "uint8"]
    formula: str
    data: list[Any] | TypedArray = Field(
        description=(
            "Nested lists of numbers, in which null is a masked score; with"
            " `encoding=base64`, a typed array."
        )
    )


class Finding(StrictModel):
    """What a clinic measured, its law, the band the law allows, and whether it holds."""

    name: str
    title: str = optional("What the finding is called.")
    kind: Literal["exact", "analytic", "statistical"]
    value: float | None = optional("The number, if the finding is one number and has no seeds.")
    mean: float | None = optional(
        "The mean over the seeds. It is the geometric mean where `method` takes logarithms."
    )
    min: float | None = optional("The smallest number of any seed.")
    max: float | None = optional("The largest number of any seed.")
    seeds: int = optional("How many seeds the number was measured with.")
    values: list[float | None] = optional(
        "The number of each seed; null where one seed alone gives no number."
    )
    interval: list[float] = optional("The low and the high end of the 95 % interval of the number.")
    method: str = optional(
        "How the interval was computed: t, t on logarithms, t over all draws (of all seeds"
        " together), bootstrap (t with the standard error of a bootstrap over the seeds), or"
        " bootstrap on logarithms."
    )
    unit: str
    law: str = Field(description="The law in words and signs, without TeX.")
    band: list[float | None] = Field(
        description=(
            "The lowest and the highest value that the law allows; null where a side is open."
        )
    )
    holds: bool | None = Field(
        description=(
            "Whether the law holds; null where that is undecided or where the law does not apply."
        )
    )
    verdict: Literal["holds", "fails", "undecided", "not applicable"] = Field(
        description=(
            "The verdict on the law; `undecided` where the interval crosses an end of the band."
        )
    )
    seeds_needed: int = optional(
        "About how many seeds would decide. 10,000 stands for larger numbers too."
    )
    premise: str = optional("Why the law says nothing about this question, in a sentence.")


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

    question: Question = Field(
        description="What was asked, with the default of every field that was not given."
    )


class Answer(EchoedAnswer):
    """An answer in named axes and tensors."""

    kind: Literal["trained", "yours", "random initialisation", "analytic"]
    axes: dict[str, Axis] = Field(description="The axes of the tensors, by name.")
    tensors: dict[str, Tensor] = Field(description="The tensors, by name.")
    model: str = optional("The model's id, where a model was asked about.")
    input: dict[str, str] = optional("The input as the model read it, where there was one.")
    notes: list[str] = optional("Sentences that a reader of this answer should know.")


class Confidence(StrictModel):
    """How sure a model is of what it says, and how often it was right when it was as sure."""

    value: float = Field(
        description="The probability of what the model says: the geometric mean over its tokens."
    )
    low: float = Field(
        description=("The lowest probability of the held-out texts that are compared.")
    )
    high: float = Field(description="The highest probability of these texts.")
    right: float = Field(description="The share of these texts in which the model was right.")
    texts: int = Field(description="How many held-out texts are compared.")


class BrokenInvariant(StrictModel):
    """An equation that holds in every run without edits, and that holds no longer."""

    law: str = Field(description="The equation, or the sentence, that no longer holds.")
    names: list[str] = Field(description="The activations in which it fails.")
    cells: int = Field(description="In how many numbers or rows it fails.")
    largest: float | None = Field(
        description="By how much it fails at most; null where that is infinite."
    )


class EditReport(StrictModel):
    """What one edit changed."""

    op: str
    at: str
    names: list[str] = Field(description="The activations that it changed.")
    elements: int = Field(description="How many numbers are others than before the edit.")
    largest_change: float | None = Field(
        description=(
            "The largest absolute change of a number; null where nothing changed, or where the"
            " change is to or from minus infinity."
        )
    )
    invariants: list[BrokenInvariant] = Field(
        description="The equations that hold no longer in the activations that it changed."
    )


class RunAnswer(Answer):
    """An answer about one input in one model."""

    model: str = Field(description="The model's id.")
    input: dict[str, str] = Field(description="The input as the model read it.")
    prediction: str = optional(
        "What the model says of the input: the target, the next token, the words at the blanks, the"
        " class, or what was found."
    )
    certainty: str = optional(
        "How far that is to be trusted: sure where at least 80 % of the held-out texts with such a"
        " confidence were right, unsure where half of them were, expect mistakes below, and unlike"
        " its training where the input is."
    )
    unlike: list[str] = optional(
        "A sentence for each measure by which the input is unlike the texts held out of training."
    )
    confidence: Confidence = optional(
        "How sure the model is of what it says, where it says something of its own."
    )
    edits: list[EditReport] = optional(
        "Of an edited run: what each change has changed; first `pad`, `order` and `positions`, then"
        " the `edits` in their order."
    )
    aligned: dict[str, list[int | None]] = optional(
        "Where tokens are read in another order or with pads: for each axis whose tokens have moved"
        " the place of each token in the run without edits, and null for a pad."
    )
    unedited: dict[str, Tensor] = optional(
        "Of an edited run, with `beside`: the tensors of the run without edits, by name. Each token"
        " stands where it stands in the edited run."
    )
    unedited_axes: dict[str, Axis] = optional(
        "With `edits` and `beside`: those axes of the tensors without edits that are others than in"
        " `axes`, by name."
    )


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

    see: str = Field(description="What there is to see.")
    more: str = Field(description="Where it comes from and what follows from it.")
    explained: dict[str, str] = Field(
        description="Both as HTML, with a tip at each term of the field."
    )


class Link(StrictModel):
    """A page that goes on from here, in the same state."""

    href: str
    text: str


class PageWords(StrictModel):
    """What the page says of an answer."""

    views: dict[str, Seen] = Field(description="What is said of each figure, by its name.")
    choices: dict[str, list[Choice]] = Field(description="What each control offers, by its name.")
    chosen: dict[str, str] = Field(description="The value that each control shows.")
    links: list[Link]


class ClinicAnswer(Answer):
    """An answer of a clinic: a law, its source, and what was measured."""

    law: str = Field(description="The law, in TeX.")
    source: str = Field(description="The paper that states the law, with section or equation.")
    init: str = Field(description="How the weights or the random numbers were drawn.")
    findings: list[Finding]


class KeptAnswer(ClinicAnswer):
    """The answer of a clinic whose numbers were trained beforehand and kept."""

    kept_seeds: int = Field(description="How many seeds were trained and kept.")


class Table(StrictModel):
    """The numbers of a drawing as text."""

    caption: str
    head: list[str]
    rows: list[list[str | float]]


class ExerciseWords(StrictModel):
    """What a page asks before it shows the measurement."""

    asks: str = Field(description="The question, which names the setting.")
    choices: list[str]
    right: int | None = Field(
        description=(
            "The choice, counted from 0, that the numbers decide for; null where they leave several"
            " or none."
        )
    )
    reason: str = Field(
        description="The verdict, and the numbers with their intervals that gave it."
    )


class Words(StrictModel):
    """What a page says about an answer of its clinic, computed from the question and the
    findings.
    """

    claim: str = Field(
        description=("The heading. It says so where the law fails, does not apply or is undecided.")
    )
    look_for: str
    reading: str = Field(description="The number to read off the figure, in a sentence.")
    exercise: ExerciseWords
    explained: dict[str, str] = Field(
        description=(
            "`look_for`, `reading`, and of the exercise `asks` and `reason` as HTML, with a tip at"
            " each term of the field."
        )
    )
    counts: str = Field(
        description=(
            "How many findings have each verdict, for instance: 10 of 13 checks passed, 1"
            " failed, 2 undecided, 4 without a prediction."
        )
    )
    standing_out: list[str] = Field(
        description=("A sentence for each finding that fails, is undecided or does not apply.")
    )
    seeds: int | None = Field(
        description=("How many seeds would decide the claim, where it is undecided.")
    )
    findings: Table


class DrawingFields(StrictModel):
    """What every drawing adds to the answer of its word."""

    svg: str = Field(
        description=("The drawing as SVG. Its colours are names, for instance `var(--ink)`.")
    )
    table: Table


class ProblemError(StrictModel):
    """One thing to change in the question."""

    pointer: str = Field(description="The place of the field in the question, as a JSON pointer.")
    code: str
    limit: str | float | bool | None = Field(description="The limit that the value broke.")
    given: str | float | bool | None = Field(
        description="The value that was given, shortened if it is long."
    )
    hint: str


class Problem(StrictModel):
    """Why there is no answer (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemError] = Field(max_length=10)
    nearest: list[str] = optional("The names that are most like an unknown one.")
    id: str = optional("The id under which the server's log describes its own fault.")


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
    training: dict[str, Any] = optional("How a shipped model was trained.")
    split: str = optional("What was held out of the training of a shipped model.")
    data_notice: str = optional("Where the data of a shipped model come from.")
    data_sha256: str = optional("The digest of these data.")
    tokenizer_sha256: str = optional("The digest of a shipped model's tokenizer file.")
    kept: dict[str, Any] = optional("The steps of the model's training that are shipped.")
    columns: list[Any] = optional("The columns of the table, where the model reads one.")
    held_out: dict[str, Any] = optional(
        "What was measured on held-out rows of a table: reliability, and what each column is worth."
    )
    architecture: str = optional("The family of a model that was added, for instance Llama.")
    source: str = optional("The folder of a model that was added, or its name on the Hub.")
    precision: str = optional("The precision of its weights in that folder.")
    licence: str = optional("Its licence, where the folder states one.")
    head: str = optional("Its head: next word, masked word, classes or none.")
    classes: list[str] = optional("The names of its classes.")
    vocabulary: int = optional("How many tokens its vocabulary has.")
    left_aside: dict[str, str] = optional(
        "What stands in its files and is not read, such as a tensor, each with the reason."
    )
    unreadable: str = optional("Why it cannot be read any more.")
