"""Positional encodings: formula, operands and derivation of each vector that is added to a token.

In the formulas p is the position, counted from 0, and T the number of positions.
"""

import math
from dataclasses import dataclass

from model.activations.derivation import Cell, Rule, Step, copy, number, rule, typeset
from model.layers.positional_encodings import BASE, PERIOD


@typeset("{value}")
@rule
def zero(cell: Cell) -> list[Step]:
    """0."""
    return [Step("value", "0", number(0.0))]


@rule
def integer(cell: Cell) -> list[Step]:
    """p."""
    return [Step("value", "p", number(float(cell.at["position"])))]


@rule
def normalised(cell: Cell) -> list[Step]:
    """p / (T - 1)."""
    last = number(float(max(cell.length - 1, 1)))
    return [Step("last", "T - 1", last), Step("value", "p / last", cell.at["position"] / last)]


@rule
def sigmoid(cell: Cell) -> list[Step]:
    """1 / (1 + e^-p)."""
    return [Step("value", "1 / (1 + e^-p)", number(float(cell.at["position"])).sigmoid())]


@rule
def sine(cell: Cell) -> list[Step]:
    """sin(2 pi p / period)."""
    angle = number(2 * math.pi * cell.at["position"] / PERIOD)
    return [Step("angle", f"2 pi p / {PERIOD:g}", angle), Step("value", "sin(angle)", angle.sin())]


@rule
def sinusoid(cell: Cell) -> list[Step]:
    """sin(p / base^(2i/d_model)) in channel 2i, and the cosine of the same angle in channel
    2i + 1.
    """
    pair = cell.at["channel"] // 2
    angle = number(cell.at["position"] / BASE ** (2 * pair / cell.config.d_model))
    wave = ("sin", angle.sin()) if cell.at["channel"] % 2 == 0 else ("cos", angle.cos())
    return [
        Step("angle", f"p / {BASE:g}^({2 * pair}/d_model)", angle),
        Step("value", f"{wave[0]}(angle)", wave[1]),
    ]


@rule
def sinusoid_of_half(cell: Cell) -> list[Step]:
    """The sinusoids with all sines first: the sine of pair i in channel i, its cosine as many
    channels later as there are pairs.
    """
    channel, pairs = cell.at["channel"], (cell.config.d_model + 1) // 2
    cosine, pair = divmod(channel, pairs)
    angle = number(cell.at["position"] / BASE ** (2 * pair / cell.config.d_model))
    wave = ("cos", angle.cos()) if cosine else ("sin", angle.sin())
    return [
        Step("angle", f"p / {BASE:g}^({2 * pair}/d_model)", angle),
        Step("value", f"{wave[0]}(angle)", wave[1]),
    ]


@dataclass(frozen=True)
class PositionalEncoding:
    """The description of one encoding: its formula, a sentence, its rule, and the operands of one
    cell, in which {} stands for the name of the embedding.
    """

    formula: str
    sentence: str
    rule: Rule
    operands: tuple[str, ...] = ()


POSITIONS = {
    "none": PositionalEncoding("0", "No position is told.", zero),
    "integer": PositionalEncoding("p", "The position itself, in every channel.", integer),
    "normalised": PositionalEncoding(
        "p / (T - 1)", "How much of the text lies before, in every channel.", normalised
    ),
    "sigmoid": PositionalEncoding(
        "1 / (1 + e^-p)", "The position pressed below 1, in every channel.", sigmoid
    ),
    "sine": PositionalEncoding("sin(2 pi p / period)", "One wave, in every channel.", sine),
    "sinusoidal": PositionalEncoding(
        "sin or cos(p / 10000^(2i/d_model))", "The position's vector.", sinusoid
    ),
    "sinusoidal_halves": PositionalEncoding(
        "sin, then cos(p / 10000^(2i/d_model))", "The position's vector.", sinusoid_of_half
    ),
    "learned": PositionalEncoding(
        "W_P[p]",
        "The position's learned vector.",
        copy,
        ("{}.learned[position channel]",),
    ),
}
