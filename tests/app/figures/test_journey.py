"""The pictures of a walk: one for each step of every kind of model, and what they show is the
run's.
"""

from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest

from app.experiments import experiments
from app.figures.journey import DRAWS, MAX_STEPS
from app.figures.plot import Plot
from app.figures.render import draw, figures_of
from model.analyses import answer
from model.analyses._shared.token_journey import STEPS, TOURS
from model.answers.answer import Answer
from model.errors import UnknownName
from tests.model.analyses.test_journey import WALKED


@cache
def walked(model: str) -> Answer:
    return answer("journey", {"model": model, **WALKED[model]})


def drawn(model: str, step: str) -> Plot:
    names = [one["name"] for one in walked(model).fields["steps"]]
    question = {"model": model, **WALKED[model]}
    return draw("journey", str(names.index(step) + 1), walked(model), question)


@pytest.mark.parametrize("model", WALKED)
def test_every_step_has_a_picture_that_plotly_takes_and_whose_numbers_are_the_runs(
    model: str, subtests: pytest.Subtests
):
    told = walked(model)
    tensors = [tensor.data.numpy().ravel() for tensor in told.tensors.values()]
    grey = np.array((told.input or {}).get("image", "0").split(","), float)
    given = told.tensors["values"].data.numpy()
    shortest = sorted(np.argsort(-np.linalg.norm(given, axis=-1), kind="stable")[16:])
    rest = given[shortest].sum(0)
    known = np.unique(np.concatenate([*tensors, grey, rest]).astype(np.float32))
    assert list(figures_of("journey", told)) == [
        str(i + 1) for i in range(len(told.fields["steps"]))
    ]
    for step in told.fields["steps"]:
        with subtests.test(step["name"]):
            taken = go.Figure(drawn(model, step["name"]))
            meta = taken.layout.meta
            assert meta["title"]
            assert meta["formula"] == told.tensors[step["tensor"]].formula
            assert meta["shape"] == list(told.tensors[step["tensor"]].data.shape)
            assert all(axis.title.text for axis in (*taken.select_xaxes(), *taken.select_yaxes()))
            for trace in taken.data:
                shown = np.array(trace.x if trace.type == "bar" else trace.z, dtype=np.float32)
                assert np.isin(shown[np.isfinite(shown)], known).all()


def test_every_step_can_be_drawn_and_no_walk_is_longer_than_the_figures():
    assert DRAWS.keys() == STEPS.keys()
    assert max(map(len, TOURS.values())) == MAX_STEPS == len(experiments()["journey"].figures)


def test_a_step_beyond_the_end_of_a_walk_is_unknown():
    question = {"model": "digits", **WALKED["digits"]}
    with pytest.raises(UnknownName, match="11"):
        draw("journey", "11", walked("digits"), question)


def test_the_weights_of_a_picture_are_the_row_of_the_followed_token():
    told = walked("translator")
    (bars,) = drawn("translator", "weights")["data"]
    assert np.allclose(np.array(bars["x"]), told.tensors["weights"].data)
    assert list(drawn("translator", "weights")["layout"]["yaxis"]["ticktext"]) == [
        *("&lt;s&gt;", "i", "am", "cold", "&lt;/s&gt;"),
    ]


def test_of_many_keys_the_heaviest_are_shown_in_their_order():
    told = walked("induction-2")
    (bars,) = drawn("induction-2", "weights")["data"]
    row = told.tensors["weights"].data.numpy()
    heaviest = np.sort(np.argsort(-row, kind="stable")[:16])
    assert np.array_equal(np.array(bars["x"], np.float32), row[heaviest])


def long_walk(step: str) -> Plot:
    """Of a text of 47 tokens."""
    question = {"model": "shakespeare", "text": "the fire and the sea and the wind " * 5}
    told = answer("journey", question)
    names = [one["name"] for one in told.fields["steps"]]
    return draw("journey", str(names.index(step) + 1), told, question)


def test_where_some_of_many_keys_are_shown_the_axis_says_how_many_there_are():
    for step in ("scores", "weights"):
        title = long_walk(step)["layout"]["yaxis"]["title"]["text"]
        assert title == f"key: 16 of 47, those with the largest {step}"
    assert "those with the largest" not in str(drawn("translator", "weights")["layout"])


def test_of_many_values_those_that_are_not_shown_one_by_one_are_a_row_of_the_sum():
    figure = long_walk("values")
    rows = np.array(figure["data"][0]["z"], float)
    assert len(rows) == 16 + 2
    np.testing.assert_allclose(rows[:-1].sum(0), rows[-1], atol=1e-5)
    assert figure["layout"]["yaxis"]["ticktext"][-2] == "+ 31 others"


def test_only_neurons_that_fire_are_shown_the_strongest_first():
    told = walked("translator")
    fires = told.tensors["feed_forward"].data.numpy()
    (bars,) = drawn("translator", "feed_forward")["data"]
    shown = np.array(bars["x"], np.float32)
    assert np.array_equal(shown, np.sort(fires[fires > 0])[::-1][:16])


def test_the_frame_stands_round_the_followed_patch_alone():
    marks = np.array(drawn("digits", "patches")["data"][0]["z"], float)
    assert np.nansum(marks) == 1


def test_a_masked_cell_is_empty_and_the_row_of_the_word_is_framed():
    figure = drawn("translator", "masked")
    z = np.array(figure["data"][0]["z"], float)
    assert np.isnan(z[np.triu_indices(len(z), 1)]).all()
    assert not np.isnan(z[np.tril_indices(len(z))]).any()
    at = walked("translator").fields["read_at"]
    assert (at - 0.5, at + 0.5) in [
        (shape["y0"], shape["y1"]) for shape in figure["layout"]["shapes"]
    ]
