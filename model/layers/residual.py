"""Placements of the norm besides Post-LN and Pre-LN, which `Block.forward` spells out.

Each is the equation of one sub-layer f, called as placement(x, f, norm, scale, entry, is_last). It
takes a stream x [*batch, position, channel] and returns one. `scale` is the factor of x on the
residual connection: 1, one number lambda, or a vector omega [channel]; the equations below are
written for scale 1. `entry` is the input of the block, and `is_last` says whether f is its last
sub-layer.
"""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor

from model.layers.norms import Stream

StreamMap = Callable[[Stream], Stream]
ResidualScale = Float[Tensor, "... channel"] | float
Placement = Callable[..., Stream]


def b2t(
    x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, entry: Stream, is_last: bool
) -> Stream:
    """LN(x + f(x)), and LN(x + f(x) + entry) for the last sub-layer: Post-LN, with a connection
    from the bottom of a block to its top (Takase et al. 2022).
    """
    return norm(scale * x + f(x) + (entry if is_last else 0.0))


def branch(x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, *_: object) -> Stream:
    """x + LN(f(x)): neither Post-LN nor Pre-LN, though one survey prints it for both."""
    return scale * x + norm(f(x))


def none(x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, *_: object) -> Stream:
    """x + f(x)."""
    return scale * x + f(x)


def parallel(
    x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, entry: Stream, *_: object
) -> Stream:
    """x + f(LN(entry)): every sub-layer reads the input of its block, so that attention and
    feed-forward network can be computed at once (GPT-NeoX, Black et al. 2022, section 2.1.2).
    """
    return scale * x + f(norm(entry))


PLACEMENTS: dict[str, Placement] = {
    "b2t": b2t,
    "branch": branch,
    "none": none,
    "parallel": parallel,
}
"""`Config.parallel`, and not `Config.placement`, chooses the last of them."""
