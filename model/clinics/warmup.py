"""Warm-up: networks with different norm placements learn the same task from the same weights and
data, one of them with and without learning rate warm-up.
"""

import json
import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from safetensors import safe_open
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import OPEN, Law, by_name, each
from model.answers.measurements import Finding, statistical
from model.checks import check_between, check_one_of
from model.errors import InvalidInput
from model.layers.choice_names import PLACEMENT_NAMES
from model.measure.batched_training import EnsembleTrainer
from model.measure.deciphering import (
    D_MODEL,
    LETTERS,
    POSITIONS,
    Cipher,
    Decipherer,
    decipherer,
)
from model.measure.initialised_stacks import HEADS, STACKS, generator, seed_axis
from model.measure.stored_trainings import (
    DEFAULT,
    SHIPPED,
    STEPS,
    is_shipped,
    live_steps,
    title_of,
)
from model.measure.translator_placements import translators


class Live:
    """The folder in which a service stores the steps of trainings; None outside a service."""

    runs: Path | None = None


def recorded_losses(question: dict[str, Any], steps: int) -> Float[Tensor, "arm seed step"] | None:
    """The first `steps` losses of a stored training; None if none is that long."""
    if is_shipped(question, steps):
        with safe_open(SHIPPED, "pt") as file:
            return file.get_tensor(title_of(DEFAULT | question))[..., :steps].contiguous()
    lines = live_steps(Live.runs, question) if Live.runs else []
    if len(lines) < steps:
        return None
    return torch.tensor([json.loads(line)["loss"] for line in lines[:steps]]).permute(1, 2, 0)


ARMS = {
    **{name: f"{title} without warm-up" for name, title in PLACEMENT_NAMES.items()},
    **{f"{name}_warmup": f"{title} with warm-up" for name, title in PLACEMENT_NAMES.items()},
}

LAWS = by_name(
    *each(
        ARMS,
        Law("left.{}", "Final loss / guessing loss: {}", "no paper predicts how much is left"),
        {
            "post": (
                "at least 0.5: Post-LN without warm-up learns little",
                (0.5, None),
            ),
            "post_warmup": ("Post-LN learns with warm-up", (None, 0.2)),
            "pre": ("Pre-LN learns without warm-up", (None, 0.2)),
            "admin": ("Admin learns without warm-up", (None, 0.2)),
            "b2t": ("the B2T paper trains 6 + 6 and 18 + 18 layers, with warm-up", OPEN),
        },
    ),
    Law(
        "gain",
        "Loss reduction by warm-up",
        "final loss without warm-up minus with it, as a fraction of the loss of random guessing",
        (0.4, None),
    ),
    Law(
        "equal_training",
        "Final loss: one placement with warm-up − another without",
        "as a fraction of the loss of random guessing",
    ),
)

GUESSING = math.log(LETTERS)
LAST = 5
MAX_LAYERS, MAX_STEPS = 18, 400
LAW = r"\eta_t = \eta\,\min\left(\frac{t}{w},\; \sqrt{\frac{w}{t}}\right)"
SOURCE = (
    "Vaswani et al. 2017, section 5.3; Xiong et al. 2020, section 3; Liu et al. 2020, section 4;"
    " Takase et al. 2022"
)
INIT = (
    f"Stacks of width {D_MODEL} with {HEADS} heads; Xavier-uniform matrices, zero biases, unit"
    f" gains; task: a cipher of {LETTERS} letters, new for each seed, {POSITIONS}"
    " letters per step; Adam with β₁ = 0.9, β₂ = 0.98"
)


@dataclass(frozen=True)
class Schedule:
    """The learning rate schedule. `warmup_steps` is w, `peak` the highest rate, and `stop` the step
    at which warm-up is stopped early, or None.
    """

    warmup_steps: int
    peak: float
    schedule: str = "inverse_root"
    stop: int | None = None

    @property
    def highest(self) -> float:
        """The rate at step w. By default it is set by the width: (d w)^-1/2 (Vaswani et al. 2017,
        equation 3).
        """
        if self.schedule == "vaswani":
            return (D_MODEL * max(1, self.warmup_steps)) ** -0.5
        return self.peak

    def rate(self, step: int, warms_up: bool) -> float:
        """The rate at a step, counted from 1. Without warm-up, it is the highest rate during the
        first w steps; after them, all networks have the same rate.
        """
        w = max(1, self.warmup_steps)
        if step <= w:
            grows = warms_up and step <= (w if self.stop is None else self.stop)
            return self.highest * (step / w if grows else 1)
        return self.highest * (1 if self.schedule == "constant" else math.sqrt(w / step))

    def rates(self, arms: "dict[str, Arm]", steps: int) -> Float[Tensor, "arm step"]:
        """The rate of each arm at each of `steps` steps."""
        return torch.tensor(
            [
                [self.rate(step, arm.warms_up) for step in range(1, steps + 1)]
                for arm in arms.values()
            ]
        )


