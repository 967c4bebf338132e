"""Invariants: equations that hold in every unedited pass, checked on the activations that edits
have changed.
"""

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.site import Site
from model.edits.changes import BrokenInvariant, Change, change_of

EXACT = 1e-5  # tolerance for a sum of float32 weights

Found = Iterator[tuple[str, Change]]
Allowed = Tensor | None


def broken(
    row: Activation, arrived: Tensor, left: Tensor, masks: Mapping[str, Tensor]
) -> Iterator[BrokenInvariant]:
    """The violated invariants of the activation `row`. The first is its own formula: `arrived` is
    the formula's result, and `left` is what the rest of the network reads.
    """
    diff = change_of(arrived, left)
    if not diff.elements:
        return
    site = Site.parse(row.name)
    yield BrokenInvariant(f"{site.value} = {row.formula}", [row.name], diff.elements, diff.largest)
    allowed = masks.get(str(site.of_stack).removesuffix(f".{site.value}"))
    for law, change in LAWS.get(site.value, lambda *_: iter(()))(left, allowed):
        if change.elements:
            yield BrokenInvariant(law, [row.name], change.elements, change.largest)


def pattern_laws(left: Tensor, allowed: Allowed) -> Found:
    """The weights of a row are a probability distribution: they are not negative, 0 for masked
    keys, and sum to 1. If every key is masked, they sum to 0.
    """
    sums = left.sum(-1)
    sees = torch.ones_like(sums, dtype=torch.bool)
    if allowed is not None:
        sees = allowed.any(-1).expand_as(sums)
    off = ((sums - 1).abs() > EXACT) & sees
    yield "the weights of a row sum to 1", deviation(sums - 1, off)
    yield "no weight is below 0", deviation(left, left < 0)
    if allowed is not None:
        hidden = ~allowed.expand_as(left) & (left != 0)
        yield "a masked key has no weight", deviation(left, hidden)


def masked_scores_laws(left: Tensor, allowed: Allowed) -> Found:
    """Exactly the masked scores are -inf."""
    if allowed is not None:
        leaked = ~allowed.expand_as(left) & ~left.isneginf()
        hidden = allowed.expand_as(left) & left.isneginf()
        yield "a score that the mask hides is minus infinity", Change(int(leaked.sum()), None)
        yield "a score that the mask shows is finite", Change(int(hidden.sum()), None)


def kernel_laws(left: Tensor, allowed: Allowed) -> Found:
    """The kernel is 0 for masked keys."""
    if allowed is not None:
        hidden = ~allowed.expand_as(left) & (left != 0)
        yield "a masked key has a kernel of 0", deviation(left, hidden)


def probabilities_laws(left: Tensor, allowed: Allowed) -> Found:
    sums = left.sum(-1)
    yield "the probabilities of a position sum to 1", deviation(sums - 1, (sums - 1).abs() > EXACT)
    yield "no probability is below 0", deviation(left, left < 0)


def scale_laws(left: Tensor, allowed: Allowed) -> Found:
    """The scale of a norm is positive."""
    yield "the scale of a norm is above 0", deviation(left, left <= 0)


def deviation(by: Tensor, where: Tensor) -> Change:
    """The number of cells in `where`, and the largest absolute value of `by` in them."""
    return change_of(torch.zeros_like(by), by.masked_fill(~where, 0.0))


LAWS: dict[str, Callable[[Tensor, Allowed], Found]] = {
    "pattern": pattern_laws,
    "masked_scores": masked_scores_laws,
    "kernel": kernel_laws,
    "probabilities": probabilities_laws,
    "scale": scale_laws,
}
"""The invariants of an activation besides its formula, by the last part of its name."""
