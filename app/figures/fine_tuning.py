"""Figures of /fine-tuning: accuracy by the number of labelled sentences, and what pre-training is
worth at each number.
"""

import math

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import AxisScale, Panel, at_end, figure, line, linear
from app.figures.plot import Plot, changed
from app.figures.seeds import with_seeds
from model.answers.answer import Answer

ROLES = {"frozen": "key", "tuned": "value", "scratch": "ink-soft"}


def accuracy(answer: Answer, question: Question) -> Plot:
    """The accuracy of each member; thin lines are the seeds, the dotted line is a coin."""
    labelled = axes.values(answer, "labelled")
    chance = np.full(len(labelled), answer.fields["chance"])
    places = [math.log2(n) for n in labelled]
    hover = "a coin is right for <b>%{y:.3g}</b> of the sentences"
    traces = [
        line(places, chance, "a coin", "ink-soft", hover, False, legend=False, dash="2px,3px")
    ]
    ends = [at_end(places[-1], answer.fields["chance"], "a coin", "ink-soft")]
    for i, name in enumerate(axes.labels(answer, "member")):
        hover = "%{customdata} labels<br><b>%{y:.3g}</b> of the sentences judged right"
        drawn = with_seeds(
            answer,
            "accuracy",
            places,
            name,
            ROLES[name],
            hover,
            (i,),
            legend=False,
            customdata=[str(n) for n in labelled],
        )
        traces += drawn
        ends.append(at_end(places[-1], float(drawn[-1]["y"][-1]), name, ROLES[name]))
    every = answer.tensors["accuracy.by_seed"].data.numpy()
    low, high = math.floor(10 * every.min()) / 10, math.ceil(10 * every.max()) / 10
    y = linear("share of held-out sentences judged right", [], low=low, high=high)
    said = "Accuracy of a frozen, a tuned and a fresh encoder by the number of labelled sentences."
    return figure(Panel(by_labels(labelled, places), y, traces, ends), description=said)


def gain(answer: Answer, question: Question) -> Plot:
    """What pre-training adds to the accuracy at each number of labels: the tuned encoder less the
    one from scratch, seed by seed.
    """
    labelled = axes.values(answer, "labelled")
    places = [math.log2(n) for n in labelled]
    more = answer.tensors["gain.by_seed"].data.numpy()
    hover = "<b>%{y:.3g}</b> of the sentences more, thanks to pre-training"
    traces = []
    for seed, row in enumerate(more):
        thin = line(places, row, f"seed {seed}", "value", hover, False, legend=False)
        traces.append(changed(thin, line={"width": 1}, opacity=0.25))
    mean = answer.tensors["gain"].data.numpy()
    traces.append(line(places, mean, "tuned less scratch", "value", hover, legend=False))
    ends = [at_end(places[-1], float(mean[-1]), "difference", "value")]
    y = linear("accuracy, tuned less scratch", more)
    said = "What pre-training adds to the accuracy, by the number of labelled sentences."
    return figure(Panel(by_labels(labelled, places), y, traces, ends), description=said)


def by_labels(labelled: list[float], places: list[float]) -> AxisScale:
    margin = 0.03 * (places[-1] - places[0])
    ends = (places[0] - margin, places[-1] + margin)
    return AxisScale("labelled sentences", ends, places, [f"{n:g}" for n in labelled])


FIGURES = {
    "accuracy": Drawn("How often each is right", accuracy, "accuracy"),
    "gain": Drawn("What pre-training adds", gain, "gain"),
}
