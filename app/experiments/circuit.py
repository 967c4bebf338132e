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
    part: Literal["weights", "composition", "paths"] | None = Field(
        None,
        description=(
            "`weights` are the circuits of one head, `composition` is how much each head reads of"
            " what each other writes, and `paths` are the paths through a model of attention alone."
            " If it is left out, all parts that the model has are sent."
        ),
    )
    attention: Literal["encoder", "decoder", "cross"] | None = Field(
        None,
        description=(
            "The attention whose head is shown: that of a stack, or from the decoder to the"
            " encoder. If it is left out, it is the last of these that the model has."
        ),
    )
    layer: Layer | None = Field(
        None,
        description=(
            "The layer, counted from 0. If it is left out, it is that of the head whose OV circuit"
            " copies most."
        ),
    )
    head: Head | None = Field(
        None,
        description=(
            "The head, counted from 0. If it is left out, it is the one whose OV circuit copies"
            " most."
        ),
    )
    step: Annotated[int, Field(ge=0), up_to("kept_step")] | None = Field(
        None,
        description=(
            "A kept step of the training of induction-2 or induction-1. If it is left out, the"
            " model is the one that is shipped."
        ),
    )
    top: Annotated[int, Field(ge=1), up_to("top")] = Field(
        12, description="How many rows of each circuit are listed, the largest numbers first."
    )
    without: Names = Field(
        "",
        description=(
            "The paths that are taken away, with commas between them: direct, 0.3, 1.2, 0.3-1.2 (by"
            " the values of head 1.2), 0.3-1.2.k and 0.3-1.2.q (by its keys and by its queries). In"
            " a name * stands for any characters and ? for one."
        ),
    )
    factors: bool = Field(
        False,
        description=(
            "Whether the answer also has the thin matrices whose products the circuits are. They"
            " have a row or a column for each token of the vocabulary."
        ),
    )
    seed: Seed = Field(0, description="The seed of the random rotations that pairs stand beside.")

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

    composition: Literal["q", "k", "v"] = Field(
        "k", description="Whether heads read by their queries, keys or values in the map of pairs."
    )


class Row(StrictModel):
    """A row of a circuit: a token, and the tokens of its largest numbers."""

    token: str
    id: int
    words: list[str]


class Rows(StrictModel):
    """The rows of a circuit with the largest numbers."""

    rows: list[Row]
    own: float = Field(
        description="The share of all rows whose largest number is that of the token itself."
    )
    scanned: int = optional(
        "How many rows were looked through, at even distances, where not all of the vocabulary"
        " were: `rows` and `own` are of them."
    )


class Circuits(StrictModel):
    ov: Rows
    qk: Rows
    ov_of_input: list[Row] = Field(description="The OV rows of the tokens of the input.")


class Pairs(StrictModel):
    """How many pairs of heads lie beyond all of their random rotations."""

    pairs: int
    compose: int = Field(description="The pairs above all of them.")
    avoid: int = Field(description="The pairs below all of them.")
    by_chance: float = Field(description="How many pairs would lie above all by chance.")


class PairsByRead(StrictModel):
    q: Pairs
    k: Pairs
    v: Pairs


class Predicted(StrictModel):
    """How well repeated letters are predicted."""

    loss: float = Field(description="In nats a letter.")
    accuracy: float


class Case(Predicted):
    without: list[str] = Field(description="The paths that are taken away in this case.")


class Given(Predicted):
    paths: str = Field(description="The paths that are given back, as a pattern of their names.")


class CircuitAnswer(RunAnswer):
    source: str
    parts: list[str]
    expandable: bool = Field(
        description="Whether the logits of the model are a sum of paths, so that it has `paths`."
    )
    steps: list[int] = Field(description="The kept steps of the training, if there are any.")
    step: int | None
    facts: list[Fact]
    attention: str = optional("With `weights`: the attention that is shown.")
    attentions: list[str] = optional("The attentions that the model has.")
    layer: int = optional("The layer of the head that is shown.")
    head: int = optional("The head that is shown.")
    layers: int = optional("How many layers the stack has.")
    heads: int = optional("How many heads a layer has.")
    vocabulary: int = optional("How many tokens the vocabulary has.")
    circuits: Circuits = optional("With `weights`: rows of the circuits.")
    of_positions: bool = optional("Whether positions add a vector to the tokens.")
    rotated: bool = optional("Whether positions turn queries and keys.")
    normed: bool = optional("Whether the model has norms, which the circuits leave out.")
    pairs: PairsByRead = optional("With `composition`: how many pairs compose.")
    expected: float = optional("The root mean square of random pairs, 1/√d_model.")
    draws: int = optional("How many random rotations each pair stands beside.")
    paths: list[str] = optional("With `paths`: the names of all paths.")
    groups: dict[str, list[str]] = optional("Paths that are taken away together.")
    removed: list[str] = optional("The paths that `without` takes away.")
    previous: str | None = Field(
        None, description="The head of layer 0 that looks most at the letter before."
    )
    cases: dict[str, Case] = optional("What is left in chosen cases.")
    whole: Predicted = optional("With all paths.")
    remaining: Predicted = optional("Without the paths that are taken away.")
    greedy: list[Given] = optional(
        "Which paths into queries and keys are enough, each the best after those before it."
    )
    chance: float = optional("The accuracy of a guess.")
    texts: int = optional("How many held-out texts are read.")
    letters: int = optional("How many of their letters repeat earlier ones.")
    largest_difference: Difference = optional("How far the sum of all paths is from the logits.")


EXPERIMENT = Experiment(
    question=Circuit,
    answer=CircuitAnswer,
    figure_query=CircuitFigures,
    sentence="What the weights of a head look for and write, word by word; which heads read which;"
    " and the paths through a model of attention alone, each of which can be taken away",
    example="model=induction-2&text=qvmtzkdbqvmtzkdbqvmt",
    figures={
        "ov": Figure("What the head writes", circuit.OV),
        "input": Figure("What it writes for your tokens", circuit.OV_OF_INPUT),
        "qk": Figure("What the head looks for", circuit.QK),
        "positions": Figure("Which positions look at which", circuit.POSITIONS),
        "copying": Figure("How much each head copies", circuit.COPYING),
        "composition": Figure("Which heads read which", circuit.composition, tensor="composition"),
        "paths": Figure("What is lost without a path", paths, tensor="killed.change"),
        "training": Figure("Paths over the training", OVER_TRAINING, tensor="contribution_by_kind"),
    },
    captions=captions,
    captions_type=PageWords,
)
