"""Figures of /dependency: how much of the stream at each depth each sub-layer wrote, and how much
the newest of them.
"""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from app.figures import axes, placements
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    AxisScale,
    Panel,
    Tile,
    at_end,
    figure,
    line,
    linear,
    mosaic,
    of_seeds,
)
from app.figures.text import weight
from model.answers.answer import Answer

NAMED = 6  # the most writers that are named over one map


def maps(answer: Answer, question: Question) -> go.Figure:
    """A triangle for each placement: a row a depth, a column a writer. A click on one chooses its
    placement.
    """
    shares = answer.tensors["beta_squared.all"].data.numpy()
    names = placements_of(answer)
    n = shares.shape[-1]
    written = np.tri(n, dtype=bool)  # a sub-layer has written nothing before its own depth
    tiles = [
        Tile(
            placements.NAMES[name],
            np.where(written, share, np.nan),
            lambda i, j, name=name: said_of(placements.NAMES[name], i, j),
            placements.ROLES[name],
            chosen=name == question["placement"],
        )
        for name, share in zip(names, shares, strict=True)
    ]
    panel = mosaic(
        tiles,
        len(tiles),
        "depth i",
        "writer j",
        "of the stream",
        ends=(0, float(shares.max()) or 1),
        unit="share",
        written=weight,
    )
    panel = with_places(panel, len(tiles), n)
    for trace in panel.traces:
        columns = [name for name in names for _ in range(n + 1)]
        trace.meta = {**trace.meta, "fitted": True, "pick": {"placement": columns}}
    shown = ", ".join(placements.NAMES[name] for name in names)
    said = f"Share of the stream that each sub-layer wrote, after each of {n}: {shown}."
    return figure(panel, description=said)


def said_of(name: str, i: int, j: int) -> str:
    """What a cell is; a writer that has not written yet is nothing."""
    return "" if j > i else f"{name}, after sub-layer {i + 1}: by {sub_layer(j)}"


def sub_layer(i: int) -> str:
    """ "sub-layer 3, attention of layer 2", counted from 0."""
    kind = "feed-forward" if i % 2 else "attention"
    return f"sub-layer {i + 1}, {kind} of layer {i // 2 + 1}"


def with_places(panel: Panel, count: int, n: int) -> Panel:
    """The panel of `count` maps with n rows and columns, its axes marked at depths and writers."""
    across, down = panel.x.range[1], panel.y.range[0]
    step = n + (across - count * n) / max(1, count - 1)
    every = -(-n // NAMED)
    columns = range(0, n, every)
    xs = [tile * step + j + 0.5 for tile in range(count) for j in columns]
    ys = [down - n + i + 0.5 for i in range(n)]
    x_names = [str(j + 1) for _ in range(count) for j in columns]
    y_names = [str(i + 1) for i in range(n)]
    return replace(
        panel,
        x=AxisScale(panel.x.title, panel.x.range, xs, x_names, bare=True),
        y=AxisScale(panel.y.title, panel.y.range, ys, y_names, bare=True),
    )


def newest(answer: Answer, question: Question) -> go.Figure:
    """The diagonals of the maps as lines, and under them the shortcuts that Admin's profile gives.
    Thin lines are the seeds of the placement that was chosen.
    """
    seeds = axes.values(answer, "seed")
    names = placements_of(answer)
    shares = answer.tensors["dependency.all"].data.numpy()
    sublayers = np.arange(1, shares.shape[1] + 1)
    titled = [(placements.NAMES[name], placements.ROLES[name]) for name in names]
    upper = [
        line(
            sublayers,
            row,
            title,
            role,
            f"{title}, sub-layer %{{x}}<br><b>%{{y:.3g}}</b> of the stream is its own",
            dots=name == question["placement"],
            dash=placements.dash(name),
        )
        for name, (title, role), row in zip(names, titled, shares, strict=True)
    ]
    upper_ends = [
        at_end(sublayers[-1], row[-1], *of) for of, row in zip(titled, shares, strict=True)
    ]
    chosen = names.index(question["placement"])
    own_by_seed = answer.tensors["dependency.all.by_seed"].data.numpy()[:, chosen]
    own = "sub-layer %{x}, <b>%{y:.3g}</b> of the stream is its own"
    upper += of_seeds(sublayers, own_by_seed, seeds, *titled[chosen], own)

    omega = answer.tensors["omega"].data.numpy()
    drawn = [("post", np.ones_like(omega)), ("admin", omega)]
    lower = [
        line(
            sublayers,
            row,
            placements.NAMES[name],
            placements.ROLES[name],
            f"{placements.NAMES[name]}, sub-layer %{{x}}<br>ω = <b>%{{y:.3g}}</b>",
            dots=name == "admin",
            legend=False,
        )
        for name, row in drawn
    ]
    lower_ends = [
        at_end(sublayers[-1], row[-1], placements.NAMES[name], placements.ROLES[name])
        for name, row in drawn
    ]
    omega_by_seed = answer.tensors["omega.by_seed"].data.numpy()
    lower += of_seeds(
        sublayers,
        omega_by_seed,
        seeds,
        placements.NAMES["admin"],
        placements.ROLES["admin"],
        "sub-layer %{x}, ω = <b>%{y:.3g}</b>",
    )
    x = linear("sub-layer i", [], low=0.5, high=len(sublayers) + 0.5)
    drawing = figure(
        Panel(
            x,
            with_headroom("own share when just added", shares, own_by_seed),
            upper,
            upper_ends,
        ),
        Panel(x, with_headroom("ω on the shortcut", omega, omega_by_seed), lower, lower_ends),
        description="Share of the stream that the newest writer made, by sub-layer, and Admin's ω.",
    )
    return drawing.update_layout(meta={**drawing.layout.meta, "aligned": True})


def with_headroom(title: str, *values: np.ndarray) -> AxisScale:
    """An axis from 0 to a little above the largest value, whose dot is then whole."""
    return linear(title, [], low=0, high=1.05 * max(float(of.max()) for of in values))


def placements_of(answer: Answer) -> list[str]:
    return axes.labels(answer, "placement")


FIGURES = {
    "maps": Drawn("Who wrote the stream", maps, "beta_squared.all"),
    "newest": Drawn("The newest writer", newest, "dependency.all"),
}
