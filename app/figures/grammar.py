"""The parts that figures are made of: axes, panels, and a figure of panels.

Every axis has a title, and a unit where it has one; its range and its ticks are stated, so that a
picture that is painted before Plotly has come is the same. Every trace says what its numbers are
when it is pointed at.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from app.captions.text import decimals, label, power_of_ten, tick
from app.figures import theme
from app.figures.meta import NoteLook
from app.figures.plot import Plot, Trace, bar, changed, heatmap, scatter

DECADES = 8  # the most powers of ten that are named on an axis
SUM = "Σ "  # begins the note beside a row that says what its cells add up to
GAP = 0.16  # of the height or width, between two panels

Side = Literal["top"] | None
"""Where the names of an axis stand: over the panel, or for None under it or left of it."""


@dataclass(frozen=True)
class AxisScale:
    """One axis of a panel: its title and unit, its range, and its ticks with what is written at
    each. The range of an axis of logarithms is in powers of ten, as Plotly has it.
    """

    title: str
    range: tuple[float, float]
    ticks: Sequence[float]
    names: Sequence[str]
    unit: str = ""
    type: str = "linear"
    side: Side = None  # names stand over the panel, as those of a matrix do
    frameless: bool = False  # no line and no ticks: what lies along it says itself what it is

    def layout(self) -> dict[str, Any]:
        unit = f" ({self.unit})" if self.unit else ""
        return {
            "range": list(self.range),
            "tickmode": "array",
            "ticktext": list(self.names),
            "tickvals": list(self.ticks),
            "title": {"text": f"{label(self.title)}{unit}"},
            "type": self.type,
            **({"side": self.side} if self.side else {}),
            **({"showgrid": False, "showline": False} if self.frameless else {}),
        }


def linear(
    title: str,
    values: ArrayLike,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    wanted: int = 5,
) -> AxisScale:
    """An axis that holds `values` and, unless `low` or `high` says otherwise, 0."""
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    start = min(0.0, finite.min(initial=0)) if low is None else low
    end = max(finite.max(initial=start), start + 1e-12) if high is None else high
    ticks = round_numbers(start, end, wanted)
    return AxisScale(title, (start, end), ticks, [tick(value) for value in ticks], unit)


def logarithmic(
    title: str,
    values: ArrayLike,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
) -> AxisScale:
    """An axis of logarithms, marked at powers of ten. It goes from one power of ten, `low`, to
    another, `high`; without them they are whole, and enclose the positive values.
    """
    if low is None or high is None:
        positive = np.asarray(values, dtype=float)
        logs = np.log10(positive[positive > 0])
        low = math.floor(logs.min() + 1e-9) if logs.size else 0
        high = max(math.ceil(logs.max() - 1e-9) if logs.size else 1, low + 1)
    every = max(1, math.ceil((high - low) / DECADES))
    powers = range(math.ceil(low), math.floor(high) + 1, every)
    ticks, names = [10.0**power for power in powers], [power_of_ten(power) for power in powers]
    return AxisScale(title, (low, high), ticks, names, unit, "log")


def rounded(title: str, values: ArrayLike, unit: str = "") -> AxisScale:
    """An axis of logarithms, marked at 1, 2, 5, 10 and so on where it is at most two decades long,
    else at powers of ten.
    """
    positive = np.asarray(values, dtype=float)
    positive = positive[positive > 0]
    low, high = float(positive.min()), float(positive.max())
    if high > 100 * low:
        return logarithmic(title, values, unit)
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    steps = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    first = max(step for step in steps if step <= low * (1 + 1e-9))
    last = min(step for step in steps if step >= high * (1 - 1e-9) and step > first)
    ticks = [step for step in steps if first <= step <= last]
    ends = (math.log10(first), math.log10(last))
    return AxisScale(title, ends, ticks, [tick(step) for step in ticks], unit, "log")


def at_values(title: str, values: Sequence[float], unit: str = "", log: bool = False) -> AxisScale:
    """An axis marked at the values that were measured, and nowhere else."""
    ends = (min(values), max(values))
    margin = 0.0 if log else 0.04 * ((ends[1] - ends[0]) or 1)
    low, high = (
        (math.log10(ends[0]), math.log10(ends[1])) if log else (ends[0] - margin, ends[1] + margin)
    )
    if log:
        low, high = low - 0.03 * (high - low or 1), high + 0.03 * (high - low or 1)
    names = [tick(value) for value in values]
    return AxisScale(title, (low, high), list(values), names, unit, "log" if log else "linear")


def named(title: str, names: Sequence[str], down: bool = False, side: Side = None) -> AxisScale:
    """An axis of names, one at each whole number from 0 on; `down` puts the first on top."""
    ends = (-0.5, len(names) - 0.5)
    places = list(range(len(names)))
    return AxisScale(
        title, ends[::-1] if down else ends, places, [label(name) for name in names], side=side
    )


def round_numbers(low: float, high: float, wanted: int = 5) -> list[float]:
    """About `wanted` round numbers from `low` to `high`."""
    rough = ((high - low) or 1) / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


@dataclass(frozen=True)
class Panel:
    """Traces over one pair of axes, with words and lines in it. If `even`, a unit is as long across
    as it is up, so that the cells of a matrix are squares.
    """

    x: AxisScale
    y: AxisScale
    traces: Iterable[Trace]
    notes: Sequence[dict[str, Any]] = ()
    shapes: Sequence[dict[str, Any]] = field(default_factory=tuple)
    even: bool = False


@dataclass(frozen=True)
class Row:
    """So many panels side by side, and their share of the figure's height. If `wrap`, the page may
    put them into several lines, in which they are as large as they can be.
    """

    count: int
    share: float
    wrap: bool = False
    widths: Sequence[float] = ()  # shares of the width; without them all panels are as wide


def figure(
    *panels: Panel, description: str = "", across: bool = False, rows: Sequence[Row] = ()
) -> Plot:
    """Panels one above the other, side by side if `across`, or in `rows`. `description` says the
    figure in a sentence, for readers who do not see it; without it, its page does.
    """
    traces: list[Trace] = []
    axes: dict[str, dict[str, Any]] = {}
    count = len(panels)
    lines = rows or ([Row(count, 1)] if across else [Row(1, 1 / count)] * count)
    share = (1 - GAP * (len(panels) - 1)) / len(panels)
    names = [name for panel in panels for name in legend_names(panel)]
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    for i, panel in enumerate(panels):
        place = str(i + 1) if i else ""
        start = i * (share + GAP)
        along, over = ([start, start + share], [0, 1]) if across else ([0, 1], None)
        up = over or [max(0, 1 - start - share), 1 - start]
        if rows:
            along, up = in_rows(rows, i)
        axes |= {
            f"xaxis{place}": {**panel.x.layout(), "domain": along, "anchor": f"y{place}"},
            f"yaxis{place}": {**panel.y.layout(), "domain": up, "anchor": f"x{place}"},
        }
        if panel.even:
            axes[f"yaxis{place}"]["scaleanchor"] = f"x{place}"
        traces += [{**trace, "xaxis": f"x{place}", "yaxis": f"y{place}"} for trace in panel.traces]
        refs = {"xref": f"x{place}", "yref": f"y{place}"}
        notes += [{**refs, **note} for note in panel.notes]
        for shape in panel.shapes:
            domain = " domain" if shape.get("yref") == "domain" else ""
            shapes.append({**shape, **refs, "yref": f"y{place}{domain}"})
    looks = [note.pop("look", None) for note in notes]
    layout = {
        "template": theme.template(),
        **axes,
        "annotations": notes,
        "shapes": shapes,
        "showlegend": len(set(names)) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "meta": {
            "description": description,
            "rows": [[row.count, row.share, row.wrap, list(row.widths)] for row in lines],
            **({"notes": looks} if notes else {}),
        },
    }
    return {"data": traces, "layout": layout}


def in_rows(rows: Sequence[Row], number: int) -> tuple[list[float], list[float]]:
    """The shares of the figure's width and height that a panel has: where it begins and ends."""
    top = 1.0
    for row in rows:
        if number < row.count:
            widths, height = row.widths or [1 / row.count] * row.count, row.share
            width, left = widths[number], sum(widths[:number])
            return [left, left + width * (1 - GAP)], [max(0, top - height * (1 - GAP)), top]
        number, top = number - row.count, top - row.share
    raise IndexError(f"There are {-number} panels fewer than asked for.")


