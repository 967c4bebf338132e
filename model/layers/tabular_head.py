"""The head of a TabTransformer: an MLP over all tokens and the numeric columns."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.activations.activation import (
    Activation,
    answer_axis,
    linear_operands,
    plus_bias,
    stack_output,
)
from model.activations.derivation import Cell, Rule, Step, rule
from model.config import Config
from model.layers.feed_forward import ACTIVATIONS
from model.layers.linear import make_linear
from model.layers.norms import LayerNorm, Stream, mean, normalise, scale, scale_about
from model.layers.tabular_embedding import Rows
from model.trace import OFF, Trace

Bypassed = Float[Tensor, "*#batch 1 numeric"]
Logits = Float[Tensor, "*batch 1 vocabulary"]


class Bypass(nn.Module):
    """TabTransformer (Huang et al. 2020): MLP([all tokens, concatenated; LN(numbers)]), with hidden
    layers of 4 l and 2 l units for l inputs.

    A missing number is replaced by a learned one per column. The output has one position: the
    logits of the row.
    """

    def __init__(self, config: Config):
        super().__init__()
        n_numeric = config.columns.n_numeric
        width = config.max_length * config.d_model + n_numeric
        self.missing = nn.Parameter(torch.zeros(n_numeric))
        self.norm = LayerNorm(n_numeric, config.norm.epsilon)
        self.hidden1 = make_linear(config, width, 4 * width)
        self.hidden2 = make_linear(config, 4 * width, 2 * width)
        self.output = make_linear(config, 2 * width, config.head.classes)
        self.activation = ACTIVATIONS[config.activation]

    def bypassed(self, rows: Rows, trace: Trace = OFF) -> Bypassed:
        """The numbers, normalized over the columns of a row."""
        numbers = trace(
            "numbers", (rows.known * rows.numbers + (1 - rows.known) * self.missing)[..., None, :]
        )
        return self.norm(numbers, trace / "norm")

    def forward(self, x: Stream, bypassed: Bypassed, trace: Trace = OFF) -> Logits:
        whole = torch.cat(
            [x.flatten(-2)[..., None, :], bypassed.expand(*x.shape[:-2], 1, -1)], dim=-1
        )
        post1 = trace("post1", self.activation(trace("pre1", self.hidden1(whole))))
        post2 = trace("post2", self.activation(trace("pre2", self.hidden2(post1))))
        return self.output(post2)


@rule
def known(cell: Cell, known: Tensor, x: Tensor, missing: Tensor) -> list[Step]:
    """x if it is known, otherwise the learned number for a missing one."""
    return [
        Step(
            "value", "x if it is known, else the number learned", known * x + (1 - known) * missing
        )
    ]


def concatenated(linear: Rule) -> Rule:
    """The rule of a linear map of all tokens, concatenated, followed by the numbers that bypass the
    stack.
    """

    def derive(cell: Cell, tokens: Tensor, numbers: Tensor, *learned: Tensor) -> list[Step]:
        return linear(cell, torch.cat([tokens.flatten(), numbers]), *learned)

    return Rule(f"{linear.name}.both", derive)


def bypass_activations(config: Config, sentence: str) -> Iterator[Activation]:
    """The numbers that bypass the stack, the two hidden layers, and the logits."""
    yield from number_activations(config)
    yield from hidden_activations(config)
    rule, operands = linear_operands(
        config, "bypass.post2[position *]", "bypass.output", "vocabulary"
    )
    formula = f"post2 W_3{plus_bias(config, 'b_3')}"
    yield row_activation(config, "logits", "vocabulary", formula, sentence, rule, *operands)


def row_activation(
    config: Config, name: str, width: str, formula: str, sentence: str, rule: Rule, *operands: str
) -> Activation:
    """An activation [position, `width`] of the whole row; its only position is the prediction."""
    axes = (answer_axis(config), width)
    return Activation(name, ("position", width), axes, formula, sentence, rule, operands)


def number_activations(config: Config) -> Iterator[Activation]:
    """The numbers that bypass the stack, and their norm."""
    yield row_activation(
        config,
        "bypass.numbers",
        "number",
        "x",
        "The numbers in standard deviations; for one that is missing one learned.",
        known,
        "known[number]",
        "numbers[number]",
        "bypass.missing[number]",
    )
    yield statistic(config, mean, "mean of x", "The mean over the numbers of the row.")
    spread = statistic(config, scale, "sqrt(var x + epsilon)", "Their spread.")
    about = scale_about, (*spread.operands, "bypass.norm.mean[position]")
    yield replace(spread, under_edits={"bypass.norm.mean": about})
    yield row_activation(
        config,
        "bypass.norm.out",
        "number",
        "(x - mean) / scale * gain + bias",
        "The numbers, normalized.",
        normalise,
        "bypass.numbers[position number]",
        "bypass.norm.mean[position]",
        "bypass.norm.scale[position]",
        "bypass.norm.gain[number]",
        "bypass.norm.bias[number]",
    )


def statistic(config: Config, rule: Rule, formula: str, sentence: str) -> Activation:
    """One statistic [position] of all numbers of the row."""
    return Activation(
        f"bypass.norm.{rule.name}",
        ("position",),
        (answer_axis(config),),
        formula,
        sentence,
        rule,
        ("bypass.numbers[position *]",),
    )


def hidden_activations(config: Config) -> Iterator[Activation]:
    """The two hidden layers. The first reads all tokens and the numbers."""
    rule, (numbers, *learned) = linear_operands(
        config, "bypass.norm.out[position *]", "bypass.hidden1", "inner1"
    )
    yield row_activation(
        config,
        "bypass.pre1",
        "inner1",
        f"[tokens, numbers] W_1{plus_bias(config, 'b_1')}",
        "How well all tokens and the numbers fit each unit of the first layer.",
        concatenated(rule),
        f"{stack_output(config, 'encoder')}[* *]",
        numbers,
        *learned,
    )
    yield post_activation(config, 1)
    rule, operands = linear_operands(config, "bypass.post1[position *]", "bypass.hidden2", "inner2")
    yield row_activation(
        config,
        "bypass.pre2",
        "inner2",
        f"post1 W_2{plus_bias(config, 'b_2')}",
        "The same for the second layer.",
        rule,
        *operands,
    )
    yield post_activation(config, 2)


def post_activation(config: Config, layer: int) -> Activation:
    """The output of the activation function for hidden layer 1 or 2."""
    function, width = ACTIVATIONS[config.activation], f"inner{layer}"
    return row_activation(
        config,
        f"bypass.post{layer}",
        width,
        function.formula.format(f"pre{layer}"),
        "How strongly it fires.",
        function.rule,
        f"bypass.pre{layer}[position {width}]",
    )
