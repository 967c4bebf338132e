"""Where the norm stands beside a sub-layer f and the residual connection around it.

A placement is one equation: `post` normalises after the addition, `pre` before the sub-layer. Each
takes and gives a stream [*batch, position, channel]. `scale` is what the stream is multiplied by
where it passes the sub-layer: 1, one number lambda, or Admin's omega [channel].
"""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor

from model.layers.norms import Stream

SubLayer = Callable[[Stream], Stream]
ResidualScale = Float[Tensor, "... channel"] | float


def post(x: Stream, f: SubLayer, norm: SubLayer, scale: ResidualScale) -> Stream:
    """LN(x + f(x)) (Vaswani et al. 2017, section 3.1); scaled by omega it is Admin (Liu et al.
    2020, section 4.2).
    """
    return norm(scale * x + f(x))


def pre(x: Stream, f: SubLayer, norm: SubLayer, scale: ResidualScale) -> Stream:
    """x + f(LN(x)) (Xiong et al. 2020, figure 1b)."""
    return scale * x + f(norm(x))


def branch(x: Stream, f: SubLayer, norm: SubLayer, scale: ResidualScale) -> Stream:
    """x + LN(f(x)): neither Post-LN nor Pre-LN, though one survey prints it for both."""
    return scale * x + norm(f(x))


def none(x: Stream, f: SubLayer, norm: SubLayer, scale: ResidualScale) -> Stream:
    """x + f(x)."""
    return scale * x + f(x)


PLACEMENTS = {"post": post, "pre": pre, "admin": post, "b2t": post, "branch": branch, "none": none}
"""In a B2T model the last sub-layer of a block has an equation of its own: B2TBlock."""
