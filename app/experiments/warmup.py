"""Warmup: networks learn the same task; which of them needs its rate to grow from zero."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from app.captions import Question
from app.captions.axes import labels, values
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import finding, measured
from app.captions.text import counted, decimals, percent
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures import placements
from app.figures.annotations import at_end, end_of
from app.figures.axis_scales import AxisScale, linear
from app.figures.marks import Lines, Look, Scale
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, changed
from app.figures.traces import line, of_seeds
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import USUAL_OR_SEEDS, Clinic, Placed
from model.measure.stored_trainings import MORE_SEEDS, SEEDS, SHORT, STEPS, is_shipped

if TYPE_CHECKING:
    from model.answers.answer import Answer

LAYERS = Limit("training_layers", 18, "layers", "A live training's networks may be this deep.")
RATE = Limit(
    "learning_rate", 0.1, "per step", "The peak rate of a live training may be this.", float
)
FEWEST = 5
PATIENCE = 2.5  # seconds


class Warmup(Placed, Clinic):
    warmup_steps: Annotated[
        int,
        Field(ge=0),
        up_to("training_steps"),
        Control({0: "none", **{n: f"{n} steps" for n in (10, 20, 40, 100)}}, "warm-up"),
    ] = Field(20, description="In how many steps the learning rate grows from zero to its peak.")
    peak: Annotated[
        float,
        Field(ge=1e-4),
        up_to(RATE),
        Control((0.003, 0.005, 0.01, 0.02, 0.03), "peak rate"),
    ] = Field(0.03, description="The highest learning rate.")
    layers: Annotated[int, Field(ge=1), up_to(LAYERS), COSTLY, Control((2, 4, 6, 12, 18))] = Field(
        4, description="How many layers each stack has."
    )
    steps: Annotated[
        Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None,
        COSTLY,
    ] = Field(
        None,
        description=f"How many steps each network takes. If it is left out, there are {STEPS}"
        f" where this training is shipped, and at most {SHORT} where it is made anew.",
    )
    schedule: Annotated[
        Literal["inverse_root", "constant", "vaswani"],
        Control(
            {
                "inverse_root": "falls like 1/√t",
                "constant": "stays at its peak",
                "vaswani": "Vaswani: d^−½ t^−½",
            },
            "after warm-up",
        ),
    ] = Field(
        "inverse_root",
        description="What the learning rate does after the warm-up: `inverse_root` lets it fall"
        " like 1 / √t, `constant` keeps it at its peak, and `vaswani` is d_model^(−1/2)"
        " min(t^(−1/2), t w^(−3/2)), whose peak follows from the width.",
    )
    stop: Annotated[
        Annotated[int, Field(ge=0), up_to("training_steps")] | None,
        Control({"": "never", **{n: f"at step {n}" for n in (5, 10, 15)}}, "break off", opens=""),
    ] = Field(
        None,
        description="The step after which the warm-up is broken off. If it is left out, the warm-up"
        " runs to its end.",
    )

    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, USUAL_OR_SEEDS] = Field(
        SEEDS,
        description="How many times the training is repeated with other draws. If it is left out,"
        f" it is {MORE_SEEDS} where a training with so many seeds is shipped, and {SEEDS}"
        " elsewhere.",
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
            few = max(FEWEST, min(SHORT, int(PATIENCE / self.step_seconds())))
            object.__setattr__(self, "steps", STEPS if shipped else few)
        return self

    @property
    def shipped(self) -> bool:
        return is_shipped(self.arguments(), self.steps or SHORT)

    def step_seconds(self) -> float:
        """The seconds of one step; fitted to measurements on one core of a two-core server."""
        return 0.0074 + self.stacks * self.layers * (0.0035 + 0.00072 * self.seeds)

    def estimated_seconds(self) -> float:
        """Of making the networks and of all steps. Decoders take more than `step_seconds` says,
        which also decides how many steps are taken where nobody says it.
        """
        making = 0.0048 * self.stacks * self.layers * self.seeds
        steps = (self.steps or SHORT) * self.step_seconds()
        return (making + steps) * (1.3 if self.stack == "decoder" else 1.0)

    @property
    def stacks(self) -> float:
        """What a decoder with its encoder costs, in encoders."""
        return 2.3 if self.stack == "decoder" else 1.0


class WarmupFigures(Warmup):
    display_fields: ClassVar = ("until",)

    until: Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None = Field(
        None,
        description="The last step on the axes of the figures, for a training that is followed"
        " further. If it is left out, it is `steps`.",
    )


class WarmupAnswer(ClinicAnswer):
    guessing: float = Field(description="The loss of guessing, in nats.")


WARMED = "_warmup"
LEARNED, HARDLY = 0.2, 0.5
"""Shares of the loss of guessing: what is left of a network that has learned is below the first,
of one that has hardly learned above the second.
"""
DASHED, DOTTED = "7px,4px", "1px,5px"
MAX_TICKS = 6


def loss(answer: "Answer", question: Question) -> Plot:
    """The mean loss of each network by step, a thin line for each seed, and the loss of a guess.

    No mark draws it: a training that goes on is added to its lines, which say in their `meta` of
    which arm and seed they are, and the axis has room for the steps to come.
    """
    steps, arms = values(answer, "step"), labels(answer, "arm")
    by_seed = answer.tensors["loss"].data.numpy()
    means = answer.tensors["mean"].data.numpy()
    thin, thick = [], []
    for i, arm in enumerate(arms):
        name, role = arm_name(arm), role_of(arm)
        seeds = of_seeds(
            steps,
            by_seed[i],
            values(answer, "seed"),
            name,
            role,
            "step %{x}, loss <b>%{y:.3g}</b> nats",
        )
        thin += [
            changed(trace, meta={"of": "loss", "arm": i, "seed": j})
            for j, trace in enumerate(seeds)
        ]
        hover = f"{name}, step %{{x}}<br>loss <b>%{{y:.3g}}</b> nats, mean over the seeds"
        mean = line(steps, means[i], name, role, hover, dots=False, dash=dash_of(arm))
        thick.append(changed(mean, meta={"of": "loss", "arm": i}))
    x = step_axis(steps, question)
    shown = range(1, int(x.range[1]) + 1)
    guess = line(
        shown,
        [answer.fields["guessing"]] * len(shown),
        "guessing",
        "ink-soft",
        "guessing<br>loss %{y:.3g} nats",
        dash=DOTTED,
        law=True,
        legend=False,
    )
    ends = [end_of(trace) for trace in thick]
    ends.append(at_end(x.range[1], answer.fields["guessing"], "guessing", "ink-soft"))
    y = linear("loss", [], "nats", low=0, high=math.ceil(2 * float(by_seed.max())) / 2, wanted=7)
    said = ", ".join(map(arm_name, arms))
    return figure(Panel(x, y, [*thin, *thick, guess], ends), description=f"Loss by step: {said}.")


def rate(answer: "Answer", question: Question) -> Plot:
    """The learning rate by step, with warm-up and without."""
    steps, arms = values(answer, "step"), labels(answer, "arm")
    rates = answer.tensors["rate"].data.numpy()
    warmed = next(arm for arm in arms if arm.endswith(WARMED))
    other = next(arm for arm in arms if arm != warmed)
    traces = []
    for arm, name, role in (
        (other, "the others", "ink-soft"),
        (warmed, arm_name(warmed), role_of(warmed)),
    ):
        i = arms.index(arm)
        hover = f"{name}, step %{{x}}<br>learning rate <b>%{{y:.3g}}</b>"
        trace = line(steps, rates[i], name, role, hover, dots=False, dash=dash_of(arm))
        traces.append(changed(trace, meta={"of": "rate", "arm": i}))
    ends = [end_of(trace) for trace in traces]
    y = linear("rate η", [], low=0, high=1.1 * float(rates.max()), wanted=7)
    return figure(
        Panel(step_axis(steps, question), y, traces, ends),
        description="Learning rate by step, with and without warm-up.",
    )


def arm_name(arm: str) -> str:
    """The placement of an arm; the one that is warmed up stands beside its own twin."""
    return "with warm-up" if arm.endswith(WARMED) else placements.NAMES[arm]


def role_of(arm: str) -> str:
    return placements.ROLES[arm.removesuffix(WARMED)]


def dash_of(arm: str) -> str:
    return DASHED if arm.endswith(WARMED) else ""


def step_axis(steps: Sequence[float], question: Question) -> AxisScale:
    """An axis of steps, as far as a training goes that is followed; marked at 1 and at round
    numbers.
    """
    last = max(int(steps[-1]), question.get("until") or 0)
    every = next((n for n in (10, 20, 50, 100) if last <= MAX_TICKS * n), 100)
    ticks = [1, *range(every, last + 1, every)]
    return AxisScale("step t", (1, last), ticks, [str(tick) for tick in ticks])


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
    hover="{name}<br>after %{x} steps<br><b>%{y:.3g}</b> nats a token",
    x_scale=Scale("steps of training", kind="every", every=100),
    y=Scale("held-out loss, nats a token", parts=2),
)

CLAIM = "Warm-up lets Post-LN learn"
MEASURED = "{} with and without warm-up"
LOOK_FOR = (
    "The full and the dashed line of one colour are the same network, with the same first weights"
    " and the same data. They differ only in the learning rate of the first steps."
)
NO_WARMUP = (
    "The warm-up has no steps, so the dashed line lies on the full one: both networks are"
    " trained in"
    " the same way. Choose a warm-up of 20 steps, and compare them."
)
STOPPED = (
    "The warm-up of the dashed line is broken off after step {}, and its rate jumps to that of the"
    " others. Compare its loss with a warm-up that runs to its end."
)
CONSTANT = (
    "The rate stays at its peak after the warm-up. Follow the dashed line to the last step:"
    " its network may fail later than the one of the full line, or learn."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    placement = question["placement"]
    if placement != "post":
        return Claim(MEASURED.format(placements.NAMES[placement]))
    return Claim(CLAIM, ("left.post_warmup", "gain"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    if not question["warmup_steps"]:
        return NO_WARMUP
    if question.get("stop") is not None:
        return STOPPED.format(question["stop"])
    return CONSTANT if question["schedule"] == "constant" else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How far the chosen placement has learned without warm-up and with it: the share of the loss
    of guessing that is left after the last step.
    """
    placement = question["placement"]
    alone, warmed = (measured(answer, f"left.{placement}{arm}") for arm in ("", WARMED))
    return (
        f"Without warm-up, {placements.NAMES[placement]} has {learned(alone)}: its loss is"
        f" {percent(alone)} of that of guessing. With warm-up it is {percent(warmed)}."
    )


