"""Activation patching: two runs of one model, with activations of the first copied into the second.
What changes is caused by them (Vig et al. 2020, section 3; Meng et al. 2022, section 2; Heimersheim
and Nanda 2024).

    clean       the run that activations are copied from
    corrupted   the run that they are copied into
    site        an activation of every layer that has positions: attention.out, residual.in …
    metric      one number about the output, such as the difference of two logits
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
"""A position in the clean run, and the position in the corrupted one that it is copied to."""
Rows = Float[Tensor, "row vocabulary"]

TOO_SMALL = 1e-3
"""If the metrics differ by less, in logits or nats, there is nothing to restore."""

VALUES = ("in", "q", "k", "v", "pattern", "out", "z")
"""The values whose sites form a grid, in addition to the stream after each sub-layer."""


@dataclass(frozen=True)
class Goal:
    """The inputs of a metric: the position `step` of the logits, the clean run's logits there
    [vocabulary], and the ids of the two predictions.
    """

    step: int
    logits: Float[Tensor, " vocabulary"]
    clean: int
    corrupted: int


def logit_difference(logits: Rows, goal: Goal) -> Float[Tensor, " row"]:
    """The logit of the clean prediction minus that of the corrupted one (Wang et al. 2023, section
    2.2).
    """
    return logits[:, goal.clean] - logits[:, goal.corrupted]


def log_probability(logits: Rows, goal: Goal) -> Float[Tensor, " row"]:
    """The log-probability of the clean prediction, in nats."""
    return logits.log_softmax(-1)[:, goal.clean]


def divergence(logits: Rows, goal: Goal) -> Float[Tensor, " row"]:
    """KL(clean || run) in nats: 0 if all probabilities are those of the clean run."""
    clean = goal.logits.to(logits).log_softmax(-1)
    return (clean.exp() * (clean - logits.log_softmax(-1))).sum(-1)


@dataclass(frozen=True)
class Metric:
    """A function from logits to one number per row, with its formula and unit."""

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
    """The goal at position `step` of the corrupted run's logits, and the same position in the clean
    run. By default, the first predicting position at which the two runs predict differently, or the
    last if they never do.
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
    """The predicting positions: those of a target, the blanks, or the last of a text to continue;
    every object query; otherwise the first, [CLS].
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
    """The sites of a stack on its positions, in the order of computation: activation names without
    stack and layer. If the clean run has a different number of positions, patterns cannot be
    copied, because their rows depend on the length.
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
    """Queries, keys, and values: in a stack with cross-attention, they would crowd the grid."""
    return name.endswith((".q", ".k", ".v"))


def head_sites(config: Config, stack: str) -> list[str]:
    """The sites of a stack at which each head can be patched separately: its output z."""
    return [f"{name}.z" for name in config.sublayers(stack) if name.endswith("attention")]


def has_positions(index: Sequence[str], axes: Sequence[str], axis: str) -> bool:
    """Whether an activation has positions on the axis `axis`."""
    return any(role in POSITIONS and along == axis for role, along in zip(index, axes, strict=True))


def aligned(
    axis: str, clean: int, corrupted: int, positions: list[list[int]] | None
) -> tuple[Pair, ...]:
    """Which position of the clean run is copied to which of the corrupted one. Raises InvalidInput
    for runs of different lengths without `positions`, and for positions that do not exist.
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
    """The edit that copies the activation `name` of the clean run at some positions, for one head
    or all of them.
    """
    where = () if head is None else (("head", (head,)),)
    return Edit("patch", name, where, inputs=(clean,), positions=tuple(pairs))


def everything(config: Config, clean: Input) -> Edits:
    """The edits that copy everything that the first layer of every stack reads."""
    return tuple(
        Edit("patch", f"{stack}.0.residual.in", inputs=(clean,)) for stack in config.stacks
    )


@torch.inference_mode()
def measured(corrupted: Run, rows: Sequence[Edits], goal: Goal, metric: str) -> tuple:
    """The metric of the corrupted run with each of `rows`, and its predictions as ids. Equal rows
    are run once.
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
    """The fraction of the difference that each patched run restores. The difference must not be
    0.
    """
    return (patched - corrupted) / (clean - corrupted)
