"""Warmup: networks learn the same task; which of them needs its rate to grow from zero."""

import math
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from app.captions import Question, fields
from app.captions.axes import labels, values
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, counts, lengths, named, setting, where
from app.captions.findings import finding, measured
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import placements
from app.figures.marks import Lines, Look, Rule, Scale
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic, Placed, stored_or_seeds
from model.measure.stored_trainings import MORE_SEEDS, SEEDS, SHORT, STEPS, is_shipped
from model.words import text

if TYPE_CHECKING:
    from model.answers.answer import Answer

LAYERS = Limit("training_layers", 18, "layers", "A live training's networks may be this deep.")
RATE = Limit(
    "learning_rate", 0.1, "per step", "The peak rate of a live training may be this.", float
)
FEWEST = 5
PATIENCE = 124_999
"""How long a reader waits for a training, in units of 20 µs. The rule is fixed and does not follow
costs.toml, so that the default number of steps, and with it the answer, never changes.
"""


class Warmup(Placed, Clinic):
    compared: ClassVar = ("post", "admin", "pre", "b2t")

    warmup_steps: Annotated[
        int,
        Field(ge=0),
        up_to("training_steps"),
        Control({0: "none", **{n: f"{n} steps" for n in (10, 20, 40, 100)}}, "warm-up"),
    ] = 20
    peak: Annotated[
        float,
        Field(ge=1e-4),
        up_to(RATE),
        Control((0.003, 0.005, 0.01, 0.02, 0.03), "peak rate"),
    ] = 0.03
    layers: Annotated[int, Field(ge=1), up_to(LAYERS), COSTLY, Control((2, 4, 6, 12, 18))] = 4
    steps: Annotated[
        Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None,
        COSTLY,
    ] = Field(
        None,
        description=text("warmup", "Warmup.steps", {"shipped": STEPS, "most": SHORT}, "en"),
    )
    schedule: Annotated[
        Literal["inverse_root", "constant", "vaswani"],
        Control(
            {
                "inverse_root": "decays as 1/√t",
                "constant": "stays constant",
                "vaswani": "Vaswani: d^−½ t^−½",
            },
            "after warm-up",
        ),
    ] = "inverse_root"
    stop: Annotated[
        Annotated[int, Field(ge=0), up_to("training_steps")] | None,
        Control(
            {"": "no", **{n: f"at step {n}" for n in (5, 10, 15)}}, "cut warm-up short", opens=""
        ),
    ] = None

    seeds: Annotated[
        int, Field(ge=1), up_to("seeds"), COSTLY, stored_or_seeds(MORE_SEEDS, SEEDS)
    ] = Field(
        SEEDS,
        description=text("warmup", "Warmup.seeds", {"shipped": MORE_SEEDS, "usual": SEEDS}, "en"),
    )

    @model_validator(mode="after")
    def with_seeds(self) -> "Warmup":
        """Where nobody says how many seeds, as many are read as are shipped."""
        if "seeds" not in self.model_fields_set and is_shipped(
            super().arguments() | {"seeds": MORE_SEEDS}, STEPS
        ):
            object.__setattr__(self, "seeds", MORE_SEEDS)
        return self

    @model_validator(mode="after")
    def with_steps(self) -> "Warmup":
        """Where nobody says how many steps, a training that is shipped is answered whole, and
        another is made as long as a reader waits.
        """
        if self.steps is None:
            shipped = is_shipped(super().arguments(), STEPS)
            object.__setattr__(self, "steps", STEPS if shipped else self.steps_at_once())
        return self

    @property
    def shipped(self) -> bool:
        return is_shipped(self.arguments(), self.steps or SHORT)

    def steps_at_once(self) -> int:
        """The number of steps that a reader waits for."""
        stacks = 2.3 if self.stack == "decoder" else 1.0
        a_step = 370 + stacks * self.layers * (175 + 36 * self.seeds)
        return max(FEWEST, min(SHORT, int(PATIENCE / a_step)))

    def sizes(self) -> dict[str, float]:
        """A decoder is trained with an encoder of as many layers."""
        layers = (self.n_placements + 1) * self.layers  # one of the placements with warm-up too
        steps = self.steps or SHORT
        return {
            "steps": steps,
            f"{self.stack}_layers": steps * layers,
            f"{self.stack}_networks": steps * layers * self.seeds,
            "made": layers * self.seeds * (2.5 if self.stack == "decoder" else 1),
        }


