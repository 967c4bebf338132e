"""Figures of /tables about all held-out rows: whether the model is right as often as it is sure,
what each column is worth, and which categories it reads alike.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import grouped, label, number, percent
from app.figures.annotations import note, upright
from app.figures.axis_scales import linear, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot, Trace, with_meta
from app.figures.traces import bars, dots, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

NAMED = 40
"""Of more categories than this, those have their names beside them that lie farthest out."""
FARTHEST = 14
EDGE = 0.12  # of the axis, for the names of dots
WAYS = {"shuffled": ("attention", "shuffled among the rows"), "cleared": ("cross", "cleared")}
"""What was done to a column: the colour, and what it is called."""


def has_held_out(answer: "Answer") -> bool:
    """Whether the card of the model says what was measured on held-out rows."""
    return "held_out" in answer.fields


def has_categories(answer: "Answer") -> bool:
    """Whether a column has so many categories that they can lie apart."""
    return "places" in answer.tensors


def reliability(answer: "Answer", question: Question) -> Plot:
    """How often the class that the model says of this row was that of held-out rows, by the
    probability that the model gave it, and the same of boosted trees.
    """
    held_out, says = answer.fields["held_out"], answer.fields["says"]
    place = (answer.axes["class"].labels or []).index(says["class"])
    own, trees = (held_out["reliability"][name][place] for name in ("model", "boosting"))
    traces = [
        line([0, 1], [0, 1], "as sure as right", "ink-soft", "as sure as right", law=True),
        curve(trees, "boosted trees", "cross", "%{customdata}"),
        ends(own),
        curve(own, "this model", "attention", "%{customdata}"),
    ]
    panel = Panel(
        linear(f"probability of {says['class']}", [0, 1], low=0, high=1),
        linear(f"share that was {says['class']}", [0, 1], low=0, high=1),
        traces,
        shapes=[upright(says["probability"])],
        even=True,
    )
    like = min(own, key=lambda one: abs(one["believed"] - says["probability"]))
    said = (
        f"Of {grouped(int(like['rows']))} held-out rows that were given about"
        f" {percent(like['believed'])}, {percent(like['happened'])} were {says['class']}"
        f" (interval {percent(like['low'])} to {percent(like['high'])})."
    )
    return with_meta(figure(panel, description=said), beside={"calibrated": said})


def curve(bins: Sequence[dict[str, Any]], name: str, role: str, hover: str) -> Trace:
    """The share of each bin over its mean probability."""
    said = [
        f"{name}: of {grouped(one['rows'])} rows given {percent(one['believed'])}<br>"
        f"<b>{percent(one['happened'])}</b>, interval {percent(one['low'])} to"
        f" {percent(one['high'])}"
        for one in bins
    ]
    x, y = ([one[part] for one in bins] for part in ("believed", "happened"))
    return line(x, y, name, role, hover, customdata=said)


def ends(bins: Sequence[dict[str, float]]) -> Trace:
    """An upright line at each bin, over the interval of its share."""
    x = [x for one in bins for x in (one["believed"], one["believed"], np.nan)]
    y = [y for one in bins for y in (one["low"], one["high"], np.nan)]
    return line(x, y, "interval of 95 %", "ink", "an end of the interval: %{y:.3g}", dots=False)


def worth(answer: "Answer", question: Question) -> Plot:
    """Beside each other: how the loss on held-out rows rises when a column is shuffled or cleared,
    and how much attention it has. The column that is worth most is first.
    """
    held_out = answer.fields["held_out"]["worth"]
    columns = sorted(held_out["columns"], key=lambda one: -one["shuffled"][0])
    names = [column["name"] for column in columns]
    layers = held_out["attention"]
    read = layers[min(layer_of(question, len(layers)), len(layers) - 1)]
    numbers = [x for column in columns for way in WAYS for x in column[way]]
    losses = [trace for way in WAYS for trace in rises(columns, way)]
    loss = Panel(
        replace(linear("rise of the loss", numbers, "nats", wanted=3), side="top"),
        named("column", names, down=True),
        losses,
    )
    known = {name: i for i, name in enumerate(read["columns"])}
    at = [known.get(name) for name in names]
    share = Panel(
        replace(linear("weight of attention", read["high"], low=0, wanted=2), side="top"),
        replace(named("", names, down=True), names=[""] * len(names)),
        weights(read, at, names),
    )
    most = names[0]
    said = (
        f"Over {grouped(held_out['rows'])} held-out rows {most} is worth most: shuffled, it costs"
        f" {number(columns[0]['shuffled'][0])} nats a row."
    )
    drawn = figure(loss, share, description=said, rows=[Row(2, 1, widths=(0.62, 0.38))])
    return with_meta(drawn, beside={"worth-most": said})


def layer_of(question: Question, layers: int) -> int:
    """The layer that is shown: the one that was asked for, or the last."""
    layer = question.get("layer")
    return layers - 1 if layer is None else layer


def rises(columns: Sequence[dict[str, Any]], way: str) -> list[Trace]:
    """A bar or a dot for each column, and its interval."""
    role, what = WAYS[way]
    rise = [column[way][0] for column in columns]
    shift = 0.2 if way == "cleared" else -0.2
    said = [
        f"{label(column['name'])} {what}: the loss rises by <b>{number(column[way][0])}</b> nats,"
        f" interval {number(column[way][1])} to {number(column[way][2])}"
        for column in columns
    ]
    y = np.arange(len(columns)) + shift
    drawn = bars(
        rise, y, what, role, "%{customdata}", True, orientation="h", width=0.36, customdata=said
    )
    x = [x for column in columns for x in (*column[way][1:], np.nan)]
    across = [y for place in y for y in (place, place, np.nan)]
    hover = "an end of the interval: %{x:.3g}"
    return [drawn, line(x, across, "interval of 95 %", "ink", hover, dots=False, legend=False)]


def weights(read: dict[str, Any], at: Sequence[int | None], names: Sequence[str]) -> list[Trace]:
    """The mean weight on each column and the middle 80 % of the rows; nothing for a column that is
    no token.
    """
    y = [place for place, i in enumerate(at) if i is not None]
    mean, low, high = (
        [read[part][i] for i in at if i is not None] for part in ("mean", "low", "high")
    )
    said = [
        f"{label(names[place])}: <b>{number(a)}</b> of the weight, {number(b)} to {number(c)} in"
        " the middle 80 % of the rows"
        for place, a, b, c in zip(y, mean, low, high, strict=True)
    ]
    hover = "an end of the middle 80 %: %{x:.3g}"
    x = [x for b, c in zip(low, high, strict=True) for x in (b, c, np.nan)]
    across = [one for place in y for one in (place, place, np.nan)]
    return [
        bars(
            mean,
            y,
            "weight",
            "query",
            "%{customdata}",
            orientation="h",
            width=0.5,
            customdata=said,
        ),
        line(x, across, "middle 80 % of the rows", "ink", hover, dots=False, legend=False),
    ]


def categories(answer: "Answer", question: Question) -> Plot:
    """The categories of one column as points of a plane; that of the row is filled."""
    found = answer.fields["embedded"]
    start, told = 0, found[0]
    for one in found:
        if one["column"] == question.get("column"):
            told = one
    for one in found[: found.index(told)]:
        start += len(one["options"])
    names = told["options"]
    places = answer.tensors["places"].data.numpy()[start : start + len(names)]
    value = next(one["value"] for one in answer.fields["columns"] if one["name"] == told["column"])
    own = [i for i, name in enumerate(names) if name == value]
    others = [i for i in range(len(names)) if i not in own]
    said = [
        f"{label(name)}<br>nearest: <b>{label(nearest)}</b>"
        for name, nearest in zip(names, told["nearest"], strict=True)
    ]
    traces = []
    for at, name, role in ((others, "category", "attention"), (own, "of this row", "cross")):
        trace = dots(
            places[at, 0],
            places[at, 1],
            name,
            role,
            "%{customdata}",
            customdata=[said[i] for i in at],
        )
        trace["marker"] |= {"size": 9, "opacity": 1}
        traces += [trace] if at else []
    out = np.argsort(-np.abs(places - np.median(places, 0)).sum(1))
    shown = range(len(names)) if len(names) <= NAMED else [*own, *out[:FARTHEST].tolist()]
    notes = [
        note(
            NoteLook(kind="near", role="ink"),
            float(places[i, 0]),
            float(places[i, 1]),
            label(names[i]),
            xanchor="left",
            xshift=8,
        )
        for i in dict.fromkeys(shown)
    ]
    low, high = places.min(0), places.max(0)
    edge = EDGE * (high - low)
    x, y = (
        linear(
            f"direction {i + 1}: {percent(told['shares'][i])}",
            [],
            low=low[i] - edge[i],
            high=high[i] + edge[i],
            wanted=3,
        )
        for i in range(2)
    )
    near = f"; {names[own[0]]} lies nearest to {told['nearest'][own[0]]}" if own else ""
    seen = f"Each of the {len(names)} categories of {told['column']} is a vector{near}."
    drawn = figure(Panel(x, y, traces, notes), description=seen)
    title = f"Which {told['column']} is like which"
    return with_meta(drawn, title=title, beside={"alike": seen})