SCHEDULES = ("inverse_root", "constant", "vaswani")
COMPARED = ("post", "admin", "pre", "b2t")
"""The placements trained in addition to the requested one."""
RUN_AS = {"post": "admin"}
"""The architecture that a placement is run as, if not its own. A Post-LN network is an Admin
network whose omegas are 1, so the two can be trained in one batch.
"""


@dataclass(frozen=True)
class Arm:
    """One arm of the comparison: the norm placement, and whether it has warm-up."""

    placement: str
    warms_up: bool = False

    @property
    def architecture(self) -> str:
        return RUN_AS.get(self.placement, self.placement)


def arms_of(placement: str) -> dict[str, Arm]:
    """The arms by name: `placement` without and with warm-up, then the others without it."""
    others = [other for other in COMPARED if other != placement]
    pair = {placement: Arm(placement), f"{placement}_warmup": Arm(placement, warms_up=True)}
    return pair | {other: Arm(other) for other in others}


class Comparison:
    """All arms with all seeds. The arms of a seed start from the same weights and read the same
    texts; `step` takes the next step of all arms and seeds.
    """

    def __init__(
        self,
        *,
        warmup_steps: int,
        peak: float,
        layers: int,
        seed: int,
        seeds: int,
        placement: str = "post",
        stack: str = "encoder",
        schedule: str = "inverse_root",
        stop: int | None = None,
    ):
        self.arms = arms_of(placement)
        self.schedule = Schedule(warmup_steps, peak, schedule, stop)
        self.seeds, self.done = seeds, 0
        self.ciphers = [Cipher(seed, number) for number in range(seeds)]
        architectures = [arm.architecture for arm in self.arms.values()]
        self.members = {
            architecture: [
                name for name, arm in self.arms.items() if arm.architecture == architecture
            ]
            for architecture in dict.fromkeys(architectures)
        }
        fresh = partial(decipherer, layers=layers, seed=seed, stack=stack)
        costs = [len(arms) for arms in self.members.values()]
        self.groups = {
            architecture: EnsembleTrainer(
                Decipherer(architecture, layers, generator(seed, 0), stack),
                [
                    fresh(self.arms[arm].placement, number=number)
                    for arm in progress.steps(self.members[architecture])
                    for number in progress.trials(seeds)
                ],
                table="model.embedding.token",
            )
            for architecture in progress.steps(list(self.members), costs=costs)
        }

    def rates(self) -> list[float]:
        """The learning rate of each arm at the latest step."""
        return [self.schedule.rate(self.done, arm.warms_up) for arm in self.arms.values()]

    def step(self) -> Float[Tensor, "arm seed"]:
        """Takes a step with every arm and seed. Returns the losses before the step. Raises
        InvalidInput if one of them is no longer finite.
        """
        self.done += 1
        ids, expected = (
            torch.stack(texts)
            for texts in zip(*(cipher.text() for cipher in self.ciphers), strict=True)
        )
        rates, losses = dict(zip(self.arms, self.rates(), strict=True)), {}
        for architecture, arms in self.members.items():
            n = len(arms)
            rate = torch.tensor([rates[arm] for arm in arms]).repeat_interleave(self.seeds)
            loss = self.groups[architecture].step(rate, ids.repeat(n, 1), expected.repeat(n, 1))
            losses |= zip(arms, loss.split(self.seeds), strict=True)
        for name, arm in self.arms.items():
            check_loss(arm, losses[name])
        return torch.stack([losses[arm] for arm in self.arms])

    def state(self) -> dict[str, Tensor]:
        return {
            f"{name}.{part}": value
            for name, group in self.groups.items()
            for part, value in group.state().items()
        }

    def restore(self, state: dict[str, Tensor], done: int) -> None:
        """Restores `state`, reached after `done` steps. The comparison must not have taken a
        step.
        """
        for name, group in self.groups.items():
            group.restore({part: state[f"{name}.{part}"] for part in group.state()}, done)
        for _ in range(done):
            for cipher in self.ciphers:
                cipher.text()
        self.done = done


def check_loss(arm: Arm, loss: Float[Tensor, " seed"]) -> None:
    """Raises InvalidInput if a network's loss is no longer finite in float32. The step at which
    this happens depends on rounding, and therefore on the processor.
    """
    if not loss.isfinite().all():
        placement = PLACEMENT_NAMES[arm.placement]
        normed = arm.placement != "none"
        raise InvalidInput("diverged", field="peak", placement=placement, normed=normed)