def legend_names(panel: Panel) -> list[str]:
    return [trace["name"] for trace in panel.traces if trace.get("showlegend")]


def shared(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, legend: bool
) -> dict[str, Any]:
    """What lines, dots and bars have in common."""
    return {
        "x": np.asarray(x, dtype=float),
        "y": np.asarray(y, dtype=float),
        "name": name,
        "hovertemplate": f"{hover}<extra></extra>",
        "legendgroup": name,
        "showlegend": legend,
        "meta": {"role": role},
    }


def line(
    x: ArrayLike,
    y: ArrayLike,
    name: str,
    role: str,
    hover: str,
    dots: bool = True,
    law: bool = False,
    legend: bool = True,
    dash: str = "",
    **more: Any,
) -> Trace:
    """A line through measured points, or a stated law, which is dashed and has none. `dash` tells
    measured lines of one colour apart.
    """
    colour = theme.colour(role)
    return scatter(
        **shared(x, y, name, role, hover, legend),
        mode="lines+markers" if dots and not law else "lines",
        line={"color": colour, "width": 2, **({"dash": dash or "4px,4px"} if dash or law else {})},
        marker={"color": colour, "size": 7},
        **more,
    )


def of_seeds(
    x: ArrayLike,
    rows: ArrayLike,
    seeds: Sequence[Any],
    name: str,
    role: str,
    hover: str,
    several: str = "seed",
) -> list[Trace]:
    """A thin line for each seed, to go with the line of their mean, which is called `name`. `rows`
    has a row for each seed; `several` is what a seed is called.
    """
    own = [f"{name}, {several} {seed}" for seed in seeds]
    thin = [
        line(x, row, one, role, f"{one}<br>{hover}", dots=False)
        for one, row in zip(own, np.asarray(rows), strict=True)
    ]
    return [
        changed(trace, line={"width": 1}, opacity=0.25, legendgroup=name, showlegend=False)
        for trace in thin
    ]


