"""Figures of /attention that follow the weights of one query forward: to the stream, and to the
question whether a weight says how much a key matters.
"""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.text import label, number, tick
from app.figures.axis_scales import AxisScale, linear, named, round_numbers
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot
from app.figures.traces import bars, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis


def is_followed(answer: "Answer") -> bool:
    return "forward" in answer.fields


def is_removed(answer: "Answer") -> bool:
    return "removal" in answer.tensors


def values(answer: "Answer", question: Question) -> Plot:
    """From the values of the keys to the stream: values, weighted values with their sum z, and what
    the head and all heads write, with the stream before and after. All are rows of numbers, one for
    each channel, orange above and blue below 0. Values and weighted values have one scale.
    """
    keys, asking = names_of(answer, "weight"), query_of(answer)
    value, weighted, z = (data(answer, name) for name in ("value", "weighted_value", "z"))
    high = float(np.abs(np.concatenate([value, weighted, z[None]])).max()) or 1.0
    summed = np.concatenate([weighted, z[None]])
    panels = [
        rows_of(value, keys, "1. values", high),
        rows_of(summed, [*keys, "sum: z"], "2. weight × value", high),
    ]
    if "stream" in answer.tensors:
        panels.append(stream(answer))
    drawing = figure(
        *panels,
        description=(
            f"What the weights of {asking} are used for: values, weighted values and their sum,"
            " and what is added to the stream."
        ),
        rows=[Row(len(panels), 1, wrap=True)],
    )
    drawing["layout"]["meta"] |= {
        "title": f"What the weights of “{label(asking)}” are used for",
        "formula": "z = sum of weight times value; head = z W_O[head]; x + sum of heads + b_O",
        "shape": [*answer.tensors["value"].data.shape],
        "axes": list(answer.tensors["value"].axes),
    }
    return drawing


def stream(answer: "Answer") -> Panel:
    """What the head and all heads write, and the stream at the query before and after."""
    points = data(answer, "stream")
    normed = not np.allclose(points[2], points[3], atol=1e-6)
    same = np.allclose(points[1], data(answer, "out"), atol=1e-6)
    branch = None if same else points[1]  # a norm of what is added, before the addition
    rows = {
        "this head": data(answer, "head_out"),
        "all heads": data(answer, "out"),
        **({} if branch is None else {"normalised": branch}),
        "before": points[0],
        "before + all": points[2],
    }
    if normed:
        rows["after norm"] = points[3]
    matrix = np.stack(list(rows.values()))
    high = float(np.abs(matrix).max()) or 1.0
    return rows_of(matrix, list(rows), "3. the stream", high)


def rows_of(matrix: np.ndarray, names: list[str], title: str, high: float) -> Panel:
    """Vectors as the rows of a heat map, whose colours go from -`high` to `high`."""
    count = matrix.shape[1]
    trace = heat_map(
        matrix.astype(np.float32),
        "%{y}, channel %{x}<br><b>%{z:.3g}</b>",
        "signed",
        (-high, high),
        showscale=False,
    )
    ticks = [int(at) for at in round_numbers(0, count - 1, 4) if at == int(at)]
    return Panel(
        AxisScale(
            f"{title}: channel", (-0.5, count - 0.5), ticks, [tick(at) for at in ticks], side="top"
        ),
        named("", names, down=True),
        [trace],
    )


def importance(answer: "Answer", question: Question) -> Plot:
    """Three measures of each key: its weight, the length of what it brings to the stream, and the
    change of the answer's log-probability when it is removed; with their rank correlations.
    """
    keys = names_of(answer, "weight")
    axis = answer.axes["removed"]
    change = np.full(len(keys), np.nan)
    change[axis.ids] = data(answer, "removal")
    panels = [
        measured(keys, data(answer, "weight"), "weight", "", "key"),
        measured(
            keys,
            data(answer, "brought_length"),
            "length that the key brings to the stream",
            "",
            "value",
        ),
        measured(keys, change, effect_of(change), "nats", "ink"),
    ]
    drawing = figure(
        *panels,
        description=(
            f"For each key that {query_of(answer)} may look at: its weight, the length of what it"
            " brings to the stream, and the change of the answer's log-probability without it."
        ),
        rows=[Row(len(panels), 1, wrap=True)],
    )
    drawing["layout"]["meta"] |= {
        "title": "Does a large weight mean that the key matters?",
        "caption": agreement(answer),
        "formula": answer.tensors["removal"].formula,
        "shape": [len(keys)],
        "axes": list(answer.tensors["weight"].axes),
    }
    return drawing


def measured(keys: list[str], numbers: np.ndarray, title: str, unit: str, role: str) -> Panel:
    """One measure as a bar for each key."""
    said = [label(key) for key in keys]
    hover = f"%{{customdata}}<br><b>%{{y:.3g}}</b> {unit or title}"
    trace = bars(np.arange(len(keys)), numbers, title, role, hover, customdata=said)
    return Panel(named("key", keys), linear(title, numbers, unit), [trace])


def effect_of(change: np.ndarray) -> str:
    """What the axis of effects is called; it says when all of them are next to nothing."""
    small = float(np.nanmax(np.abs(change), initial=0)) < NOTHING
    return f"change of log p(answer){', next to nothing' if small else ''}"


def agreement(answer: "Answer") -> str:
    """What the order of the weights says about the order of the effects, in a sentence."""
    found = next(
        one["rank_correlation"]
        for one in answer.fields["agreement"]
        if (one["first"], one["second"]) == ("weight", "removal")
    )
    if found is None:
        return "With fewer than three keys there is no order to compare."
    return (
        f"Here a larger weight {MEANS[(found >= CLEAR) - (found <= -CLEAR)]} effect on the answer"
        f" (rank correlation of weight and size of the effect: {number(found)})."
    )


NOTHING = 0.01
"""nats: below it the probability of the answer changes by less than 1 % of itself."""
CLEAR = 0.5
"""The least rank correlation, in size, of two orders that are said to go together."""
MEANS = {
    1: "tends to mean a larger",
    0: "says little about the",
    -1: "tends to mean a smaller",
}


def data(answer: "Answer", name: str) -> np.ndarray:
    return answer.tensors[name].data.numpy()


def names_of(answer: "Answer", name: str) -> list[str]:
    axis = answer.axes[answer.tensors[name].axes[0]]
    return named_places(axis)


def named_places(axis: "Axis") -> list[str]:
    return axis.labels or [str(i) for i in range(axis.size)]


def query_of(answer: "Answer") -> str:
    """The token whose weights are followed."""
    grid = next(tensor for tensor in answer.tensors.values() if len(tensor.axes) == 3)
    return named_places(answer.axes[grid.axes[1]])[answer.fields["forward"]]
