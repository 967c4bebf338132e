"""/generate: writing one token after another; as an event stream when asked for it."""

from typing import Annotated, ClassVar, Literal

from annotated_types import Lt
from pydantic import Field

from app.api.answers import Drawn, Label, Likely, Part, RunAnswer, maybe
from app.api.bounds import Fixed, up_to
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, AtMostOne, Head, Layer, Room, Text


class Generate(AboutModel):
    strategy: Literal["greedy", "sample", "beam"] = Field(
        "greedy",
        description="The most probable token, one by chance, or the best of several texts.",
    )
    temperature: Annotated[float, Field(ge=0), up_to("temperature")] = Field(
        1.0, description="sample: divides the logits; at 0 the most probable token is written."
    )
    top_k: Annotated[int, Field(ge=1), up_to("vocabulary")] | None = Field(
        None, description="sample: draws only from the k most probable tokens."
    )
    top_p: Annotated[float, Field(gt=0), AtMostOne] | None = Field(
        None,
        description=(
            "sample: draws only from the fewest tokens that together have this probability."
        ),
    )
    min_p: Annotated[float, Field(gt=0), AtMostOne] | None = Field(
        None,
        description=(
            "sample: draws only from tokens that have at least this share of the probability of"
            " the most probable one."
        ),
    )
    beams: Annotated[int, Field(ge=1), up_to("beams")] = Field(
        4, description="beam: how many texts are kept."
    )
    seed: Annotated[int, Field(ge=0), Fixed(Lt(2**32), "a seed has 32 bits")] = Field(
        0, description="sample: the same seed gives the same text."
    )
    max_new_tokens: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = Field(
        None, description="How many tokens are written at most."
    )
    target: Text | None = Field(
        None,
        description=(
            "A reference text. The answer then also tells what the model predicts when it reads"
            " this text instead of its own words (teacher forcing)."
        ),
    )


class AtStep(Generate):
    at: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = Field(
        None,
        description="The step that is shown, counted from 1; without it, or beyond it, the last.",
    )


class GenerateFigures(AtStep):
    view: ClassVar = ("at", "layer", "head")

    layer: Layer | None = Field(
        None, description="The layer of which `step` says what it looked at; without it the last."
    )
    head: Head | None = Field(
        None, description="The head of that layer; without it the mean of all its heads."
    )


class GenerateDrawing(Room, AtStep):
    view: ClassVar = ("at", "width", "height")


class Candidate(Likely):
    """A token that could have been written; `after` is its probability after the filters."""

    after: float | None
    chosen: bool


class Rest(Part):
    """All the other tokens together."""

    tokens: int
    probability: float
    after: float | None


class Written(Part):
    """One step: the token that was written, and those that could have been."""

    index: int
    token: Label
    probability: float
    log_probability: float
    rank: int
    drawn: float | None = Field(description="The random number of a sample.")
    kept: int | None = Field(description="How many tokens the filters keep.")
    candidates: list[Candidate]
    rest: Rest
    sum: float = Field(description="The sum of the log-probabilities so far, in nats.")
    text: str = Field(description="All that is written so far.")


class Node(Part):
    """A text that beam search considered, by its last token."""

    number: int
    parent: int | None
    step: int
    token: Label
    log_probability: float
    score: float
    kept: bool
    finished: bool


class Hypothesis(Part):
    """A text that beam search kept to the end."""

    number: int
    text: str
    tokens: int
    score: float
    finished: bool


class Tree(Part):
    """All that beam search considered."""

    nodes: list[Node]
    kept: list[list[int]]
    hypotheses: list[Hypothesis]


class Forced(Part):
    """One token of a reference, and what the model says where it reads the reference."""

    index: int
    read: str
    expected: Likely
    predicted: Likely
    written: Likely | None
    candidates: list[Likely]
    same_input: bool
    agrees: bool


class TeacherForcing(Part):
    """What the model predicts where it reads a reference instead of its own words."""

    reference: list[str]
    rows: list[Forced]
    shared: int
    largest_difference: float | None
    first_difference: int | None
    log_probability: float


class GenerateAnswer(RunAnswer):
    strategy: Literal["greedy", "sample", "beam"]
    settings: dict[str, float] = Field(description="The fields that this strategy uses.")
    text: str
    stopped: Literal["end", "limit"]
    log_probability: float
    steps: list[Written]
    tree: Tree = maybe("With beam search: all texts that it considered.")
    teacher_forcing: TeacherForcing = maybe(
        "With a `target`: what the model predicts where it reads that text."
    )


class TreeDrawn(Drawn):
    considered: str = Field(description="How many texts, in words.")


ENDPOINTS = (
    Endpoint(
        "generate",
        Generate,
        GenerateAnswer,
        "Decoding step by step, with candidates, probabilities and cross-attention",
        "model=translator&source=i+am+cold&strategy=beam&beams=3",
        streams=True,
        drawn=GenerateFigures,
        figure="step",
        drawing=GenerateDrawing,
        drawn_as=TreeDrawn,
    ),
)
