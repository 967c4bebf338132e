"""Warm-up: four networks learn the same task from the same weights and data, to compare how they
learn at a high learning rate from the first step.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.measurements import Finding, statistical
from model.checks import check_between
from model.clinics._shared.batched_training import EnsembleTrainer
from model.clinics._shared.initialised_stacks import (
    HEADS,
    MOST_SEEDS,
    generator,
    profile,
    seed_axis,
)
from model.config import Config
from model.layers import masks
from model.transformer import Transformer
from model.zoo.initialisation import initialise

LETTERS, D_MODEL, POSITIONS = 8, 16, 32
GUESSING = math.log(LETTERS)
LAST = 5
MOST_LAYERS, MOST_STEPS = 8, 400
LAW = r"\eta_t = \eta\,\min(1,\; t / t_{\text{warm-up}})"
SOURCE = (
    "Vaswani et al. 2017, section 5.3; Xiong et al. 2020, section 3; Liu et al. 2020, section 4"
)
INIT = (
    f"Encoders of width {D_MODEL} with {HEADS} heads; Xavier-uniform matrices, zero biases, unit"
    f" gains; task: a cipher of {LETTERS} letters, drawn anew for each seed, a text of {POSITIONS}"
    " letters at a step; Adam, a constant rate after the warm-up"
)

Letters = Int[Tensor, "*member position"]


@dataclass(frozen=True)
class Arm:
    """One arm of the comparison: the placement of the norm, and whether the learning rate grows
    from zero.
    """

    placement: str
    warms_up: bool = False

    def rate(self, step: int, warmup_steps: int, peak: float) -> float:
        """The learning rate at a step, counted from 1."""
        return peak * min(1, step / warmup_steps) if self.warms_up and warmup_steps else peak


ARMS = {
    "post": Arm("post"),
    "post_warmup": Arm("post", warms_up=True),
    "admin": Arm("admin"),
    "pre": Arm("pre"),
}
RUN_AS = {"admin": ("post", "post_warmup", "admin"), "pre": ("pre",)}
"""The architecture that each arm is run as. A Post-LN network is an Admin network whose omegas are
1, so that three arms can be trained in one batch.
"""


class Decipherer(nn.Module):
    """A network that reads letters and learns to predict the image of each letter."""

    def __init__(self, placement: str, layers: int, draws: torch.Generator):
        super().__init__()
        sizes: dict[str, Any] = {
            "d_model": D_MODEL,
            "n_heads": HEADS,
            "d_ff": 4 * D_MODEL,
            "n_encoder_layers": layers,
            "max_length": POSITIONS,
            "placement": placement,
        }
        config = Config(
            family="encoder-only",
            vocabulary_size=LETTERS,
            tied_unembedding=False,
            **sizes,
        )
        self.model = initialise(Transformer(config), draws)

    def forward(self, ids: Letters, expected: Letters) -> Float[Tensor, "*member"]:
        everywhere = {"encoder.attention": masks.full(POSITIONS)}
        logits = self.model(ids, None, everywhere)
        return (
            cross_entropy(logits.flatten(0, -2), expected.flatten(), reduction="none")
            .view_as(expected)
            .mean(-1)
        )


class Cipher:
    """The task of one seed: a permutation of the letters, and random texts without end."""

    def __init__(self, seed: int, number: int):
        self.draws = generator(
            seed, MOST_SEEDS + number
        )  # another generator than that of the weights
        self.image = torch.randperm(LETTERS, generator=self.draws)

    def text(self) -> tuple[Letters, Letters]:
        ids = torch.randint(LETTERS, (POSITIONS,), generator=self.draws)
        return ids, self.image[ids]


class Comparison:
    """All arms with all seeds. The arms of one seed start from the same weights and read the same
    texts; `step` takes the next step of all arms and seeds.
    """

    def __init__(self, *, warmup_steps: int, peak: float, layers: int, seed: int, seeds: int):
        self.warmup_steps, self.peak, self.seeds, self.done = warmup_steps, peak, seeds, 0
        self.ciphers = [Cipher(seed, number) for number in range(seeds)]
        members = [len(arms) for arms in RUN_AS.values()]
        self.groups = {
            placement: self.group(placement, layers, seed)
            for placement in progress.steps(list(RUN_AS), costs=members)
        }

    def group(self, placement: str, layers: int, seed: int) -> EnsembleTrainer:
        arms = [ARMS[arm].placement for arm in RUN_AS[placement]]
        members = [
            decipherer(arm, layers, seed, number)
            for arm in progress.steps(arms)
            for number in progress.trials(self.seeds)
        ]
        return EnsembleTrainer(
            Decipherer(placement, layers, generator(seed, 0)),
            members,
            table="model.embedding.token",
        )

    def rates(self) -> list[float]:
        """The learning rate of each arm at the latest step."""
        return [arm.rate(self.done, self.warmup_steps, self.peak) for arm in ARMS.values()]

    def step(self) -> Float[Tensor, "arm seed"]:
        """Takes a step with every arm and seed. Returns the losses before the step."""
        self.done += 1
        ids, expected = (
            torch.stack(texts)
            for texts in zip(*(cipher.text() for cipher in self.ciphers), strict=True)
        )
        rates, losses = dict(zip(ARMS, self.rates(), strict=True)), {}
        for placement, arms in RUN_AS.items():
            n = len(arms)
            rate = torch.tensor([rates[arm] for arm in arms]).repeat_interleave(self.seeds)
            loss = self.groups[placement].step(rate, ids.repeat(n, 1), expected.repeat(n, 1))
            losses |= zip(arms, loss.split(self.seeds), strict=True)
        return torch.stack([losses[arm] for arm in ARMS])

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


def decipherer(placement: str, layers: int, seed: int, number: int) -> Decipherer:
    """A freshly initialised network, with the same matrices under every placement. The omegas of
    Admin are profiled on texts that the training does not contain.
    """
    fresh = Decipherer(placement, layers, generator(seed, number))
    if placement == "admin":
        ids, _ = Cipher(seed, MOST_SEEDS + number).text()
        with torch.no_grad():
            profile(fresh.model.stack("encoder"), fresh.model.embedding(ids)[None])
    return fresh


def warmup(
    *,
    warmup_steps: int = 20,
    peak: int | float = 0.03,
    layers: int = 4,
    steps: int = 25,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """Answers with `loss` [arm, seed, step], each measured before its step, with `mean` [arm,
    step], the mean over the seeds, and with `rate` [arm, step], the learning rate.
    """
    check_between("warmup_steps", warmup_steps, 0, MOST_STEPS)
    check_between("peak", peak, 1e-4, 0.1)
    check_between("layers", layers, 1, MOST_LAYERS)
    check_between("steps", steps, LAST, MOST_STEPS)
    making, learning = 9 * seeds, (9 + seeds) * steps  # approximate shares of the time
    with progress.part(0, making / (making + learning)):
        comparison = Comparison(
            warmup_steps=warmup_steps, peak=peak, layers=layers, seed=seed, seeds=seeds
        )
    loss = torch.stack(
        [comparison.step() for _ in progress.steps(range(steps), making / (making + learning))], -1
    )
    rate = torch.tensor(
        [
            [arm.rate(step, warmup_steps, peak) for step in range(1, steps + 1)]
            for arm in ARMS.values()
        ]
    )
    axes = {
        "arm": Axis("step", len(ARMS), list(ARMS)),
        "seed": seed_axis(seeds),
        "step": numbered("step", range(1, steps + 1), "step"),
    }
    tensors = {
        "loss": Labelled(("arm", "seed", "step"), loss, "-mean log p(image of the letter)"),
        "mean": Labelled(("arm", "step"), loss.mean(1), "mean of the loss over the seeds"),
        "rate": Labelled(("arm", "step"), rate, "eta min(1, t / warm-up) or eta"),
    }
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": INIT,
        "guessing": GUESSING,
        "findings": found(loss),
    }
    return Answer("trained", axes, tensors, fields)


def found(loss: Float[Tensor, "arm seed step"]) -> list[Finding]:
    """The findings of the mean loss over the last five steps, as a share of the loss of guessing: 1
    for a network that has learned nothing, 0 for one that makes no error.
    """
    share = dict(zip(ARMS, (loss[..., -LAST:].mean(-1) / GUESSING).tolist(), strict=True))
    behind = [
        post - warmed for post, warmed in zip(share["post"], share["post_warmup"], strict=True)
    ]
    return [
        statistical(
            "left.post",
            share["post"],
            "Post-LN at the full rate from the first step goes on guessing",
            (0.8, None),
        ),
        statistical(
            "left.post_warmup",
            share["post_warmup"],
            "the same network with warm-up learns",
            (None, 0.5),
        ),
        statistical("left.pre", share["pre"], "Pre-LN learns without warm-up", (None, 0.2)),
        statistical("left.admin", share["admin"], "Admin learns without warm-up", (None, 0.5)),
        statistical("gain", behind, "what warm-up alone makes of Post-LN", (0.4, None)),
    ]
