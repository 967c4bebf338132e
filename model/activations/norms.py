"""Norms: mean, scale and output of a norm, and the derivation of one number of each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from model.activations.activation import Activation, stream_activation
from model.activations.derivation import Cell, Rule, Step, number, rule, total, typeset
from model.activations.residual_scale import Sum
from model.config import Config
from model.layers.norms import AnyNorm

Parts = Float[Tensor, "part position channel"]


@typeset("Σ / n = {value}")
@rule
def mean(cell: Cell, *summands: Tensor) -> list[Step]:
    """The mean over the channels of one token."""
    x = total(summands)
    return [Step("x", "sum of operands", x), Step("value", "mean of x", x.mean())]


@typeset("√( {variance} + {epsilon} ) = {value}")
@rule
def scale(cell: Cell, *summands: Tensor) -> list[Step]:
    """sqrt(variance + epsilon), over the channels of one token."""
    x = total(summands)
    variance = x.var(correction=0)
    epsilon = number(cell.config.norm_epsilon)
    return [
        Step("x", "sum of operands", x),
        Step("variance", "mean of (x - mean)^2", variance),
        Step("epsilon", "epsilon", epsilon),
        Step("value", "sqrt(variance + epsilon)", (variance + epsilon).sqrt()),
    ]


@typeset("√( {square} + {epsilon} ) = {value}")
@rule
def root_mean_square(cell: Cell, *summands: Tensor) -> list[Step]:
    """sqrt(mean of squares + epsilon), over the channels of one token."""
    x, epsilon = total(summands), number(cell.config.norm_epsilon)
    square = x.square().mean()
    return [
        Step("x", "sum of operands", x),
        Step("square", "mean of x^2", square),
        Step("epsilon", "epsilon", epsilon),
        Step("value", "sqrt(square + epsilon)", (square + epsilon).sqrt()),
    ]


@typeset("√( {square} + {epsilon} ) = {value}")
@rule
def scale_about(cell: Cell, *operands: Tensor) -> list[Step]:
    """sqrt(mean of (x - mean)^2 + epsilon) for a mean that an edit has set, which is the mean of x
    no longer; x is the sum of all operands before the last.
    """
    *summands, mean = operands
    x, epsilon = total(summands), number(cell.config.norm_epsilon)
    square = (x - mean).square().mean()
    return [
        Step("x", "sum of operands", x),
        Step("square", "mean of (x - mean)^2", square),
        Step("epsilon", "epsilon", epsilon),
        Step("value", "sqrt(square + epsilon)", (square + epsilon).sqrt()),
    ]


@rule
def length(cell: Cell, *summands: Tensor) -> list[Step]:
    """The Euclidean length of one token's vector, epsilon at least."""
    x = total(summands)
    return [
        Step("x", "sum of operands", x),
        Step("value", "|x|", x.norm().clamp(min=cell.config.norm_epsilon)),
    ]


@typeset("{..-4} = {x}", "( {x} − {-4} ) ÷ {-3} = {normal}", "{normal} × {-2} + {-1} = {value}")
@typeset("( {0} − {-4} ) ÷ {-3} = {normal}", "{normal} × {-2} + {-1} = {value}")
@rule
def normalise(cell: Cell, *operands: Tensor) -> list[Step]:
    """(x - mean) / scale * gain + bias; x is the sum of all operands before the last four."""
    *summands, mean, scale, gain, bias = operands
    x = total(summands)
    steps = [Step("x", "sum of the stream and what was written", x)] if len(summands) > 1 else []
    normal = (x - mean) / scale
    return [
        *steps,
        Step("normal", "(x - mean) / scale", normal),
        Step("value", "normal * gain + bias", normal * gain + bias),
    ]


@rule
def rescale(cell: Cell, *operands: Tensor) -> list[Step]:
    """x / scale * gain; x is the sum of all operands before the last two."""
    *summands, scale, gain = operands
    normal = total(summands) / scale
    return [Step("normal", "x / scale", normal), Step("value", "normal gain", normal * gain)]


@dataclass(frozen=True)
class Statistic:
    """A number of each token that a norm computes from the token's vector."""

    name: str
    formula: str
    sentence: str
    rule: Rule


@dataclass(frozen=True)
class Norm:
    """The description of one norm: its statistics, the formula and rule of its output, and its
    `weights` as operands of one cell. `linear` is the linear map A in norm(x) = A x / scale + bias,
    where scale is held fixed.
    """

    statistics: tuple[Statistic, ...]
    formula: str
    rule: Rule
    weights: tuple[str, ...]
    linear: Callable[[AnyNorm, Parts], Parts]

    @property
    def has_bias(self) -> bool:
        return "bias[channel]" in self.weights


NORMS = {
    "layer": Norm(
        statistics=(
            Statistic("mean", "mean of x", "The mean over the channels of one token.", mean),
            Statistic(
                "scale",
                "sqrt(var x + epsilon)",
                "The spread over the channels of one token.",
                scale,
            ),
        ),
        formula="(x - mean) / scale * gain + bias",
        rule=normalise,
        weights=("gain[channel]", "bias[channel]"),
        linear=lambda norm, x: (x - x.mean(dim=-1, keepdim=True)) * norm.gain,
    ),
    "rms": Norm(
        statistics=(
            Statistic(
                "scale",
                "sqrt(mean of x^2 + epsilon)",
                "The root mean square over the channels of one token.",
                root_mean_square,
            ),
        ),
        formula="x / scale * gain",
        rule=rescale,
        weights=("gain[channel]",),
        linear=lambda norm, x: x * norm.gain,
    ),
    "scale": Norm(
        statistics=(Statistic("scale", "|x|", "The length of one token's vector.", length),),
        formula="gain x / scale",
        rule=rescale,
        weights=("gain[]",),
        linear=lambda norm, x: x * norm.gain,
    ),
}


def norm_activations(
    config: Config, scope: str, axis: str, x: Sum, module: str = ""
) -> Iterator[Activation]:
    """The statistics and the output of the norm of the sum `x`, under the names `scope`.*. The
    weights belong to the parameters of `module`, which is `scope` unless stated.
    """
    norm = NORMS[config.norm]
    about = x.rule(scale_about), (*x.operands("*"), f"{scope}.mean[position]")
    for one in norm.statistics:
        yield Activation(
            f"{scope}.{one.name}",
            ("position",),
            (axis,),
            one.formula,
            one.sentence,
            x.rule(one.rule),
            x.operands("*"),
            under_edits={f"{scope}.mean": about} if one.rule is scale else {},
        )
    yield stream_activation(
        f"{scope}.out",
        axis,
        norm.formula,
        "The normalised vector.",
        x.rule(norm.rule),
        *x.operands("channel"),
        *(f"{scope}.{one.name}[position]" for one in norm.statistics),
        *(f"{module or scope}.{weight}" for weight in norm.weights),
    )
