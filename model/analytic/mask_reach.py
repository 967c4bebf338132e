"""The receptive field of several layers: the inputs that an output can depend on when every layer
has the same mask.
"""

from collections.abc import Iterator
from itertools import islice

import torch
from jaxtyping import Float
from torch import Tensor

from model.layers.masks import Allowed


def reach(allowed: Allowed, layers: int) -> Allowed:
    """Which inputs each output can depend on after `layers` layers: the boolean power of the square
    mask, including the residual path.
    """
    return next(islice(reaches(allowed), layers, None))


def reaches(allowed: Allowed) -> Iterator[Allowed]:
    """The reach after 0, 1, 2 … layers, endlessly."""
    itself = torch.eye(allowed.shape[-1], dtype=torch.bool)
    step, reached = (allowed | itself).float(), itself.expand(allowed.shape)
    while True:
        yield reached
        reached = (step @ reached.float()) > 0


def layers_needed(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """The smallest number of layers after which an output can depend on an input: 0 for its own,
    -inf if no number suffices.
    """
    needed = torch.full(allowed.shape, -torch.inf)
    most = allowed.shape[-1]  # no path needs more than n - 1 steps
    for layers, reached in enumerate(islice(reaches(allowed), most)):
        new = reached & needed.isneginf()
        if not new.any():
            break
        needed = torch.where(new, float(layers), needed)
    return needed
