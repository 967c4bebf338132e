"""Where the norm stands beside a sub-layer f and the residual connection around it.

A placement is one equation: `post` normalises after the addition, `pre` before the sub-layer. Each
takes and gives a stream [*batch, position, channel]. `scale` is what the stream is multiplied by
where it passes the sub-layer: 1, one number lambda, or Admin's omega [channel]. `bottom` is the
stream at the bottom of the block for the top sub-layer of the block, and 0 for the others.
"""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor

from model.layers.norms import Stream

StreamMap = Callable[[Stream], Stream]
ResidualScale = Float[Tensor, "... channel"] | float
Bottom = Stream | float
Placement = Callable[[Stream, StreamMap, StreamMap, ResidualScale, Bottom], Stream]


def post(x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, bottom: Bottom) -> Stream:
    """LN(x + f(x)) (Vaswani et al. 2017, section 3.1); scaled by omega it is Admin (Liu et al.
    2020, section 4.2).
    """
    return norm(scale * x + f(x))


def pre(x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, bottom: Bottom) -> Stream:
    """x + f(LN(x)) (Xiong et al. 2020, figure 1b)."""
    return scale * x + f(norm(x))


def b2t(x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, bottom: Bottom) -> Stream:
    """LN(x + f(x) + bottom): Post-LN, with a connection from the bottom of a block to its top
    (Takase et al. 2022).
    """
    return norm(scale * x + f(x) + bottom)


def branch(
    x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, bottom: Bottom
) -> Stream:
    """x + LN(f(x)): neither Post-LN nor Pre-LN, though one survey prints it for both."""
    return scale * x + norm(f(x))


def none(x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, bottom: Bottom) -> Stream:
    """x + f(x)."""
    return scale * x + f(x)


PLACEMENTS: dict[str, Placement] = {
    "post": post,
    "pre": pre,
    "admin": post,
    "b2t": b2t,
    "branch": branch,
    "none": none,
}
