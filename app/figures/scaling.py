"""Figures of /scaling: unscaled and scaled scores, in their own colours on every figure."""

import math
from typing import Any

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn
from app.figures.grammar import (
    Panel,
    at_end,
    at_values,
    bars,
    figure,
    line,
    linear,
    logarithmic,
    upright,
)
from app.figures.plot import Plot
from app.figures.text import number, weight
from model.answers.answer import Answer

NAMES = ("unscaled", "scaled")
ROLES = ("cross", "attention")  # the colours of these scores on every page
HEADROOM = 1.15  # over a weight of 1 stands its number
LEAST = 1e-30  # what is nearly 0 has no place on a scale of logarithms
BINS = 4  # in one standard deviation


def weights(answer: Answer, question: dict[str, Any]) -> Plot:
    """The weights of one query as bars: of the unscaled scores above, of the scaled below."""
    patterns = answer.tensors["pattern"].data.numpy()
    keys = np.arange(1, patterns.shape[1] + 1)
    panels = []
    for name, role, pattern in zip(NAMES, ROLES, patterns, strict=True):
        highest = int(pattern.argmax())
        hover = f"key %{{x}}, {name}<br><b>%{{y:.3g}}</b> of the weight"
        panels.append(
            Panel(
                linear("key", keys, low=0.4, high=len(keys) + 0.6, wanted=8),
                linear(f"weight, {name}", [], low=0, high=HEADROOM),
                [bars(keys, pattern, name, role, hover)],
                [
                    {
                        "x": highest + 1,
                        "y": float(pattern[highest]),
                        "text": weight(pattern[highest]),
                        "yanchor": "bottom",
                        "showarrow": False,
                    }
                ],
            )
        )
    said = ", ".join(f"{weight(p.max())} {name}" for name, p in zip(NAMES, patterns, strict=True))
    return figure(*panels, description=f"Weights of one query: the largest is {said}.")


def entropy(answer: Answer, question: dict[str, Any]) -> Plot:
    """Mean entropy of the weights, as a share of its largest value, against d_k."""
    widths, values = widths_of(answer), answer.tensors["entropy"].data.numpy()
    unit = f"of ln {answer.axes['key'].size}"
    y = linear("entropy of the weights", [], unit, low=0, high=1)
    traces = [
        line(widths, row, name, role, of_width(name, f"entropy <b>%{{y:.3g}}</b> {unit}"))
        for name, role, row in zip(NAMES, ROLES, values, strict=True)
    ]
    return over_width(question, widths, y, traces, "Entropy of the weights against d_k.")


def variance(answer: Answer, question: dict[str, Any]) -> Plot:
    """Variance of the scores against d_k, over the law Var(q . k) = (1 + c^2) d_k, dashed."""
    widths, values = widths_of(answer), answer.tensors["variance"].data.numpy()
    own = 1 + question["correlation"] ** 2
    laws = [own * widths, np.full(len(widths), own)]
    traces = [
        trace
        for name, role, row, law in zip(NAMES, ROLES, values, laws, strict=True)
        for trace in (
            line(widths, row, name, role, of_width(name, "variance <b>%{y:.3g}</b>")),
            line(
                widths,
                law,
                f"law, {name}",
                "ink-soft",
                of_width(f"law, {name}", "variance %{y:.3g}"),
                law=True,
            ),
        )
    ]
    y = logarithmic("variance of the score", np.concatenate([values.ravel(), *laws]))
    said = "Variance of the scores against d_k; the law is dashed."
    return over_width(question, widths, y, traces, said)


