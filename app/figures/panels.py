"""A figure of panels: traces over one pair of axes each, with words and lines in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.figures import theme
from app.figures.axis_scales import AxisScale
from app.figures.plot import Plot, Trace

GAP = 0.16  # of the height or width, between two panels


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
