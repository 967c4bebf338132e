"""Rules: how one number follows from its operands. A row of the vocabulary names its rule; here the rule is carried out.

A rule takes the operands' values, in the row's order, and the context of the cell, and returns the number with the steps to it,
in order; the last step is the number. Everything is computed in float64 from the float32 operands.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from model.config import Config


@dataclass(frozen=True)
class Step:
    """One step of a derivation: `value` is a number, or a vector when the step has a number for each member of a sum."""

    name: str
    formula: str
    value: Tensor


@dataclass(frozen=True)
class Cell:
    """Where in its tensor the number stands (`at`, by role of the axis) and in which model."""

    config: Config
    at: dict[str, int]


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def zero(cell: Cell) -> list[Step]:
    return [Step("value", "0", number(0.0))]


def copy(cell: Cell, x: Tensor) -> list[Step]:
    return [Step("value", "x", x)]


def embed(cell: Cell, weight: Tensor) -> list[Step]:
    factor = number(math.sqrt(cell.config.d_model))
    return [Step("factor", "sqrt(d_model)", factor), Step("value", "weight * factor", weight * factor)]


def sinusoid(cell: Cell) -> list[Step]:
    pair = cell.at["channel"] // 2
    angle = number(cell.at["position"] / 10000 ** (2 * pair / cell.config.d_model))
    wave = ("sin", angle.sin()) if cell.at["channel"] % 2 == 0 else ("cos", angle.cos())
    return [Step("angle", f"p / 10000^({2 * pair}/d_model)", angle), Step("value", f"{wave[0]}(angle)", wave[1])]


def sum_of_products(x: Tensor, y: Tensor) -> list[Step]:
    products = x * y
    return [Step("products", "x_i y_i", products), Step("sum", "sum of products", products.sum())]


def linear(cell: Cell, x: Tensor, weight: Tensor, bias: Tensor) -> list[Step]:
    steps = sum_of_products(x, weight)
    return [*steps, Step("value", "sum + bias", steps[-1].value + bias)]


def product(cell: Cell, x: Tensor, y: Tensor) -> list[Step]:
    steps = sum_of_products(x, y)
    return [steps[0], Step("value", "sum of products", steps[1].value)]


def dot(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    return product(cell, q, k)


def scaled_dot(cell: Cell, q: Tensor, k: Tensor) -> list[Step]:
    steps, divisor = sum_of_products(q, k), number(math.sqrt(cell.config.d_head))
    return [*steps, Step("divisor", "sqrt(d_head)", divisor), Step("value", "sum / divisor", steps[-1].value / divisor)]


def add(cell: Cell, *summands: Tensor) -> list[Step]:
    return [Step("value", "sum of operands", torch.stack(summands).sum())]


def sum_all(cell: Cell, parts: Tensor, bias: Tensor) -> list[Step]:
    return [Step("sum", "sum over heads", parts.sum()), Step("value", "sum + bias", parts.sum() + bias)]


def softmax(cell: Cell, row: Tensor) -> list[Step]:
    """The largest score is subtracted first, which changes nothing but keeps exp in range. A row of nothing but -inf gives 0."""
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


def relu(cell: Cell, x: Tensor) -> list[Step]:
    return [Step("value", "max(0, x)", x.clamp(min=0))]


def gelu(cell: Cell, x: Tensor) -> list[Step]:
    share = torch.special.ndtr(x)
    return [Step("share", "Phi(x)", share), Step("value", "x share", x * share)]


def mean(cell: Cell, *summands: Tensor) -> list[Step]:
    x = sum(summands)
    return [Step("x", "sum of operands", x), Step("value", "mean of x", x.mean())]


def scale(cell: Cell, *summands: Tensor) -> list[Step]:
    x = sum(summands)
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
    x = sum(summands)
    steps = [Step("x", "sum of the stream and what was written", x)] if len(summands) > 1 else []
    normal = (x - mean) / scale
    return [*steps, Step("normal", "(x - mean) / scale", normal), Step("value", "normal * gain + bias", normal * gain + bias)]


def layer_norm(cell: Cell, x: Tensor, gain: Tensor, bias: Tensor) -> list[Step]:
    own = x[cell.at["channel"]]
    average, spread = x.mean(), (x.var(correction=0) + cell.config.norm_epsilon).sqrt()
    return [
        Step("mean", "mean of x", average),
        Step("scale", "sqrt(var x + epsilon)", spread),
        Step("normal", "(x - mean) / scale", (own - average) / spread),
        Step("value", "normal * gain + bias", (own - average) / spread * gain + bias),
    ]


RULES: dict[str, Callable[..., list[Step]]] = {
    "zero": zero,
    "copy": copy,
    "embed": embed,
    "sinusoid": sinusoid,
    "linear": linear,
    "product": product,
    "dot": dot,
    "scaled_dot": scaled_dot,
    "sum": add,
    "sum_all": sum_all,
    "softmax": softmax,
    "relu": relu,
    "gelu": gelu,
    "mean": mean,
    "scale": scale,
    "normalise": normalise,
    "layer_norm": layer_norm,
}