def translated(answer: "Answer", question: Question) -> str:
    """What the curves of the translators are, and how far apart those of both placements end."""
    apart = finding(answer, "translators.post_less_pre")
    found = [value for value in apart.values or () if value is not None]
    so = sum(value * apart.number > 0 for value in found)
    side = "higher" if apart.number > 0 else "lower"
    return (
        "Held-out loss of translators under Post-LN and Pre-LN, with and without warm-up."
        f" Those of 6 + 6 layers end {decimals(abs(apart.number))} nats {side} with Post-LN"
        f" than with Pre-LN, in {so} of {len(found)} trainings."
    )


def learned(left: float) -> str:
    """How far a network has learned that has so much of the loss of guessing left: the bands of
    the laws in words.
    """
    if left < LEARNED:
        return "learned"
    return "hardly learned" if left > HARDLY else "learned in part"


GUESSING = {(1, 0): 0, (0, 1): 1, (1, 1): 2, (0, 0): 3}
"""The choice by which network still guesses: that without warm-up, that with it."""
AFTERWARDS = {
    "inverse_root": "then falls like 1/√t",
    "constant": "then stays there",
    "vaswani": "as in Vaswani et al., equation 3",
}


def asks(question: Question) -> str:
    """The exercise: which network does not learn."""
    stop, schedule = question.get("stop"), question["schedule"]
    broken = "" if stop is None else f", and its warm-up is broken off at step {stop}"
    placement = question["placement"]
    norm = "without norms" if placement == "none" else f"with {placements.NAMES[placement]}"
    return (
        f"Two {question['stack']}s of {counted(question['layers'], 'layer')} {norm} start from the"
        " same weights and read the same data. The learning rate of one grows in"
        f" {counted(question['warmup_steps'], 'step')} to its peak of {question['peak']:g} and"
        f" {AFTERWARDS[schedule]}{broken}. The other takes the full rate from the first step. Which"
        f" has at least a fifth of the loss of guessing left after"
        f" {question['steps']} steps?"
    )


EXPERIMENT = Experiment(
    question=Warmup,
    answer=WarmupAnswer,
    sentence="A small training: one placement of the norm with warm-up and without, and other"
    " placements on the same data",
    example="warmup_steps=20&peak=0.03&seeds=4",
    figure_query=WarmupFigures,
    streams=True,
    trains=True,
    figures={
        "loss": Figure("The loss of each network", loss, tensor="mean"),
        "rate": Figure("The learning rate", rate, tensor="rate"),
        "translators": Figure(
            "Translators of 6 + 6 layers",
            TRANSLATORS,
            translated,
        ),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        ("The one without warm-up", "The one with warm-up", "Both", "None of them"),
        by_findings({"left.{placement}": (0.2,), "left.{placement}_warmup": (0.2,)}, GUESSING.get),
        {
            "peak=0.005": "a peak of 0.005",
            "stack=decoder&layers=12&peak=0.003&warmup_steps=100": "a decoder of 12 layers",
            "stop=5": "the warm-up broken off at step 5",
        },
    ),
)
