"""A mark draws the cuts that it names: every number of every line is that of a labelled place."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figures.build import build
from app.figures.marks import Bars, Cells, Lines, Look, Rule, Scale
from model.answers.answer import Answer, Axis, Labelled, counted, numbered

EACH = torch.arange(24.0).reshape(2, 2, 2, 3) + 1
AXES = {
    "seed": counted("step", 2, "seed"),
    "way": Axis("way", 2, ["added", "halves"]),
    "part": Axis("part", 2, ["token", "position"]),
    "noise": numbered("step", [1, 2, 4], "noise"),
}
RIGHT = Labelled(("way", "part", "noise"), EACH.mean(0), "0")
ANSWER = Answer(
    "analytic",
    AXES,
    {"right": RIGHT, "right.by_seed": Labelled(("seed", *RIGHT.axes), EACH, "0")},
    {"chance": 0.5, "findings": []},
)
LINES = Lines(
    "right",
    x="noise",
    by="way",
    panels="part",
    looks={"added": Look("sum", "attention"), "halves": Look("halves", "cross", seeds=False)},
    hover="{panel}, {name}: %{y}",
    x_scale=Scale("noise"),
    y=Scale("{panel} read right"),
)


def lines(mark: Lines, **asked: object) -> dict:
    drawn = build(mark, "", ANSWER, asked)["data"]
    return {(trace["name"], trace["yaxis"]): trace for trace in drawn}


def test_each_panel_has_a_line_for_each_label_and_thin_ones_for_the_seeds_of_its_look():
    drawn = lines(LINES)
    assert list(drawn) == [
        (name, axis)
        for axis in ("y", "y2")
        for name in ("sum, seed 0", "sum, seed 1", "sum", "halves")
    ]
    for panel, axis in enumerate(("y", "y2")):
        np.testing.assert_array_equal(drawn["sum", axis]["y"], EACH.mean(0)[0, panel])
        np.testing.assert_array_equal(drawn["sum, seed 1", axis]["y"], EACH[1, 0, panel])
    assert drawn["sum, seed 1", "y2"]["hovertemplate"].startswith("position, sum, seed 1: ")


def test_a_mark_without_panels_draws_the_part_that_it_names_or_that_the_question_names():
    of_token = replace(LINES, panels="", at={"part": "token"}, seeds=None)
    asked = replace(of_token, at={"part": "{shown}"})
    for mark, part in ((of_token, 0), (asked, 1)):
        drawn = lines(mark, shown="position")
        np.testing.assert_array_equal(drawn["halves", "y"]["y"], EACH.mean(0)[1, part])
    few = lines(replace(of_token, first=1, most=2))["sum", "y"]
    assert (few["x"].tolist(), few["y"].tolist()) == ([2], EACH.mean(0)[0, 0, 1:2].tolist())


def test_a_rule_is_a_field_over_all_x_and_a_scale_holds_it():
    rule = Rule("a coin", "chance", "chance", law=True)
    mark = replace(LINES, panels="", at={"part": "token"}, rules=[rule], y=Scale("right", low=0.5))
    drawn = build(mark, "", ANSWER, {})
    assert drawn["data"][0]["y"].tolist() == [0.5] * 3
    assert [note["text"] for note in drawn["layout"]["annotations"]] == ["a coin", "sum", "halves"]
    assert drawn["layout"]["yaxis"]["range"] == [0.5, EACH[:, 0, 0].max()]


@pytest.mark.parametrize("turned", [False, True])
def test_cells_stand_in_the_row_and_column_of_their_places(turned: bool):
    x, y = ("way", "noise") if turned else ("noise", "way")
    mark = Cells("right", x=x, y=y, hover="", columns=x, rows=y, at={"part": "position"})
    (trace,) = build(mark, "", ANSWER, {})["data"]
    position = EACH.mean(0)[:, 1]
    np.testing.assert_array_equal(trace["z"], position.T if turned else position)


def test_the_largest_bar_has_its_number():
    at = {"way": "added", "part": "token"}
    mark = Bars(
        "right", x="noise", at=at, hover="", looks={"": Look("sum", "key")}, largest=str,
        x_scale=Scale("noise"), y=Scale("right"),
    )  # fmt: skip
    drawn = build(mark, "", ANSWER, {})
    np.testing.assert_array_equal(drawn["data"][0]["y"], EACH.mean(0)[0, 0])
    (note,) = drawn["layout"]["annotations"]
    assert (note["x"], note["text"]) == (4, str(EACH.mean(0)[0, 0].max().item()))
