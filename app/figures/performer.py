"""Figures of /performer: the exact map beside the estimated one, and what the estimate costs."""

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.findings import measured
from app.figures.grammar import (
    Panel,
    Tile,
    at_end,
    at_values,
    figure,
    line,
    logarithmic,
    mosaic,
    of_seeds,
    upright,
)
from app.figures.plot import Plot, changed
from app.figures.text import number, percent
from model.answers.answer import Answer

METHODS = ("attention", "FAVOR+")
ROLES = ("ink-soft", "stream")
CHOSEN = "stream"


def maps(answer: Answer, question: Question) -> Plot:
    """The exact map beside the estimated one, on the scale of colours of the exact one. What the
    estimate has beyond that scale is counted beside its name.
    """
    exact, estimated = (answer.tensors[name].data.numpy() for name in ("exact", "approximate"))
    n = len(exact)

    def say(q: int, k: int) -> str:
        return f"query {q}, key {k}: exact {number(exact[q, k])}, FAVOR+ {number(estimated[q, k])}"

    negative = min(exact.min(), estimated.min()) < 0
    most = float(exact.max())
    panel = mosaic(
        [
            Tile("exact", exact, say, note=f"largest {number(most)}"),
            Tile("FAVOR+", estimated, say, note=counted(*off_scale(exact, estimated))),
        ],
        2,
        "query",
        "key",
        f"of the weight; all alike {number(1 / n)}",
        "signed" if negative else "cividis",
        (-most if negative else 0, most),
        f"weight; all alike {1 / n:.2g}",
        even=True,
    )
    said = f"Attention of {n} queries over {n} keys: exact, and by random features."
    return figure(panel, description=said)


def off_scale(exact: np.ndarray, estimated: np.ndarray) -> tuple[float, float]:
    """The share of the estimated cells that are larger than every exact one, or below 0 by more,
    and the farthest of them; 0 where there is none.
    """
    beyond = estimated[np.abs(estimated) > exact.max()]
    if not beyond.size:
        return 0.0, 0.0
    return beyond.size / estimated.size, float(beyond[np.abs(beyond).argmax()])


def counted(share: float, farthest: float) -> str:
    """What stands over the estimated map."""
    return f"{percent(share, 1)} off, to {number(farthest)}" if share else "none is off"


def error(answer: Answer, question: Question) -> Plot:
    """The error of the map against the number of features, for each norm. The chosen norm stands
    out, with a thin line for each seed; dashed is the error of a map that looks everywhere alike.
    """
    norms, features = (np.array(answer.axes[name].values) for name in ("norm", "features"))
    values = answer.tensors["error"].data.numpy()
    by_seed = answer.tensors["error.by_seed"].data.numpy()
    alike = np.full(len(features), measured(answer, "uniform_error"))
    traces, ends, shown = [], [], [values.ravel(), alike]
    for i, norm in enumerate(norms):
        name, chosen = f"norm {norm:g}", norm == question["norm"]
        hover = "m = %{x}<br>relative error <b>%{y:.3g}</b>"
        role = CHOSEN if chosen else "ink-soft"
        if chosen:
            seeds = axes.values(answer, "seed")
            traces += of_seeds(features, by_seed[:, i], seeds, name, role, hover)
            shown.append(by_seed[:, i].ravel())
        pick = {"features": features.tolist(), "norm": [float(norm)] * len(features)}
        trace = line(features, values[i], name, role, f"{name}, {hover}", chosen, legend=False)
        traces.append(changed(trace, meta={"pick": pick}))
        ends.append(at_end(features[-1], values[i, -1], name, role, True, True))
    hover = "a map all alike<br>relative error %{y:.3g}"
    traces.append(line(features, alike, "all alike", CHOSEN, hover, law=True, legend=False))
    ends.append(at_end(features[-1], alike[-1], "all alike", CHOSEN, True, True))
    x = at_values("features m", features.tolist(), log=True)
    y = logarithmic("relative error of the map", np.concatenate(shown))
    said = "Error of the estimated map against the number of features, for each norm."
    return figure(Panel(x, y, traces, ends, [upright(question["features"])]), description=said)


def operations(answer: Answer, question: Question) -> Plot:
    """How often attention and its estimate multiply, against the length."""
    return costs(answer, "operations", "multiplications", "multiplications")


def time(answer: Answer, question: Question) -> Plot:
    """How long attention and its estimate take on this machine, against the length."""
    return costs(answer, "time", "seconds, measured on this machine", "s")


def costs(answer: Answer, tensor: str, title: str, unit: str) -> Plot:
    """One line for attention and one for its estimate, over the lengths."""
    lengths = np.array(answer.axes["length"].values)
    values = answer.tensors[tensor].data.numpy()
    traces, ends = [], []
    for name, role, row in zip(METHODS, ROLES, values, strict=True):
        hover = f"{name}, n = %{{x}}<br><b>%{{y:.3g}}</b> {unit}"
        traces.append(line(lengths, row, name, role, hover, legend=False))
        ends.append(at_end(lengths[-1], row[-1], name, role, True, True))
    x = at_values("length n", lengths.tolist(), log=True)
    panel = Panel(x, logarithmic(title, values), traces, ends)
    return figure(panel, description=f"{title.capitalize()} against the length of the sequence.")


FIGURES = {
    "maps": Drawn("Exact and estimated, queries by keys", maps, "approximate"),
    "error": Drawn("The price", error, "error"),
    "operations": Drawn("The price", operations, "operations"),
    "time": Drawn("The price", time, "time"),
}
