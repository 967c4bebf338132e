"""An answer keeps the axes that it needs, and its sections join."""

from dataclasses import replace

import pytest
import torch

from model.answers.answer import Answer, Axis, Labelled, Section, numbered
from model.answers.measurements import fact
from model.errors import UnknownName

AXES = {name: Axis("step", 2) for name in ("unused", "row", "column", "text")}
TENSORS = {
    "square": Labelled(("row", "column"), torch.zeros(2, 2), "0"),
    "line": Labelled(("row",), torch.zeros(2), "0"),
}


def test_an_answer_keeps_the_axes_of_its_tensors_in_their_order():
    assert list(Answer("analytic", AXES, TENSORS).axes) == ["row", "column"]
    assert list(Answer("analytic", AXES, {"line": TENSORS["line"]}).axes) == ["row"]
    assert Answer("analytic", AXES).axes == {}


def test_an_answer_keeps_the_axes_of_its_input_though_no_tensor_lies_on_them():
    assert list(Answer("analytic", AXES, TENSORS, inputs=("text",)).axes) == [
        "row",
        "column",
        "text",
    ]


def test_fewer_tensors_leave_fewer_axes():
    whole = Answer("analytic", AXES, TENSORS)
    assert list(replace(whole, tensors={"line": TENSORS["line"]}).axes) == ["row"]
    assert list(whole.axes) == ["row", "column"]


def test_a_cut_is_named_by_what_stands_along_its_axes():
    axes = {
        "way": Axis("way", 2, ["added", "halves"]),
        "noise": numbered("step", [0.1, 0.5], "noise"),
        "channel": Axis("channel", 3),
    }
    numbers = torch.arange(12.0).reshape(2, 2, 3)
    whole = Answer("analytic", axes, {"right": Labelled(tuple(axes), numbers, "0")})
    cut = whole.cut("right", channel=2, way="halves", noise=0.5)
    assert (cut.axes, cut.data.item()) == ({}, 11)
    assert whole.cut("right", noise="0.1").data.equal(numbers[:, 0])
    row = whole.cut("right", way="added")
    assert row.along("noise") == ["0.1", "0.5"]
    assert row.numbers("noise") == [0.1, 0.5]
    assert (row.along("channel"), row.numbers("channel")) == (["0", "1", "2"], [0, 1, 2])
    with pytest.raises(UnknownName, match=r"no way named 'twice'\. There are: added, halves"):
        whole.cut("right", way="twice")


def test_sections_join_and_their_facts_stand_in_order():
    first = Section({"row": AXES["row"]}, {}, {"a": 1, "b": 1}, [fact("x", 1, "1", True)])
    second = Section({}, TENSORS, {"b": 2}, [fact("y", 2, "1", False)])
    both = first | second
    assert (both.axes, both.tensors) == ({"row": AXES["row"]}, TENSORS)
    assert both.fields == {"a": 1, "b": 2}
    assert [(item.name, item.holds) for item in both.facts] == [("x", True), ("y", False)]
    assert (first.fields, first.facts[1:]) == ({"a": 1, "b": 1}, []), "no section is changed"
