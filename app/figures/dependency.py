"""Figures of /dependency: how much of the stream at each depth each sub-layer wrote, and how much
the newest of them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

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
from app.figures.plot import Plot, saying
from app.figures.text import weight
from model.answers.answer import Answer

NAMED = 6  # the most writers that are named over one map
MARKED = 12  # the most sub-layers that are marked along an axis
DOTTED = "2px,4px"
KINDS = {
    "attention": ("attention", "attention"),
    "cross_attention": ("cross-attention", "cross"),
    "feed_forward": ("feed-forward", "feed-forward"),
}
"""What each kind of sub-layer is called, and its colour."""


def maps(answer: Answer, question: Question) -> Plot:
    """A triangle for each placement: a row a depth, a column a writer. A click on one chooses its
    placement.
    """
    shares = answer.tensors["beta_squared.all"].data.numpy()
    names = placements_of(answer)
    n, kinds = shares.shape[-1], kinds_of(answer)
    written = np.tri(n, dtype=bool)  # a sub-layer has written nothing before its own depth
    tiles = [
        Tile(
            placements.NAMES[name],
            np.where(written, share, np.nan),
            lambda i, j, name=name: said_of(placements.NAMES[name], kinds, i, j),
            placements.ROLES[name],
            chosen=name == question["placement"],
        )
        for name, share in zip(names, shares, strict=True)
    ]
    panel = mosaic(
        tiles,
        len(tiles),
        "after sub-layer i",
        "written by sub-layer j",
        "of the stream",
        ends=(0, float(shares.max()) or 1),
        unit="share",
        written=weight,
    )
    panel = with_places(panel, len(tiles), n)
    for trace in panel.traces:
        columns = [name for name in names for _ in range(n + 1)]
        trace["meta"] |= {"fitted": True, "pick": {"placement": columns}}
    shown = ", ".join(placements.NAMES[name] for name in names)
    said = f"Share of the stream that each sub-layer wrote, after each of {n}: {shown}."
    return figure(panel, description=said)


def said_of(name: str, kinds: Sequence[str], i: int, j: int) -> str:
    """What a cell is; a writer that has not written yet is nothing."""
    return "" if j > i else f"{name}, after sub-layer {i + 1}: by {sub_layer(kinds, j)}"


def sub_layer(kinds: Sequence[str], i: int) -> str:
    """ "sub-layer 3, attention of layer 2", counted from 0."""
    layer, kind = divmod(i, len(kinds))
    return f"sub-layer {i + 1}, {KINDS[kinds[kind]][0]} of layer {layer + 1}"


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


def newest(answer: Answer, question: Question) -> Plot:
    """What each sub-layer of the chosen placement supplies when it has just been added, a line for
    each kind of sub-layer and thin ones for its seeds, and dotted the mean of each layer of the
    other placements. Under them are the shortcuts that Admin's profile gives.
    """
    seeds, names, kinds = axes.values(answer, "seed"), placements_of(answer), kinds_of(answer)
    every = answer.tensors["dependency.all"].data.numpy()
    sublayers = np.arange(1, every.shape[1] + 1)
    by_kind = answer.tensors["by_kind"].data.numpy()
    by_seed = answer.tensors["by_kind.by_seed"].data.numpy()
    upper, ends, thin = [], [], []
    for k, kind in enumerate(kinds):
        name, role = KINDS[kind]
        places = sublayers[k :: len(kinds)]
        said = "sub-layer %{x}<br><b>%{y:.3g}</b> of the stream’s variance is its own"
        upper.append(line(places, by_kind[k], name, role, f"{name}, {said}", legend=False))
        ends.append(at_end(places[-1], by_kind[k][-1], name, role))
        thin += of_seeds(places, by_seed[:, k], seeds, name, role, said)
    middles = sublayers.reshape(-1, len(kinds)).mean(1)
    for name, row in zip(names, every, strict=True):
        if name != question["placement"]:
            title, role = placements.NAMES[name], placements.ROLES[name]
            mean = row.reshape(-1, len(kinds)).mean(1)
            said = f"{title}<br>mean over the sub-layers of one layer <b>%{{y:.3g}}</b>"
            dotted = line(middles, mean, title, role, said, dots=False, dash=DOTTED, legend=False)
            upper.append(dotted)
            ends.append(at_end(middles[-1], mean[-1], title, role))
    omega = answer.tensors["omega"].data.numpy()
    omega_by_seed = answer.tensors["omega.by_seed"].data.numpy()
    admin, role = placements.NAMES["admin"], placements.ROLES["admin"]
    hover = "sub-layer %{x}<br>ω = <b>%{y:.3g}</b>"
    lower = [
        line(sublayers, omega, admin, role, f"{admin}, {hover}", legend=False),
        *of_seeds(sublayers, omega_by_seed, seeds, admin, role, hover),
    ]
    every_other = max(1, -(-len(sublayers) // MARKED))
    marked = [int(place) for place in sublayers[::every_other]]
    x = AxisScale(
        "sub-layer i", (0.5, len(sublayers) + 0.5), marked, [str(place) for place in marked]
    )
    drawing = figure(
        Panel(x, with_headroom("share of the newest", by_seed, every), upper + thin, ends),
        Panel(
            x,
            with_headroom("ω on the shortcut", omega, omega_by_seed),
            lower,
            [at_end(sublayers[-1], omega[-1], admin, role)],
        ),
        description=(
            f"Share of the stream that the newest sub-layer of"
            f" {placements.NAMES[question['placement']]} has made, by kind of sub-layer, and"
            " Admin's ω."
        ),
    )
    return saying(drawing, aligned=True)


def with_headroom(title: str, *values: np.ndarray) -> AxisScale:
    """An axis from 0 to a little above the largest value, whose dot is then whole."""
    return linear(title, [], low=0, high=1.05 * max(float(of.max()) for of in values))


def kinds_of(answer: Answer) -> list[str]:
    return axes.labels(answer, "kind")


def placements_of(answer: Answer) -> list[str]:
    return axes.labels(answer, "placement")


FIGURES = {
    "maps": Drawn("Who wrote the stream", maps, "beta_squared.all"),
    "newest": Drawn("What each sub-layer supplies when it is added", newest, "by_kind"),
}