def warmup(
    *,
    warmup_steps: int = 20,
    peak: int | float = 0.03,
    layers: int = 4,
    steps: int = STEPS,
    placement: str = "post",
    stack: str = "encoder",
    schedule: str = "inverse_root",
    stop: int | None = None,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """`loss` [arm, seed, step], each measured before its step; `mean` [arm, step], the mean over
    the seeds; and `rate` [arm, step], the learning rate.

    The arms are `placement` without and with warm-up and the placements of COMPARED without it.
    `translators` are the losses of translators with 6 + 6 layers, the same for every question.
    `stop` stops the warm-up early: from the next step on, the rate is that of the other networks. A
    training that is stored, or was followed live, is read instead of repeated.
    """
    check_between("warmup_steps", warmup_steps, 0, MAX_STEPS)
    check_between("peak", peak, 1e-4, 0.1)
    check_between("layers", layers, 1, MAX_LAYERS)
    check_between("steps", steps, LAST, MAX_STEPS)
    check_one_of("placement", placement, tuple(PLACEMENT_NAMES))
    check_one_of("stack", stack, STACKS)
    check_one_of("schedule", schedule, SCHEDULES)
    if stop is not None:
        check_between("stop", stop, 0, MAX_STEPS)
    question = {
        "warmup_steps": warmup_steps,
        "peak": peak,
        "layers": layers,
        "placement": placement,
        "stack": stack,
        "schedule": schedule,
        "stop": stop,
        "seed": seed,
        "seeds": seeds,
    }
    recorded = recorded_losses(question, steps)
    loss = trained(question, steps) if recorded is None else recorded
    rate = Schedule(warmup_steps, peak, schedule, stop).rates(arms_of(placement), steps)
    shipped = translators()
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": f"{INIT}. {shipped.init}",
        "guessing": GUESSING,
        "findings": findings(placement, loss) + shipped.findings,
    }
    axes = axes_of(placement, steps, seeds) | shipped.axes
    return Answer("trained", axes, tensors_of(loss, rate) | shipped.tensors, fields)


def axes_of(placement: str, steps: int, seeds: int) -> dict[str, Axis]:
    arms = arms_of(placement)
    return {
        "arm": Axis("step", len(arms), list(arms)),
        "seed": seed_axis(seeds),
        "step": numbered("step", range(1, steps + 1), "step"),
    }


def tensors_of(
    loss: Float[Tensor, "arm seed step"], rate: Float[Tensor, "arm step"]
) -> dict[str, Labelled]:
    return {
        "loss": Labelled(("arm", "seed", "step"), loss, "-mean log p(image of the letter)"),
        "mean": Labelled(("arm", "step"), loss.mean(1), "mean of the loss over the seeds"),
        "rate": Labelled(("arm", "step"), rate, "eta min(t / w, sqrt(w / t)), or eta"),
    }


def trained(question: dict[str, Any], steps: int) -> Float[Tensor, "arm seed step"]:
    """The losses of a training run now."""
    seeds = question["seeds"]
    making, learning = 9 * seeds, (9 + seeds) * steps  # approximate fractions of the time
    with progress.part(0, making / (making + learning)):
        comparison = Comparison(**question)
    return torch.stack(
        [comparison.step() for _ in progress.steps(range(steps), making / (making + learning))], -1
    )


def findings(placement: str, loss: Float[Tensor, "arm seed step"]) -> list[Finding]:
    """The findings from the mean loss over the last five steps, as a fraction of the loss of random
    guessing: 1 for a network that has learned nothing, 0 for one without errors.
    """
    arms, steps = arms_of(placement), loss.shape[-1]
    share = dict(zip(arms, (loss[..., -LAST:].mean(-1) / GUESSING).unbind(), strict=True))
    premise = (
        None
        if steps >= STEPS
        else f"The prediction is for {STEPS} steps; this training has {steps}."
    )
    gain = LAWS["gain"].where(placement == "post")
    gained = share[placement] - share[f"{placement}_warmup"]
    other = "post" if placement == "pre" else "pre"
    unlike = share[f"{placement}_warmup"] - share[other]
    ends = f"{PLACEMENT_NAMES[placement]} with warm-up − {PLACEMENT_NAMES[other]} without warm-up"
    return [
        *(
            statistical(law, left.tolist(), premise=premise_of(law, premise))
            for arm, left in share.items()
            for law in [LAWS[f"left.{arm}"]]
        ),
        statistical(gain, gained.tolist(), premise=premise_of(gain, premise)),
        statistical(
            replace(LAWS["equal_training"], title=f"Final loss: {ends}"),
            unlike.tolist(),
        ),
    ]


def premise_of(law: Law, premise: str | None) -> str | None:
    """A finding without a prediction needs no premise."""
    return None if law.band == OPEN else premise
