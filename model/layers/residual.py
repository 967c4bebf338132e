"""Norm placements other than Post-LN and Pre-LN, which `Block.forward` spells out.

Each is the equation of one sub-layer f, called as placement(x, f, norm, scale, block_input,
is_last). It maps a stream x [*batch, position, channel] to a stream. `scale` is the factor of x on
the residual connection: 1, a number lambda, or a vector omega [channel]. The equations below are
for scale 1. `is_last` is True for the last sub-layer of a block.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float
from torch import Tensor

from model.activations.activation import Activation, stream_activation
from model.activations.derivation import SUM, Rule, copy
from model.activations.residual_scale import LAMBDA, OMEGA, UNSCALED, ResidualScale, Sum
from model.config import Config
from model.layers.norms import Stream, norm_activations

StreamMap = Callable[[Stream], Stream]
Scale = Float[Tensor, "... channel"] | float


def b2t(
    x: Stream, f: StreamMap, norm: StreamMap, scale: Scale, block_input: Stream, is_last: bool
) -> Stream:
    """LN(x + f(x)), and LN(x + f(x) + block_input) for the last sub-layer: Post-LN plus a residual
    connection around the whole block (Takase et al. 2022).
    """
    return norm(scale * x + f(x) + (block_input if is_last else 0.0))


def branch(x: Stream, f: StreamMap, norm: StreamMap, scale: Scale, *_: object) -> Stream:
    """x + LN(f(x)): neither Post-LN nor Pre-LN, although one survey prints it for both."""
    return scale * x + norm(f(x))


def none(x: Stream, f: StreamMap, norm: StreamMap, scale: Scale, *_: object) -> Stream:
    """x + f(x)."""
    return scale * x + f(x)


def parallel(
    x: Stream, f: StreamMap, norm: StreamMap, scale: Scale, block_input: Stream, *_: object
) -> Stream:
    """x + f(LN(block_input)): every sub-layer reads the block's input, so attention and the
    feed-forward network can run in parallel (GPT-NeoX, Black et al. 2022, section 2.1.2).
    """
    return scale * x + f(norm(block_input))


@dataclass(frozen=True)
class SubLayer:
    """A sub-layer f in its block: `x` and `after` name the stream before and after it. The block is
    named `scope`, and its positions are on `axis`.

    `activations` returns those of f itself, given the name of its input stream.
    """

    config: Config
    scope: str
    axis: str
    number: int
    name: str
    x: str
    last: bool
    activations: Callable[[str], Iterator[Activation]]

    @property
    def after(self) -> str:
        return f"{self.scope}.residual.{'out' if self.last else f'after_{self.name}'}"

    @property
    def norm(self) -> str:
        return f"{self.scope}.norm{self.number}"

    @property
    def output(self) -> str:
        return f"{self.scope}.{self.name}.out"

    def norm_activations(self, x: Sum) -> Iterator[Activation]:
        """The activations of this sub-layer's norm, applied to `x`."""
        return norm_activations(self.config, self.norm, self.axis, x)

    def sum(self, *others: str) -> Sum:
        """The stream before the sub-layer, scaled, plus the other summands."""
        return Sum(
            (self.x, *others), residual_scale(self.config), f"{self.scope}.shortcut{self.number}"
        )

    @property
    def block_input(self) -> tuple[str, ...]:
        """The name of the block's input, if it is one of the summands."""
        block_input = PLACEMENTS[self.config.placement].block_input and self.last
        return (f"{self.scope}.residual.in",) if block_input else ()

    @property
    def reads(self) -> str:
        """The name of the input of f: the stream before it, or in a parallel model the block's
        input.
        """
        return f"{self.scope}.residual.in" if self.config.parallel else self.x

    def stream(self, more: str, rule: Rule, *operands: str) -> Activation:
        """The stream after the sub-layer."""
        formula = placement_of(self.config).formula_for("x", self.name, bool(self.block_input))
        sentence = f"The stream after {self.name} has written to it{more}."
        return stream_activation(self.after, self.axis, formula, sentence, rule, *operands)

    def stream_of(self, x: Sum) -> Activation:
        """The stream after the sub-layer, if it is a sum."""
        return self.stream("", x.rule(SUM), *x.operands("channel"))


def norm_of_sum(f: SubLayer) -> Iterator[Activation]:
    """f reads the stream; the norm is applied to the sum."""
    yield from f.activations(f.x)
    yield from f.norm_activations(f.sum(f.output, *f.block_input))
    yield f.stream(", normalised", copy, f"{f.norm}.out[position channel]")


def norm_of_input(f: SubLayer) -> Iterator[Activation]:
    """f reads the normalized stream."""
    yield from f.norm_activations(Sum((f.reads,)))
    yield from f.activations(f"{f.norm}.out")
    yield f.stream_of(f.sum(f.output, *f.block_input))


def norm_of_branch(f: SubLayer) -> Iterator[Activation]:
    """f reads the stream; the norm is applied to the output of f."""
    yield from f.activations(f.x)
    yield from f.norm_activations(Sum((f.output,)))
    yield f.stream_of(f.sum(f"{f.norm}.out", *f.block_input))


def no_norm(f: SubLayer) -> Iterator[Activation]:
    """f reads the stream; no norm is applied."""
    yield from f.activations(f.x)
    yield f.stream_of(f.sum(f.output, *f.block_input))


@dataclass(frozen=True)
class Placement:
    """A norm placement: its `formula`, the `activations` around a sub-layer, and its `equation`,
    which `Block.forward` spells out for Post-LN and Pre-LN.

    `norm` says what the norm is applied to between the sum or the branch f(x) and the next point of
    the stream. With `block_input`, the block's input is added at its last sub-layer. `scale` is the
    factor of the stream, by default the one in the configuration.
    """

    formula: str
    activations: Callable[[SubLayer], Iterator[Activation]]
    norm: Literal["sum", "branch"] | None = None
    block_input: bool = False
    scale: ResidualScale | None = None
    equation: Callable[..., Stream] | None = None

    def __call__(self, *of_sublayer: object) -> Stream:
        assert self.equation is not None, "Block.forward spells it out"
        return self.equation(*of_sublayer)

    def formula_for(self, x: str, f: str, block_input: bool) -> str:
        """The formula with its symbols filled in; `block_input` says whether to add the block's
        input.
        """
        return self.formula.format(x=x, f=f, bottom=" + bottom" if block_input else "")


PLACEMENTS = {
    "post": Placement("LN({x} + {f}(x))", norm_of_sum, norm="sum"),
    "pre": Placement("{x} + {f}(LN(x))", norm_of_input),
    "admin": Placement("LN({x} + {f}(x))", norm_of_sum, norm="sum", scale=OMEGA),
    "b2t": Placement(
        "LN({x} + {f}(x){bottom})", norm_of_sum, norm="sum", block_input=True, equation=b2t
    ),
    "branch": Placement("{x} + LN({f}(x))", norm_of_branch, norm="branch", equation=branch),
    "none": Placement("{x} + {f}(x)", no_norm, equation=none),
    "parallel": Placement("{x} + {f}(LN(residual.in))", norm_of_input, equation=parallel),
}
"""The last of them is selected by `Config.parallel`, not by `Config.placement`."""


def placement_of(config: Config) -> Placement:
    return PLACEMENTS["parallel" if config.parallel else config.placement]


def residual_scale(config: Config) -> ResidualScale:
    """The scale of the residual connection around a sub-layer."""
    return PLACEMENTS[config.placement].scale or (UNSCALED if config.shortcut == 1 else LAMBDA)
