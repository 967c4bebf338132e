"""Figures of /tables about all held-out rows: the model's calibration, the importance of each
column, and the similarity of categories.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import grouped, label, number, percent
from app.figures.axis_scales import AxisScale, linear
from app.figures.marks import Bar, Marks, Of, Point, Points, Records, Scale
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, Row, Trace, figure, with_meta
from app.figures.traces import line, note, upright

if TYPE_CHECKING:
    from model.answers.answer import Answer

NAMED = 40
"""Above this number of categories, only the outermost are named."""
FARTHEST = 14
EDGE = 0.12  # fraction of the axis for the names of dots
WAYS = {"shuffled": ("attention", "shuffled across rows"), "cleared": ("cross", "cleared")}
"""What was done to a column: the color and the name."""


def reliability(answer: "Answer", question: Question) -> Plot:
    """The frequency of the class predicted for this row among held-out rows, by the model's
    probability for it, compared with boosted trees.
    """
    held_out, says = answer.fields["held_out"], answer.fields["says"]
    place = (answer.axes["class"].labels or []).index(says["class"])
    model, trees = (held_out["reliability"][name][place] for name in ("model", "boosting"))
    traces = [
        line([0, 1], [0, 1], "perfect calibration", "ink-soft", "perfect calibration", law=True),
        curve(trees, "boosted trees", "cross", "%{customdata}"),
        ends(model),
        curve(model, "this model", "attention", "%{customdata}"),
    ]
    panel = Panel(
        linear(f"probability of {says['class']}", [0, 1], low=0, high=1),
        linear(f"fraction that was {says['class']}", [0, 1], low=0, high=1),
        traces,
        shapes=[upright(says["probability"])],
        even=True,
    )
    like = min(model, key=lambda rated: abs(rated["believed"] - says["probability"]))
    sentence = (
        f"Of {grouped(int(like['rows']))} held-out rows with a predicted probability of about"
        f" {percent(like['believed'])}, {percent(like['happened'])} were {says['class']}"
        f" (interval {percent(like['low'])} to {percent(like['high'])})."
    )
    return with_meta(figure(panel, description=sentence), beside={"calibrated": sentence})


def curve(bins: Sequence[dict[str, Any]], name: str, role: str, hover: str) -> Trace:
    """The frequency in each bin over its mean probability."""
    texts = [
        f"{name}: of {grouped(bar['rows'])} rows predicted at {percent(bar['believed'])}<br>"
        f"<b>{percent(bar['happened'])}</b>, interval {percent(bar['low'])} to"
        f" {percent(bar['high'])}"
        for bar in bins
    ]
    x, y = ([bar[part] for bar in bins] for part in ("believed", "happened"))
    return line(x, y, name, role, hover, customdata=texts)


def ends(bins: Sequence[dict[str, float]]) -> Trace:
    """A vertical line at each bin, over the interval of its frequency."""
    x = [x for bar in bins for x in (bar["believed"], bar["believed"], np.nan)]
    y = [y for bar in bins for y in (bar["low"], bar["high"], np.nan)]
    return line(x, y, "95% interval", "ink", "interval end: %{y:.3g}", dots=False)


def by_worth(answer: "Answer") -> list[dict[str, Any]]:
    """The columns in decreasing order of importance."""
    return sorted(
        answer.fields["held_out"]["worth"]["columns"], key=lambda column: -column["shuffled"][0]
    )


def rises(answer: "Answer", _: Question) -> list[Bar]:
    """The increase in the loss on held-out rows when a column is shuffled or cleared."""
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
    """Mean weights on columns and the middle 80% of the rows; none if a column is no token."""
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
            " in the middle 80% of the rows",
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
            lengths=Scale("loss increase", "nats", ticks=3),
            level=True,
            hover="%{customdata}",
        ),
        Records(
            weights,
            places="",
            lengths=Scale("attention weight", low=0, ticks=2),
            level=True,
            legend=False,
            interval="middle 80% of rows",
            hover="%{customdata}",
        ),
    ],
    rows=[Row(2, 1, widths=(0.62, 0.38))],
)
"""Side by side: the importance of each column for the loss, and the attention it gets."""


def of_worth(answer: "Answer", _: Question) -> dict[str, Any]:
    first = by_worth(answer)[0]
    sentence = (
        f"On {grouped(answer.fields['held_out']['worth']['rows'])} held-out rows, {first['name']}"
        f" matters most: shuffling it raises the loss by {number(first['shuffled'][0])} nats per"
        " row."
    )
    return {"description": sentence, "beside": {"worth-most": sentence}}


def embedded(answer: "Answer", question: Question) -> dict[str, Any]:
    """The column whose categories are shown, by default the first: its coordinates, the category of
    the row, and its text.
    """
    start, embedding = 0, answer.fields["embedded"][0]
    for entry in answer.fields["embedded"]:
        if entry["column"] == question.get("column"):
            embedding = entry
    for entry in answer.fields["embedded"][: answer.fields["embedded"].index(embedding)]:
        start += len(entry["options"])
    places = answer.tensors["places"].data.numpy()[start : start + len(embedding["options"])]
    value = next(
        column["value"]
        for column in answer.fields["columns"]
        if column["name"] == embedding["column"]
    )
    matches = [i for i, name in enumerate(embedding["options"]) if name == value]
    return {**embedding, "places": places, "own": matches}


def categories(answer: "Answer", question: Question) -> list[Point]:
    """The categories of one column as points in a plane, with the row's highlighted."""
    embedding = embedded(answer, question)
    texts = [
        f"{label(name)}<br>closest: <b>{label(nearest)}</b>"
        for name, nearest in zip(embedding["options"], embedding["nearest"], strict=True)
    ]
    kinds = {True: ("cross", "of this row"), False: ("attention", "category")}
    return [
        Point(*embedding["places"][i], texts[i], *kinds[of_row])
        for of_row in (False, True)
        for i in range(len(texts))
        if (i in embedding["own"]) == of_row
    ]


def beside_points(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """The names of the categories, or of the outermost if there are many."""
    embedding = embedded(answer, question)
    names, places = embedding["options"], embedding["places"]
    out = np.argsort(-np.abs(places - np.median(places, 0)).sum(1))
    indices = (
        range(len(names)) if len(names) <= NAMED else [*embedding["own"], *out[:FARTHEST].tolist()]
    )
    return [
        note(
            NoteLook(kind="near", role="ink"),
            float(places[i, 0]),
            float(places[i, 1]),
            label(names[i]),
            xanchor="left",
            xshift=8,
        )
        for i in dict.fromkeys(indices)
    ]


def direction(i: int) -> Of:
    """An axis of the plane, with room for the names."""

    def axis(answer: "Answer", question: Question) -> AxisScale:
        embedding = embedded(answer, question)
        low, high = embedding["places"][:, i].min(), embedding["places"][:, i].max()
        edge = EDGE * (high - low)
        title = f"principal component {i + 1}: {percent(embedding['shares'][i])}"
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
    embedding = embedded(answer, question)
    near = "".join(
        f"; {embedding['options'][i]} is closest to {embedding['nearest'][i]}"
        for i in embedding["own"][:1]
    )
    count = len(embedding["options"])
    sentence = f"Each of the {count} categories of {embedding['column']} is a vector{near}."
    title = f"Which values of {embedding['column']} are similar"
    return {"description": sentence, "title": title, "beside": {"alike": sentence}}
