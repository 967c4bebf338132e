"""Warm-up: networks that differ in the placement of the norm learn the same task from the same
weights and data, one of them with and without a learning rate that grows from zero.
"""

import json
import math
from dataclasses import dataclass
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
    """The folder in which a service keeps the steps of trainings; None outside a service."""

    runs: Path | None = None


def recorded_losses(question: dict[str, Any], steps: int) -> Float[Tensor, "arm seed step"] | None:
    """The first `steps` losses of a stored training; None if none has so many."""
    if is_shipped(question, steps):
        with safe_open(SHIPPED, "pt") as file:
            return file.get_tensor(title_of(DEFAULT | question))[..., :steps].contiguous()
    lines = live_steps(Live.runs, question) if Live.runs else []
    if len(lines) < steps:
        return None
    return torch.tensor([json.loads(line)["loss"] for line in lines[:steps]]).permute(1, 2, 0)


ARMS = {
    **PLACEMENT_NAMES,
    **{f"{name}_warmup": f"{title} with warm-up" for name, title in PLACEMENT_NAMES.items()},
}

LAWS = by_name(
    *each(
        ARMS,
        Law("left.{}", "Share of guessing left, {}", "no paper says how much is left here"),
        {
            "post": (
                "Post-LN at the full rate from the first step stays near guessing",
                (0.5, None),
            ),
            "post_warmup": ("the same network with warm-up learns", (None, 0.2)),
            "pre": ("Pre-LN learns without warm-up", (None, 0.2)),
            "admin": ("Admin learns without warm-up", (None, 0.2)),
            "b2t": ("B2T was made for deep stacks; its paper trains it with warm-up", OPEN),
        },
    ),
    Law(
        "gain",
        "Share that warm-up takes away",
        "share left without warm-up, less the share left with it",
        (0.4, None),
    ),
    Law(
        "equal_training",
        "Difference from the other placement",
        "share left with warm-up, less that of {other} without",
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
    f" gains; task: a cipher of {LETTERS} letters, drawn anew for each seed, a text of {POSITIONS}"
    " letters at a step; Adam with beta 0.9 and 0.98"
)


@dataclass(frozen=True)
class Schedule:
    """The learning rate of a comparison by step. `warmup_steps` is w, `peak` the highest rate, and
    `stop` the step at which the warm-up is broken off, None if it is not.
    """

    warmup_steps: int
    peak: float
    schedule: str = "inverse_root"
    stop: int | None = None

    @property
    def highest(self) -> float:
        """The rate at step w. Vaswani et al. 2017, equation 3, fix it by the width: (d w)^-1/2."""
        if self.schedule == "vaswani":
            return (D_MODEL * max(1, self.warmup_steps)) ** -0.5
        return self.peak

    def rate(self, step: int, warms_up: bool) -> float:
        """The rate at a step, counted from 1. Without warm-up it is the highest rate during the
        first w steps; after them all networks have the same rate.
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
"""The placements that are trained beside the one that is asked for."""
RUN_AS = {"post": "admin"}
"""The architecture that a placement is run as, where it is not its own. A Post-LN network is an
Admin network whose omegas are 1, so that they can be trained in one batch.
"""


@dataclass(frozen=True)
class Arm:
    """One arm of the comparison: the placement of the norm, and whether its learning rate grows
    from zero.
    """

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
    """All arms with all seeds. The arms of one seed start from the same weights and read the same
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
        InvalidInput where one of them is no number any more.
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
        """Restores `state`, which was reached after `done` steps. The comparison must not have
        taken a step.
        """
        for name, group in self.groups.items():
            group.restore({part: state[f"{name}.{part}"] for part in group.state()}, done)
        for _ in range(done):
            for cipher in self.ciphers:
                cipher.text()
        self.done = done


def check_loss(arm: Arm, loss: Float[Tensor, " seed"]) -> None:
    """Raises InvalidInput where the loss of a network is no number of single precision any more. At
    which step depends on rounding, and so on the processor.
    """
    if not loss.isfinite().all():
        raise InvalidInput("diverged", field="peak", placement=PLACEMENT_NAMES[arm.placement])


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
    """Answers with `loss` [arm, seed, step], each measured before its step, with `mean` [arm,
    step], the mean over the seeds, and with `rate` [arm, step], the learning rate.

    The arms are `placement` without and with warm-up and the placements of COMPARED without it.
    `translators` are the losses of translators of 6 + 6 layers, which no question changes.
    `stop` breaks the warm-up off: from the next step on the rate is that of the other networks. A
    training that is kept, or that was followed live, is read and not repeated.
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
        "init": f"{INIT}; {shipped.init}",
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
    """The losses of a training that is made now."""
    seeds = question["seeds"]
    making, learning = 9 * seeds, (9 + seeds) * steps  # approximate shares of the time
    with progress.part(0, making / (making + learning)):
        comparison = Comparison(**question)
    return torch.stack(
        [comparison.step() for _ in progress.steps(range(steps), making / (making + learning))], -1
    )


def findings(placement: str, loss: Float[Tensor, "arm seed step"]) -> list[Finding]:
    """The findings of the mean loss over the last five steps, as a share of the loss of guessing: 1
    for a network that has learned nothing, 0 for one that makes no error.
    """
    arms, steps = arms_of(placement), loss.shape[-1]
    share = dict(zip(arms, (loss[..., -LAST:].mean(-1) / GUESSING).unbind(), strict=True))
    premise = (
        None
        if steps >= STEPS
        else f"The law is judged after {STEPS} steps, and this training has taken {steps}."
    )
    gain = LAWS["gain"].where(placement == "post")
    gained = share[placement] - share[f"{placement}_warmup"]
    other = "post" if placement == "pre" else "pre"
    unlike = share[f"{placement}_warmup"] - share[other]
    return [
        *(
            statistical(law, left.tolist(), premise=premise_of(law, premise))
            for arm, left in share.items()
            for law in [LAWS[f"left.{arm}"]]
        ),
        statistical(gain, gained.tolist(), premise=premise_of(gain, premise)),
        statistical(
            LAWS["equal_training"].with_numbers(other=PLACEMENT_NAMES[other]), unlike.tolist()
        ),
    ]


def premise_of(law: Law, premise: str | None) -> str | None:
    """A finding that is only measured needs no premise."""
    return None if law.band == OPEN else premise
