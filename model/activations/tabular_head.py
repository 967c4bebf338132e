"""Tabular head: the read-out of a model whose numbers bypass the stack (TabTransformer). Two hidden
layers read all tokens and the normalised numbers of the row.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from model.activations.activation import (
    Activation,
    answer_axis,
    linear_operands,
    plus_bias,
    stack_output,
)
from model.activations.derivation import Cell, Rule, Step, rule
from model.activations.feed_forward import ACTIVATIONS
from model.activations.norms import mean, normalise, scale, scale_about
from model.config import Config


@rule
def known(cell: Cell, known: Tensor, x: Tensor, missing: Tensor) -> list[Step]:
    """x if it is known, and a learned number in place of an unknown one."""
    return [
        Step(
            "value", "x if it is known, else the number learned", known * x + (1 - known) * missing
        )
    ]


def of_both(linear: Rule) -> Rule:
    """The rule of a linear map that reads all tokens, one after another, and then the numbers that
    bypass the stack.
    """

    def derive(cell: Cell, tokens: Tensor, numbers: Tensor, *learned: Tensor) -> list[Step]:
        return linear(cell, torch.cat([tokens.flatten(), numbers]), *learned)

    return Rule(f"{linear.name}.both", derive)


def bypass_activations(config: Config, sentence: str) -> Iterator[Activation]:
    """The numbers that bypass the stack, the two hidden layers, and the logits."""
    answer = answer_axis(config)

    def activation(
        name: str, width: str, formula: str, sentence: str, rule: Rule, *operands: str
    ) -> Activation:
        return Activation(
            name, ("position", width), (answer, width), formula, sentence, rule, operands
        )

    def statistic(rule: Rule, formula: str, sentence: str) -> Activation:
        numbers = ("bypass.numbers[position *]",)
        about = scale_about, (*numbers, "bypass.norm.mean[position]")
        return Activation(
            f"bypass.norm.{rule.name}",
            ("position",),
            (answer,),
            formula,
            sentence,
            rule,
            numbers,
            under_edits={"bypass.norm.mean": about} if rule is scale else {},
        )

    missing = ("known[number]", "numbers[number]", "bypass.missing[number]")
    yield activation(
        "bypass.numbers",
        "number",
        "x",
        "The numbers in standard deviations; for one that is missing one learned.",
        known,
        *missing,
    )
    yield statistic(mean, "mean of x", "The mean over the numbers of the row.")
    yield statistic(scale, "sqrt(var x + epsilon)", "Their spread.")
    normed = (
        "bypass.numbers[position number]",
        "bypass.norm.mean[position]",
        "bypass.norm.scale[position]",
    )
    learned = ("bypass.norm.gain[number]", "bypass.norm.bias[number]")
    yield activation(
        "bypass.norm.out",
        "number",
        "(x - mean) / scale * gain + bias",
        "The numbers, normalised.",
        normalise,
        *normed,
        *learned,
    )
    rule, (numbers, *learned) = linear_operands(
        config, "bypass.norm.out[position *]", "bypass.hidden1", "inner1"
    )
    both = (f"{stack_output(config, 'encoder')}[* *]", numbers, *learned)
    reads = "How well all tokens and the numbers fit each unit of the first layer."
    yield activation(
        "bypass.pre1",
        "inner1",
        f"[tokens, numbers] W_1{plus_bias(config, 'b_1')}",
        reads,
        of_both(rule),
        *both,
    )
    function = ACTIVATIONS[config.activation]
    yield activation(
        "bypass.post1",
        "inner1",
        function.formula.format("pre1"),
        "How strongly it fires.",
        function.rule,
        "bypass.pre1[position inner1]",
    )
    rule, operands = linear_operands(config, "bypass.post1[position *]", "bypass.hidden2", "inner2")
    yield activation(
        "bypass.pre2",
        "inner2",
        f"post1 W_2{plus_bias(config, 'b_2')}",
        "The same for the second layer.",
        rule,
        *operands,
    )
    yield activation(
        "bypass.post2",
        "inner2",
        function.formula.format("pre2"),
        "How strongly it fires.",
        function.rule,
        "bypass.pre2[position inner2]",
    )
    rule, operands = linear_operands(
        config, "bypass.post2[position *]", "bypass.output", "vocabulary"
    )
    yield activation(
        "logits", "vocabulary", f"post2 W_3{plus_bias(config, 'b_3')}", sentence, rule, *operands
    )
