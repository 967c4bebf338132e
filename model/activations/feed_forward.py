"""The feed-forward network: its activations, and formula and derivation of each activation
function.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from model.activations.activation import Activation, linear_operands, plus_bias
from model.activations.derivation import Cell, Rule, Step, rule, typeset
from model.config import Config


@typeset("max(0, {0} ) = {value}")
@rule
def relu(cell: Cell, x: Tensor) -> list[Step]:
    """max(0, x)."""
    return [Step("value", "max(0, x)", x.clamp(min=0))]


@typeset("{0} × {share} = {value}")
@rule
def gelu(cell: Cell, x: Tensor) -> list[Step]:
    """x Phi(x), Phi the distribution function of N(0, 1)."""
    share = torch.special.ndtr(x)
    return [Step("share", "Phi(x)", share), Step("value", "x share", x * share)]


@typeset("{0} × {share} = {value}")
@rule
def gelu_tanh(cell: Cell, x: Tensor) -> list[Step]:
    """The approximation of gelu by a hyperbolic tangent."""
    share = (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh()) / 2
    return [
        Step("share", "(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2", share),
        Step("value", "x share", x * share),
    ]


@typeset("{0} × {share} = {value}")
@rule
def silu(cell: Cell, x: Tensor) -> list[Step]:
    """x / (1 + e^-x)."""
    share = x.sigmoid()
    return [Step("share", "1 / (1 + e^-x)", share), Step("value", "x share", x * share)]


@dataclass(frozen=True)
class ActivationFunction:
    """The description of one activation function: its formula, in which {0} is the argument, and
    its rule.
    """

    formula: str
    rule: Rule


ACTIVATIONS = {
    "relu": ActivationFunction("max(0, {0})", relu),
    "gelu": ActivationFunction("{0} Phi({0})", gelu),
    "gelu_tanh": ActivationFunction(
        "{0} (1 + tanh(sqrt(2/pi) ({0} + 0.044715 {0}^3))) / 2", gelu_tanh
    ),
    "silu": ActivationFunction("{0} / (1 + e^-{0})", silu),
}


def gated(function: Rule) -> Rule:
    """The rule of a gated unit: the activation of the gate, times the unit's own number."""

    def derive(cell: Cell, gate: Tensor, pre: Tensor) -> list[Step]:
        *before, opened = function(cell, gate)
        return [
            *before,
            Step("opened", opened.formula, opened.value),
            Step("value", "opened pre", opened.value * pre),
        ]

    return Rule(f"{function.name}.gated", derive)


def feed_forward_activations(config: Config, scope: str, x: str, axis: str) -> Iterator[Activation]:
    """The activations of the feed-forward network `scope`, which reads the stream `x`."""

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
