"""The run without edits in the order of an arranged run, so that the difference of two figures
compares each token with itself. Pads are names that only the edited figure has.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from model.answers.alignment import realigned
from model.answers.answer import Answer, Axis, Labelled
from model.arrangement.same_token import place_of

Orders = Mapping[str, list[int]]


def in_order_of(edited: Answer, plain: Answer, followed: str, axis: str) -> Answer:
    """`plain`, the answer without edits, with its tokens in the order of `edited`. `followed` is
    the field of an answer about one token that says its position along `axis`, or "".
    """
    orders = orders_of(edited, plain)
    if not orders:
        return plain
    return replace(
        plain,
        axes={name: ordered(one, orders.get(name)) for name, one in plain.axes.items()},
        tensors={
            name: Labelled(one.axes, realigned(one.data, one.axes, orders), one.formula, one.masked)
            for name, one in plain.tensors.items()
        },
        fields=plain.fields | positional(edited, plain, orders, followed, axis),
        inputs=plain.axes,
    )


def orders_of(edited: Answer, plain: Answer) -> Orders:
    """For each axis whose tokens stand in another order, which token without edits stands where;
    pads are left out.
    """
    found = {}
    for name, places in edited.fields.get("aligned", {}).items():
        order = [place for place in places if place is not None]
        whole = name in plain.axes and plain.axes[name].size == len(order)
        if whole and order != sorted(order):
            found[name] = order
    return found


def ordered(axis: Axis, order: list[int] | None) -> Axis:
    if order is None:
        return axis

    def of(values: list | None) -> list | None:
        return None if values is None else [values[at] for at in order]

    return replace(axis, labels=of(axis.labels), ids=of(axis.ids), value=of(axis.value))


def positional(
    edited: Answer, plain: Answer, orders: Orders, followed: str, axis: str
) -> dict[str, Any]:
    """The fields of `plain` that say something of each position, or are one, in the new order."""
    fields, found = plain.fields, {}
    if "lens_tokens" in fields and (order := orders.get(plain.tensors[LENS].axes[1])):
        found["lens_tokens"] = [[row[at] for at in order] for row in fields["lens_tokens"]]
    if "text" in orders and "expected" in fields:
        found["expected"] = edited.fields["expected"]  # rows are named after what comes next
    if (order := orders.get(axis)) and followed in fields:
        found[followed] = order.index(fields[followed])
        if "tokens" in fields:
            found["tokens"] = [fields["tokens"][at] for at in order]
        if fields.get("walk") in ("continuation", "blank"):
            found["read_at"] = found[followed]
    return found


LENS = "lens.top_probability"


def position_without_pads(edited: Answer, question: dict[str, Any], axis: str) -> dict[str, Any]:
    """The question with the position of the same token where there are no pads in front. Raises
    InvalidInput for a pad.
    """
    places, position = edited.fields.get("aligned", {}).get(axis), question.get("position")
    if not places or position is None:
        return question
    at = min(position, len(places) - 1)
    place_of(places, at, "position")
    return question | {"position": at - places[:at].count(None)}
