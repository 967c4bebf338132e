"""Scaling: why q · k is divided by √dₖ."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import measured
from app.captions.text import counted, number, percent, weight
from app.experiment import Experiment, Figure
from app.figures.axis_scales import linear
from app.figures.marks import Bars, Lines, Look, Rule, Scale
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
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
    "unscaled, mean": Look("unscaled, mean", "cross", law=True),
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
    ] = Field(1024, description="How many components a query and a key have.")
    keys: Annotated[int, Field(ge=2), up_to(KEYS), COSTLY, Control((4, 16, 64), key="layer")] = (
        Field(16, description="Among how many keys the softmax divides its weight.")
    )
    pairs: Annotated[int, Field(ge=1000), up_to(PAIRS), COSTLY, Control((1000, 5000, 20000))] = (
        Field(20_000, description="How many pairs (q, k) are drawn for all seeds together.")
    )
    correlation: Annotated[
        float, Field(ge=0), AtMostOne, Slider(0, 1, 0.1, "correlation of q with key 1")
    ] = Field(0.0, description="The correlation of a query with its own key. At 1 they are equal.")

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        widths = {1, 4, 16, 64, 256, 1024, self.d_head}
        drawn = 5e-6 * self.keys * sum(widths) + 8e-9 * self.pairs * self.d_head
        return 0.01 + 0.0038 * self.seeds + drawn + 1.1e-5 * len(widths) * self.keys**2


def weights_sentence(answer: "Answer", question: Question) -> str:
    largest = answer.cut("pattern").data.amax(-1).tolist()
    said = ", ".join(f"{percent(most)} {name}" for name, most in zip(SCORES, largest, strict=True))
    return f"Weights of one query: the largest is {said}."


def entropy(answer: "Answer", question: Question) -> Lines:
    """Mean entropy of the weights, as a share of its largest value, against d_k."""
    unit = f"of ln {answer.axes['key'].size}"
    return Lines(
        "entropy",
        x="d_head",
        by="score",
        looks=SCORES,
        seeds=None,
        names="both",
        upright="d_head",
        pick={"d_head": "d_head"},
        hover=f"{{name}}, dₖ = %{{x}}<br>entropy <b>%{{y:.3g}}</b> {unit}",
        x_scale=WIDTH,
        y=Scale("entropy of the weights", unit, low=0, high=1),
    )


def law(score: str) -> Rule:
    """Var(q · k) = (1 + c²) dₖ, and the same without dₖ for the scaled scores."""

    def variance(answer: "Answer", question: Question) -> list[float]:
        widths = answer.cut("variance").numbers("d_head")
        own = 1 + question["correlation"] ** 2
        return [own * (width if score == "unscaled" else 1) for width in widths]

    name = f"law, {score}"
    hover = f"{name}, dₖ = %{{x}}<br>variance %{{y:.3g}}"
    return Rule(name, variance, hover, law=True, last=True)


def seen(jacobian: "Cut") -> "Cut":
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
    for look, spread, title in zip(SCORES.values(), (root, 1), ("q·k", "q·k / √dₖ"), strict=True):
        half = number(spread / BINS / 2)
        hover = f"{title} = %{{x:.3g}} ± {half}<br><b>%{{y:.3g}}</b> of the pairs"
        said = f"normal curve, {title} = %{{x:.3g}}<br>%{{y:.3g}} of the pairs"
        curve = line(
            centres * spread, expected, "normal curve", "ink-soft", said, law=True, legend=False
        )
        panels.append(
            Panel(
                linear(title, [], low=-reach * root, high=reach * root),
                linear(f"share of pairs, {look.name}", np.concatenate([shares, expected])),
                [
                    bars(
                        centres * spread, shares, look.name, look.role, hover, width=spread / BINS
                    ),
                    curve,
                ],
            )
        )
    said = f"Products of {values.size} pairs, unscaled above and scaled below."
    return figure(*panels, description=said)


LOOK_FOR = (
    "The upper bars are the softmax weights of the scores q·k, the lower bars those of the scores"
    " divided by √dₖ. The keys are random, so none deserves more weight than another. Lower dₖ: the"
    " upper bars become more equal, and the lower bars stay about as equal as they are."
)
RELATED = (
    "Key 1 is correlated with the query. Its score grows like dₖ, the others only like √dₖ, so"
    " key 1 takes nearly all the weight when dₖ is large, even after the division by √dₖ."
)
NARROW = (
    "With few components the scores are small, so the division by √dₖ changes little. Raise dₖ: one"
    " upper bar takes nearly all the weight, and the lower bars stay about as equal as they are."
)
LITTLE = 0.1
"""A division changes little if it raises the entropy by less than this share of its largest."""


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the bars, as they are drawn."""
    if question["correlation"]:
        return RELATED
    raised = measured(answer, "entropy.scaled") - measured(answer, "entropy.unscaled")
    return LOOK_FOR if raised >= LITTLE else NARROW


