"""Figures of /gradients: at the last layer against depth, along the stack by layer, and how alike
the tokens have become.
"""

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
    linear,
    logarithmic,
    of_seeds,
)
from model.answers.answer import Answer

DASHED, DOTTED = "6px,4px", "2px,4px"
EVERY = 6  # the layers that are marked along a stack


def last(answer: Answer, question: Question) -> go.Figure:
    """The gradient of the last W_2 against depth, beside the slope that the theorem bounds."""
    depths = depths_of(answer)
    pre = answer.tensors["last"].data.numpy()[axes.labels(answer, "placement").index("pre")]
    law = pre[0] * np.sqrt(depths[0] / depths)
    guide = line(
        depths,
        law,
        "1/√L",
        "ink-soft",
        "1/√L through the first Pre-LN depth<br>%{x} layers: norm %{y:.3g}",
        law=True,
        dash=DOTTED,
    )
    both = [answer.tensors[name].data.numpy().ravel() for name in ("last", "last.by_seed")]
    y = logarithmic("|∂L/∂W₂| of the last layer", np.concatenate([*both, law]))
    return against_depth(answer, "last", y, "norm <b>%{y:.3g}</b>", [guide])


def cosine(answer: Answer, question: Question) -> go.Figure:
    """How alike the tokens of the output are, against depth."""
    y = linear("mean cosine between two tokens", [], low=0, high=1.03)
    return against_depth(answer, "token_cosine", y, "cosine <b>%{y:.3g}</b>", [])


def against_depth(
    answer: Answer, tensor: str, y: AxisScale, said: str, guides: list[go.Scatter]
) -> go.Figure:
    """One line for each placement, thin ones for its seeds, and stated laws."""
    depths, values = depths_of(answer), answer.tensors[tensor].data.numpy()
    by_seed = answer.tensors[f"{tensor}.by_seed"].data.numpy()
    names = axes.labels(answer, "placement")
    seeds = axes.values(answer, "seed")
    lines, thin = [], []
    for i, name in enumerate(names):
        title, role = placements.NAMES[name], placements.ROLES[name]
        hover = f"{title}, %{{x}} layers<br>{said}"
        lines.append(line(depths, values[i], title, role, hover))
        thin += of_seeds(depths, by_seed[:, i], seeds, title, role, f"%{{x}} layers, {said}")
    lines += guides
    ends = [
        at_end(depths[-1], one.y[-1], one.name, one.meta["role"], True, y.type == "log")
        for one in lines
    ]
    panel = Panel(at_values("layers L", [*map(int, depths)], log=True), y, lines + thin, ends)
    shown = ", ".join(placements.NAMES[name] for name in names)
    return figure(panel, description=f"{y.title} against depth: {shown}.")


def parameter(answer: Answer, question: Question) -> go.Figure:
    """The gradient of each layer's W_2, by layer."""
    return along(answer, question, "parameter", "|∂L/∂W₂| of each layer")


def residual(answer: Answer, question: Question) -> go.Figure:
    """The gradient of the stream after each layer."""
    return along(answer, question, "residual", "|∂L/∂x| after each layer")


def along(answer: Answer, question: Question, tensor: str, title: str) -> go.Figure:
    """Both stacks by layer, a line for each placement; encoders are dashed, and the stack that was
    asked for has dots and thin lines for its seeds.
    """
    values = answer.tensors[tensor].data.numpy()
    by_seed = answer.tensors[f"{tensor}.by_seed"].data.numpy()
    layers = np.arange(1, values.shape[-1] + 1)
    seeds = axes.values(answer, "seed")
    lines, thin = [], []
    for s, stack in enumerate(axes.labels(answer, "stack")):
        for p, placement in enumerate(axes.labels(answer, "placement")):
            name, role = f"{placements.NAMES[placement]} {stack}", placements.ROLES[placement]
            chosen = stack == question["stack"]
            hover = f"{name}, layer %{{x}}<br>norm <b>%{{y:.3g}}</b>"
            dash = DASHED if stack == "encoder" else ""
            lines.append(line(layers, values[s, p], name, role, hover, dots=chosen, dash=dash))
            if chosen:
                said = "layer %{x}, norm <b>%{y:.3g}</b>"
                thin += of_seeds(layers, by_seed[:, s, p], seeds, name, role, said)
    ends = [at_end(layers[-1], one.y[-1], one.name, one.meta["role"], log_y=True) for one in lines]
    marked = [1, *range(EVERY, len(layers) + 1, EVERY)]
    x = AxisScale(
        f"layer; the loss reads the {len(layers)}th",
        (0.5, len(layers) + 0.5),
        marked,
        [str(layer) for layer in marked],
    )
    drawn = np.concatenate([one.y for one in lines + thin])
    shown = ", ".join(one.name for one in lines)
    panel = Panel(x, logarithmic(title, drawn), lines + thin, ends)
    return figure(panel, description=f"{title}: {shown}.")


def depths_of(answer: Answer) -> np.ndarray:
    return np.array([int(depth) for depth in axes.labels(answer, "depth")])


FIGURES = {
    "last": Drawn("The last layer’s gradient", last, "last"),
    "parameter": Drawn("Parameter gradient along the stack", parameter, "parameter"),
    "residual": Drawn("Residual gradient along the stack", residual, "residual"),
    "cosine": Drawn("How alike the tokens become", cosine, "token_cosine"),
}
