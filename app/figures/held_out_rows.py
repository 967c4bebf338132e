"""Figures of /tables about all held-out rows: whether the model is right as often as it is sure,
what each column is worth, and which categories it reads alike.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import grouped, label, number, percent
from app.figures.annotations import note, upright
from app.figures.axis_scales import AxisScale, linear
from app.figures.marks import Bar, Marks, Of, Point, Points, Records, Scale
from app.figures.meta import NoteLook
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot, Trace, with_meta
from app.figures.traces import line

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


def by_worth(answer: "Answer") -> list[dict[str, Any]]:
    """The columns, the one that is worth most first."""
    return sorted(
        answer.fields["held_out"]["worth"]["columns"], key=lambda one: -one["shuffled"][0]
    )


def rises(answer: "Answer", _: Question) -> list[Bar]:
    """How the loss on held-out rows rises when a column is shuffled or cleared."""
    return [
        Bar(
            i,
            column["name"],
            rise,
            f"{label(column['name'])} {what}: the loss rises by <b>{number(rise)}</b> nats,"
            f" interval {number(low)} to {number(high)}",
            role,
            what,
            low,
            high,
        )
        for way, (role, what) in WAYS.items()
        for i, column in enumerate(by_worth(answer))
        for rise, low, high in [column[way]]
    ]


def weights(answer: "Answer", question: Question) -> list[Bar]:
    """The mean weight on each column and the middle 80 % of the rows; nothing for a column that is
    no token.
    """
    layers, layer = answer.fields["held_out"]["worth"]["attention"], question.get("layer")
    read = layers[-1 if layer is None else min(layer, len(layers) - 1)]
    rows = zip(*(read[part] for part in ("columns", "mean", "low", "high")), strict=True)
    known = {name: numbers for name, *numbers in rows}
    return [
        Bar(
            i,
            "",
            mean,
            f"{label(name)}: <b>{number(mean)}</b> of the weight, {number(low)} to {number(high)}"
            " in the middle 80 % of the rows",
            "query",
            "weight",
            low,
            high,
        )
        for i, name in enumerate(column["name"] for column in by_worth(answer))
        for mean, low, high in [known.get(name, [np.nan] * 3)]
    ]


WORTH = Marks(
    [
        Records(
            rises,
            places="column",
            lengths=Scale("rise of the loss", "nats", ticks=3),
            level=True,
            hover="%{customdata}",
        ),
        Records(
            weights,
            places="",
            lengths=Scale("weight of attention", low=0, ticks=2),
            level=True,
            legend=False,
            interval="middle 80 % of the rows",
            hover="%{customdata}",
        ),
    ],
    rows=[Row(2, 1, widths=(0.62, 0.38))],
)
"""Beside each other: what each column is worth to the loss, and how much attention it has."""


def of_worth(answer: "Answer", _: Question) -> dict[str, Any]:
    first = by_worth(answer)[0]
    said = (
        f"Over {grouped(answer.fields['held_out']['worth']['rows'])} held-out rows {first['name']}"
        f" is worth most: shuffled, it costs {number(first['shuffled'][0])} nats a row."
    )
    return {"description": said, "beside": {"worth-most": said}}


def embedded(answer: "Answer", question: Question) -> dict[str, Any]:
    """The column whose categories are shown, the first unless another is named: its places, the
    number of the category of the row, and what is said of all.
    """
    start, told = 0, answer.fields["embedded"][0]
    for one in answer.fields["embedded"]:
        if one["column"] == question.get("column"):
            told = one
    for one in answer.fields["embedded"][: answer.fields["embedded"].index(told)]:
        start += len(one["options"])
    places = answer.tensors["places"].data.numpy()[start : start + len(told["options"])]
    value = next(one["value"] for one in answer.fields["columns"] if one["name"] == told["column"])
    own = [i for i, name in enumerate(told["options"]) if name == value]
    return {**told, "places": places, "own": own}


def categories(answer: "Answer", question: Question) -> list[Point]:
    """The categories of one column as points of a plane; that of the row has another colour."""
    told = embedded(answer, question)
    said = [
        f"{label(name)}<br>nearest: <b>{label(nearest)}</b>"
        for name, nearest in zip(told["options"], told["nearest"], strict=True)
    ]
    kinds = {True: ("cross", "of this row"), False: ("attention", "category")}
    return [
        Point(*told["places"][i], said[i], *kinds[own])
        for own in (False, True)
        for i in range(len(said))
        if (i in told["own"]) == own
    ]


def beside_points(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """The names of the categories, of many of those that lie farthest out."""
    told = embedded(answer, question)
    names, places = told["options"], told["places"]
    out = np.argsort(-np.abs(places - np.median(places, 0)).sum(1))
    shown = range(len(names)) if len(names) <= NAMED else [*told["own"], *out[:FARTHEST].tolist()]
    return [
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


def direction(i: int) -> Of:
    """An axis of the plane, with room for the names."""

    def axis(answer: "Answer", question: Question) -> AxisScale:
        told = embedded(answer, question)
        low, high = told["places"][:, i].min(), told["places"][:, i].max()
        edge = EDGE * (high - low)
        title = f"direction {i + 1}: {percent(told['shares'][i])}"
        return linear(title, [], low=low - edge, high=high + edge, wanted=3)

    return axis


CATEGORIES = Points(
    categories,
    x=direction(0),
    y=direction(1),
    hover="%{customdata}",
    legend=False,
    notes=beside_points,
)


def of_categories(answer: "Answer", question: Question) -> dict[str, Any]:
    told = embedded(answer, question)
    near = "".join(
        f"; {told['options'][i]} lies nearest to {told['nearest'][i]}" for i in told["own"][:1]
    )
    count = len(told["options"])
    said = f"Each of the {count} categories of {told['column']} is a vector{near}."
    title = f"Which {told['column']} is like which"
    return {"description": said, "title": title, "beside": {"alike": said}}
