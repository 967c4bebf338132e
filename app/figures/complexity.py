"""Figures of /complexity: what one layer costs against the length, and what a gradient meets
against the distance.
"""

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    AxisScale,
    Panel,
    at_end,
    at_values,
    figure,
    heat_map,
    line,
    logarithmic,
    named,
    of_seeds,
    upright,
)
from app.figures.plot import Plot, changed
from model.answers.answer import Answer

ROLES = {
    "self-attention": "attention",
    "recurrent": "stream",
    "convolution": "feed-forward",
    "restricted": "position",
}
DASHES = ("2px,3px", "6px,4px", "", "4px,2px", "")
"""Of recurrence with a gain below 1, of 1 and above 1, of the LSTM and of attention."""
PATHS = {"attention": "attention", "LSTM": "feed-forward"}
BIG = 10  # size of the dots at the length where attention costs as much as recurrence
SHOWN = 5  # powers of ten that the colours of the map tell apart
EVERY = 16  # distances between two ticks


def operations(answer: Answer, question: Question) -> Plot:
    """How often each layer multiplies. The dotted line stands where n = d, if that length is on the
    axis.
    """
    return costs(answer, "operations", "operations", "operations", question["d_model"])


def sequential(answer: Answer, question: Question) -> Plot:
    """How many steps of each layer have to wait for the one before."""
    return costs(answer, "sequential", "steps that cannot run at once", "steps in a row")


def path_length(answer: Answer, question: Question) -> Plot:
    """How many steps lie between the first position and the last."""
    return costs(answer, "path_length", "steps from the first position to the last", "steps")


def time(answer: Answer, question: Question) -> Plot:
    """How long each layer takes on this machine."""
    return costs(answer, "time", "seconds, measured on this machine", "s")


def costs(answer: Answer, tensor: str, title: str, unit: str, crossing: int | None = None) -> Plot:
    """One line for each layer over the lengths, the length `crossing` marked."""
    drawn = answer.tensors[tensor]
    lengths = axes.values(answer, "length")
    values = drawn.data.numpy()
    traces, ends = [], []
    for name, row in zip(axes.labels(answer, drawn.axes[0]), values, strict=True):
        hover = f"{name}, n = %{{x}}<br><b>%{{y:.3g}}</b> {unit}"
        dash = "5px,4px" if name == "restricted" else ""
        trace = line(lengths, row, name, ROLES[name], hover, legend=False, dash=dash)
        sizes = [BIG if n == crossing else trace["marker"]["size"] for n in lengths]
        traces.append(changed(trace, marker={"size": sizes, "opacity": 1, "line": {"width": 0}}))
        ends.append(at_end(lengths[-1], row[-1], name, ROLES[name], True, True))
    panel = Panel(
        at_values("length n", lengths, log=True),
        logarithmic(title, values),
        traces,
        ends,
        [upright(crossing)] if crossing is not None and crossing in lengths else (),
    )
    return figure(panel, description=f"{title.capitalize()} against the length, for each layer.")


def gradient(answer: Answer, question: Question) -> Plot:
    """How large a gradient still is after some distance: recurrence with three gains, attention."""
    distances = np.array(answer.axes["distance"].values)
    values = answer.tensors["gradient_by_distance"].data.numpy()
    by_seed = answer.tensors["gradient_by_distance.by_seed"].data.numpy()
    thin, traces, ends = [], [], []
    for i, path in enumerate(axes.labels(answer, "path")):
        name, role = path.replace(", gain", ""), PATHS.get(path, "stream")
        hover = "distance %{x}<br>size <b>%{y:.3g}</b>"
        seeds = axes.values(answer, "seed")
        if not DASHES[i]:  # thin lines would fill the gaps of a dashed one
            thin += of_seeds(distances, by_seed[:, i], seeds, name, role, hover)
        told = f"{name}, {hover}"
        traces.append(
            line(distances, values[i], name, role, told, False, legend=False, dash=DASHES[i])
        )
        ends.append(at_end(distances[-1], values[i, -1], name, role, log_y=True))
    ticks = [1, *range(EVERY, int(distances[-1]) + 1, EVERY)]
    x = AxisScale(
        "distance Δ", (1, int(distances[-1])), ticks, [str(tick) for tick in ticks], "positions"
    )
    panel = Panel(x, logarithmic("size of the gradient", by_seed), [*thin, *traces], ends)
    said = "Size of the gradient against the distance, for recurrence and attention."
    return figure(panel, description=said)


def growth(answer: Answer, question: Question) -> Plot:
    """How much an RNN makes of a small change in 64 steps, as a power of ten, for each gain and
    each size of the inputs. Where the colour turns is the edge between vanishing and exploding.
    """
    gains, inputs = (axes.values(answer, name) for name in ("gain", "input"))
    powers = answer.tensors["growth"].data.numpy()
    hover = "gain %{y}, inputs of size %{x}<br>grows by 10 to the power <b>%{z:.3g}</b>"
    cells = heat_map(powers, hover, "signed", (-SHOWN, SHOWN), "power of ten")
    x, y = (
        named(title, [f"{value:g}" for value in those])
        for title, those in (("size of the inputs", inputs), ("gain", gains))
    )
    said = "Growth of a small change over 64 steps of an RNN, for each gain and size of the inputs."
    return figure(Panel(x, y, [cells]), description=said)


FIGURES = {
    "operations": Drawn("One layer", operations, "operations", "analytic"),
    "sequential": Drawn("One layer", sequential, "sequential", "analytic"),
    "path_length": Drawn("One layer", path_length, "path_length", "analytic"),
    "time": Drawn("One layer", time, "time"),
    "growth": Drawn("Gain and input size", growth, "growth"),
    "gradient": Drawn("What a gradient meets", gradient, "gradient_by_distance"),
}
