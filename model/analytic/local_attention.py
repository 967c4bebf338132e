"""Local attention over the patches of an image, laid over a model that was trained without it
(Image Transformer: Parmar et al. 2018, section 3.3).

The patches are cut into query blocks. All queries of a block see the same rectangle of keys: the
block itself and so many patches around it. Parmar's decoder sees only what it has written; an
encoder has no such order, and sees to all sides. [CLS] is no part of the image: it sees every patch
and every patch sees it.
"""

import torch

from model.layers.masks import Allowed


def local_attention(side: int, window: int, block: int = 1) -> Allowed:
    """The mask over [CLS] and `side` x `side` patches: 1 where a key lies within `window` rows and
    columns of the query's block, which has `block` x `block` patches, fewer at the border.
    """
    place = torch.arange(side)
    first = place // block * block
    last = (first + block - 1).clamp(max=side - 1)
    near = (place >= (first - window)[:, None]) & (place <= (last + window)[:, None])
    over_patches = (near[:, None, :, None] & near[None, :, None, :]).flatten(2).flatten(0, 1)
    allowed = torch.ones(1 + side**2, 1 + side**2, dtype=torch.bool)
    allowed[1:, 1:] = over_patches
    return allowed
