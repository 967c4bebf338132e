"""Local attention over the patches of an image, applied to a model trained without it (Image
Transformer: Parmar et al. 2018, section 3.3).

The patches are split into query blocks. All queries in a block attend to the same rectangle of
keys: the block and the patches within a window around it. Parmar's decoder attends only to
generated pixels; an encoder has no such order and attends in all directions. [CLS] is not part of
the image: it attends to every patch, and every patch attends to it.
"""

import torch

from model.layers.masks import Allowed


def local_attention(side: int, window: int, block: int = 1) -> Allowed:
    """The mask over [CLS] and `side` x `side` patches: 1 if the key is within `window` rows and
    columns of the query's block of `block` x `block` patches (fewer at the border).
    """
    place = torch.arange(side)
    first = place // block * block
    last = (first + block - 1).clamp(max=side - 1)
    near = (place >= (first - window)[:, None]) & (place <= (last + window)[:, None])
    over_patches = (near[:, None, :, None] & near[None, :, None, :]).flatten(2).flatten(0, 1)
    allowed = torch.ones(1 + side**2, 1 + side**2, dtype=torch.bool)
    allowed[1:, 1:] = over_patches
    return allowed
