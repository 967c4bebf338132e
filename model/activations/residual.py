"""Placements of the norm: the activations around one sub-layer f, and the equation of each
placement.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from model.activations.activation import Activation, stream_activation
from model.activations.derivation import SUM, Rule, copy
from model.activations.norms import norm_activations
from model.activations.residual_scale import LAMBDA, OMEGA, UNSCALED, ResidualScale, Sum
from model.config import Config


@dataclass(frozen=True)
class SubLayer:
    """A sub-layer f in its block: `x` is the name of the stream before it and `after` that of the
    stream after it. The block has the name `scope`, and its positions lie on `axis`.

    `activations` gives those of f itself, from the name of the stream that f reads.
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
        """The stream before the sub-layer, scaled, plus other streams."""
        return Sum(
            (self.x, *others), residual_scale(self.config), f"{self.scope}.shortcut{self.number}"
        )

    @property
    def bottom(self) -> tuple[str, ...]:
        """The name of the block's input, where it is one of the summands."""
        bottom = PLACEMENTS[self.config.placement].bottom and self.last
        return (f"{self.scope}.residual.in",) if bottom else ()

    @property
    def reads(self) -> str:
        """The name of the stream that f reads: the one before it, or in a parallel model the input
        of the block.
        """
        return f"{self.scope}.residual.in" if self.config.parallel else self.x

    def stream(self, more: str, rule: Rule, *operands: str) -> Activation:
        """The stream after the sub-layer."""
        placement = PARALLEL if self.config.parallel else PLACEMENTS[self.config.placement]
        formula = placement.equation("x", self.name, bool(self.bottom))
        sentence = f"The stream after {self.name} has written to it{more}."
        return stream_activation(self.after, self.axis, formula, sentence, rule, *operands)

    def stream_of(self, x: Sum) -> Activation:
        """The stream after the sub-layer, where it is a sum."""
        return self.stream("", x.rule(SUM), *x.operands("channel"))


def norm_of_sum(f: SubLayer) -> Iterator[Activation]:
    """f reads the stream, and the norm is applied to the sum."""
    yield from f.activations(f.x)
    yield from f.norm_activations(f.sum(f.output, *f.bottom))
    yield f.stream(", normalised", copy, f"{f.norm}.out[position channel]")


def norm_of_input(f: SubLayer) -> Iterator[Activation]:
    """f reads the normalised stream."""
    yield from f.norm_activations(Sum((f.reads,)))
    yield from f.activations(f"{f.norm}.out")
    yield f.stream_of(f.sum(f.output, *f.bottom))


def norm_of_branch(f: SubLayer) -> Iterator[Activation]:
    """f reads the stream, and the norm is applied to the output of f."""
    yield from f.activations(f.x)
    yield from f.norm_activations(Sum((f.output,)))
    yield f.stream_of(f.sum(f"{f.norm}.out", *f.bottom))


def no_norm(f: SubLayer) -> Iterator[Activation]:
    """f reads the stream, and no norm is applied."""
    yield from f.activations(f.x)
    yield f.stream_of(f.sum(f.output, *f.bottom))


@dataclass(frozen=True)
class Placement:
    """What is said of one placement: its `formula` and the `activations` around a sub-layer.

    `norm` says what the norm is applied to on the way from the sum or the branch f(x) to the next
    point of the stream. With `bottom` the input of the block is added to its last sub-layer.
    `scale` is the factor of the stream; without it the configuration states the factor.
    """

    formula: str
    activations: Callable[[SubLayer], Iterator[Activation]]
    norm: Literal["sum", "branch"] | None = None
    bottom: bool = False
    scale: ResidualScale | None = None

    def equation(self, x: str, f: str, bottom: bool) -> str:
        """The formula with its symbols filled in; `bottom` says whether the block's input is
        added.
        """
        return self.formula.format(x=x, f=f, bottom=" + bottom" if bottom else "")


PLACEMENTS = {
    "post": Placement("LN({x} + {f}(x))", norm_of_sum, norm="sum"),
    "pre": Placement("{x} + {f}(LN(x))", norm_of_input),
    "admin": Placement("LN({x} + {f}(x))", norm_of_sum, norm="sum", scale=OMEGA),
    "b2t": Placement("LN({x} + {f}(x){bottom})", norm_of_sum, norm="sum", bottom=True),
    "branch": Placement("{x} + LN({f}(x))", norm_of_branch, norm="branch"),
    "none": Placement("{x} + {f}(x)", no_norm),
}
PARALLEL = Placement("{x} + {f}(LN(residual.in))", norm_of_input)


def residual_scale(config: Config) -> ResidualScale:
    """The factor of the stream where it passes a sub-layer."""
    return PLACEMENTS[config.placement].scale or (UNSCALED if config.shortcut == 1 else LAMBDA)
