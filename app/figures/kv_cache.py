"""Figures of /kv-cache: which keys and values are computed at each step, with the cache and without
it, the multiplications of each step, and the bytes that the cache holds.
"""

from functools import partial

import numpy as np

from app.figures.axes import labels, values
from app.figures.drawing import Drawn, Question
from app.figures.grammar import Panel, at_end, bars, figure, heat_map, line, linear, named
from app.figures.plot import Plot
from app.figures.text import visible
from model.answers.answer import Answer

SAID = {1: "read from the cache", 2: "computed"}
WAYS = {"with": ("with the cache", "attention"), "without": ("without it", "feed-forward")}


def keys(answer: Answer, question: Question, way: str) -> Plot:
    """A row for each step and a column for each token: yellow where its keys and values are
    computed, grey where they are read, empty where the token has not been written yet.
    """
    tensor = answer.tensors[f"keys.{way}"].data.numpy()
    state = np.where(np.isfinite(tensor), tensor, np.nan)
    tokens = [visible(token) for token in labels(answer, "position")]
    said = [["" if np.isnan(cell) else SAID[int(cell)] for cell in row] for row in state.tolist()]
    trace = heat_map(
        state,
        "step %{y}: keys and values of %{x}<br><b>%{customdata}</b>",
        ends=(0, 2),
        showscale=False,
        customdata=said,
        text=[[word[:1].upper() for word in row] for row in said],
    )
    computed = int((state == 2).sum())
    steps = [f"{step:g}" for step in values(answer, "step")]
    return figure(
        Panel(
            named("token", tokens, above=True), named("step", steps, down=True), [trace], even=True
        ),
        description=f"{WAYS[way][0]}: keys and values of a token are computed {computed} times in"
        f" {len(steps)} steps.",
    )


def multiplications(answer: Answer, question: Question) -> Plot:
    """The multiplications of each step, with the cache and without it."""
    steps = values(answer, "step")
    counts = answer.tensors["multiplications"].data.numpy() / 1e6
    traces, ends = [], []
    for way, row in zip(labels(answer, "way"), counts, strict=True):
        name, role = WAYS[way]
        hover = f"{name}, step %{{x}}<br><b>%{{y:.3g}}</b> million multiplications"
        traces.append(line(steps, row, name, role, hover, legend=False))
        ends.append(at_end(steps[-1], float(row[-1]), name, role))
    return figure(
        Panel(
            linear("step (tokens read so far)", steps, low=0),
            linear("multiplications of the step", counts, "millions", low=0),
            traces,
            ends,
        ),
        description=f"At the last step {counts[0, -1]:.3g} million multiplications with the cache,"
        f" {counts[1, -1]:.3g} million without it.",
    )


def held(answer: Answer, question: Question) -> Plot:
    """The bytes of all keys and values that the cache holds after each step."""
    steps, sizes = values(answer, "step"), answer.tensors["bytes"].data.numpy() / 1024
    trace = bars(
        steps, sizes, "cache", "key", "after step %{x}<br><b>%{y:.3g}</b> KiB of keys and values"
    )
    return figure(
        Panel(
            linear("step (tokens read so far)", steps, low=0, high=len(steps) + 0.6),
            linear("keys and values that are kept", sizes, "KiB", low=0),
            [trace],
        ),
        description=f"The cache holds {sizes[0]:.3g} KiB after one token and {sizes[-1]:.3g} KiB"
        f" after {len(steps)}.",
    )


FIGURES = {
    **{
        way: Drawn(f"Keys and values, {said}", partial(keys, way=way), f"keys.{way}")
        for way, (said, _) in WAYS.items()
    },
    "multiplications": Drawn("The work of each step", multiplications, "multiplications"),
    "bytes": Drawn("What the cache costs in memory", held, "bytes"),
}
