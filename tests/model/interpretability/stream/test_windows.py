"""Windows of layers: a window is cut out of the whole, number by number, and what stands beside it
are numbers of the whole.
"""

import numpy as np
import pytest

from app.figures import logits as lens_figure
from app.figures import residual as figures
from model.analyses.logits import logits
from model.analyses.residual import residual
from model.errors import InvalidInput
from tests.model.support.runs import small_run
from tests.rounding import same

DEPTH = 10
WINDOWS = [({"first_layer": 0, "layers": 3}, 0, 3), ({"first_layer": 4}, 4, 10)]


@pytest.fixture(scope="module")
def run():
    return small_run("decoder-only", "pre", n_decoder_layers=DEPTH)


@pytest.fixture(scope="module")
def whole(run):
    return residual(run)


def array(answer, name: str) -> np.ndarray:
    return answer.tensors[name].data.numpy()


def names(answer, axis: str) -> list[str]:
    return answer.axes[axis].labels


@pytest.mark.parametrize(("query", "first", "end"), WINDOWS)
def test_the_steps_of_a_window_are_those_of_the_whole(run, whole, query, first: int, end: int):
    part = residual(run, **query)
    expected = [
        name
        for name in names(whole, "step")
        if name.split(".")[1] in map(str, range(first, end)) or (end == DEPTH and "norm" in name)
    ]
    assert names(part, "step") == expected
    for axis, tensors in {
        "step": ("norm", "projections"),
        "sub_layer": ("sum_norm", "update_norm", "cosine", "dependency", "dependency_mean"),
    }.items():
        at = [names(whole, axis).index(name) for name in names(part, axis)]
        for name in tensors:
            np.testing.assert_array_equal(array(part, name), array(whole, name)[at])
    for name in ("part_norm", "contributions"):
        np.testing.assert_array_equal(array(part, name), array(whole, name))
    np.testing.assert_array_equal(array(part, "whole_norm"), array(whole, "norm"))
    assert part.fields["largest_difference"] == whole.fields["largest_difference"]


@pytest.mark.parametrize(("query", "first", "end"), WINDOWS)
def test_a_window_of_the_lens_is_the_lens_there(run, query, first: int, end: int):
    all_of_it, part = logits(run, lens=True), logits(run, lens=True, **query)
    at = [names(all_of_it, "point").index(name) for name in names(part, "point")]
    assert [i for i, name in enumerate(names(all_of_it, "point")) if i in at] == at
    assert {name.split(".")[1] for name in names(part, "point")} == set(map(str, range(first, end)))
    for name in (name for name in part.tensors if name.startswith("lens.")):
        np.testing.assert_array_equal(array(part, name), array(all_of_it, name)[at])
    ends = [names(all_of_it, "point").index(row["name"]) for row in part.fields["windows"]]
    guesses = array(all_of_it, "lens.top_probability")[ends][..., :1]
    np.testing.assert_array_equal(array(part, "whole.top_probability"), guesses)
    tokens = [[row[:1] for row in all_of_it.fields["lens_tokens"][i]] for i in ends]
    assert part.fields["whole_tokens"] == tokens
    assert part.fields["windows"][-1]["name"] == f"decoder.{DEPTH - 1}.residual.out"
    figure = lens_figure.lens(part, {})
    traces = figure["data"]
    marked = [
        (shape["x0"] + 0.5, shape["x1"] - 0.5)
        for shape in figure["layout"]["shapes"]
        if shape.get("xref") == "x2"
    ]
    places = [
        i for i, row in enumerate(part.fields["windows"], 1) if row["name"] in names(part, "point")
    ]
    assert marked == [(i, i) for i in places]
    assert [np.shape(trace["z"])[1] for trace in traces] == [len(at), len(ends)]


def test_bars_of_parts_before_a_window_are_their_sums_and_all_end_at_the_length(run):
    part = residual(run, first_layer=6, layers=2)
    traces = figures.contributions(part, {"position": 2})["data"]
    bars, norm = [trace for trace in traces if trace["type"] == "bar"], array(part, "norm")[:, 2]
    sums = np.zeros(len(norm))
    for trace in bars:  # each stands at some of the steps, beside their places
        np.add.at(sums, np.rint(trace["x"]).astype(int), np.nan_to_num(trace["y"]))
    same(sums, norm)
    every = sum(
        trace["type"] == "bar" for trace in figures.contributions(residual(run), {})["data"]
    )
    assert len(bars) < every / 2
    (line,) = [trace for trace in traces if trace["name"] == "the whole stack"]
    assert line["meta"]["pick"]["first_layer"][:5] == ["0", "0", "0", "0", "0"]
    assert line["meta"]["pick"]["first_layer"][-1] == "8"


@pytest.mark.parametrize("ask", [residual, lambda run, **query: logits(run, lens=True, **query)])
def test_a_layer_that_does_not_exist_is_refused(run, ask):
    with pytest.raises(InvalidInput, match="first_layer is 10; it must be between 0 and 9"):
        ask(run, first_layer=10)
    with pytest.raises(InvalidInput, match="layers"):
        ask(run, layers=0)
