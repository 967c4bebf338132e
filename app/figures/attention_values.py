"""Figures of /attention that follow the weights of one query forward: to the stream, and to the
question whether a weight says how much a key matters.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, number
from app.figures.marks import Bar, Cells, Marks, Of, Records, Scale
from app.figures.panels import Row

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis

EFFECT = "change of log p(answer)"


def is_followed(answer: "Answer") -> bool:
    return "forward" in answer.fields


def is_removed(answer: "Answer") -> bool:
    return "removal" in answer.tensors


def summed(answer: "Answer", _: Question) -> np.ndarray:
    """The weighted values and their sum."""
    return np.stack([*data(answer, "weighted_value"), data(answer, "z")])


def stream(answer: "Answer") -> dict[str, np.ndarray]:
    """What the head and all heads write, and the stream at the query before and after."""
    points, out = data(answer, "stream"), data(answer, "out")
    rows = {"this head": data(answer, "head_out"), "all heads": out}
    if not np.allclose(points[1], out, atol=1e-6):
        rows["normalised"] = points[1]  # a norm of what is added, before the addition
    rows |= {"before": points[0], "before + all": points[2]}
    if not np.allclose(points[2], points[3], atol=1e-6):
        rows["after norm"] = points[3]
    return rows


def around_0(*rows: np.ndarray) -> tuple[float, float]:
    high = max(float(np.abs(row).max()) for row in rows) or 1.0
    return -high, high


def vectors(tensor: str, title: str, names: Of, ends: Of, **more: Any) -> Cells:
    """Rows of numbers, one for each channel, orange above and blue below 0."""
    return Cells(
        tensor,
        x="channel" if tensor == "stream" else "head_channel",
        y=names,
        columns=f"{title}: channel",
        rows="",
        scale="signed",
        ends=ends,
        bar=False,
        hover="%{y}, channel %{x}<br><b>%{z:.3g}</b>",
        **more,
    )


def ends_of_values(*of: Any) -> tuple[float, float]:
    return around_0(data(of[0], "value"), summed(*of))


VALUES = Marks(
    [
        vectors("value", "1. values", lambda answer, _: names_of(answer, "weight"), ends_of_values),
        vectors(
            "weighted_value",
            "2. weight × value",
            lambda answer, _: [*names_of(answer, "weight"), "sum: z"],
            ends_of_values,
            numbers=summed,
        ),
        vectors(
            "stream",
            "3. the stream",
            lambda answer, _: list(stream(answer)),
            lambda answer, _: around_0(*stream(answer).values()),
            numbers=lambda answer, _: np.stack(list(stream(answer).values())),
        ),
    ],
    rows=lambda answer, _: [Row(2 + ("stream" in answer.tensors), 1, wrap=True)],
)
"""From the values of the keys to the stream: values, weighted values with their sum z, and what the
head and all heads write, with the stream before and after. Values and weighted values have one
scale.
"""


def of_values(answer: "Answer", _: Question) -> dict[str, Any]:
    asking, value = query_of(answer), answer.tensors["value"]
    return {
        "description": f"What the weights of {asking} are used for: values, weighted values and"
        " their sum, and what is added to the stream.",
        "title": f"What the weights of “{label(asking)}” are used for",
        "formula": "z = sum of weight times value; head = z W_O[head]; x + sum of heads + b_O",
        "shape": [*value.data.shape],
        "axes": list(value.axes),
    }


def measured(values: Of, name: str, unit: str, role: str, title: Of | None = None) -> Records:
    """One measure as a bar for each key."""

    def bars(answer: "Answer", question: Question) -> list[Bar]:
        both = zip(names_of(answer, "weight"), values(answer, question), strict=True)
        return [Bar(i, key, value, label(key), role, name) for i, (key, value) in enumerate(both)]

    def lengths(*of: Any) -> Scale:
        return Scale(title(*of) if title else name, unit)

    hover = f"%{{customdata}}<br><b>%{{y:.3g}}</b> {unit or name}"
    return Records(bars, "key", lengths, hover, legend=False)


def change(answer: "Answer", *_: Any) -> np.ndarray:
    """By how much the answer's log-probability changes without each key."""
    change = np.full(answer.tensors["weight"].data.shape, np.nan)
    change[answer.axes["removed"].ids] = data(answer, "removal")
    return change


LENGTH = "length that the key brings to the stream"
IMPORTANCE = Marks(
    [
        measured(lambda answer, _: data(answer, "weight"), "weight", "", "key"),
        measured(lambda answer, _: data(answer, "brought_length"), LENGTH, "", "value"),
        measured(change, EFFECT, "nats", "ink", lambda *of: effect_of(change(*of))),
    ],
    rows=[Row(3, 1, wrap=True)],
)
"""Three measures of each key: its weight, the length of what it brings to the stream, and the
change of the answer's log-probability when it is removed.
"""


def of_importance(answer: "Answer", _: Question) -> dict[str, Any]:
    """With the rank correlations of the measures."""
    weight = answer.tensors["weight"]
    return {
        "description": f"For each key that {query_of(answer)} may look at: its weight, the length"
        " of what it brings to the stream, and the change of the answer's log-probability without"
        " it.",
        "caption": agreement(answer),
        "formula": answer.tensors["removal"].formula,
        "shape": list(weight.data.shape),
        "axes": list(weight.axes),
    }


def effect_of(change: np.ndarray) -> str:
    """What the axis of effects is called; it says when all of them are next to nothing."""
    small = float(np.nanmax(np.abs(change), initial=0)) < NOTHING
    return f"{EFFECT}{', next to nothing' if small else ''}"


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
