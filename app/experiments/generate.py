"""/generate: writing one token after another; as an event stream when asked for it."""

from typing import Annotated, ClassVar, Literal

from annotated_types import Lt
from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures.generate import ATTENTION, of_looks, step
from app.figures.generate_forcing import forcing
from app.figures.generate_text import text
from app.schema.answers import DrawingFields, Label, Likely, RunAnswer, StrictModel, optional
from app.schema.bounds import Fixed, up_to
from app.schema.edits import AboutRun, Edits
from app.schema.model_sizes import sizes_of
from app.schema.questions import AtMostOne, Head, Layer, LongText, Name, Text, Viewport

MAX_NEW_TOKENS = 32
"""The model's own limit, in `model/runs/strategies.py`; a shorter model has a lower one."""


class Generate(AboutRun):
    strategy: Literal["greedy", "sample", "beam"] = "greedy"
    temperature: Annotated[float, Field(ge=0), up_to("temperature")] = 1.0
    top_k: Annotated[int, Field(ge=1), up_to("vocabulary")] | None = None
    top_p: Annotated[float, Field(gt=0), AtMostOne] | None = None
    min_p: Annotated[float, Field(gt=0), AtMostOne] | None = None
    beams: Annotated[int, Field(ge=1), up_to("beams")] = 4
    seed: Annotated[int, Field(ge=0), Fixed(Lt(2**32), "a seed has 32 bits")] = 0
    max_new_tokens: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = None
    text: LongText | None = None
    window: Name | None = Field(None, examples=["0:64"])
    target: Text | None = None
    edits: Edits | None = Field(
        None, examples=['[{"op": "zero", "at": "decoder.2.cross_attention.z"}]']
    )

    def sizes(self) -> dict[str, float]:
        """With edits or an arrangement, every step reads the whole text again for each beam, up to
        the maximum number of tokens; the worker adds the cost of the edits. A long text is read
        once.
        """
        model, rows = sizes_of(self.model), self.beams if self.strategy == "beam" else 1
        n_tokens = rows * (self.max_new_tokens or MAX_NEW_TOKENS)
        if self.window is not None:
            return model.sizes_of_long(self.text or "", n_tokens)
        if not self.changed:
            return {}
        read = model.tokens(self.source or self.text or "")
        return {"written": n_tokens, "channels": n_tokens * read * model.token_cost}

    @property
    def reads_long(self) -> bool:
        return self.window is not None


class AtStep(Generate):
    at: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = None


class GenerateFigures(AtStep):
    display_fields: ClassVar = ("at", "layer", "head")

    layer: Layer | None = None
    head: Head | None = None


class GenerateDrawing(Viewport, AtStep):
    display_fields: ClassVar = ("at", "width", "height")


class Candidate(Likely):
    """A token that could have been written; `after` is its probability after the filters."""

    after: float | None
    chosen: bool


class Rest(StrictModel):
    """All the other tokens together."""

    tokens: int
    probability: float
    after: float | None


class Written(StrictModel):
    """One step: the token that was written, and those that could have been."""

    index: int
    token: Label
    probability: float
    log_probability: float
    rank: int
    drawn: float | None
    kept: int | None
    candidates: list[Candidate]
    rest: Rest
    sum: float
    text: str


class Node(StrictModel):
    """A text that beam search considered, by its last token."""

    number: int
    parent: int | None
    step: int
    token: Label
    log_probability: float
    score: float
    kept: bool
    finished: bool


class Hypothesis(StrictModel):
    """A text that beam search kept to the end."""

    number: int
    text: str
    tokens: int
    score: float
    finished: bool


class Tree(StrictModel):
    """All that beam search considered."""

    nodes: list[Node]
    kept: list[list[int]]
    hypotheses: list[Hypothesis]


class Forced(StrictModel):
    """One token of a reference, and what the model says where it reads the reference."""

    index: int
    read: str
    expected: Likely
    predicted: Likely
    written: Likely | None
    candidates: list[Likely]
    same_input: bool
    agrees: bool


class TeacherForcing(StrictModel):
    """What the model predicts where it reads a reference instead of its own words."""

    reference: list[str]
    rows: list[Forced]
    shared: int
    largest_difference: float | None
    first_difference: int | None
    log_probability: float


class WithoutEdits(StrictModel):
    """What the model writes without the edits after the same input."""

    text: str
    stopped: Literal["end", "limit"]
    tokens: int
    log_probability: float
    shared: int
    log_probability_of_edited: float


class GenerateAnswer(RunAnswer):
    strategy: Literal["greedy", "sample", "beam"]
    settings: dict[str, float]
    text: str
    stopped: Literal["end", "limit"]
    log_probability: float
    steps: list[Written]
    tree: Tree = optional()
    teacher_forcing: TeacherForcing = optional()
    window: list[int] = optional()
    without_edits: WithoutEdits = optional()


class TreeDrawingFields(DrawingFields):
    considered: str


EXPERIMENT = Experiment(
    question=Generate,
    answer=GenerateAnswer,
    figure_query=GenerateFigures,
    example="model=translator&source=i+am+cold&strategy=beam&beams=3",
    figures={
        "text": Figure("Probability of each token", text),
        "step": Figure("The next token", step),
        "looks": Figure("What it attends to while writing", ATTENTION, has="window", meta=of_looks),
        "forcing": Figure("Teacher forcing versus generation", forcing, has="teacher_forcing"),
    },
    drawing=GenerateDrawing,
    drawing_fields=TreeDrawingFields,
    streams=True,
)
