"""Normalization of each token's vector: three norms, each over the channels."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.activations.activation import Activation, stream_activation
from model.activations.derivation import Cell, Rule, Step, number, rule, total, typeset
from model.activations.residual_scale import Sum
from model.config import Config
from model.trace import OFF, Trace

Stream = Float[Tensor, "*batch position channel"]


class LayerNorm(nn.Module):
    """y = (x - mean) / scale * gain + bias, scale = sqrt(variance + epsilon), over the channels of
    one token (Ba et al. 2016).
    """

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        mean = trace("mean", x.mean(dim=-1))
        centred = x - mean[..., None]
        scale = trace("scale", (centred.square().mean(dim=-1) + self.epsilon).sqrt())
        return trace("out", centred / scale[..., None] * self.gain + self.bias)


class RMSNorm(nn.Module):
    """y = x / scale * gain, scale = sqrt(mean of squares + epsilon): the mean is not subtracted
    (Zhang and Sennrich 2019; T5).
    """

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        scale = trace("scale", (x.square().mean(dim=-1) + self.epsilon).sqrt())
        return trace("out", x / scale[..., None] * self.gain)


class ScaleNorm(nn.Module):
    """y = gain x / max(|x|, epsilon), with one gain for all channels, initially sqrt(d_model)
    (Nguyen and Salazar 2019).
    """

    def __init__(self, d_model: int, epsilon: float):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(math.sqrt(d_model)))
        self.epsilon = epsilon

    def forward(self, x: Stream, trace: Trace = OFF) -> Stream:
        scale = trace("scale", x.norm(dim=-1).clamp_min(self.epsilon))
        return trace("out", self.gain * x / scale[..., None])


class NoNorm:
    """y = x, called like a norm in a model without norms. It records nothing, and it is not a
    module, so a model's list of parts omits it.
    """

    def __call__(self, x: Stream, trace: Trace = OFF) -> Stream:
        return x


AnyNorm = LayerNorm | RMSNorm | ScaleNorm


def make_norm(config: Config) -> AnyNorm:
    return NORMS[config.norm.name].module(config.d_model, config.norm.epsilon)


def make_final_norm(config: Config) -> AnyNorm | NoNorm:
    return make_norm(config) if config.has_final_norm else NoNorm()


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
    epsilon = number(cell.config.norm.epsilon)
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
    x, epsilon = total(summands), number(cell.config.norm.epsilon)
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
    """sqrt(mean of (x - mean)^2 + epsilon) when an intervention has replaced the mean of x; x is
    the sum of all operands except the last.
    """
    *summands, mean = operands
    x, epsilon = total(summands), number(cell.config.norm.epsilon)
    square = (x - mean).square().mean()
    return [
        Step("x", "sum of operands", x),
        Step("square", "mean of (x - mean)^2", square),
        Step("epsilon", "epsilon", epsilon),
        Step("value", "sqrt(square + epsilon)", (square + epsilon).sqrt()),
    ]


@rule
def length(cell: Cell, *summands: Tensor) -> list[Step]:
    """The Euclidean norm of one token's vector, at least epsilon."""
    x = total(summands)
    return [
        Step("x", "sum of operands", x),
        Step("value", "|x|", x.norm().clamp(min=cell.config.norm.epsilon)),
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
    """A statistic that a norm computes for each token."""

    name: str
    formula: str
    sentence: str
    rule: Rule


@dataclass(frozen=True)
class Norm:
    """A norm: its module, its statistics, the formula and rule of its output, and its `weights` as
    operands of one entry. `linear` is the linear map A in norm(x) = A x / scale + bias with the
    scale held fixed.
    """

    module: type[AnyNorm]
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
        LayerNorm,
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
        RMSNorm,
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
        ScaleNorm,
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
    """The statistics and the output of the norm of the sum `x`, named `scope`.*. The weights are
    the parameters of `module`, by default `scope`.
    """
    norm = NORMS[config.norm.name]
    about = x.rule(scale_about), (*x.operands("*"), f"{scope}.mean[position]")
    for statistic in norm.statistics:
        yield Activation(
            f"{scope}.{statistic.name}",
            ("position",),
            (axis,),
            statistic.formula,
            statistic.sentence,
            x.rule(statistic.rule),
            x.operands("*"),
            under_edits={f"{scope}.mean": about} if statistic.rule is scale else {},
        )
    yield stream_activation(
        f"{scope}.out",
        axis,
        norm.formula,
        "The normalized vector.",
        x.rule(norm.rule),
        *x.operands("channel"),
        *(f"{scope}.{statistic.name}[position]" for statistic in norm.statistics),
        *(f"{module or scope}.{weight}" for weight in norm.weights),
    )
