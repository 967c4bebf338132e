"""An answer keeps the axes that it needs, and its sections join."""

from dataclasses import replace

import torch

from model.answers.answer import Answer, Axis, Labelled, Section
from model.answers.measurements import fact

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


def test_sections_join_and_their_facts_stand_in_order():
    first = Section({"row": AXES["row"]}, {}, {"a": 1, "b": 1}, [fact("x", 1, "1", True)])
    second = Section({}, TENSORS, {"b": 2}, [fact("y", 2, "1", False)])
    both = first | second
    assert (both.axes, both.tensors) == ({"row": AXES["row"]}, TENSORS)
    assert both.fields == {"a": 1, "b": 2}
    assert [(one.name, one.holds) for one in both.facts] == [("x", True), ("y", False)]
    assert (first.fields, first.facts[1:]) == ({"a": 1, "b": 1}, []), "no section is changed"