def dots(x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, **more: Any) -> Trace:
    """Points of one kind, each of which says what it is (`customdata`)."""
    return scatter(
        **shared(x, y, name, role, hover, legend=False),
        mode="markers",
        marker={"color": theme.colour(role), "size": 5, "opacity": 0.6},
        **more,
    )


def compared(
    before: ArrayLike, after: ArrayLike, names: Sequence[str], what: str, role: str
) -> Panel:
    """Each number after something against the same before it, over the diagonal of no change. Both
    axes have the same range, around 0, and the same length.
    """
    first, second = np.asarray(before).ravel(), np.asarray(after).ravel()
    both = np.concatenate([first, second])
    high = 1.05 * float(np.abs(both).max(initial=1e-12))
    low = -high
    hover = "%{customdata}<br>%{x:.3g} before, <b>%{y:.3g}</b> after"
    return Panel(
        linear(f"{what}, before", both, low=low, high=high, wanted=8),
        linear(f"{what}, after", both, low=low, high=high, wanted=8),
        [dots(first, second, what, role, hover, customdata=[label(name) for name in names])],
        shapes=[
            {
                "type": "line",
                "x0": low,
                "x1": high,
                "y0": low,
                "y1": high,
                "line": {"color": theme.colour("rule-strong"), "width": 1, "dash": "4px,4px"},
                "layer": "below",
                "name": "no change",
            }
        ],
        even=True,
    )


def bars(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, legend: bool = False, **more: Any
) -> Trace:
    """Bars from 0."""
    return bar(
        **shared(x, y, name, role, hover, legend),
        marker={"color": theme.colour(role), "line": {"width": 0}},
        **more,
    )


def heat_map(
    z: ArrayLike,
    hover: str,
    scale: theme.Scale = "cividis",
    ends: tuple[float, float] | None = None,
    unit: str = "",
    hatched: bool = False,
    says_gaps: bool = False,
    **more: Any,
) -> Trace:
    """A matrix as colours: "cividis" from `ends`, or "signed" around 0. NaN, a masked score, stays
    empty; if `hatched`, hatching shows through, and if it `says_gaps`, it can be pointed at.
    Without `ends` the scale fits the data, which `meta.fitted` says.
    """
    values = np.asarray(z)
    fitted = ends is None
    low, high = ends or fit(values, scale)
    return heatmap(
        z=values,
        zmin=low,
        zmax=high,
        colorscale=theme.colorscale(scale),
        colorbar={"title": {"text": unit, "side": "right"}, "thickness": 12, "outlinewidth": 1},
        hoverongaps=says_gaps,
        hovertemplate=f"{hover}<extra></extra>",
        meta={"scale": scale, "fitted": fitted, "hatched": hatched},
        **more,
    )


