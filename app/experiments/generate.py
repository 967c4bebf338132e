"""/generate: writing one token after another; as an event stream when asked for it."""

from typing import Annotated, ClassVar, Literal

from annotated_types import Lt
from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures.generate import LOOKS, has_window, of_looks, step
from app.figures.generate_forcing import forcing
from app.figures.generate_text import text
from app.schema.answers import DrawingFields, Label, Likely, RunAnswer, StrictModel, optional
from app.schema.bounds import Fixed, up_to
from app.schema.edits import AboutRun, Edits
from app.schema.model_sizes import sizes_of
from app.schema.questions import AtMostOne, Head, Layer, LongText, Name, Text, Viewport

MAX_NEW_TOKENS = 32
"""The model's own limit, in `model/runs/strategies.py`; a shorter model has a lower one."""

SECONDS_A_TOKEN = 0.0105
"""What one token costs where there is no cache, measured with the shipped models on one core. The
edits that are made at each are priced by the worker, which knows what they name.
"""


class Generate(AboutRun):
    strategy: Literal["greedy", "sample", "beam"] = Field(
        "greedy",
        description=(
            "How each token is chosen: `greedy` takes the most probable one, `sample` draws"
            " one by chance, and `beam` keeps several texts and takes the best."
        ),
    )
    temperature: Annotated[float, Field(ge=0), up_to("temperature")] = Field(
        1.0,
        description=(
            "For `sample`: the number that the logits are divided by. At 0 the most"
            " probable token is taken."
        ),
    )
    top_k: Annotated[int, Field(ge=1), up_to("vocabulary")] | None = Field(
        None, description=("For `sample`: draws from this many of the most probable tokens.")
    )
    top_p: Annotated[float, Field(gt=0), AtMostOne] | None = Field(
        None,
        description=(
            "For `sample`: draws from the fewest tokens that together have this probability."
        ),
    )
    min_p: Annotated[float, Field(gt=0), AtMostOne] | None = Field(
        None,
        description=(
            "For `sample`: draws from the tokens whose probability is at least this share"
            " of the largest one."
        ),
    )
    beams: Annotated[int, Field(ge=1), up_to("beams")] = Field(
        4, description="For `beam`: how many texts are kept at each step."
    )
    seed: Annotated[int, Field(ge=0), Fixed(Lt(2**32), "a seed has 32 bits")] = Field(
        0,
        description=(
            "For `sample`, and for `order=shuffle`: where the random draws begin. The same seed"
            " gives the same text."
        ),
    )
    max_new_tokens: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = Field(
        None,
        description=(
            "The largest number of tokens that are written. If it is left out, the model's"
            " own limit holds."
        ),
    )
    text: LongText | None = Field(
        None,
        description="The text that a model of one stack reads; with `window` it may be long.",
    )
    window: Name | None = Field(
        None,
        description=(
            "Of a long text, of up to 4,096 tokens: the positions at which it is told where the"
            " model looks, at most 128, from the first to before the second, for example 1024:1088."
            " The keys and values of the text are kept, and its attention maps are not written."
        ),
        examples=["0:64"],
    )
    target: Text | None = Field(
        None,
        description=(
            "A reference text. The answer then also says what the model predicts when it"
            " reads this text instead of its own words."
        ),
    )
    edits: Edits | None = Field(
        None,
        description=(
            "Changes of the model at every step, as for a run. At each step the model reads the"
            " whole text so far again, without a cache, with the edits that name its activations:"
            " each token is the one that a run of that text with the same edits predicts. `where`"
            " and `positions` count the tokens that have been read, from 0; a position that is not"
            " there yet is changed from the step on at which it is read. A `patch` without `from`"
            " copies from the unedited run of the text so far."
        ),
        examples=['[{"op": "zero", "at": "decoder.2.cross_attention.z"}]'],
    )

    def estimated_seconds(self) -> float:
        """With edits or an arrangement every step reads the whole text again, for each beam. A long
        text is read once.
        """
        rows = self.beams if self.strategy == "beam" else 1
        written = rows * (self.max_new_tokens or MAX_NEW_TOKENS)
        if self.window is not None:
            return sizes_of(self.model).seconds_of_long(self.text or "", written)
        return SECONDS_A_TOKEN * written if self.changed else 0

    @property
    def reads_long(self) -> bool:
        return self.window is not None


class AtStep(Generate):
    at: Annotated[int, Field(ge=1), up_to("max_new_tokens")] | None = Field(
        None,
        description=(
            "The step that is shown, counted from 1. If it is left out or too large, it is"
            " the last."
        ),
    )


class GenerateFigures(AtStep):
    display_fields: ClassVar = ("at", "layer", "head")

    layer: Layer | None = Field(
        None,
        description=(
            "The layer, counted from 0, whose cross-attention the figure `step` shows. If"
            " it is left out, it is the last."
        ),
    )
    head: Head | None = Field(
        None,
        description=(
            "The head of that layer, counted from 0. If it is left out, the mean of all"
            " heads is shown."
        ),
    )


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
    drawn: float | None = Field(
        description=("The random number that chose the token, where it was sampled.")
    )
    kept: int | None = Field(
        description="How many tokens the filters keep, where there are filters."
    )
    candidates: list[Candidate]
    rest: Rest
    sum: float = Field(description="The sum of the log probabilities so far.")
    text: str = Field(description="All text that is written so far.")


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
    log_probability: float = Field(description="The sum of its log probabilities.")
    shared: int = Field(description="How many tokens at the beginning are those of `text`.")
    log_probability_of_edited: float = Field(
        description="The log probability, without edits, of the text that was written with them."
    )


class GenerateAnswer(RunAnswer):
    strategy: Literal["greedy", "sample", "beam"]
    settings: dict[str, float] = Field(
        description=("The fields of the question that this strategy uses, with their values.")
    )
    text: str
    stopped: Literal["end", "limit"]
    log_probability: float
    steps: list[Written]
    tree: Tree = optional("All texts that beam search considered, where the strategy is `beam`.")
    teacher_forcing: TeacherForcing = optional(
        "What the model predicts when it reads the reference, where a `target` was given."
    )
    window: list[int] = optional(
        "With `window`: the first position whose weights are told, and that behind the last."
    )
    without_edits: WithoutEdits = optional(
        "Of an edited model: what it writes without the edits. With `beside` the answer also has,"
        " under `unedited`, the attention of the unedited model that reads the edited text."
    )


class TreeDrawingFields(DrawingFields):
    considered: str = Field(description="How many texts beam search considered, in words.")


EXPERIMENT = Experiment(
    question=Generate,
    answer=GenerateAnswer,
    figure_query=GenerateFigures,
    sentence="A text written token by token, with the candidates and their probabilities at each"
    " step",
    example="model=translator&source=i+am+cold&strategy=beam&beams=3",
    figures={
        "text": Figure("Probabilities along the text", text),
        "step": Figure("One token", step),
        "looks": Figure("Where it looks while it writes", LOOKS, has=has_window, meta=of_looks),
        "forcing": Figure(
            "Teacher forcing beside generation",
            forcing,
            has=lambda answer: "teacher_forcing" in answer.fields,
        ),
    },
    drawing=GenerateDrawing,
    drawing_fields=TreeDrawingFields,
    streams=True,
)
