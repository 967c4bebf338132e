"""Composition scores of all pairs of heads, compared with the same pairs after random rotations of
the stream between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Axis, Labelled, Section, numbered
from model.interpretability.circuits.composition import (
    CIRCUIT,
    READS,
    HeadSite,
    Spectra,
    compositions,
    head_sites,
    readable,
    rotated_compositions,
    spectra_of,
)
from model.interpretability.circuits.qk_ov import HeadMatrices, matrices
from model.transformer import Transformer

DRAWS, BINS, AT_ONCE = 1000, 40, 8


def composition_section(transformer: Transformer, seed: int) -> Section:
    """The composition of all pairs of heads, compared with the same pairs after random
    rotations.
    """
    sites = head_sites(transformer)
    heads = all_heads(transformer, sites)
    possible = readable(sites)
    with progress.part(0, 0.4):
        found = compositions(heads)
    rotated = RotatedPairs(spectra_of(heads), seed)
    with progress.part(0.4, 0.7):
        quantile, ends = beside_rotated(found, rotated)
    with progress.part(0.7, 1):
        counts, centres = histogram(found, rotated, ends, possible)
    where = ("composition", "reader", "writer")
    names = [str(site) for site in sites]
    axes = {
        "composition": Axis("step", len(READS), list(READS)),
        "reader": Axis("head", len(names), names),
        "writer": Axis("head", len(names), names),
        "end": Axis("step", 2, ["smallest", "largest"]),
        "pairs": Axis("step", 2, ["trained", "turned at random"]),
        "bin": numbered("step", centres, "composition"),
    }
    tensors = {
        "composition": Labelled(
            where, only(possible, found), "|W_OV R| / (|W_OV| |R|), R = W_QK, W_QK^T, W_OV", True
        ),
        "quantile": Labelled(
            where, only(possible, quantile), f"share of {DRAWS} turned pairs below", True
        ),
        "random": Labelled(
            ("end", *where),
            only(possible.expand(2, *possible.shape), ends),
            f"smallest and largest of {DRAWS} turned pairs",
            True,
        ),
        "histogram": Labelled(
            ("composition", "pairs", "bin"), counts, "share of the pairs in each interval"
        ),
    }
    pairs = {
        read: {
            "pairs": int(possible[i].sum()),
            "compose": int((quantile[i][possible[i]] == 1).sum()),
            "avoid": int((quantile[i][possible[i]] == 0).sum()),
            "by_chance": possible[i].sum().item() / (DRAWS + 1),
        }
        for i, read in enumerate(READS)
    }
    expected = transformer.config.d_model**-0.5
    return Section(axes, tensors, {"pairs": pairs, "expected": expected, "draws": DRAWS})


def all_heads(network: Transformer, sites: Sequence[HeadSite]) -> HeadMatrices:
    """The matrices of all heads in float64, in the order of `sites`."""
    attentions = dict.fromkeys((site.stack, site.layer, site.attention) for site in sites)
    parts = [matrices(getattr(network.stack(s)[at], name)) for s, at, name in attentions]
    sides = ("query", "key", "value", "output")
    return HeadMatrices(
        *(torch.cat([getattr(part, side).double() for part in parts]) for side in sides)
    )


@dataclass(frozen=True)
class RotatedPairs:
    """The scores of all pairs with the stream rotated randomly: DRAWS samples with `seed`, a few at
    a time, because those of a large model do not fit into memory at once.
    """

    spectra: Spectra
    seed: int

    def __iter__(self) -> Iterator[Float[Tensor, "draw circuit reader writer"]]:
        draws = torch.Generator().manual_seed(self.seed)
        for _ in progress.steps(range(DRAWS // AT_ONCE)):
            yield rotated_compositions(self.spectra, draws, AT_ONCE)


def beside_rotated(found: Tensor, rotated: RotatedPairs) -> tuple[Tensor, Tensor]:
    """The fraction of rotated pairs below each pair, and their minimum and maximum."""
    below, ends = torch.zeros_like(found), torch.zeros(2, *found[:2].shape, dtype=found.dtype)
    ends[0] = torch.inf
    for random in rotated:
        for draw in random:
            for i, circuit in enumerate(CIRCUIT):
                below[i] += draw[circuit] < found[i]
            torch.minimum(ends[0], draw, out=ends[0])
            torch.maximum(ends[1], draw, out=ends[1])
    return below / DRAWS, ends[:, CIRCUIT]


def only(possible: Tensor, values: Tensor) -> Tensor:
    """The values of pairs whose writer precedes the reader; -inf for all others."""
    return values.masked_fill(~possible, -torch.inf)


def histogram(
    found: Tensor, rotated: RotatedPairs, ends: Tensor, possible: Tensor
) -> tuple[Tensor, list[float]]:
    """The fractions of trained and rotated pairs in bins of equal width, [composition, pairs, bin],
    and the bin centers. All zeros if no head can read another.
    """
    if not possible.any():
        return torch.zeros(len(READS), 2, 1), [0.0]
    low = min(values[possible].min().item() for values in (found, ends[0]))
    high = max(values[possible].max().item() for values in (found, ends[1]))
    counts = torch.zeros(len(READS), 2, BINS, dtype=torch.double)
    for i, here in enumerate(possible):
        counts[i, 0] = torch.histc(found[i][here], BINS, low, high)
    alike = torch.equal(possible[0], possible[1])  # Q- and K-composition have the same rotations
    for random in rotated:
        for i in (1, 2) if alike else (0, 1, 2):
            some = random[:, CIRCUIT[i]].masked_select(possible[i])
            counts[i, 1] += torch.histc(some, BINS, low, high)
    if alike:
        counts[0, 1] = counts[1, 1]
    pairs = possible.sum((1, 2)).clamp(min=1)[:, None, None]
    width = (high - low) / BINS
    shares = counts / pairs / torch.tensor([1, DRAWS])[:, None]
    return shares, [round(low + (i + 0.5) * width, 6) for i in range(BINS)]
