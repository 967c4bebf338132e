"""/circuit: what the weights of heads say without a run, and the paths between heads."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.captions.circuit import captions
from app.experiment import Experiment, Figure
from app.figures import circuit
from app.figures.circuit_paths import OVER_TRAINING, paths
from app.schema.answers import Difference, Fact, PageWords, RunAnswer, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Head, Layer, Model, Names, Seed
from model.display_limits import SCANNED

PATHS = {1: 0.02, 2: 2.2}
"""Seconds of the paths through a model of so many layers of attention alone, over its training."""


class Circuit(AboutModel):
    model: Model = "induction-2"
    part: Literal["weights", "composition", "paths"] | None = None
    attention: Literal["encoder", "decoder", "cross"] | None = None
    layer: Layer | None = None
    head: Head | None = None
    step: Annotated[int, Field(ge=0), up_to("kept_step")] | None = None
    top: Annotated[int, Field(ge=1), up_to("top")] = 12
    without: Names = ""
    factors: bool = False
    seed: Seed = 0

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s. In a large vocabulary the pairs of tokens in one head take longest, of at
        most SCANNED rows, and in a large model the sum over all tokens, the eigenvalues of every
        head and the pairs of heads.
        """
        model = sizes_of(self.model)
        pairs = 6.5e-9 * model.vocabulary * min(model.vocabulary, SCANNED)
        summed = 7e-11 * model.vocabulary * model.d_model**2
        seconds = {
            "weights": 0.01 + pairs + summed + 7e-6 * model.heads * model.d_model,
            "composition": 0.07
            + 3.9e-5 * model.d_model * model.d_head
            + model.heads**2 * (4.1e-5 + 1.16e-10 * model.d_model**2),
            "paths": 0 if model.feed_forwards else PATHS.get(model.sublayers, 0),
        }
        return seconds[self.part] if self.part else sum(seconds.values())


class CircuitFigures(Circuit):
    display_fields: ClassVar = ("composition",)

    composition: Literal["q", "k", "v"] = "k"


class Row(StrictModel):
    """A row of a circuit: a token, and the tokens of its largest numbers."""

    token: str
    id: int
    words: list[str]


class Rows(StrictModel):
    """The rows of a circuit with the largest numbers."""

    rows: list[Row]
    own: float
    scanned: int = optional()


class Circuits(StrictModel):
    ov: Rows
    qk: Rows
    ov_of_input: list[Row]


class Pairs(StrictModel):
    """How many pairs of heads lie beyond all of their random rotations."""

    pairs: int
    compose: int
    avoid: int
    by_chance: float


class PairsByRead(StrictModel):
    q: Pairs
    k: Pairs
    v: Pairs


class Predicted(StrictModel):
    """How well repeated letters are predicted."""

    loss: float
    accuracy: float


class Case(Predicted):
    without: list[str]


class Given(Predicted):
    paths: str


class CircuitAnswer(RunAnswer):
    source: str
    parts: list[str]
    expandable: bool
    steps: list[int]
    step: int | None
    facts: list[Fact]
    attention: str = optional()
    attentions: list[str] = optional()
    layer: int = optional()
    head: int = optional()
    layers: int = optional()
    heads: int = optional()
    vocabulary: int = optional()
    circuits: Circuits = optional()
    of_positions: bool = optional()
    rotated: bool = optional()
    normed: bool = optional()
    pairs: PairsByRead = optional()
    expected: float = optional()
    draws: int = optional()
    paths: list[str] = optional()
    groups: dict[str, list[str]] = optional()
    removed: list[str] = optional()
    previous: str | None = None
    cases: dict[str, Case] = optional()
    whole: Predicted = optional()
    remaining: Predicted = optional()
    greedy: list[Given] = optional()
    chance: float = optional()
    texts: int = optional()
    letters: int = optional()
    largest_difference: Difference = optional()


EXPERIMENT = Experiment(
    question=Circuit,
    answer=CircuitAnswer,
    figure_query=CircuitFigures,
    example="model=induction-2&text=qvmtzkdbqvmtzkdbqvmt",
    figures={
        "ov": Figure("What the head writes", circuit.OV),
        "input": Figure("What it writes for your tokens", circuit.OV_OF_INPUT),
        "qk": Figure("What the head looks for", circuit.QK),
        "positions": Figure("Which positions look at which", circuit.POSITIONS),
        "copying": Figure("How much each head copies", circuit.COPYING),
        "composition": Figure("Which heads read which", circuit.COMPOSITION),
        "paths": Figure("What is lost without a path", paths, tensor="killed.change"),
        "training": Figure("Paths over the training", OVER_TRAINING, tensor="contribution_by_kind"),
    },
    captions=captions,
    captions_type=PageWords,
)
