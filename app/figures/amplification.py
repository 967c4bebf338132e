"""Figures of /amplification: how far a disturbance of the weights moves the output, and the same
divided by the sum of the dependencies.
"""

import math

import numpy as np
import plotly.graph_objects as go

from app.figures import axes, placements
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    AxisScale,
    Panel,
    at_end,
    at_values,
    figure,
    line,
    of_seeds,
)
from app.figures.text import power_of_ten
from model.answers.answer import Answer

TITLES = {"change": "mean square per channel", "constant": "C"}
MARGIN = 1.08  # of the span of the numbers, so that no point lies on the frame


def change(answer: Answer, question: Question) -> go.Figure:
    """Mean square of the change of the output against depth, a line for each placement."""
    return against_depth(answer, "change", "The output's mean square change")


def constant(answer: Answer, question: Question) -> go.Figure:
    """The change divided by the sum of the dependencies, against depth."""
    return against_depth(answer, "constant", "Change over the sum of dependencies, C,")


def against_depth(answer: Answer, tensor: str, what: str) -> go.Figure:
    """One line for each placement, and thin ones for its seeds."""
    depths = np.array([int(depth) for depth in axes.labels(answer, "depth")])
    values, by_seed = values_of(answer, tensor)
    names = axes.labels(answer, "placement")
    seeds = axes.values(answer, "seed")
    said = f"{TITLES[tensor]} <b>%{{y:.3g}}</b>"
    lines, ends, thin = [], [], []
    for i, name in enumerate(names):
        title, role = placements.NAMES[name], placements.ROLES[name]
        hover = f"{title}, N = %{{x}}<br>{said}"
        lines.append(line(depths, values[i], title, role, hover))
        ends.append(at_end(depths[-1], values[i][-1], title, role, True, True))
        thin += of_seeds(depths, by_seed[:, i], seeds, title, role, f"N = %{{x}}, {said}")
    panel = Panel(
        at_values("sub-layers N", [*map(int, depths)], log=True),
        of_equal_span(answer)[tensor],
        lines + thin,
        ends,
    )
    shown = ", ".join(placements.NAMES[name] for name in names)
    return figure(panel, description=f"{what} against depth: {shown}.")


def of_equal_span(answer: Answer) -> dict[str, AxisScale]:
    """The upright axes of both figures. Their ends have the same ratio, so that a span looks as
    large on one as on the other.
    """
    logs = {
        tensor: np.log10(np.concatenate([of.ravel() for of in values_of(answer, tensor)]))
        for tensor in TITLES
    }
    half = MARGIN * max(float(np.ptp(values)) for values in logs.values()) / 2
    axes = {}
    for tensor, values in logs.items():
        middle = float(values.min() + values.max()) / 2
        low, high = middle - half, middle + half
        powers = range(math.ceil(low), math.floor(high) + 1)
        ticks, names = [10.0**power for power in powers], [power_of_ten(power) for power in powers]
        axes[tensor] = AxisScale(TITLES[tensor], (low, high), ticks, names, type="log")
    return axes


def values_of(answer: Answer, tensor: str) -> tuple[np.ndarray, np.ndarray]:
    """The means of a tensor, and the values of each seed."""
    return tuple(answer.tensors[name].data.numpy() for name in (tensor, f"{tensor}.by_seed"))


FIGURES = {
    "change": Drawn("How far the output moves", change, "change"),
    "constant": Drawn("Divided by its dependencies", constant, "constant"),
}
