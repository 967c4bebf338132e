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

    model: Name = Field("induction-2", description="The id of a model, shipped or added.")
    role: Role | None = Field(
        None,
        description=(
            "The role whose score is sent for every head. If it is left out, it is for each head"
            " the role whose score lies farthest above chance."
        ),
    )
    examples: Annotated[int, Field(ge=1), up_to("head_examples")] | None = Field(
        None,
        description=(
            "On how many inputs the heads are measured now: inputs drawn anew where those of the"
            " model can be drawn, else the first examples of its card. If it is left out, the"
            " numbers are those that were measured on held-out inputs when the model was shipped;"
            " one that was added is measured now, on two sentences of its card, and its roles also"
            " on texts of words that repeat, if it predicts what comes next."
        ),
    )
    seed: Seed = Field(
        0, description="Where the draws of the inputs begin, if they are drawn anew."
    )

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

    place: Name | None = Field(
        None,
        description=(
            "The head that is told in words, as decoder.2.cross_attention.1. If it is left out, or"
            " the model has no such head, it is the one among those with a role that costs most."
        ),
    )


class HeadRole(StrictModel):
    """A role that heads of the model may have."""

    role: str
    name: str
    looks_at: str = Field(description="The keys that a head of this role attends to.")


class HeadName(StrictModel):
    """A head of a model."""

    layer: str = Field(description="The name of its attention, decoder.2.cross_attention.")
    head: int


class ToldHead(HeadName):
    """A head with its role and its cost; a number is null where too few inputs define it."""

    role: str | None = Field(description="The role of the head; null if no role was found.")
    closest: str = Field(
        description="The role of the head, or else that whose score is farthest above chance."
    )
    roles: list[str] = Field(description="Every role whose interval lies above the margin.")
    score: float | None = Field(description="The score for the role `closest`.")
    low: float | None
    high: float | None
    chance: float
    lift: float = Field(description="0 for a score of chance, 1 for a perfect score.")
    cost: float | None = Field(
        description="By how many nats the loss rises if the head is turned off."
    )
    cost_low: float | None
    cost_high: float | None
    needed: bool = Field(description="Whether the interval of the cost lies above 0.")
    shown: dict[str, str] = Field(
        description="The input of the example of the card on which the role shows best."
    )


class HeadGroup(StrictModel):
    """All heads of one role."""

    role: str
    heads: list[HeadName]
    cost: float = Field(description="What it costs in nats to turn them off together.")
    cost_low: float | None
    cost_high: float | None
    alone: float = Field(description="The sum of what each of them costs alone.")


class HeadsAnswer(Answer):
    model: str = Field(description="The model's id.")
    input: dict[str, str] = optional("The input as the model read it, if there is one.")
    role: str | None
    roles: list[HeadRole]
    margin: float = Field(
        description=(
            "How much of the way from chance to 1 the interval of a score must lie above chance"
            " for a head to have the role."
        )
    )
    inputs: int = Field(description="Over how many inputs the numbers are means.")
    of: str = Field(description="What these inputs are.")
    right: str = Field(description="What the loss takes as right.")
    measured_now: bool
    most_examples: int | None = Field(
        description="The largest `examples` of the model; null where inputs can be drawn."
    )
    heads: list[ToldHead]
    groups: list[HeadGroup]
    agreement: float | None = Field(
        description="Spearman's rank correlation of lift and cost over the heads."
    )


EXPERIMENT = Experiment(
    question=Heads,
    answer=HeadsAnswer,
    figure_query=HeadsFigures,
    sentence="The role of every head over held-out inputs beside chance, and what it costs to turn"
    " the head off",
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