def gradient(answer: Answer, question: dict[str, Any]) -> Plot:
    """Norm of the softmax's Jacobian against d_k: medians, and the mean that hides one."""
    widths = widths_of(answer)
    statistics = axes.labels(answer, "statistic")
    unscaled, scaled = answer.tensors["jacobian"].data.numpy()
    median, mean = statistics.index("median"), statistics.index("mean")
    drawn = [
        ("scaled, median", ROLES[1], scaled[median], False),
        ("unscaled, mean", ROLES[0], unscaled[mean], True),
        ("unscaled, median", ROLES[0], unscaled[median], False),
    ]
    traces = [
        line(
            widths,
            np.where(row > LEAST, row, np.nan),
            name,
            role,
            of_width(name, "norm <b>%{y:.3g}</b>"),
            law=dashed,
        )
        for name, role, row, dashed in drawn
    ]
    y = logarithmic(
        "norm of diag(p) − p pᵀ", [v for _, _, row, _ in drawn for v in row if v > LEAST]
    )
    said = "Gradient of the softmax against d_k: scaled and unscaled, and the unscaled mean."
    return over_width(question, widths, y, traces, said)


def products(answer: Answer, question: dict[str, Any]) -> Plot:
    """Histograms of q . k and of q . k / sqrt(d_k), over normal curves of variance d_k and 1."""
    root = math.sqrt(question["d_head"])
    values = answer.tensors["products"].data.numpy().ravel()
    first, last = math.floor(values.min() * BINS / root), math.ceil(values.max() * BINS / root)
    edges = np.arange(first, max(last, first + 1) + 1) / BINS
    shares = np.histogram(values / root, edges)[0] / values.size
    centres = (edges[:-1] + edges[1:]) / 2
    expected = np.exp(-(centres**2) / 2) / math.sqrt(2 * math.pi) / BINS
    reach = max(4.0, -edges[0], edges[-1])
    panels = []
    for name, role, spread, title in zip(
        NAMES, ROLES, (root, 1), ("q·k", "q·k / √dₖ"), strict=True
    ):
        half = number(spread / BINS / 2)
        hover = f"{title} = %{{x:.3g}} ± {half}<br><b>%{{y:.3g}}</b> of the pairs"
        law = f"normal curve, {title} = %{{x:.3g}}<br>%{{y:.3g}} of the pairs"
        panels.append(
            Panel(
                linear(title, [], low=-reach * root, high=reach * root),
                linear(f"share of pairs, {name}", np.concatenate([shares, expected])),
                [
                    bars(centres * spread, shares, name, role, hover, width=spread / BINS),
                    line(
                        centres * spread,
                        expected,
                        "normal curve",
                        "ink-soft",
                        law,
                        law=True,
                        legend=False,
                    ),
                ],
            )
        )
    said = f"Products of {values.size} pairs, unscaled above and scaled below."
    return figure(*panels, description=said)


def widths_of(answer: Answer) -> np.ndarray:
    return np.asarray(answer.axes["d_head"].values, dtype=float)


def of_width(name: str, what: str) -> str:
    return f"{name}, dₖ = %{{x}}<br>{what}"


def over_width(question, widths, y, traces, description) -> Plot:
    """Lines over the widths on a scale of logarithms; the width that was asked for is marked, and
    a click on another asks for that.
    """
    x = at_values("dₖ", [*map(int, widths)], "components", log=True)
    for trace in traces:
        trace["meta"] |= {"pick": {"d_head": [*map(int, widths)]}}
    ends = [
        at_end(
            widths[-1],
            last(trace["y"]),
            trace["name"],
            trace["meta"]["role"],
            True,
            y.type == "log",
        )
        for trace in traces
        if np.isfinite(trace["y"]).any()
    ]
    panel = Panel(x, y, traces, ends, [upright(question["d_head"])])
    return figure(panel, description=description)


def last(values) -> float:
    return float(values[np.isfinite(values)][-1])


FIGURES = {
    "weights": Drawn("The weights of one query", weights, "pattern"),
    "entropy": Drawn("How evenly the weight is shared", entropy, "entropy"),
    "variance": Drawn("How far the scores vary", variance, "variance"),
    "gradient": Drawn("How much gradient is left", gradient, "jacobian"),
    "products": Drawn("Products, over a normal curve of variance d", products, "products"),
}
