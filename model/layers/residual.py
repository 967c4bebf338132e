"""Where the norm is applied: before a sub-layer f, after it, or after the residual connection.

A placement is one equation: `post` normalises after the addition, `pre` before the sub-layer. Each
takes a stream [*batch, position, channel] and returns one. `scale` is the factor of x on the
residual connection: 1, one number lambda, or Admin's omega [channel]. The equations below are
written for scale 1. `bottom` is the input of the block where f is its last sub-layer, and 0 where f
is another; only `b2t` uses it, and `parallel`, in which it is the input of the block for every
sub-layer.
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
    """LN(x + f(x)) (Vaswani et al. 2017, section 3.1). With scale omega it is Admin, LN(omega x +
    f(x)) (Liu et al. 2020, section 4.2).
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


def parallel(
    x: Stream, f: StreamMap, norm: StreamMap, scale: ResidualScale, bottom: Bottom
) -> Stream:
    """x + f(LN(bottom)): every sub-layer reads the input of its block, so that attention and
    feed-forward network can be computed at once (GPT-NeoX, Black et al. 2022, section 2.1.2).
    """
    assert isinstance(bottom, Tensor), "a block puts its input there"
    return scale * x + f(norm(bottom))


PLACEMENTS: dict[str, Placement] = {
    "post": post,
    "pre": pre,
    "admin": post,
    "b2t": b2t,
    "branch": branch,
    "none": none,
}
