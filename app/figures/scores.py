"""Figures of /scores: six alignment functions over the same queries and keys, hard against soft
choices, global against local.
"""

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    Panel,
    Tile,
    bars,
    figure,
    line,
    linear,
    logarithmic,
    mosaic,
    named,
)
from app.figures.plot import Plot
from app.figures.seeds import with_seeds
from app.figures.text import number
from app.words.scores import NAMES
from model.answers.answer import Answer

DOTTED = "2px,4px"
ROLES = {
    "dot": "cross",
    "scaled_dot": "attention",
    "general": "value",
    "additive": "query",
    "cosine": "feed-forward",
    "location": "bias",
}
FORMULAS = {
    "dot": "qkᵀ",
    "scaled_dot": "qkᵀ/√d",
    "general": "qWkᵀ",
    "additive": "tanh(qW+kU)v",
    "cosine": "qkᵀ/|q||k|",
    "location": "qW",
}


def patterns(answer: Answer, question: Question) -> Plot:
    """The weights that each function gives, as small maps: a row a query, a column a key."""
    functions = axes.labels(answer, "function")
    tiles = [
        Tile(
            NAMES[name],
            answer.tensors[name].data.numpy(),
            lambda q, k, name=name: f"{NAMES[name]}: query {q + 1}, key {k + 1}",
            ROLES[name],
            FORMULAS[name],
        )
        for name in functions
    ]
    panel = mosaic(tiles, 3, "query", "key", "of the weight", ends=(0, 1), unit="weight")
    said = f"Weights of {', '.join(NAMES[name] for name in functions)}: rows are queries."
    return figure(panel, description=said)


def reach(answer: Answer, question: Question) -> Plot:
    """How far the weights move with the keys, for each function."""
    functions = axes.labels(answer, "function")
    values = answer.tensors["reach"].data.numpy()
    names = [NAMES[name] for name in functions]
    traces = [
        bars(
            [i],
            [value],
            names[i],
            ROLES[name],
            f"{names[i]}<br>norm of the gradient <b>%{{y:.3g}}</b>",
        )
        for i, (name, value) in enumerate(zip(functions, values, strict=True))
    ]
    notes = [
        {"x": i, "y": float(value), "text": number(value), "yanchor": "bottom", "showarrow": False}
        for i, value in enumerate(values)
    ]
    y = linear("norm of ∂ weights / ∂ keys", [], low=0, high=(float(values.max()) or 1) * 1.1)
    panel = Panel(named("score", names), y, traces, notes)
    said = ", ".join(f"{name} {number(value)}" for name, value in zip(names, values, strict=True))
    return figure(panel, description=f"Gradient of the weights with respect to the keys: {said}.")


def choices(answer: Answer, question: Question) -> Plot:
    """Two choices that have nothing to do with each other: soft or hard, global or local."""
    kinds, spans = axes.labels(answer, "choice"), axes.labels(answer, "span")
    weights = answer.tensors["choices"].data.numpy()
    gradients = answer.tensors["choice_reach"].data.numpy()
    allowed = answer.tensors["allowed"].data.numpy()
    tiles = [
        Tile(
            f"{kind}, {span}",
            np.where(allowed[j], weights[i][j], np.nan),
            lambda q, k, kind=kind, span=span: f"{kind}, {span}: query {q + 1}, key {k + 1}",
            note=f"gradient {number(gradients[i][j])}",
        )
        for i, kind in enumerate(kinds)
        for j, span in enumerate(spans)
    ]
    panel = mosaic(tiles, len(spans), "query", "key", "of the weight", ends=(0, 1), unit="weight")
    said = "; ".join(f"{tile.title}: {tile.note}" for tile in tiles)
    return figure(panel, description=f"Weights, {said}.")


def draws(answer: Answer, question: Question) -> Plot:
    """How the mean of hard draws nears the soft weights: thin for each seed, with its law."""
    counts = np.array(axes.values(answer, "draws"), float)
    law, by_seed = (
        answer.tensors[f"sampling_{name}"].data.numpy() for name in ("law", "error.by_seed")
    )
    hover = "%{x} draws, root mean square error <b>%{y:.3g}</b>"
    expected = "%{x} draws<br>the law gives <b>%{y:.3g}</b>"
    traces = [
        *with_seeds(
            answer, "sampling_error", counts, "mean of hard draws", ROLES["scaled_dot"], hover
        ),
        line(counts, law, "law, 1 / √n", "ink-soft", expected, law=True, dash=DOTTED, dots=False),
    ]
    panel = Panel(
        logarithmic("draws", counts),
        logarithmic("root mean square error of the weights", by_seed),
        traces,
    )
    said = "Error of the mean of hard draws against their number, beside its law 1 / √n."
    return figure(panel, description=said)


def looked_up(answer: Answer, question: Question) -> Plot:
    """What attention looks up: the weights of scaled dot, the values of the keys, and their
    product. Of each value as many components are drawn as there are keys.
    """
    weights = answer.tensors["scaled_dot"].data.numpy()
    n = len(weights)
    values, output = (answer.tensors[name].data.numpy() for name in ("values", "looked_up"))
    tiles = [
        Tile(
            "weights",
            weights,
            lambda q, k: f"weight of query {q + 1} for key {k + 1}",
            "attention",
            "query × key",
        ),
        Tile(
            "values",
            squared(values, n),
            lambda k, c: f"value of key {k + 1}, component {c + 1}",
            "value",
            "key × component",
        ),
        Tile(
            "weights · values",
            squared(output, n),
            lambda q, c: f"what query {q + 1} looks up, component {c + 1}",
            "cross",
            "query × component",
        ),
    ]
    most = float(np.abs(values).max())
    panel = mosaic(
        tiles,
        3,
        "row",
        "column",
        "without a unit",
        scale="signed",
        ends=(-most, most),
        unit="number",
    )
    said = "The weights of scaled dot, the values of the keys, and the weighted sums of the values."
    return figure(panel, description=said)


def squared(rows: np.ndarray, n: int) -> np.ndarray:
    """The first n columns; where there are fewer, the others stay empty."""
    return np.pad(rows[:, :n], ((0, 0), (0, max(0, n - rows.shape[1]))), constant_values=np.nan)


FIGURES = {
    "patterns": Drawn("The same queries, the same keys", patterns, "dot"),
    "reach": Drawn("How far the weights move when a key changes", reach, "reach"),
    "choices": Drawn("Hard or soft, local or global", choices, "choices"),
    "looked_up": Drawn("What is looked up: weights times values", looked_up, "looked_up"),
    "draws": Drawn("How the mean of hard draws nears the soft weights", draws, "sampling_error"),
}