@dataclass(frozen=True)
class Tile:
    """One of several small maps: its title, its numbers, what they are for each row and column, the
    colour of its title, a note after it, whether it is the one that was chosen, and whether its
    note may lose its last words where there is little room.
    """

    title: str
    values: ArrayLike
    say: Callable[[int, int], str]
    role: str = "ink"
    note: str = ""
    chosen: bool = False
    shortens: bool = False


GUTTER = 0.7  # between small maps, in cells for each ten cells
HEADING = 1.6  # over a small map, where its title stands


def mosaic(
    tiles: Sequence[Tile],
    across: int,
    rows: str,
    columns: str,
    what: str,
    scale: str = "cividis",
    ends: tuple[float, float] | None = None,
    unit: str = "",
    even: bool = False,
    written: Callable[[float], str] | None = None,
    line: float = HEADING,
) -> Panel:
    """Small maps of one size as a single heat map with gaps, `across` of them side by side. `what`
    names the numbers; pointed at, a cell says `tile.say` of its row and column. `written` is what
    stands in a cell where there is room, and `line` the height of a line over a map, in cells for
    each ten cells.
    """
    height, width = np.asarray(tiles[0].values).shape
    lines = 2 if any(tile.note for tile in tiles) else 1
    gap, heading = GUTTER * width / 10, lines * line * max(height, width) / 10
    down = math.ceil(len(tiles) / across)
    grid = np.full((down * (height + 1), across * (width + 1)), np.nan)
    said = np.full(grid.shape, "", dtype=object)
    notes, frames = [], []
    for i, tile in enumerate(tiles):
        r, c = divmod(i, across)
        top, left = r * (height + 1) + 1, c * (width + 1)
        grid[top : top + height, left : left + width] = np.asarray(tile.values, dtype=float)
        said[top : top + height, left : left + width] = [
            [label(tile.say(q, k)) for k in range(width)] for q in range(height)
        ]
        heads = (
            [(tile.title, tile.role), (tile.note, "ink-soft")]
            if tile.note
            else [(tile.title, tile.role)]
        )
        notes += [
            {
                "x": c * (width + gap),
                "y": r * (height + heading) + heading * (n + 0.5) / lines,
                "xanchor": "left",
                "text": label(said_of) if n and tile.shortens else whole(label(said_of)),
                "font": {
                    "color": theme.colour(role),
                    **({"weight": "bold"} if tile.chosen and not n else {}),
                },
                # A note that would reach beyond its small map is left out, or its last words are.
                "look": fitting(c * (width + gap) + width, role)
                if n
                else NoteLook(kind="title", role=role),
                "showarrow": False,
            }
            for n, (said_of, role) in enumerate(heads)
        ]
        left_edge, top_edge = c * (width + gap), r * (height + heading) + heading
        frames.append(fill("sunken", left_edge, left_edge + width, top_edge, top_edge + height, 1))
    x = np.cumsum([0, *([1] * width + [gap]) * across])
    y = np.cumsum([0, *([heading] + [1] * height) * down])
    trace = heat_map(
        grid.astype(np.float32),
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> {what}",
        scale,
        ends,
        unit,
        x=x,
        y=y,
        customdata=said.tolist(),
    )
    places = [
        [(i // across) * (height + 1) + 1, (i % across) * (width + 1)] for i in range(len(tiles))
    ]
    trace["meta"] |= {
        "size": [height, width],
        "tiles": [[label(tile.title), *at] for tile, at in zip(tiles, places, strict=True)],
    }
    if written:
        trace["text"] = [["" if np.isnan(z) else written(z) for z in row] for row in grid]
    level = AxisScale(columns, (0, float(x[-1]) - gap), [], [], side="top", frameless=True)
    upright = AxisScale(rows, (float(y[-1]), 0), [], [], frameless=True)
    return Panel(level, upright, [trace], notes, frames, even)


def whole(said: str) -> str:
    """Words that stay together, as a formula does."""
    return said.replace(" ", "\u00a0")


def fit(values: np.ndarray, scale: theme.Scale) -> tuple[float, float]:
    """The ends of a scale that fits the data; around 0 for a signed one."""
    finite = values[np.isfinite(values)]
    most = float(np.abs(finite).max(initial=0)) or 1.0
    return (-most, most) if scale == "signed" else (min(0.0, float(finite.min(initial=0))), most)


def at_end(x: float, y: float, name: str, role: str, log_x: bool = False, log_y: bool = False):
    """The name of a line at its end, which the runtime pushes apart from others."""
    return {
        "x": math.log10(x) if log_x else x,
        "y": math.log10(y) if log_y else y,
        "xanchor": "left",
        "xshift": 8,
        "text": label(name),
        "font": {"color": theme.colour(role)},
        "look": NoteLook(kind="end", role=role),
        "showarrow": False,
    }


def fitting(until: float, role: str) -> NoteLook:
    """The look of a note that ends before a place: what does not fit is left out."""
    return NoteLook(kind="fit", role=role, until=round(until, 6))


def end_of(trace: Trace, log_x: bool = False, log_y: bool = False) -> dict[str, Any]:
    """The name of a line at its end, in its colour."""
    x, y = trace["x"][-1], trace["y"][-1]
    return at_end(x, y, trace["name"], trace["meta"]["role"], log_x, log_y)


def fill(role: str, x0: float, x1: float, y0: float, y1: float, width: int = 0) -> dict[str, Any]:
    """A rectangle below what is drawn, in the colour of a role, with a frame of some width."""
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "fillcolor": theme.colour(role),
        "line": {"color": theme.colour("rule-strong"), "width": width},
        "layer": "below",
        "name": f"fill {role}",
    }


def outline(role: str, x0: float, x1: float, y0: float, y1: float, width: float) -> dict[str, Any]:
    """A rectangle around what is chosen, over what is drawn, in the colour of a role."""
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "line": {"color": theme.colour(role), "width": width},
        "layer": "above",
        "name": f"line {role}",
    }