class WarmupFigures(Warmup):
    display_fields: ClassVar = ("until",)

    until: Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None = None


class WarmupAnswer(ClinicAnswer):
    guessing: float


WARMED = "_warmup"
LEARNED, HARDLY = 0.2, 0.5
"""Shares of the loss of guessing: what is left of a network that has learned is below the first,
of one that has hardly learned above the second.
"""
DASHED, DOTTED = "7px,4px", "1px,5px"


def look_of(arm: Any, question: Question) -> Look:
    return Look(arm_name(arm), role_of(arm), DASHED if arm.endswith(WARMED) else "")


def steps_axis(answer: "Answer", question: Question) -> Scale:
    """An axis of steps, as far as a training goes that is followed."""
    last = max(int(values(answer, "step")[-1]), question.get("until") or 0)
    return Scale("step t", low=1, high=last, ticks=6)


LOSS = Lines(
    "loss",
    x="step",
    by="arm",
    looks=look_of,
    dots=False,
    seeds="behind all",
    names="both",
    rules=[
        Rule(
            "guessing",
            "guessing",
            "random guessing<br>loss %{y:.3g} nats",
            dash=DOTTED,
            law=True,
            last=True,
        )
    ],
    hover="{name}, step %{x}<br>loss <b>%{y:.3g}</b> nats",
    x_scale=steps_axis,
    y=lambda answer, _: Scale(
        "loss",
        "nats",
        low=0,
        high=math.ceil(2 * answer.tensors["loss"].data.max().item()) / 2,
        ticks=7,
    ),
    grows=True,
)
"""The mean loss of each network by step, a thin line for each seed, and the loss of a guess."""


def two_arms(answer: "Answer", question: Question) -> dict[str, dict[str, str]]:
    """Of the networks without warm-up, which have the same rate, and of that with it."""
    arms = labels(answer, "arm")
    warmed = next(arm for arm in arms if arm.endswith(WARMED))
    other = next(arm for arm in arms if arm != warmed)
    return {arm: {"arm": arm} for arm in (other, warmed)}


RATE_BY_STEP = Lines(
    "rate",
    x="step",
    by="arm",
    parts=two_arms,
    looks=lambda arm, question: (
        look_of(arm, question) if str(arm).endswith(WARMED) else Look("without warm-up", "ink-soft")
    ),
    dots=False,
    names="both",
    hover="{name}, step %{x}<br>learning rate <b>%{y:.3g}</b>",
    x_scale=steps_axis,
    y=lambda answer, _: Scale(
        "learning rate η", low=0, high=1.1 * answer.tensors["rate"].data.max().item(), ticks=7
    ),
    grows=True,
)


def arm_name(arm: str) -> str:
    name = placements.NAMES[arm.removesuffix(WARMED)]
    return f"{name} with warm-up" if arm.endswith(WARMED) else name


def role_of(arm: str) -> str:
    return placements.ROLES[arm.removesuffix(WARMED)]


