"""Figures of /add-or-concatenate: what a linear map reads of token and position, and one query
computed from the sum and from both side by side.
"""

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import Panel, at_end, dots, figure, line, linear, of_seeds
from app.figures.plot import Plot
from model.answers.answer import Answer

WAYS = {
    "added": ("added", "attention", ""),
    "halves": ("concatenated, d/2 each", "cross", "5px,4px"),
    "whole": ("concatenated, 2d", "feed-forward", "2px,3px"),
}
SHOWN = 32  # channels of the query


def read(answer: Answer, question: Question) -> Plot:
    """The share of held-out places at which the token, above, and the position, below, are read
    right, by the noise on the vectors; thin for each seed.
    """
    noise, seeds = axes.values(answer, "noise"), axes.values(answer, "seed")
    right = answer.tensors["right"].data.numpy()
    by_seed = answer.tensors["right.by_seed"].data.numpy()
    panels = []
    for part, title in enumerate(axes.labels(answer, "part")):
        traces, ends = [], []
        for way, name_of in enumerate(axes.labels(answer, "way")):
            name, role, dash = WAYS[name_of]
            hover = f"{title}, {name}<br>noise %{{x:.3g}}: <b>%{{y:.3g}}</b> read right"
            traces += of_seeds(noise, by_seed[:, way, part], seeds, name, role, hover)
            traces.append(
                line(noise, right[way, part], name, role, hover, legend=not part, dash=dash)
            )
        panels.append(
            Panel(
                linear("noise on each channel", noise, "relative to a token’s channels", low=0),
                linear(f"{title} read right", [], "share", low=0, high=1.02, wanted=4),
                traces,
                ends,
            )
        )
    return figure(
        *panels,
        description="Share of token and position that a linear map reads right, by noise, from the"
        " sum and from concatenations.",
    )


def query(answer: Answer, question: Question) -> Plot:
    """The first channels of one query: what the token gives, what its position gives, their sum,
    and on it the points of the concatenation.
    """
    token, position, both, side_by_side = answer.tensors["query"].data.numpy()[:, :SHOWN]
    channels = np.arange(len(token))
    traces, ends = [], []
    for values, name, role, dash in (
        (token, "x W", "embedding", "5px,4px"),
        (position, "p W", "position", "2px,3px"),
        (both, "x W + p W", "query", ""),
    ):
        hover = f"{name}, channel %{{x}}<br><b>%{{y:.3g}}</b>"
        traces.append(line(channels, values, name, role, hover, dots=False, dash=dash))
        ends.append(at_end(float(channels[-1]), float(values[-1]), name, role))
    hover = "[x; p] [W; W], channel %{x}<br><b>%{y:.3g}</b>"
    traces.append(dots(channels, side_by_side, "[x; p] [W; W]", "query", hover))
    every = np.concatenate([token, position, both])
    return figure(
        Panel(
            linear("channel of the query", channels, low=0),
            linear("value", [], low=1.05 * float(every.min()), high=1.05 * float(every.max())),
            traces,
            ends,
        ),
        description="One query from the sum of token and position, and from both side by side: the"
        " same numbers.",
    )


FIGURES = {
    "read": Drawn("What can be read afterwards", read, "right"),
    "query": Drawn("One query, computed in both ways", query, "query"),
}