def row_sums(values: ArrayLike) -> list[dict[str, Any]]:
    """The sum of each row of a matrix, beside the row."""
    rows = np.asarray(values, dtype=float)
    totals = enumerate(np.nansum(rows, 1))
    said = [
        ("sum", -0.5, "bottom"),
        *((decimals(total), i, "middle") for i, total in totals),
    ]
    return [
        {
            "x": rows.shape[1] - 0.5,
            "y": y,
            "xanchor": "left",
            "yanchor": anchor,
            "xshift": 8,
            "text": text,
            "font": {"color": theme.colour("ink-soft")},
            "look": NoteLook(kind="sum", role="ink-soft"),
            "showarrow": False,
        }
        for text, y, anchor in said
    ]


def upright(x: float) -> dict[str, Any]:
    """A dotted line over the whole height of a panel, at the value that was chosen."""
    return {
        "name": "chosen",
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "domain",
        "line": {"color": theme.colour("rule-strong"), "width": 1, "dash": "2px,3px"},
        "layer": "below",
    }


def level_marks(
    x: ArrayLike, y: ArrayLike, name: str, role: str, hover: str, share: float, **more: Any
) -> Trace:
    """A level stroke at each point, over a share of the distance between two whole numbers, which
    the runtime makes pixels of.
    """
    colour = theme.colour(role)
    return scatter(
        x=np.asarray(x, dtype=float),
        y=np.asarray(y),
        name=name,
        mode="markers",
        marker={
            "color": colour,
            "symbol": "line-ew-open",
            "size": 40,
            "line": {"color": colour, "width": 3},
        },
        hovertemplate=f"{hover}<extra></extra>",
        legendgroup=name,
        showlegend=True,
        meta={"role": role, "across": share},
        **more,
    )


def open_markers(trace: Trace, which: Sequence[bool]) -> Trace:
    """The trace with some of its bars or markers as outlines on paper. Its `meta.role` is a list of
    one role for each.
    """
    colours = [theme.colour(role) for role in trace["meta"]["role"]]
    paper, line = theme.colour("paper"), trace["marker"].get("line", {}).get("width", 0)
    both = list(zip(which, colours, strict=True))
    return changed(
        trace,
        marker={
            "color": [paper if empty else own for empty, own in both],
            "line": {
                "color": [own if empty else paper for empty, own in both],
                "width": [1.5 if empty else line for empty in which],
            },
        },
        meta={"hollow": list(which)},
    )


def framed(cells: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Frames around cells (row, column) of a heat map: ink within paper, which is seen on the dark
    and on the light end of a scale.
    """
    path = "".join(
        f"M{c - inset},{r - inset}L{c + inset},{r - inset}L{c + inset},{r + inset}"
        f"L{c - inset},{r + inset}Z"
        for r, c in cells
        for inset in (0.46,)
    )
    if not path:
        return []
    return [
        {
            "type": "path",
            "path": path,
            "line": {"color": theme.colour(role), "width": width},
            "layer": "above",
            "name": f"line {role}",
        }
        for role, width in (("paper", 4), ("ink", 1.5))
    ]
