"""Similarity of a column's categories in a model: their vectors as points in a plane."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.transformer import Transformer

MIN_OPTIONS = 4
"""With fewer categories, a plane shows nothing."""


@dataclass(frozen=True)
class Plane:
    """The categories of a column on the two directions of largest variance.

    `shares` are the fractions of variance along the two, and `nearest` is for each category the
    index of the one with the nearest full vector.
    """

    places: Float[Tensor, "category component"]
    shares: tuple[float, float]
    nearest: list[int]


def plane(vectors: Float[Tensor, "category channel"]) -> Plane:
    """Principal components (Pearson 1901): (W - mean) V with W - mean = U S V^T, the first two
    columns. The sign of each is that of its largest entry, so that it does not depend on the
    library.
    """
    centred = (vectors - vectors.mean(0)).double()
    u, s, _ = torch.linalg.svd(centred, full_matrices=False)
    places = (u * s)[:, :2]
    places = places * places.gather(0, places.abs().argmax(0, keepdim=True)).sign()
    shares = (s**2 / (s**2).sum())[:2].tolist()
    distance = torch.cdist(centred, centred).fill_diagonal_(torch.inf)
    return Plane(places, (shares[0], shares[1]), distance.argmin(1).tolist())


def planes(model: Transformer) -> dict[int, Plane]:
    """The plane of each categorical column, keyed by its index among these, for those with enough
    categories. The category for missing values is excluded.
    """
    table, start, found = model.embedding.token.categories.table, 0, {}
    for place, size in enumerate(model.config.columns.categories):
        if size - 1 >= MIN_OPTIONS:
            found[place] = plane(table[start : start + size - 1])
        start += size
    return found