TRANSLATORS = Lines(
    "translators",
    x="trained",
    by="translator",
    looks={
        "post": Look("Post-LN", placements.ROLES["post"]),
        "post_warmup": Look("Post-LN with warm-up", placements.ROLES["post"], DASHED),
        "pre": Look("Pre-LN", placements.ROLES["pre"]),
        "pre_warmup": Look("Pre-LN with warm-up", placements.ROLES["pre"], DASHED),
    },
    hover="{name}<br>after %{x} steps<br><b>%{y:.3g}</b> nats per token",
    x_scale=Scale("training steps", kind="every", every=100),
    y=Scale("held-out loss", "nats per token", parts=2),
)


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests."""
    return ("left.post_warmup", "gain") if question["placement"] == "post" else ()


def warming(answer: "Answer", question: Question) -> str:
    """What is unusual in the rate of the network with warm-up."""
    if not question["warmup_steps"]:
        return "none"
    if question.get("stop") is not None:
        return "stopped"
    return "constant" if question["schedule"] == "constant" else "usual"


def left(answer: "Answer", question: Question) -> float:
    """The share of the loss of guessing that is left after the last step without warm-up."""
    return measured(answer, f"left.{question['placement']}")


def left_warmup(answer: "Answer", question: Question) -> float:
    return measured(answer, f"left.{question['placement']}{WARMED}")


def learning(answer: "Answer", question: Question) -> str:
    """How far a network has learned: the bands of the laws."""
    share = left(answer, question)
    return "whole" if share < LEARNED else "hardly" if share > HARDLY else "part"


def apart(answer: "Answer") -> float:
    """How much more held-out loss the translators of Post-LN have than those of Pre-LN."""
    return measured(answer, "translators.post_less_pre")


def trainings(answer: "Answer") -> list[float]:
    """The same in each training."""
    values = finding(answer, "translators.post_less_pre").values or ()
    return [value for value in values if value is not None]


WORDS = Words(
    "warmup",
    fields={
        **setting("whole", "steps", "stop"),
        **setting("decimal", "peak"),
        **counts("layers", "warmup_steps"),
        **named("placement", placements.NAMES),
        "left": fields.Field(left, "percent"),
        "left_warmup": fields.Field(left_warmup, "percent"),
        "networks": fields.Field(
            lambda answer, _: list(map(arm_name, labels(answer, "arm"))), "names", measured=False
        ),
        "apart": fields.Field(lambda answer, _: abs(apart(answer)), "decimals"),
        "so": fields.Field(
            lambda answer, _: sum(training * apart(answer) > 0 for training in trainings(answer)),
            "whole",
        ),
        **lengths("training"),
    },
    conditions={
        **choice("stack", "encoder", "decoder"),
        **choice("schedule", "inverse_root", "constant", "vaswani"),
        **where("warmed", lambda question: question["placement"] == "post"),
        **where("normed", lambda question: question["placement"] != "none"),
        **where("broken_off", lambda question: question.get("stop") is not None),
        "warming": Condition(warming, ("usual", "none", "stopped", "constant")),
        "learning": Condition(learning, ("whole", "part", "hardly")),
        "side": Condition(
            lambda answer, _: "higher" if apart(answer) > 0 else "lower", ("higher", "lower")
        ),
    },
)
GUESSING = {(1, 0): 0, (0, 1): 1, (1, 1): 2, (0, 0): 3}
"""The choice by which network still guesses: that without warm-up, that with it."""


EXPERIMENT = Experiment(
    question=Warmup,
    answer=WarmupAnswer,
    example="warmup_steps=20&peak=0.03&seeds=4",
    figure_query=WarmupFigures,
    streams=True,
    trains=True,
    figures={
        "loss": in_words(LOSS, tensor="mean"),
        "rate": in_words(RATE_BY_STEP),
        "translators": in_words(TRANSLATORS),
    },
    words=WORDS,
    opening={"warmed": "yes", "warming": "usual"},
    rests_on=rests_on,
    exercise=Exercise(
        ("without", "with", "both", "none"),
        by_findings({"left.{placement}": (0.2,), "left.{placement}_warmup": (0.2,)}, GUESSING.get),
        {
            "peak=0.005": "peak",
            "stack=decoder&layers=12&peak=0.003&warmup_steps=100": "decoder",
            "stop=5": "stop",
        },
    ),
)
