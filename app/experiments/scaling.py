"""Scaling: why q · k is divided by √dₖ."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, counts, largest, roots, setting, sizes, where
from app.captions.findings import measured
from app.captions.text import number, weight
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.axis_scales import linear
from app.figures.marks import Bar, Lines, Look, Marks, Records, Rule, Scale
from app.figures.plot import Panel, Plot, figure
from app.figures.traces import bars, line
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control, Slider
from app.schema.questions import AtMostOne, Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

SCORES = {"unscaled": Look("unscaled", "cross"), "scaled": Look("scaled", "attention")}
"""The colours of these scores on every page."""
GRADIENTS = {
    "scaled, median": Look("scaled, median", "attention"),
    "unscaled, mean": Look("unscaled, mean", "cross", "4px,4px", dots=False),
    "unscaled, median": Look("unscaled, median", "cross"),
}
WIDTH = Scale("dₖ", "components", kind="measured")
LEAST = 1e-30  # what is nearly 0 has no place on a scale of logarithms
BINS = 4  # in one standard deviation
D_HEAD = Limit(
    "clinic_d_head",
    1_024,
    "components",
    "The queries and keys of `/scaling` may have this many components.",
)
KEYS = Limit("clinic_keys", 64, "keys", "A query of `/scaling` may choose among this many keys.")
PAIRS = Limit("pairs", 20_000, "pairs", "`/scaling` may draw this many pairs of a query and a key.")


class Scaling(Clinic):
    d_head: Annotated[
        int,
        Field(ge=1),
        up_to(D_HEAD),
        Control((1, 4, 16, 64, 256, 1024), "d<sub>k</sub>", key="step"),
    ] = 1024
    keys: Annotated[int, Field(ge=2), up_to(KEYS), COSTLY, Control((4, 16, 64), key="layer")] = 16
    pairs: Annotated[int, Field(ge=1000), up_to(PAIRS), COSTLY, Control((1000, 5000, 20000))] = (
        20_000
    )
    correlation: Annotated[
        float, Field(ge=0), AtMostOne, Slider(0, 1, 0.1, "correlation of q with key 1")
    ] = 0.0

    def sizes(self) -> dict[str, float]:
        widths = {1, 4, 16, 64, 256, 1024, self.d_head}
        return {
            "answer": 1,
            "seeds": self.seeds,
            "components": self.keys * sum(widths),
            "drawn": self.pairs * self.d_head,
            "squares": len(widths) * self.keys**2,
        }


def weights(score: str) -> Records:
    """The weight of each key, and the number of the largest over its bar."""
    style = SCORES[score]

    def bars(answer: "Answer", question: Question) -> list[Bar]:
        row = answer.cut("pattern", score=score).data.tolist()
        return [
            Bar(i, str(i + 1), share, str(i + 1), style.role, style.name)
            for i, share in enumerate(row)
        ]

    def largest(answer: "Answer", question: Question) -> list[dict[str, Any]]:
        most = max(bars(answer, question), key=lambda bar: bar.length)
        at = {"x": most.at, "y": most.length, "yanchor": "bottom"}
        return [{**at, "text": weight(most.length), "showarrow": False}]

    return Records(
        bars,
        places="key",
        lengths=Scale(f"{style.name} weight", low=0, high=1.15),
        hover="key %{customdata}, {name}<br><b>%{y:.3g}</b> of the weight",
        legend=False,
        notes=largest,
    )


ENTROPY = Lines(
    "entropy",
    x="d_head",
    by="score",
    looks=SCORES,
    seeds=None,
    names="both",
    upright="d_head",
    pick={"d_head": "d_head"},
    hover="{name}, dₖ = %{x}<br>entropy <b>%{y:.3g}</b> of its maximum",
    x_scale=WIDTH,
    y=lambda answer, _: Scale(
        "entropy of weights", f"fraction of ln {answer.axes['key'].size}", low=0, high=1
    ),
)
"""Mean entropy of the weights, as a share of its largest value, against d_k."""


def law(score: str) -> Rule:
    """Var(q · k) = (1 + c²) dₖ, and the same without dₖ for the scaled scores."""

    def variance(answer: "Answer", question: Question) -> list[float]:
        widths = answer.cut("variance").numbers("d_head")
        second_moment = 1 + question["correlation"] ** 2
        return [second_moment * (width if score == "unscaled" else 1) for width in widths]

    name = f"theory, {score}"
    hover = f"{name}, dₖ = %{{x}}<br>variance %{{y:.3g}}"
    return Rule(name, variance, hover, law=True, last=True)


def positive_norms(jacobian: "Cut") -> "Cut":
    """The norms that a scale of logarithms can show."""
    return replace(jacobian, data=jacobian.data.where(jacobian.data > LEAST, float("nan")))


def products(answer: "Answer", question: Question) -> Plot:
    """Histograms of q . k and of q . k / sqrt(d_k), over normal curves of variance d_k and 1."""
    root = math.sqrt(question["d_head"])
    values = answer.cut("products").data.numpy().ravel()
    first, last = math.floor(values.min() * BINS / root), math.ceil(values.max() * BINS / root)
    edges = np.arange(first, max(last, first + 1) + 1) / BINS
    shares = np.histogram(values / root, edges)[0] / values.size
    centres = (edges[:-1] + edges[1:]) / 2
    expected = np.exp(-(centres**2) / 2) / math.sqrt(2 * math.pi) / BINS
    reach = max(4.0, -edges[0], edges[-1])
    panels = []
    for style, spread, title in zip(SCORES.values(), (root, 1), ("q·k", "q·k / √dₖ"), strict=True):
        half = number(spread / BINS / 2)
        hover = f"{title} = %{{x:.3g}} ± {half}<br><b>%{{y:.3g}}</b> of the pairs"
        normal = f"normal curve, {title} = %{{x:.3g}}<br>%{{y:.3g}} of the pairs"
        curve = line(
            centres * spread, expected, "normal curve", "ink-soft", normal, law=True, legend=False
        )
        panels.append(
            Panel(
                linear(title, [], low=-reach * root, high=reach * root),
                linear(f"fraction of pairs, {style.name}", np.concatenate([shares, expected])),
                [
                    bars(
                        centres * spread, shares, style.name, style.role, hover, width=spread / BINS
                    ),
                    curve,
                ],
            )
        )
    return figure(*panels)


LITTLE = 0.1
"""A division changes little if it raises the entropy by less than this share of its largest."""


def relation(answer: "Answer", question: Question) -> str:
    """What the bars that are drawn show of the division."""
    if question["correlation"]:
        return "correlated"
    raised = measured(answer, "entropy.scaled") - measured(answer, "entropy.unscaled")
    return "wide" if raised >= LITTLE else "narrow"


WORDS = Words(
    "scaling",
    fields={
        **setting("whole", "d_head", "keys"),
        **setting("decimal", "correlation"),
        **counts("d_head", "keys"),
        **roots("d_head"),
        **largest("fraction", "pattern", score=SCORES),
        **sizes("products"),
    },
    conditions={
        "weights": Condition(relation, ("wide", "narrow", "correlated")),
        **where("correlated", lambda question: question["correlation"] > 0),
    },
)

SHARED = {(1, 1): 0, (0, 1): 1, (0, 0): 2}
"""The choice by whether the weight is shared before the division, and after it."""


EXPERIMENT = Experiment(
    question=Scaling,
    example="d_head=64&pairs=2000",
    figures={
        "weights": in_words(Marks([weights(score) for score in SCORES]), tensor="pattern"),
        "entropy": in_words(ENTROPY),
        "variance": in_words(
            Lines(
                "variance",
                x="d_head",
                by="score",
                looks=SCORES,
                rules=[law("unscaled"), law("scaled")],
                seeds=None,
                names="both",
                upright="d_head",
                pick={"d_head": "d_head"},
                hover="{name}, dₖ = %{x}<br>variance <b>%{y:.3g}</b>",
                x_scale=WIDTH,
                y=Scale("variance of scores", kind="log"),
            )
        ),
        "gradient": in_words(
            Lines(
                "jacobian",
                x="d_head",
                parts={
                    name: dict(zip(("score", "statistic"), name.split(", "), strict=True))
                    for name in GRADIENTS
                },
                each=positive_norms,
                looks=GRADIENTS,
                seeds=None,
                names="both",
                upright="d_head",
                pick={"d_head": "d_head"},
                hover="{name}, dₖ = %{x}<br>norm <b>%{y:.3g}</b>",
                x_scale=WIDTH,
                y=Scale("norm of diag(p) − p pᵀ", kind="log"),
            )
        ),
        "products": in_words(products, tensor="products"),
    },
    words=WORDS,
    opening={"weights": "wide"},
    rests_on=("largest.unscaled", "entropy.unscaled", "entropy.scaled"),
    exercise=Exercise(
        ("both", "after", "neither"),
        by_findings({"entropy.unscaled": (0.5,), "entropy.scaled": (0.5,)}, SHARED.get),
        {"d_head=1": "width", "d_head=16": "width", "correlation=0.5": "related"},
    ),
)
