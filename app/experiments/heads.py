"""/heads: the role of every head over held-out inputs, and what it costs to turn the head off."""

from statistics import mean
from typing import Annotated, ClassVar

from pydantic import Field

from app.captions.heads import captions
from app.experiment import Experiment, Figure
from app.figures import heads
from app.schema.answers import Answer, PageWords, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Name, Role, Seed


class Heads(AboutModel):
    read_from: ClassVar = ()

    model: Name = "induction-2"
    role: Role | None = None
    examples: Annotated[int, Field(ge=1), up_to("head_examples")] | None = None
    seed: Seed = 0

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s. Without examples a record is read, where there is one. A run without a head
        begins in its layer, half way through the layers on average.
        """
        model = sizes_of(self.model)
        count = self.examples or model.surveyed
        first = [model.tokens(text) for text in model.texts[:count] if model.surveyed]
        read = mean(first) if first else model.example_tokens
        passed = 4e-6 * read * (model.layers_cost / 2 + model.vocabulary_cost)
        head = 0.0008 + passed + 0.0038 * model.between_rows
        example = head * model.heads + 0.0015 * read * model.writing_cost
        plain = 1e-3 * model.token_cost * (model.surveyed > 0)
        return 0.005 + plain + example * count


class HeadsFigures(Heads):
    display_fields: ClassVar = ("place",)

    place: Name | None = None


class HeadRole(StrictModel):
    """A role that heads of the model may have."""

    role: str
    name: str
    looks_at: str


class HeadName(StrictModel):
    """A head of a model."""

    layer: str
    head: int


class ToldHead(HeadName):
    """A head with its role and its cost; a number is null where too few inputs define it."""

    role: str | None
    closest: str
    roles: list[str]
    score: float | None
    low: float | None
    high: float | None
    chance: float
    lift: float
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    needed: bool
    shown: dict[str, str]


class HeadGroup(StrictModel):
    """All heads of one role."""

    role: str
    heads: list[HeadName]
    cost: float
    cost_low: float | None
    cost_high: float | None
    alone: float


class HeadsAnswer(Answer):
    model: str
    input: dict[str, str] = optional()
    role: str | None
    roles: list[HeadRole]
    margin: float
    inputs: int
    of: str
    right: str
    measured_now: bool
    most_examples: int | None
    heads: list[ToldHead]
    groups: list[HeadGroup]
    agreement: float | None


EXPERIMENT = Experiment(
    question=Heads,
    answer=HeadsAnswer,
    figure_query=HeadsFigures,
    example="model=induction-2",
    figures={
        "roles": Figure("The role of every head", heads.ROLES),
        "scores": Figure("Scores beside chance", heads.SCORES, tensor="score"),
        "costs": Figure("What turning a head off costs", heads.COSTS, tensor="cost"),
        "both": Figure("Lift and cost", heads.BOTH, tensor="cost"),
        "groups": Figure("All heads of one role turned off", heads.GROUPS, tensor="cost"),
    },
    captions=captions,
    captions_type=PageWords,
)
