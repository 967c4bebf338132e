"""The position-wise feed-forward network: two linear maps with an activation function between
them, applied to the vector of each token separately, with the same weights.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from model.activations.activation import Activation, linear_operands, plus_bias
from model.activations.derivation import Cell, Rule, Step, rule, typeset
from model.config import Config
from model.layers.context import Context
from model.layers.linear import make_linear
from model.trace import OFF, Trace


class FeedForward(nn.Module):
    """FFN(x) = f(x W_1 + b_1) W_2 + b_2. The paper's f is ReLU, f(x) = max(0, x) (Vaswani et al.
    2017, equation 2). W_1 is `hidden`, W_2 is `output`, and `context` is unused.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.hidden = make_linear(config, config.d_model, config.d_ff, "feed_forward")
        self.output = make_linear(config, config.d_ff, config.d_model, "feed_forward")
        self.activation = ACTIVATIONS[config.activation]

    def forward(
        self, x: Float[Tensor, "*batch channel"], context: Context | None = None, trace: Trace = OFF
    ) -> Float[Tensor, "*batch channel"]:
        pre = trace("pre", self.hidden(x))
        post = trace("post", self.activation(pre))
        return trace("out", self.output(post))


class GatedFeedForward(FeedForward):
    """FFN(x) = (f(x W_g) * x W_1) W_2, here without biases. f is the activation function and * the
    elementwise product: the gate f(x W_g) scales each component of x W_1 (Dauphin et al. 2017;
    Shazeer 2020, equation 6).
    """

    def __init__(self, config: Config):
        super().__init__(config)
        self.gate = make_linear(config, config.d_model, config.d_ff, "feed_forward")

    def forward(
        self, x: Float[Tensor, "*batch channel"], context: Context | None = None, trace: Trace = OFF
    ) -> Float[Tensor, "*batch channel"]:
        gate = trace("gate", self.gate(x))
        pre = trace("pre", self.hidden(x))
        post = trace("post", self.activation(gate) * pre)
        return trace("out", self.output(post))


def make_feed_forward(config: Config) -> FeedForward:
    return (GatedFeedForward if config.gated else FeedForward)(config)


@typeset("max(0, {0} ) = {value}")
@rule
def relu_steps(cell: Cell, x: Tensor) -> list[Step]:
    """max(0, x)."""
    return [Step("value", "max(0, x)", x.clamp(min=0))]


@typeset("{0} × {share} = {value}")
@rule
def gelu_steps(cell: Cell, x: Tensor) -> list[Step]:
    """x Phi(x), Phi the distribution function of N(0, 1)."""
    share = torch.special.ndtr(x)
    return [Step("share", "Phi(x)", share), Step("value", "x share", x * share)]


@typeset("{0} × {share} = {value}")
@rule
def gelu_tanh_steps(cell: Cell, x: Tensor) -> list[Step]:
    """The tanh approximation of GELU."""
    share = (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh()) / 2
    return [
        Step("share", "(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2", share),
        Step("value", "x share", x * share),
    ]


@typeset("{0} × {share} = {value}")
@rule
def silu_steps(cell: Cell, x: Tensor) -> list[Step]:
    """x / (1 + e^-x)."""
    share = x.sigmoid()
    return [Step("share", "1 / (1 + e^-x)", share), Step("value", "x share", x * share)]


@dataclass(frozen=True)
class ActivationFunction:
    """An activation function, its formula with {0} for the argument, and its rule."""

    function: Callable[[Tensor], Tensor]
    formula: str
    rule: Rule

    def __call__(self, x: Tensor) -> Tensor:
        return self.function(x)


ACTIVATIONS = {
    "relu": ActivationFunction(functional.relu, "max(0, {0})", relu_steps),
    "gelu": ActivationFunction(functional.gelu, "{0} Phi({0})", gelu_steps),
    "gelu_tanh": ActivationFunction(
        lambda x: functional.gelu(x, approximate="tanh"),
        "{0} (1 + tanh(sqrt(2/pi) ({0} + 0.044715 {0}^3))) / 2",
        gelu_tanh_steps,
    ),
    "silu": ActivationFunction(functional.silu, "{0} / (1 + e^-{0})", silu_steps),
}


def gated(function: Rule) -> Rule:
    """The rule of a gated unit: the activated gate times the unit's linear output."""

    def derive(cell: Cell, gate: Tensor, pre: Tensor) -> list[Step]:
        *before, opened = function(cell, gate)
        return [
            *before,
            Step("opened", opened.formula, opened.value),
            Step("value", "opened pre", opened.value * pre),
        ]

    return Rule(f"{function.name}.gated", derive)


def feed_forward_activations(config: Config, scope: str, x: str, axis: str) -> Iterator[Activation]:
    """The activations of the feed-forward network `scope` on the stream `x`."""

    def activation(
        name: str, width: str, formula: str, sentence: str, rule: Rule, *operands: str
    ) -> Activation:
        return Activation(
            f"{scope}.{name}", ("position", width), (axis, width), formula, sentence, rule, operands
        )

    def linear(
        name: str, width: str, formula: str, sentence: str, read: str, part: str
    ) -> Activation:
        rule, operands = linear_operands(
            config, f"{read}[position *]", f"{scope}.{part}", width, "feed_forward"
        )
        return activation(name, width, formula, sentence, rule, *operands)

    function = ACTIVATIONS[config.activation]
    formula, rule, operands = (
        function.formula.format("pre"),
        function.rule,
        (f"{scope}.pre[position hidden]",),
    )
    if config.gated:
        yield linear(
            "gate",
            "hidden",
            f"x W_g{plus_bias(config, 'b_g', 'feed_forward')}",
            "How far each neuron's gate opens.",
            x,
            "gate",
        )
        formula, rule, operands = (
            f"{function.formula.format('gate')} pre",
            gated(function.rule),
            (f"{scope}.gate[position hidden]", *operands),
        )
    yield linear(
        "pre",
        "hidden",
        f"x W_1{plus_bias(config, 'b_1', 'feed_forward')}",
        "How well the token fits each neuron.",
        x,
        "hidden",
    )
    sentence = "How strongly each neuron fires."
    yield activation("post", "hidden", formula, sentence, rule, *operands)
    yield linear(
        "out",
        "channel",
        f"post W_2{plus_bias(config, 'b_2', 'feed_forward')}",
        "What the feed-forward writes to the stream.",
        f"{scope}.post",
        "output",
    )