def reading(answer: "Answer", question: Question) -> str:
    """The largest weight of the query that is drawn, with and without the division."""
    unscaled, scaled = map(percent, answer.cut("pattern").data.amax(-1).tolist())
    return (
        f"With dₖ = {{d_head}}, the largest of {{keys}} weights is {unscaled} unscaled and {scaled}"
        " scaled."
    )


SHARED = {(1, 1): 0, (0, 1): 1, (0, 0): 2}
"""The choice by whether the weight is shared before the division, and after it."""


def asks(question: Question) -> str:
    """The exercise: what the division does to the softmax."""
    d, c = question["d_head"], question["correlation"]
    root = math.sqrt(d)
    own = f" with a correlation of {c:g} between the query and its own key" if c else ""
    return (
        f"A query and {counted(question['keys'], 'key')} are random{own or ' and independent'},"
        f" with {counted(d, 'component')} each. Is the weight of softmax(q · k) shared among the"
        f" keys, so that its entropy is above half of the largest? And after division by"
        f" √{d} = {number(root)}?"
    )


EXPERIMENT = Experiment(
    question=Scaling,
    sentence="The variance of q · k, and the entropy and gradient of the softmax, with and without"
    " the division by √d_head",
    example="d_head=64&pairs=2000",
    figures={
        "weights": Figure(
            "The weights of one query",
            Bars(
                "pattern",
                x="key",
                first=1,
                panels="score",
                looks=SCORES,
                largest=weight,
                hover="key %{x}, {name}<br><b>%{y:.3g}</b> of the weight",
                x_scale=Scale("key", before=0.6, beyond=0.6, ticks=8),
                y=Scale("weight, {name}", low=0, high=1.15),
            ),
            weights_sentence,
        ),
        "entropy": Figure(
            "How evenly the weight is shared",
            entropy,
            "Entropy of the weights against d_k.",
            tensor="entropy",
        ),
        "variance": Figure(
            "How far the scores vary",
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
                y=Scale("variance of the score", kind="log"),
            ),
            "Variance of the scores against d_k; the law is dashed.",
        ),
        "gradient": Figure(
            "How much gradient is left",
            Lines(
                "jacobian",
                x="d_head",
                parts={
                    name: dict(zip(("score", "statistic"), name.split(", "), strict=True))
                    for name in GRADIENTS
                },
                each=seen,
                looks=GRADIENTS,
                seeds=None,
                names="both",
                upright="d_head",
                pick={"d_head": "d_head"},
                hover="{name}, dₖ = %{x}<br>norm <b>%{y:.3g}</b>",
                x_scale=WIDTH,
                y=Scale("norm of diag(p) − p pᵀ", kind="log"),
            ),
            "Gradient of the softmax against d_k: scaled and unscaled, and the unscaled mean.",
        ),
        "products": Figure(
            "Products, over a normal curve of variance d", products, tensor="products"
        ),
    },
    claim="Without division by √dₖ, one key takes nearly all the weight",
    rests_on=("largest.unscaled", "entropy.unscaled", "entropy.scaled"),
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        ("Yes, both times", "Only after the division", "Neither time: few keys get nearly all"),
        by_findings({"entropy.unscaled": (0.5,), "entropy.scaled": (0.5,)}, SHARED.get),
        {
            "d_head=1": "1 component",
            "d_head=16": "16 components",
            "correlation=0.5": "a correlation of 0.5",
        },
    ),
)
