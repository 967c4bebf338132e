"""Figures of /probes: what a linear map reads after each layer, and how alike the tokens of a
sentence are, with the residual and without.
"""

from functools import partial

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.findings import measured
from app.figures.grammar import AxisScale, Panel, at_end, figure, line, linear
from app.figures.plot import Plot
from app.figures.seeds import with_seeds
from model.answers.answer import Answer

ROLES = {"position": "position", "token": "embedding", "control": "cross"}
EDGE = 0.02  # beyond 0 and 1, so that lines there are seen whole
TITLES = {"on": "With the residual", "off": "Without the residual, the same weights"}


def probes(answer: Answer, question: Question, residual: str) -> Plot:
    """The share of tokens that each probe reads right after each layer: held out, and dashed where
    it was fitted. The dotted line is what the word alone gives away of its position.
    """
    values = answer.tensors[f"accuracy.{residual}"].data.numpy()
    where = points(answer)
    places = np.arange(len(where))
    word = np.full(len(where), measured(answer, "by_word"))
    hover = "position guessed from the word<br>%{y:.3g} of the tokens"
    traces = [
        line(places, word, "word alone", "ink-soft", hover, False, legend=False, dash="2px,3px")
    ]
    ends = [at_end(places[-1], word[-1], "word alone", "ink-soft")]
    labels = axes.labels(answer, "probe")
    for name, (fitted, held_out) in reversed(list(zip(labels, values, strict=True))):
        read = f"{name}, %{{customdata}}<br><b>%{{y:.3g}}</b> of"
        role = ROLES[name]
        traces += [
            line(
                places,
                held_out,
                name,
                role,
                f"{read} the tokens held out",
                legend=False,
                customdata=where,
            ),
            line(
                places,
                fitted,
                f"{name}, fitted",
                role,
                f"{read} the tokens it was fitted to",
                False,
                legend=False,
                dash="5px,4px",
                customdata=where,
            ),
        ]
        ends.append(at_end(places[-1], held_out[-1], name, role))
    y = linear(
        "share read right (dashed: fitted sentences)", [], low=-EDGE, high=1 + EDGE, wanted=6
    )
    said = f"Share of tokens that probes read right after each layer, residual {residual}."
    return figure(Panel(after_layer(answer), y, traces, ends), description=said)


def selectivity(answer: Answer, question: Question, residual: str) -> Plot:
    """What probes read beyond their controls after each layer: the token beyond a random label for
    each word, the position beyond what the word gives away. Both figures have the same scale.
    """
    where = points(answer)
    places = np.arange(len(where))
    none = np.zeros(len(where))
    hover = "as often right as the control: <b>%{y:.3g}</b> beyond it"
    traces = [line(places, none, "control", "ink-soft", hover, False, legend=False, dash="2px,3px")]
    ends = []
    for i, name in enumerate(axes.labels(answer, "part")):
        read = f"{BEYOND[name]}, %{{customdata}}<br><b>%{{y:.3g}}</b> of the tokens"
        of_one = with_seeds(
            answer,
            f"selectivity.{residual}",
            places,
            name,
            ROLES[name],
            read,
            (i,),
            legend=False,
            customdata=where,
        )
        traces += of_one
        ends.append(at_end(places[-1], of_one[-1]["y"][-1], name, ROLES[name]))
    both = np.concatenate(
        [answer.tensors[f"selectivity.{each}.by_seed"].data.numpy().ravel() for each in TITLES]
    )
    y = linear("share read right, less that of the control", both)
    said = f"What probes read beyond their controls after each layer, residual {residual}."
    return figure(Panel(after_layer(answer), y, traces, ends), description=said)


BEYOND = {"position": "position beyond the word", "token": "token beyond a random label"}


def stream(answer: Answer, question: Question, residual: str) -> Plot:
    """The mean cosine of two tokens of one sentence after each layer, and the shares of |x|² that
    come straight from the token and from its position.
    """
    position, token = answer.tensors[f"direct.{residual}"].data.numpy()
    cosine = answer.tensors[f"cosine.{residual}"].data.numpy()
    where = points(answer)
    places = np.arange(len(where))
    series = {
        "cosine": ("stream", cosine, "cosine of two tokens, %{customdata}<br><b>%{y:.3g}</b>"),
        "token": ("embedding", token, straight("token")),
        "position": ("position", position, straight("position")),
    }
    traces, ends = [], []
    for name, (role, values, hover) in series.items():
        traces.append(line(places, values, name, role, hover, legend=False, customdata=where))
        ends.append(at_end(places[-1], values[-1], name, role))
    low = min(0.0, *(float(values.min()) for _, values, _ in series.values()))
    title = "cosine of tokens; share of |x|² from token, position"
    y = linear(title, [], low=low - EDGE, high=1 + EDGE, wanted=6)
    said = f"Cosine of tokens and direct paths after each layer, residual {residual}."
    return figure(Panel(after_layer(answer), y, traces, ends), description=said)


def straight(part: str) -> str:
    return f"{part}, %{{customdata}}<br><b>%{{y:.3g}}</b> of |x|² straight from it"


def points(answer: Answer) -> list[str]:
    """What each point is, in words."""
    _, *layers = axes.labels(answer, "point")
    return ["in the embedding", *(f"after layer {layer}" for layer in layers)]


def after_layer(answer: Answer) -> AxisScale:
    """The embedding, then the layers."""
    _, *layers = axes.labels(answer, "point")
    ends = (-EDGE * len(layers), (1 + EDGE) * len(layers))
    return AxisScale("after layer", ends, range(len(layers) + 1), ["in", *layers])


FIGURES = {
    f"{name}.{residual}": Drawn(title, partial(draw, residual=residual), f"{tensor}.{residual}")
    for name, draw, tensor in (
        ("probes", probes, "accuracy"),
        ("selectivity", selectivity, "selectivity"),
        ("stream", stream, "cosine"),
    )
    for residual, title in TITLES.items()
}
