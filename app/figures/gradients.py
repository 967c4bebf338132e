"""Figures of /gradients: at the last layer against depth, along the stack by layer, and how alike
the tokens have become.
"""

import numpy as np

from app.figures import axes, placements
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    AxisScale,
    Panel,
    at_values,
    end_of,
    figure,
    line,
    linear,
    logarithmic,
    of_seeds,
    rounded,
)
from app.figures.placement_lines import placement_lines
from app.figures.plot import Plot, Trace
from model.answers.answer import Answer

DOTTED = "2px,4px"
EVERY = 6  # the layers that are marked along a stack


def last(answer: Answer, question: Question) -> Plot:
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
    y = rounded("|∂ℒ/∂W₂| of the last layer", np.concatenate([*both, law]))
    return against_depth(answer, question, "last", y, "norm <b>%{y:.3g}</b>", [guide])


def cosine(answer: Answer, question: Question) -> Plot:
    """How alike the tokens of the output are, against depth."""
    y = linear("mean cosine between two tokens", [], low=0, high=1.03)
    return against_depth(answer, question, "token_cosine", y, "cosine <b>%{y:.3g}</b>", [])


def against_depth(
    answer: Answer,
    question: Question,
    tensor: str,
    y: AxisScale,
    said: str,
    guides: list[Trace],
) -> Plot:
    """One line for each placement, thin ones for the seeds of the one that was asked for, and
    stated laws.
    """
    depths, values = depths_of(answer), answer.tensors[tensor].data.numpy()
    by_seed = answer.tensors[f"{tensor}.by_seed"].data.numpy()
    names, chosen = axes.labels(answer, "placement"), question["placement"]
    lines = placement_lines(depths, values, names, chosen, f"%{{x}} layers<br>{said}")
    thin = of_seeds(
        depths,
        by_seed[:, names.index(chosen)],
        axes.values(answer, "seed"),
        placements.NAMES[chosen],
        placements.ROLES[chosen],
        f"%{{x}} layers, {said}",
    )
    lines += guides
    ends = [end_of(one, True, y.type == "log") for one in lines]
    panel = Panel(at_values("layers L", [*map(int, depths)], log=True), y, lines + thin, ends)
    shown = ", ".join(placements.NAMES[name] for name in names)
    return figure(panel, description=f"{y.title} of the {question['stack']} by depth: {shown}.")


def parameter(answer: Answer, question: Question) -> Plot:
    """The gradient of each layer's W_2, by layer."""
    return along(answer, question, "parameter", "|∂ℒ/∂W₂| of each layer")


def residual(answer: Answer, question: Question) -> Plot:
    """The gradient of the stream after each layer."""
    return along(answer, question, "residual", "|∂ℒ/∂x| after each layer")


def along(answer: Answer, question: Question, tensor: str, title: str) -> Plot:
    """The stack that was asked for by layer, a line for each placement and thin ones for the seeds
    of the one that was asked for.
    """
    stack, chosen = question["stack"], question["placement"]
    of = axes.labels(answer, "stack").index(stack)
    names = axes.labels(answer, "placement")
    values = answer.tensors[tensor].data.numpy()[of]
    by_seed = answer.tensors[f"{tensor}.by_seed"].data.numpy()[:, of, names.index(chosen)]
    layers = np.arange(1, values.shape[-1] + 1)
    said = "layer %{x}, norm <b>%{y:.3g}</b>"
    lines = placement_lines(layers, values, names, chosen, said)
    thin = of_seeds(
        layers,
        by_seed,
        axes.values(answer, "seed"),
        placements.NAMES[chosen],
        placements.ROLES[chosen],
        said,
    )
    ends = [end_of(one, log_y=True) for one in lines]
    marked = [1, *range(EVERY, len(layers) + 1, EVERY)]
    x = AxisScale(
        f"layer; the loss reads the {len(layers)}th",
        (0.5, len(layers) + 0.5),
        marked,
        [str(layer) for layer in marked],
    )
    drawn = np.concatenate([one["y"] for one in lines + thin])
    shown = ", ".join(one["name"] for one in lines)
    panel = Panel(x, logarithmic(title, drawn), lines + thin, ends)
    return figure(panel, description=f"{title} of the {stack}: {shown}.")


def depths_of(answer: Answer) -> np.ndarray:
    return np.array(axes.values(answer, "depth"))


FIGURES = {
    "last": Drawn("The last layer’s gradient, by depth", last, "last"),
    "parameter": Drawn("Gradient of the weights, layer by layer", parameter, "parameter"),
    "residual": Drawn("Gradient of the stream, layer by layer", residual, "residual"),
    "cosine": Drawn("How alike the tokens are, by depth", cosine, "token_cosine"),
}
