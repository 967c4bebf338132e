"""Activation patching: two runs of one model, and numbers of the first that are copied into the
second. What a copied number changes, it causes (Vig et al. 2020, section 3; Meng et al. 2022,
section 2; Heimersheim and Nanda 2024).

    clean       the run that numbers are taken from
    corrupted   the run that they are copied into
    site        an activation of every layer that has positions: attention.out, residual.in …
    metric      one number of an answer, for instance the logit of one word minus that of another
    restored    (metric of the patched run - corrupted) / (clean - corrupted): 0 is the corrupted
                run, 1 is the clean one
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.activation import input_axis
from model.activations.catalogue import activations
from model.activations.site import Site
from model.config import Config
from model.edits.cells import POSITIONS
from model.edits.edit import Edit, Edits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.sweep import sweep_steps

Pair = tuple[int, int]
"""A position of the clean run, and the position of the corrupted one that it is copied to."""
Rows = Float[Tensor, "row vocabulary"]

TOO_SMALL = 1e-3
"""A difference of the metric, in logits or nats, below which nothing is left to restore."""

VALUES = ("in", "q", "k", "v", "pattern", "out", "z")
"""The values whose sites a grid has; the stream after a sub-layer is one of them too."""


@dataclass(frozen=True)
class Goal:
    """What a metric reads: the position `step` of the logits, the logits of the clean run there
    [vocabulary], and the ids of the two answers.
    """

    step: int
    logits: Float[Tensor, " vocabulary"]
    clean: int
    corrupted: int


def logit_difference(logits: Rows, goal: Goal) -> Float[Tensor, " row"]:
    """The logit of the clean answer minus that of the corrupted one (Wang et al. 2023, section
    2.2).
    """
    return logits[:, goal.clean] - logits[:, goal.corrupted]


def log_probability(logits: Rows, goal: Goal) -> Float[Tensor, " row"]:
    """The log-probability of the clean answer, in nats."""
    return logits.log_softmax(-1)[:, goal.clean]


def divergence(logits: Rows, goal: Goal) -> Float[Tensor, " row"]:
    """KL(clean || run) in nats: 0 where all probabilities are those of the clean run."""
    clean = goal.logits.to(logits).log_softmax(-1)
    return (clean.exp() * (clean - logits.log_softmax(-1))).sum(-1)


@dataclass(frozen=True)
class Metric:
    """A function from logits to one number a row, with its formula and its unit."""

    measure: Callable[[Rows, Goal], Tensor]
    formula: str
    unit: str


METRICS = {
    "logit_difference": Metric(
        logit_difference, "logit(clean answer) - logit(corrupted answer)", "logits"
    ),
    "log_probability": Metric(log_probability, "log p(clean answer)", "nats"),
    "kl": Metric(divergence, "KL(clean || run)", "nats"),
}


def goal_of(clean: Run, corrupted: Run, step: int | None = None) -> Goal:
    """The goal at the position `step` of the corrupted run's logits, and at the same place of the
    clean run's. Without it, it is the first position that answers at which the two runs answer
    differently, or the last where they never do.
    """
    wanted, found = (run.logits.argmax(-1) for run in (clean, corrupted))
    places = list(zip(answering(clean), answering(corrupted), strict=False))
    there, here = (
        next((both for both in places if wanted[both[0]] != found[both[1]]), places[-1])
        if step is None
        else next((both for both in places if both[1] == step), (step, step))
    )
    return Goal(here, clean.logits[there], int(wanted[there]), int(found[here]))


def answering(run: Run) -> Sequence[int]:
    """The positions of the logits that answer: those of a target, the blanks, or the last of a text
    that is continued; every object query; else the first, which is [CLS].
    """
    config, last = run.config, len(run.logits)
    if config.n_queries:
        return range(last)
    if config.says_class:
        return range(1)
    if config.family == "encoder-only":
        return run.blanks or range(last)
    if "target" in run.input:
        return range(last)[run.predicted]
    return range(last - 1, last)


def sites(config: Config, stack: str, same_length: bool = True) -> list[str]:
    """The sites of a stack that lie on its positions, in the order of computation: activation names
    without stack and layer. Where the clean run has another number of positions, a pattern, whose
    rows are as long as the run, cannot be copied.
    """
    axis, found = input_axis(config, stack), []
    for name, row in activations(config).items():
        site = Site.parse(name)
        if site.stack != stack or site.layer != 0 or not has_positions(row.index, row.axes, axis):
            continue
        rows_differ = not same_length and "key" in row.index
        of_norm = site.part.startswith("norm")
        if not rows_differ and not of_norm and (site.part == "residual" or site.value in VALUES):
            found.append(f"{site.part}.{site.value}")
    cross = "cross_attention" in config.sublayers(stack)
    return [name for name in found if not name.endswith(".z") and not (cross and narrow(name))]


def narrow(name: str) -> bool:
    """Queries, keys and values: in a stack with two attentions they would crowd the grid."""
    return name.endswith((".q", ".k", ".v"))


def head_sites(config: Config, stack: str) -> list[str]:
    """The sites of a stack at which every head can be patched by itself: what it has gathered."""
    return [f"{name}.z" for name in config.sublayers(stack) if name.endswith("attention")]


def has_positions(index: Sequence[str], axes: Sequence[str], axis: str) -> bool:
    """Whether an activation has positions that lie on the axis `axis`."""
    return any(role in POSITIONS and along == axis for role, along in zip(index, axes, strict=True))


def aligned(
    axis: str, clean: int, corrupted: int, positions: list[list[int]] | None
) -> tuple[Pair, ...]:
    """Which position of the clean run goes to which of the corrupted one. Raises InvalidInput for
    runs of different lengths without `positions`, and for positions that do not exist.
    """
    if positions is None:
        if clean != corrupted:
            raise InvalidInput(
                "inputs-of-other-length", field="clean", limit=corrupted, given=clean, axis=axis
            )
        return tuple((at, at) for at in range(corrupted))
    for which, name, length in ((0, "clean", clean), (1, "corrupted", corrupted)):
        for pair in positions:
            if not 0 <= pair[which] < length:
                raise InvalidInput(
                    "no-such-position",
                    field="positions",
                    limit=length - 1,
                    given=pair[which],
                    name=name,
                    axis=axis,
                )
    pairs = tuple(sorted({(there, here) for there, here in positions}, key=lambda pair: pair[1]))
    if not pairs or len({here for _, here in pairs}) < len(pairs):
        raise InvalidInput("positions-not-pairs", field="positions")
    return pairs


def patch(name: str, pairs: Iterable[Pair], clean: Input, head: int | None = None) -> Edit:
    """The edit that copies the activation `name` of the clean run at some positions, of one head or
    of all of them.
    """
    where = () if head is None else (("head", (head,)),)
    return Edit("patch", name, where, inputs=(clean,), positions=tuple(pairs))


def everything(config: Config, clean: Input) -> Edits:
    """The edits that copy all that the first layer of every stack reads."""
    return tuple(
        Edit("patch", f"{stack}.0.residual.in", inputs=(clean,)) for stack in config.stacks
    )


@torch.inference_mode()
def measured(corrupted: Run, rows: Sequence[Edits], goal: Goal, metric: str) -> tuple:
    """The metric of the corrupted run with each of `rows`, and what it then answers: an id each.
    Equal rows are run once.
    """
    input, numbers, ids = Input(**corrupted.input), [], []
    place = {edits: at for at, edits in enumerate(dict.fromkeys(rows))}
    for piece in sweep_steps(corrupted.model, input, list(place), at=(goal.step,)):
        logits = piece["logits"][:, 0]
        numbers.append(METRICS[metric].measure(logits.double(), goal))
        ids.append(logits.argmax(-1))
    order = [place[edits] for edits in rows]
    return torch.cat(numbers)[order], torch.cat(ids)[order]


def restored(patched: Tensor, corrupted: float, clean: float) -> Tensor:
    """The share of the difference that each patched run restores. Needs a difference."""
    return (patched - corrupted) / (clean - corrupted)
