"""Figures of /attention that follow the weights of one query forward: to the stream, and to the
question whether weights show how much a key matters.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, number
from app.figures.marks import Bar, Cells, Marks, Of, Records, Scale
from app.figures.plot import Row

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis


def summed(answer: "Answer", _: Question) -> np.ndarray:
    """The weighted values and their sum."""
    return np.stack([*data(answer, "weighted_value"), data(answer, "z")])


def stream(answer: "Answer") -> dict[str, np.ndarray]:
    """The output of the head and of all heads, and the stream at the query before and after."""
    points, out = data(answer, "stream"), data(answer, "out")
    rows = {"this head": data(answer, "head_out"), "all heads": out}
    if not np.allclose(points[1], out, atol=1e-6):
        rows["normalized"] = points[1]  # a norm of the addition, before it is added
    rows |= {"before": points[0], "before + all": points[2]}
    if not np.allclose(points[2], points[3], atol=1e-6):
        rows["after norm"] = points[3]
    return rows


def around_0(*rows: np.ndarray) -> tuple[float, float]:
    high = max(float(np.abs(row).max()) for row in rows) or 1.0
    return -high, high


def vectors(tensor: str, title: str, names: Of, ends: Of, **more: Any) -> Cells:
    """Rows of numbers, one per channel, orange for positive and blue for negative."""
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
            "3. residual stream",
            lambda answer, _: list(stream(answer)),
            lambda answer, _: around_0(*stream(answer).values()),
            numbers=lambda answer, _: np.stack(list(stream(answer).values())),
        ),
    ],
    rows=lambda answer, _: [Row(2 + ("stream" in answer.tensors), 1, wrap=True)],
)
"""From the values of the keys to the stream: values, weighted values with their sum z, and the
contribution of the head and of all heads, with the stream before and after. Values and weighted
values share a scale.
"""


def of_values(answer: "Answer", _: Question) -> dict[str, Any]:
    asking, value = query_of(answer), answer.tensors["value"]
    return {
        "description": f"How the weights of {asking} combine the values: values, weighted values"
        " and their sum, and what is added to the residual stream.",
        "title": f"How the weights of “{label(asking)}” combine the values",
        "formula": "z = sum of weight times value; head = z W_O[head]; x + sum of heads + b_O",
        "shape": [*value.data.shape],
        "axes": list(value.axes),
    }


def measured(values: Of, name: str, unit: str, role: str, units: Of | None = None) -> Records:
    """One measure as a bar for each key."""

    def bars(answer: "Answer", question: Question) -> list[Bar]:
        both = zip(names_of(answer, "weight"), values(answer, question), strict=True)
        return [Bar(i, key, value, label(key), role, name) for i, (key, value) in enumerate(both)]

    def lengths(*of: Any) -> Scale:
        return Scale(name, units(*of) if units else unit)

    hover = f"%{{customdata}}<br>{name} <b>%{{y:.3g}}</b> {unit}".rstrip()
    return Records(bars, "key", lengths, hover, legend=False)


def change(answer: "Answer", *_: Any) -> np.ndarray:
    """The change in the prediction's log-probability without each key."""
    change = np.full(answer.tensors["weight"].data.shape, np.nan)
    change[answer.axes["removed"].ids] = data(answer, "removal")
    return change


def largest(answer: "Answer") -> float:
    """The largest of these changes, by magnitude."""
    return float(np.nanmax(np.abs(change(answer)), initial=0))


def units_of_change(answer: "Answer", _: Question) -> str:
    """The unit of the axis of changes, with a remark if all of them are negligible."""
    return "nats; all negligible" if largest(answer) < NOTHING else "nats"


LENGTH = "norm of contribution"
IMPORTANCE = Marks(
    [
        measured(lambda answer, _: data(answer, "weight"), "weight", "", "key"),
        measured(lambda answer, _: data(answer, "brought_length"), LENGTH, "", "value"),
        measured(change, "change in log-probability", "nats", "ink", units_of_change),
    ],
    rows=[Row(3, 1, wrap=True)],
)
"""Three measures of each key: its weight, the norm of its contribution to the stream, and the
change in the prediction's log-probability when it is removed.
"""


def of_importance(answer: "Answer", _: Question) -> dict[str, Any]:
    """With the rank correlations of the measures."""
    weight = answer.tensors["weight"]
    return {
        "description": f"For each key that {query_of(answer)} may attend to: its weight, the norm"
        " of its contribution to the residual stream, and the change in the output’s"
        " log-probability without it.",
        "caption": agreement(answer),
        "formula": answer.tensors["removal"].formula,
        "shape": list(weight.data.shape),
        "axes": list(weight.axes),
    }


def agreement(answer: "Answer") -> str:
    """How the order of the weights agrees with the order of the effects, in a sentence."""
    found = next(
        row["rank_correlation"]
        for row in answer.fields["agreement"]
        if (row["first"], row["second"]) == ("weight", "removal")
    )
    if found is None:
        return "With fewer than three keys there is no order to compare."
    if (most := largest(answer)) < NOTHING:
        return (
            "Removing any single key from this head changes the total log-probability of the"
            f" model’s predictions by at most {number(most)} nats, so even the key with the largest"
            " weight hardly matters here."
        )
    return (
        f"Here, {MEANS[(found >= CLEAR) - (found <= -CLEAR)]} for the output (rank correlation of"
        f" weight and effect size: {number(found)})."
    )


NOTHING = 0.01
"""nats: a smaller change alters the prediction's probability by less than 1%."""
CLEAR = 0.5
"""The minimum absolute rank correlation for saying that two orders agree."""
MEANS = {
    1: "keys with larger weights mattered more",
    0: "larger weights did not reliably mean more importance",
    -1: "keys with larger weights mattered less",
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
