"""Figures of /several-heads: how models with one head and with four learn the same task, how often
they are right at the end, and where their heads look.
"""

from functools import partial

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    Panel,
    Tile,
    at_end,
    bars,
    dots,
    figure,
    line,
    linear,
    mosaic,
    named,
    of_seeds,
)
from app.figures.plot import Plot
from app.figures.text import number
from model.answers.answer import Answer

ROLES = {1: "feed-forward", 4: "attention"}
SMOOTH = 20  # steps of the mean that is drawn, up to each step


def heads_of(answer: Answer) -> list[int]:
    return [int(heads) for heads in axes.values(answer, "heads")]


def said(heads: int) -> str:
    return "1 head" if heads == 1 else f"{heads} heads"


def smoothed(rows: np.ndarray) -> np.ndarray:
    """At each step the mean of the last SMOOTH steps up to it; every step has a new text."""
    sums = np.cumsum(np.insert(rows, 0, 0, axis=-1), axis=-1)
    at = np.arange(1, sums.shape[-1])
    start = np.maximum(at - SMOOTH, 0)
    return (sums[..., at] - sums[..., start]) / (at - start)


def loss(answer: Answer, question: Question) -> Plot:
    """The loss on new texts by step, thin for each seed, and dotted the loss of guessing."""
    steps, seeds = axes.values(answer, "step"), axes.values(answer, "seed")
    mean = smoothed(answer.tensors["loss"].data.numpy())
    every = smoothed(answer.tensors["loss.by_seed"].data.numpy())
    guessing = answer.fields["guessing"]
    hover = "step %{x}<br>loss of guessing <b>%{y:.3g}</b> nats"
    traces = [
        line(
            [steps[0], steps[-1]],
            [guessing] * 2,
            "guessing",
            "ink-soft",
            hover,
            law=True,
            legend=False,
        )
    ]
    ends = [at_end(steps[-1], guessing, "guessing", "ink-soft")]
    for i, heads in enumerate(heads_of(answer)):
        name, role = said(heads), ROLES[heads]
        hover = f"{name}, step %{{x}}<br>loss <b>%{{y:.3g}}</b> nats, mean of {SMOOTH} steps"
        traces += of_seeds(steps, every[:, i], seeds, name, role, hover)
        traces.append(line(steps, mean[i], name, role, hover, dots=False, legend=False))
        ends.append(at_end(steps[-1], float(mean[i, -1]), name, role))
    final = ", ".join(
        f"{said(heads)} {number(float(mean[i, -1]))}" for i, heads in enumerate(heads_of(answer))
    )
    return figure(
        Panel(
            linear("step", steps, low=0),
            linear("loss, mean of 20 steps", [*every.ravel(), guessing], "nats", low=0),
            traces,
            ends,
        ),
        description=f"Loss at the last step, in nats: {final}.",
    )


def right(answer: Answer, question: Question) -> Plot:
    """How often all boxes are said right after the training: a bar for each number of heads, and on
    it a point for each seed.
    """
    known = heads_of(answer)
    mean, every = (answer.tensors[f"right{part}"].data.numpy() for part in ("", ".by_seed"))
    traces: list = []
    for i, heads in enumerate(known):
        hover = f"{said(heads)}<br>right at <b>%{{y:.3g}}</b> of the positions"
        traces.append(bars([i], [mean[i]], said(heads), ROLES[heads], hover, width=0.6))
        of_seed = f"{said(heads)}, seed %{{customdata}}<br>right at <b>%{{y:.3g}}</b>"
        traces.append(
            dots(
                np.full(len(every), float(i)),
                every[:, i],
                f"{said(heads)}, seeds",
                "ink",
                of_seed,
                customdata=[str(seed) for seed in range(len(every))],
            )
        )
    shares = ", ".join(f"{said(h)} {number(float(m))}" for h, m in zip(known, mean, strict=True))
    return figure(
        Panel(
            named("number of heads, of the same total width", [said(heads) for heads in known]),
            linear("all boxes right", [], "share of the positions", low=0, high=1.02, wanted=5),
            traces,
        ),
        description=f"Share of positions with all boxes right: {shares}.",
    )


def looks(answer: Answer, question: Question, heads: int) -> Plot:
    """The attention of each head of the first seed on one text."""
    tokens = axes.labels(answer, "key")
    tiles = [
        Tile(
            f"head {head}",
            np.where(np.tril(np.ones(values.shape, bool)), values, np.nan),
            lambda q, k, head=head: f"head {head}: after {tokens[q]} looks at {tokens[k]}",
            f"head:{head}",
        )
        for head, values in enumerate(answer.tensors[f"pattern.{heads}"].data.numpy())
    ]
    across = 1 if heads == 1 else 2
    panel = mosaic(tiles, across, "query", "key", "of the weight", ends=(0, 1), unit="weight")
    return figure(
        panel, description=f"The weights of {said(heads)} in the text {' '.join(tokens)}."
    )


FIGURES = {
    "loss": Drawn("Who learns faster", loss, "loss"),
    "right": Drawn("How often all boxes are right", right, "right"),
    **{
        f"looks.{heads}": Drawn(
            f"Where {said(heads)} look{'s' if heads == 1 else ''}",
            partial(looks, heads=heads),
            f"pattern.{heads}",
        )
        for heads in (1, 4)
    },
}
