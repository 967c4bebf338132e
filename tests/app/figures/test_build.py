"""A mark draws the cuts that it names: every number of every line is that of a labelled place."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figures.axis_scales import HEADROOM
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
    at={"part": "token"},
    looks={"added": Look("sum", "attention"), "halves": Look("halves", "cross", seeds=False)},
    hover="{name}: %{y}",
    x_scale=Scale("noise"),
    y=Scale("read right"),
)


def lines(mark: Lines, **question: object) -> dict:
    return {trace["name"]: trace for trace in build(mark, "", ANSWER, question)["data"]}


def test_there_is_a_line_for_each_label_and_thin_ones_for_the_seeds_of_its_look():
    curves = lines(LINES)
    assert list(curves) == ["sum, seed 0", "sum, seed 1", "sum", "halves"]
    np.testing.assert_array_equal(curves["sum"]["y"], EACH.mean(0)[0, 0])
    np.testing.assert_array_equal(curves["sum, seed 1"]["y"], EACH[1, 0, 0])
    assert curves["sum, seed 1"]["hovertemplate"].startswith("sum, seed 1: ")


def test_a_mark_draws_the_part_and_the_places_that_it_or_the_question_names():
    mark = replace(LINES, at={"part": "{shown}"}, seeds=None)
    curves = lines(mark, shown="position")
    np.testing.assert_array_equal(curves["halves"]["y"], EACH.mean(0)[1, 1])
    few = lines(replace(LINES, places=slice(1, 2)))["sum"]
    assert (few["x"].tolist(), few["y"].tolist()) == ([2], EACH.mean(0)[0, 0, 1:2].tolist())


def test_a_rule_is_a_field_over_all_x_and_a_scale_holds_it():
    rule = Rule("a coin", "chance", "chance", law=True)
    mark = replace(LINES, rules=[rule], y=Scale("right", low=0.5))
    plot = build(mark, "", ANSWER, {})
    assert plot["data"][0]["y"].tolist() == [0.5] * 3
    assert [note["text"] for note in plot["layout"]["annotations"]] == ["a coin", "sum", "halves"]
    most = EACH[:, 0, 0].max().item()
    assert plot["layout"]["yaxis"]["range"] == [0.5, most + HEADROOM * (most - 0.5)]
    unnamed = build(replace(mark, rules=[replace(rule, named=False)]), "", ANSWER, {})
    assert [note["text"] for note in unnamed["layout"]["annotations"]] == ["sum", "halves"]


def test_the_line_of_a_tensor_with_repetitions_is_their_mean():
    for axis, name in (("training", "training"), ("kept_seed", "seed")):
        axes = AXES | {axis: counted("step", 2, name)}
        each = Labelled((axis, *RIGHT.axes), EACH, "0")
        answer = Answer("analytic", axes, {"right": each})
        curves = {trace["name"]: trace["y"] for trace in build(LINES, "", answer, {})["data"]}
        np.testing.assert_array_equal(curves["sum"], EACH.mean(0)[0, 0])
        np.testing.assert_array_equal(curves[f"sum, {name} 1"], EACH[1, 0, 0])


def test_trainings_stand_behind_a_line_as_seeds_do():
    axes = AXES | {"training": counted("step", 2, "training")}
    each = Labelled(("training", *RIGHT.axes), EACH, "0")
    answer = Answer("analytic", axes, {"right": RIGHT, "right.by_training": each})
    names = [trace["name"] for trace in build(LINES, "", answer, {})["data"]]
    assert names == ["sum, training 0", "sum, training 1", "sum", "halves"]


def test_a_part_may_be_one_of_another_tensor_with_words_of_its_own():
    bound = Labelled(("noise",), torch.tensor([4.0, 5.0, 6.0]), "0")
    answer = Answer("analytic", AXES, {"right": RIGHT, "bound": bound})
    styles = {"sum": Look("sum", "key"), "law": Look("law", "ink", hover="own {name}", end=None)}
    parts = {"sum": {"way": "added", "part": "token"}, "law": {"tensor": "bound"}}
    mark = replace(LINES, at={}, parts=parts, looks=styles, names="both")
    plot = build(mark, "", answer, {})
    assert [trace["y"].tolist() for trace in plot["data"]] == [[7, 8, 9], [4, 5, 6]]
    assert plot["data"][1]["hovertemplate"] == "own law<extra></extra>"
    assert [trace["showlegend"] for trace in plot["data"]] == [True, False]
    assert [note["text"] for note in plot["layout"]["annotations"]] == ["sum"]


def test_a_named_scale_counts_its_labels_and_says_each():
    named = Scale(
        "way", kind="named", margin=0.5, names={"added": "+"}, says=lambda name: f"! {name}"
    )
    mark = replace(LINES, x="way", by="noise", x_scale=named)
    plot = build(replace(mark, looks=lambda noise, _: Look(str(noise), "key")), "", ANSWER, {})
    axis = plot["layout"]["xaxis"]
    assert (axis["range"], axis["tickvals"], axis["ticktext"]) == (
        [-0.5, 1.5],
        [0, 1],
        ["+", "halves"],
    )
    for trace in plot["data"]:
        assert (trace["x"].tolist(), trace["customdata"]) == ([0, 1], ["! added", "! halves"])


def test_what_is_shaded_reaches_to_the_edges_that_are_not_given():
    mark = replace(LINES, shaded=lambda answer, question: [(None, 2, 1, None)])
    plot = build(mark, "", ANSWER, {})
    (shape,) = plot["layout"]["shapes"]
    low, high = plot["layout"]["xaxis"]["range"][0], plot["layout"]["yaxis"]["range"][1]
    assert [shape[side] for side in ("x0", "x1", "y0", "y1")] == [low, 2, 1, high]


@pytest.mark.parametrize("upright", ["chosen", lambda answer, question: question["chosen"]])
def test_an_upright_line_stands_where_it_is_on_the_axis(upright):
    mark = replace(LINES, upright=upright)
    (shape,) = build(mark, "", ANSWER, {"chosen": 1.5})["layout"]["shapes"]
    assert (shape["x0"], shape["x1"]) == (1.5, 1.5)
    assert not build(mark, "", ANSWER, {"chosen": 5})["layout"].get("shapes")


def test_the_ends_of_logarithms_are_powers_of_ten_and_a_scale_holds_what_it_names():
    scale = Scale("right", kind="log", low=-0.5, high=2.5)
    axis = build(replace(LINES, y=scale), "", ANSWER, {})["layout"]["yaxis"]
    assert (axis["range"], axis["tickvals"]) == ([-0.5, 2.5], [1, 10, 100])
    whole = build(replace(LINES, y=Scale("right", holds=("right",))), "", ANSWER, {})
    assert whole["layout"]["yaxis"]["range"] == [0, EACH.max().item() * (1 + HEADROOM)]


@pytest.mark.parametrize("turned", [False, True])
def test_cells_stand_in_the_row_and_column_of_their_places(turned: bool):
    x, y = ("way", "noise") if turned else ("noise", "way")
    mark = Cells("right", x=x, y=y, hover="", columns=x, rows=y, at={"part": "position"})
    (trace,) = build(mark, "", ANSWER, {})["data"]
    position = EACH.mean(0)[:, 1]
    np.testing.assert_array_equal(trace["z"], position.T if turned else position)


def test_a_bar_is_as_long_as_its_number_and_a_scale_may_be_computed():
    mark = Bars(
        "chance", x="noise", hover="", look=Look("sum", "key"), x_scale=Scale("noise"),
        y=lambda answer, _: Scale("right", per=answer.fields["chance"]),
    )  # fmt: skip
    of_noise = Labelled(("noise",), EACH[0, 0, 0], "0")
    answer = Answer("analytic", AXES, {"chance": of_noise}, ANSWER.fields)
    (trace,) = build(mark, "", answer, {})["data"]
    np.testing.assert_array_equal(trace["y"], EACH[0, 0, 0] / 0.5)
