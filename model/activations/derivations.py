"""Rules: how one number follows from its operands. A row of the vocabulary names its rule; here the
rule is carried out.

A rule takes the operands' values, in the row's order, and the context of the cell, and returns the
number with the steps to it, in order; the last step is the number. Everything is computed in
float64 from the float32 operands.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import cast

import torch
from torch import Tensor

from model.config import Config
from model.layers.positional_encodings import BASE, PERIOD
from model.layers.relative_positions import (
    BUCKETS,
    CLIPPED,
    FARTHEST,
    alibi_slopes,
    shaw_index,
    t5_bucket,
)


@dataclass(frozen=True)
class Step:
    """One step of a derivation: `value` is a number, or a vector when the step has a number for
    each member of a sum.
    """

    name: str
    formula: str
    value: Tensor


Rule = Callable[..., list[Step]]


@dataclass(frozen=True)
class Cell:
    """Where in its tensor the number stands (`at`, by role of the axis), in which model and in how
    long a text.

    `start` is how many positions come before the text that is counted from 0: those that are
    remembered.
    """

    config: Config
    at: dict[str, int]
    length: int = 1
    start: int = 0


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def total(summands: Sequence[Tensor]) -> Tensor:
    """The sum of the operands, of which a row that sums has one at least."""
    return cast(Tensor, sum(summands))  # only a sum of nothing would be the integer 0


def zero(cell: Cell) -> list[Step]:
    return [Step("value", "0", number(0.0))]


def copy(cell: Cell, x: Tensor) -> list[Step]:
    return [Step("value", "x", x)]


def embed(cell: Cell, weight: Tensor) -> list[Step]:
    factor = number(math.sqrt(cell.config.d_model))
    return [
        Step("factor", "sqrt(d_model)", factor),
        Step("value", "weight * factor", weight * factor),
    ]


def integer(cell: Cell) -> list[Step]:
    return [Step("value", "p", number(float(cell.at["position"])))]


def normalised(cell: Cell) -> list[Step]:
    last = number(float(max(cell.length - 1, 1)))
    return [Step("last", "T - 1", last), Step("value", "p / last", cell.at["position"] / last)]


def sigmoid(cell: Cell) -> list[Step]:
    return [Step("value", "1 / (1 + e^-p)", number(float(cell.at["position"])).sigmoid())]


def sine(cell: Cell) -> list[Step]:
    angle = number(2 * math.pi * cell.at["position"] / PERIOD)
    return [Step("angle", f"2 pi p / {PERIOD:g}", angle), Step("value", "sin(angle)", angle.sin())]


def sinusoid(cell: Cell) -> list[Step]:
    pair = cell.at["channel"] // 2
    angle = number(cell.at["position"] / 10000 ** (2 * pair / cell.config.d_model))
    wave = ("sin", angle.sin()) if cell.at["channel"] % 2 == 0 else ("cos", angle.cos())
    return [
        Step("angle", f"p / 10000^({2 * pair}/d_model)", angle),
        Step("value", f"{wave[0]}(angle)", wave[1]),
    ]


def sum_of_products(x: Tensor, y: Tensor) -> list[Step]:
    products = x.flatten() * y.flatten()  # a row between rows is all its tokens, one after another
    return [Step("products", "x_i y_i", products), Step("sum", "sum of products", products.sum())]


def linear(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor) -> list[Step]:
    steps = sum_of_products(x, weight)
    return [*steps, Step("value", "sum + bias", steps[-1].value + bias)]


def product(cell: Cell, x: Tensor, y: Tensor) -> list[Step]:
    steps = sum_of_products(x, y)
    return [steps[0], Step("value", "sum of products", steps[1].value)]


def of_both(rule: Rule) -> Rule:
    """x is all tokens, one after another, and what went past the stack."""
    return lambda cell, tokens, past, *learned: rule(
        cell, torch.cat([tokens.flatten(), past]), *learned
    )


def known(cell: Cell, known: Tensor, x: Tensor, missing: Tensor) -> list[Step]:
    return [
        Step(
            "value", "x if it is known, else the number learned", known * x + (1 - known) * missing
        )
    ]


def column(
    cell: Cell, known: Tensor, x: Tensor, weight: Tensor, bias: Tensor, missing: Tensor
) -> list[Step]:
    read = x * weight + bias
    return [
        Step("read", "x w + b", read),
        Step("value", "read if x is known, else missing", known * read + (1 - known) * missing),
    ]


def dot(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    return product(cell, q, k)


def scaled_dot(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    steps, divisor = sum_of_products(q, k), number(math.sqrt(cell.config.d_head))
    return [
        *steps,
        Step("divisor", "sqrt(d_head)", divisor),
        Step("value", "sum / divisor", steps[-1].value / divisor),
    ]


def general(cell: Cell, q: Tensor, k: Tensor, w: Tensor) -> list[Step]:
    return [Step("turned", "q W", q @ w), *product(cell, q @ w, k)]


def additive(cell: Cell, q: Tensor, k: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor) -> list[Step]:
    hidden = (q @ w_q + k @ w_k).tanh()
    return [Step("hidden", "tanh(q W_q + k W_k)", hidden), Step("value", "hidden v", hidden @ v)]


def cosine(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    steps, lengths = sum_of_products(q, k), q.norm() * k.norm()
    return [
        *steps,
        Step("lengths", "|q| |k|", lengths),
        Step("value", "sum / lengths", steps[-1].value / lengths),
    ]


def location(cell: Cell, q: Tensor, w: Tensor) -> list[Step]:
    return product(cell, q, w)


def plus_relative(score: Rule) -> Rule:
    """The score as it would be without positions, and what the offset adds to it."""

    def rule(cell: Cell, relative: Tensor, *operands: Tensor) -> list[Step]:
        *before, content = score(cell, *operands)
        return [
            *before,
            Step("content", content.formula, content.value),
            Step("value", "content + relative", content.value + relative),
        ]

    return rule


def turned(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor | float = 0.0) -> list[Step]:
    """The head's vector, and of it the pair of channels to which this one belongs, turned by p
    w_i.
    """
    vector, own = x @ weight + bias, cell.at["head_channel"]
    first, second = vector[own - own % 2], vector[own - own % 2 + 1]
    angle = number(
        (cell.start + cell.at["position"]) / BASE ** ((own - own % 2) / cell.config.d_head)
    )
    value = (
        first * angle.sin() + second * angle.cos()
        if own % 2
        else first * angle.cos() - second * angle.sin()
    )
    formula = (
        "first sin(angle) + second cos(angle)"
        if own % 2
        else "first cos(angle) - second sin(angle)"
    )
    pair = [Step("first", "the pair's first channel", first), Step("second", "its second", second)]
    return [
        Step("vector", "x W + b of this head", vector),
        *pair,
        Step("angle", "p w_i", angle),
        Step("value", formula, value),
    ]


def distance_of(cell: Cell) -> int:
    return cell.at["key"] - cell.at["query"] - cell.start


def alibi(cell: Cell) -> list[Step]:
    slope, distance = (
        alibi_slopes(cell.config.n_heads)[cell.at["head"]].double(),
        number(float(abs(distance_of(cell)))),
    )
    return [
        Step("slope", "of this head", slope),
        Step("distance", "|j - i|", distance),
        Step("value", "-slope distance", -slope * distance),
    ]


def t5(cell: Cell, weight: Tensor, both_ways: bool = False) -> list[Step]:
    bucket = int(
        t5_bucket(torch.tensor([[distance_of(cell)]]), BUCKETS, FARTHEST, both_ways=both_ways)
    )
    return [
        Step("bucket", "of j - i", number(float(bucket))),
        Step("value", "b[bucket]", weight[bucket]),
    ]


def t5_both_ways(cell: Cell, weight: Tensor) -> list[Step]:
    return t5(cell, weight, both_ways=True)


def shaw(cell: Cell, q: Tensor, weight: Tensor) -> list[Step]:
    row = int(shaw_index(torch.tensor([[distance_of(cell)]]), CLIPPED))
    return [Step("row", "clip(j - i)", number(float(row))), *scaled_dot(cell, q, weight[row])]


def positive_feature(cell: Cell, x: Tensor, projections: Tensor) -> list[Step]:
    x, w, m = x / cell.config.d_head**0.25, projections[cell.at["feature"]], len(projections)
    exponent = w @ x - x @ x / 2
    return [
        Step("exponent", "w x - |x|^2 / 2", exponent),
        Step("value", "exp(exponent) / sqrt(m)", exponent.exp() / math.sqrt(m)),
    ]


def trigonometric_feature(cell: Cell, x: Tensor, projections: Tensor) -> list[Step]:
    x, m, own = x / cell.config.d_head**0.25, len(projections), cell.at["feature"]
    angle, factor = projections[own % m] @ x, (x @ x / 2).exp() / math.sqrt(m)
    wave = ("sin", angle.sin()) if own < m else ("cos", angle.cos())
    steps = [Step("angle", "w x", angle), Step("factor", "exp(|x|^2 / 2) / sqrt(m)", factor)]
    return [*steps, Step("value", f"factor {wave[0]}(angle)", factor * wave[1])]


def kernel(cell: Cell, q: Tensor, k: Tensor, mask: Tensor) -> list[Step]:
    steps = sum_of_products(q, k)
    return [*steps, Step("value", "sum where the mask allows", steps[-1].value * mask.exp())]


def share(cell: Cell, row: Tensor) -> list[Step]:
    own, whole = row[cell.at["key"]], row.sum()
    return [
        Step("own", "this cell's kernel", own),
        Step("sum", "sum of the row", whole),
        Step("value", "own / sum", own / whole),
    ]


def add(cell: Cell, *summands: Tensor) -> list[Step]:
    return [Step("value", "sum of operands", torch.stack(summands).sum())]


def sum_all(cell: Cell, parts: Tensor, bias: Tensor | float = 0.0) -> list[Step]:
    return [
        Step("sum", "sum over heads", parts.sum()),
        Step("value", "sum + bias", parts.sum() + bias),
    ]


def softmax(cell: Cell, row: Tensor) -> list[Step]:
    """The largest score is subtracted first, which changes nothing but keeps exp in range. A row of
    nothing but -inf gives 0.
    """
    own = list(cell.at.values())[-1]
    largest = row.max()
    if largest.isneginf():
        return [Step("value", "0: this query may look nowhere", number(0.0))]
    exponentials = (row - largest).exp()
    return [
        Step("largest", "max of the row", largest),
        Step("exponentials", "exp(score - largest)", exponentials),
        Step("own", "this cell's exponential", exponentials[own]),
        Step("sum", "sum of the row", exponentials.sum()),
        Step("value", "own / sum", exponentials[own] / exponentials.sum()),
    ]


def press(cell: Cell, x: Tensor) -> list[Step]:
    return [Step("value", "1 / (1 + e^-x)", x.sigmoid())]


def relu(cell: Cell, x: Tensor) -> list[Step]:
    return [Step("value", "max(0, x)", x.clamp(min=0))]


def gelu(cell: Cell, x: Tensor) -> list[Step]:
    share = torch.special.ndtr(x)
    return [Step("share", "Phi(x)", share), Step("value", "x share", x * share)]


def gelu_tanh(cell: Cell, x: Tensor) -> list[Step]:
    share = (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh()) / 2
    return [
        Step("share", "(1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2", share),
        Step("value", "x share", x * share),
    ]


def silu(cell: Cell, x: Tensor) -> list[Step]:
    share = x.sigmoid()
    return [Step("share", "1 / (1 + e^-x)", share), Step("value", "x share", x * share)]


def gated(activation: Rule) -> Rule:
    """The activation of the gate, times what it lets through."""

    def rule(cell: Cell, gate: Tensor, pre: Tensor) -> list[Step]:
        *before, opened = activation(cell, gate)
        return [
            *before,
            Step("opened", opened.formula, opened.value),
            Step("value", "opened pre", opened.value * pre),
        ]

    return rule


def mean(cell: Cell, *summands: Tensor) -> list[Step]:
    x = total(summands)
    return [Step("x", "sum of operands", x), Step("value", "mean of x", x.mean())]


def scale(cell: Cell, *summands: Tensor) -> list[Step]:
    x = total(summands)
    variance = x.var(correction=0)
    epsilon = number(cell.config.norm_epsilon)
    return [
        Step("x", "sum of operands", x),
        Step("variance", "mean of (x - mean)^2", variance),
        Step("epsilon", "epsilon", epsilon),
        Step("value", "sqrt(variance + epsilon)", (variance + epsilon).sqrt()),
    ]


def normalise(cell: Cell, *operands: Tensor) -> list[Step]:
    *summands, mean, scale, gain, bias = operands
    x = total(summands)
    steps = [Step("x", "sum of the stream and what was written", x)] if len(summands) > 1 else []
    normal = (x - mean) / scale
    return [
        *steps,
        Step("normal", "(x - mean) / scale", normal),
        Step("value", "normal * gain + bias", normal * gain + bias),
    ]


def root_mean_square(cell: Cell, *summands: Tensor) -> list[Step]:
    x, epsilon = total(summands), number(cell.config.norm_epsilon)
    square = x.square().mean()
    return [
        Step("x", "sum of operands", x),
        Step("square", "mean of x^2", square),
        Step("epsilon", "epsilon", epsilon),
        Step("value", "sqrt(square + epsilon)", (square + epsilon).sqrt()),
    ]


def length(cell: Cell, *summands: Tensor) -> list[Step]:
    x = total(summands)
    return [
        Step("x", "sum of operands", x),
        Step("value", "|x|", x.norm().clamp(min=cell.config.norm_epsilon)),
    ]


def rescale(cell: Cell, *operands: Tensor) -> list[Step]:
    *summands, scale, gain = operands
    normal = total(summands) / scale
    return [Step("normal", "x / scale", normal), Step("value", "normal gain", normal * gain)]


def rms_norm(cell: Cell, x: Tensor, gain: Tensor) -> list[Step]:
    scale = root_mean_square(cell, x)[-1]
    return [
        Step("scale", scale.formula, scale.value),
        *rescale(cell, x[cell.at["channel"]], scale.value, gain),
    ]


def scale_norm(cell: Cell, x: Tensor, gain: Tensor) -> list[Step]:
    scale = length(cell, x)[-1]
    return [
        Step("scale", scale.formula, scale.value),
        *rescale(cell, x[cell.at["channel"]], scale.value, gain),
    ]


def past_omega(rule: Rule) -> Rule:
    """Admin: the stream, the first of the summands, is multiplied by omega on its way past the
    sub-layer.
    """
    return lambda cell, omega, x, *others: [
        Step("past", "omega x", omega * x),
        *rule(cell, omega * x, *others),
    ]


def past_lambda(rule: Rule) -> Rule:
    """The same with one number lambda, a choice of the configuration."""
    return lambda cell, x, *others: [
        Step("past", "lambda x", cell.config.shortcut * x),
        *rule(cell, cell.config.shortcut * x, *others),
    ]


def layer_norm(cell: Cell, x: Tensor, gain: Tensor, bias: Tensor) -> list[Step]:
    own = x[cell.at["channel"]]
    average, spread = x.mean(), (x.var(correction=0) + cell.config.norm_epsilon).sqrt()
    return [
        Step("mean", "mean of x", average),
        Step("scale", "sqrt(var x + epsilon)", spread),
        Step("normal", "(x - mean) / scale", (own - average) / spread),
        Step("value", "normal * gain + bias", (own - average) / spread * gain + bias),
    ]


def named(*rules: FunctionType) -> dict[str, Rule]:
    return {rule.__name__: rule for rule in rules}


OF_SUMS = {"sum": add, **named(mean, scale, normalise, root_mean_square, length, rescale)}
SCORES = named(dot, scaled_dot, general, additive, cosine, location)
ACTIVATIONS = named(relu, gelu, gelu_tanh, silu)

RULES: dict[str, Rule] = {
    **named(zero, copy, embed, integer, normalised, sigmoid, sine, sinusoid),
    **named(linear, product, known, column, turned, alibi, t5, t5_both_ways, shaw),
    **named(press, softmax, positive_feature, trigonometric_feature, kernel, share, sum_all),
    **named(layer_norm, rms_norm, scale_norm),
    **OF_SUMS,
    **SCORES,
    **ACTIVATIONS,
}
RULES |= {"linear.both": of_both(linear), "product.both": of_both(product)}
RULES |= {f"{name}.relative": plus_relative(rule) for name, rule in SCORES.items()}
RULES |= {f"{name}.gated": gated(rule) for name, rule in ACTIVATIONS.items()}
RULES |= {f"{name}.omega": past_omega(rule) for name, rule in OF_SUMS.items()}
RULES |= {f"{name}.lambda": past_lambda(rule) for name, rule in OF_SUMS.items()}
