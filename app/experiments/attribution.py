"""/attribution: which input tokens mattered for an answer, by several methods side by side."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.captions.attribution import captions
from app.experiment import Experiment, Figure
from app.figures import attribution
from app.schema.answers import PageWords, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.model_sizes import ModelSizes, sizes_of
from app.schema.questions import AboutModel, Names

INTEGRATED = "integrated"
FLOW = "flow"
HIDING = "hiding"
USUAL, TOKENS_PASSED = 1024, 8192
"""Points of a short translation where their number is left out, and the tokens at all points of a
long one.
"""


class Attribution(AboutModel):
    quickest: ClassVar[dict[str, str]] = {"methods": "removal"}

    answer: Annotated[int, Field(ge=0), below("text_length")] | None = None
    methods: Names | None = None
    steps: Annotated[int, Field(ge=17), up_to("attribution_steps")] | None = None

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s in the middle. The way of a translation has many kinks, more in a deep model
        and for a long text; with enough points it ends before their largest number. That of another
        model needs few. The flow through a text grows with the cube of its tokens. In a wide model
        the runs without each token take longest.
        """
        model, methods = sizes_of(self.model), self.methods
        if model.pictures:
            return seconds_of_picture(model, self.steps, methods)
        if not self.source:
            read = model.tokens(self.text) if self.text else 0.0
            token = 3e-4
            if methods is None or FLOW in methods:
                token += 5.6e-4 + 5.6e-8 * read**2
            wide = 1 - 1 / model.wide
            without = wide * (3e-4 * model.token_cost + 8e-6 * read**2 * model.layers_cost)
            return without + model.sublayers * (0.012 + token * read)
        read = model.tokens(self.source) + model.tokens(self.target or self.source)
        steps = min(USUAL, TOKENS_PASSED / max(read, 1)) if self.steps is None else self.steps
        integrates = methods is None or INTEGRATED in methods
        enough = (3.1 + 0.08 * read) * model.sublayers**2
        step = 9e-5 * model.sublayers + 5.5e-6 * model.token_cost * read
        rest = 0.05 + (4e-4 if methods is None else 1e-4) * model.sublayers * read
        return rest + (min(steps, enough) * step if integrates else 0.0)


def seconds_of_picture(model: ModelSizes, steps: int | None, methods: str | None) -> float:
    """The same of a picture, which has many patches: a run without each of them, another one where
    it is hidden, and about three for each point of the way.
    """
    read = model.max_length
    run = 5.2e-6 * read * model.layers_cost + model.sublayers * (5e-5 + 1.2e-8 * read**2)
    wanted = methods.split(",") if methods else [HIDING, INTEGRATED, FLOW]
    points = min(USUAL, TOKENS_PASSED / read) if steps is None else steps
    runs = read * (1 + (HIDING in wanted)) + 3 * points * (INTEGRATED in wanted)
    return runs * run + 1e-8 * read**3 * model.sublayers * (FLOW in wanted)


class AttributedAnswer(StrictModel):
    """The answer that is attributed."""

    text: str
    id: int
    position: int
    log_probability: float
    probability: float


class Method(StrictModel):
    name: str
    formula: str


class MethodAgreement(StrictModel):
    """How well a method orders the tokens as their removal does."""

    method: str
    rank_correlation: float | None
    chance_of_as_much: float | None
    verdict: str


class RandomOrders(StrictModel):
    """The middle 95 % of the rank correlations of random orders with removal."""

    low: float
    high: float
    draws: int


class UniformAgreement(StrictModel):
    """The rank correlation of the rollout of uniform attention with removal and with rollout."""

    removal: float | None
    rollout: float | None


class Completeness(StrictModel):
    """How far integrated gradients are from the difference that they have to sum to, in nats."""

    error: float
    sum: float
    difference: float
    steps: int
    complete: bool


class Direct(StrictModel):
    """The logit as the sum of what the tokens bring directly, and of the rest."""

    logit: float
    tokens: float
    rest: float
    error: float


class MeanAgreement(StrictModel):
    """The mean rank correlation of a method with removal over held-out inputs, and its 95 %
    interval.
    """

    method: str
    mean: float
    low: float
    high: float
    verdict: str


class HeldOutInputs(StrictModel):
    inputs: int
    agreement: list[MeanAgreement]


class AttributionAnswer(RunAnswer):
    answer: int
    answers: list[str]
    answered: AttributedAnswer
    tokens: list[str]
    methods: list[Method]
    agreement: list[MethodAgreement]
    chance: RandomOrders | None
    uniform_agreement: UniformAgreement
    completeness: Completeness | None
    direct: Direct | None
    held_out: HeldOutInputs | None


EXPERIMENT = Experiment(
    question=Attribution,
    answer=AttributionAnswer,
    example="model=translator&source=i+am+cold&steps=257",
    figures={
        "scores": Figure("Which tokens mattered, by method", attribution.SCORES, tensor="score"),
        "agreement": Figure(
            "Which methods agree with removal", attribution.AGREEMENT, tensor="score"
        ),
        "rollout": Figure(
            "Rollout beside uniform attention",
            attribution.ROLLOUT,
            tensor="uniform",
            has=attribution.has("rollout"),
        ),
        "logit": Figure(
            "What each token brings into the logit",
            attribution.LOGIT,
            tensor="score",
            has=attribution.has("logit"),
        ),
    },
    captions=captions,
    captions_type=PageWords,
)
