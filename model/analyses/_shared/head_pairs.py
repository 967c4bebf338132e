"""All pairs of heads in numbers: their composition beside that of the same pairs with the stream
between them turned at random.
"""

from collections.abc import Sequence
from copy import deepcopy

import torch
from torch import Tensor

from model.answers.answer import Axis, Labelled, Section, numbered
from model.interpretability.circuits.composition import (
    READS,
    HeadSite,
    compositions,
    head_sites,
    readable,
    turned_compositions,
)
from model.interpretability.circuits.qk_ov import HeadMatrices, matrices
from model.transformer import Transformer

DRAWS, BINS = 1000, 40


def composition_section(transformer: Transformer, seed: int) -> Section:
    """The composition of all pairs of heads beside that of the same pairs, turned at random."""
    network = deepcopy(transformer).double()
    sites = head_sites(network)
    heads = all_heads(network, sites)
    found, possible = compositions(heads), readable(sites)
    draws = torch.Generator().manual_seed(seed)
    random = turned_compositions(heads, draws, DRAWS)
    quantile = (random < found).double().mean(0)
    ends = torch.stack([random.amin(0), random.amax(0)])
    counts, centres = histogram(found, random, possible)
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
    expected = network.config.d_model**-0.5
    return Section(axes, tensors, {"pairs": pairs, "expected": expected, "draws": DRAWS})


def all_heads(network: Transformer, sites: Sequence[HeadSite]) -> HeadMatrices:
    """The matrices of all heads, in the order of `sites`."""
    attentions = dict.fromkeys((site.stack, site.layer, site.attention) for site in sites)
    parts = [matrices(getattr(network.stack(s)[at], name)) for s, at, name in attentions]
    sides = ("query", "key", "value", "output")
    return HeadMatrices(*(torch.cat([getattr(one, side) for one in parts]) for side in sides))


def only(possible: Tensor, values: Tensor) -> Tensor:
    """The values of pairs whose writer comes before the reader; -inf for all others."""
    return values.masked_fill(~possible, -torch.inf)


def histogram(found: Tensor, random: Tensor, possible: Tensor) -> tuple[Tensor, list[float]]:
    """The shares of trained and of turned pairs in intervals of equal width, [composition, pairs,
    bin], and the middles of the intervals. All zeros where no head can read another.
    """
    if not possible.any():
        return torch.zeros(len(READS), 2, 1), [0.0]
    every = torch.cat([found[possible], random[:, possible].flatten()])
    low, high = every.min().item(), every.max().item()
    counts = torch.stack(
        [
            torch.stack(
                [
                    torch.histc(values, BINS, low, high) / max(1, values.numel())
                    for values in (found[i][here], random[:, i][:, here].flatten())
                ]
            )
            for i, here in enumerate(possible)
        ]
    )
    width = (high - low) / BINS
    return counts, [round(low + (i + 0.5) * width, 6) for i in range(BINS)]
