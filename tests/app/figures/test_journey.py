"""The pictures of a walk: one for each step of every kind of model, and what they show is the
run's.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from app.experiments import experiments
from app.figures.journey import DRAWS, MAX_STEPS
from app.figures.plot import Plot
from app.worker.figures import draw, figures_of
from model.activations.activation import input_axis
from model.analyses import answer
from model.answers.answer import Answer
from model.errors import UnknownName
from model.interpretability.token_journey import INSIDE, STEPS, TOURS
from tests.model.analyses.test_journey import WALKED, run_of
from tests.rounding import SINGLE, same
from tests.thorough import mostly


@cache
def walked(model: str) -> Answer:
    return answer("journey", {"model": model, **WALKED[model]})


def plot_of(model: str, step: str) -> Plot:
    names = [step_fields["name"] for step_fields in walked(model).fields["steps"]]
    question = {"model": model, **WALKED[model]}
    return draw("journey", str(names.index(step) + 1), walked(model), question)


every_model = pytest.mark.parametrize(
    "model", mostly(WALKED, "translator", "prefix-translator", "shakespeare-xl", "digits")
)


@every_model
def test_every_step_has_a_picture_that_plotly_takes_and_whose_numbers_are_the_runs(
    model: str, subtests: pytest.Subtests
):
    walk = walked(model)
    tensors = [tensor.data.numpy().ravel() for tensor in walk.tensors.values()]
    grey = np.array((walk.input or {}).get("image", "0").split(","), float)
    values = walk.tensors["values"].data.numpy()
    shortest = sorted(np.argsort(-np.linalg.norm(values, axis=-1), kind="stable")[16:])
    rest = values[shortest].sum(0)
    known = np.unique(np.concatenate([*tensors, grey, rest]).astype(np.float32))
    assert list(figures_of("journey", walk)) == [
        str(i + 1) for i in range(len(walk.fields["steps"]))
    ]
    for step in walk.fields["steps"]:
        with subtests.test(step["name"]):
            taken = go.Figure(plot_of(model, step["name"]))
            meta = taken.layout.meta
            assert meta["title"]
            assert meta["formula"] == walk.tensors[step["tensor"]].formula
            assert meta["shape"] == list(walk.tensors[step["tensor"]].data.shape)
            assert all(axis.title.text for axis in (*taken.select_xaxes(), *taken.select_yaxes()))
            for trace in taken.data:
                numbers = np.array(trace.x if trace.type == "bar" else trace.z, dtype=np.float32)
                assert np.isin(numbers[np.isfinite(numbers)], known).all()


def test_every_step_can_be_drawn_and_no_walk_is_longer_than_the_figures():
    assert DRAWS.keys() == STEPS.keys()
    assert max(map(len, TOURS.values())) == MAX_STEPS == len(experiments()["journey"].figures)


def test_a_step_beyond_the_end_of_a_walk_is_unknown():
    question = {"model": "digits", **WALKED["digits"]}
    with pytest.raises(UnknownName, match="11"):
        draw("journey", "11", walked("digits"), question)


def test_of_many_keys_the_heaviest_are_shown_in_their_order():
    walk = walked("induction-2")
    _, bars = plot_of("induction-2", "weights")["data"]
    row = walk.tensors["weights"].data.numpy()
    heaviest = np.sort(np.argsort(-row, kind="stable")[:16])
    assert np.array_equal(np.array(bars["x"], np.float32), row[heaviest])


def long_walk(step: str) -> Plot:
    """Of a text of 47 tokens."""
    question = {"model": "shakespeare", "text": "the fire and the sea and the wind " * 5}
    walk = answer("journey", question)
    names = [step_fields["name"] for step_fields in walk.fields["steps"]]
    return draw("journey", str(names.index(step) + 1), walk, question)


def test_where_some_of_many_keys_are_shown_the_axis_says_how_many_there_are():
    for step in ("scores", "weights"):
        title = long_walk(step)["layout"]["yaxis2"]["title"]["text"]
        assert title == f"key (16 of 47: largest {step})"
    assert plot_of("translator", "weights")["layout"]["yaxis2"]["title"]["text"] == "key"


def test_of_many_values_those_that_are_not_shown_one_by_one_are_a_row_of_the_sum():
    figure = long_walk("values")
    rows = np.array(figure["data"][1]["z"], float)
    assert len(rows) == 16 + 2
    same(rows[:-1].sum(0), rows[-1], SINGLE, scale=1)
    assert figure["layout"]["yaxis2"]["ticktext"][-2] == "+ 31 others"


def test_only_neurons_that_fire_are_shown_the_strongest_first():
    walk = walked("translator")
    fires = walk.tensors["feed_forward"].data.numpy()
    _, bars, _ = plot_of("translator", "feed_forward")["data"]
    lengths = np.array(bars["x"], np.float32)
    assert np.array_equal(lengths, np.sort(fires[fires > 0])[::-1][:16])


def test_the_frame_stands_round_the_followed_patch_alone():
    marks = np.array(plot_of("digits", "patches")["data"][1]["z"], float)
    assert np.nansum(marks) == 1


def test_a_masked_cell_is_empty_and_the_row_of_the_word_is_framed():
    figure = plot_of("translator", "masked")
    z = np.array(figure["data"][1]["z"], float)
    assert np.isnan(z[np.triu_indices(len(z), 1)]).all()
    assert not np.isnan(z[np.tril_indices(len(z))]).any()
    at = walked("translator").fields["read_at"]
    assert (at - 0.5, at + 0.5) in [
        (shape["y0"], shape["y1"]) for shape in figure["layout"]["shapes"]
    ]


@every_model
def test_the_column_is_the_followed_vector_in_the_same_colours_at_the_same_place(model: str):
    walk, run = walked(model), run_of(model)
    scales = set()
    for i, step in enumerate(walk.fields["steps"]):
        figure = plot_of(model, step["name"])
        column = figure["data"][0]
        (vector,) = column["z"]
        stack, name = step["column"].split(".")[0], step["name"]
        is_own = name in ("text", "patches", "embedding", *INSIDE, "looks", "output")
        first = is_own or (name == "masked" and walk.fields["walk"] == "continuation")
        at = walk.fields["followed" if first else "read_at"]
        assert step["token"] == run.tokens[input_axis(run.config, stack)][at].text
        np.testing.assert_array_equal(vector, run.trace[step["column"]][at])
        np.testing.assert_array_equal(vector, walk.tensors["columns"].data[i])
        title = figure["layout"]["yaxis"]["title"]["text"]
        scales.add((column["zmin"], column["zmax"], *figure["layout"]["meta"]["rows"][0][:2]))
        assert title.startswith("“")
        assert title.endswith("”")
    assert len(scales) == 1


@every_model
def test_the_column_comes_from_where_it_stood_in_the_step_before(model: str):
    walk = walked(model)
    names = [step["name"] for step in walk.fields["steps"]]
    for before, name in pairwise(names):
        figure, share = plot_of(model, before), plot_of(model, name)["layout"]["meta"]["came"]
        (vector,) = plot_of(model, name)["data"][0]["z"]
        starts = np.cumsum([0, *(row[1] for row in figure["layout"]["meta"]["rows"])])
        places = [
            start
            for row, start in zip(rows_of(figure), starts, strict=False)
            if any(len(trace["z"]) == 1 and np.array_equal(trace["z"][0], vector) for trace in row)
        ]
        same(share, places[0] if places else 0, SINGLE, what=f"{before} → {name}")
    moved = {name for name in names if plot_of(model, name)["layout"]["meta"]["came"]}
    assert "feed_forward" in moved or model == "induction-2"


def rows_of(figure: Plot) -> list[list[dict]]:
    """The heat maps of a figure, by the row of panels in which they are."""
    counts = [row[0] for row in figure["layout"]["meta"]["rows"]]
    row_of = np.repeat(np.arange(len(counts)), counts)
    rows: list[list[dict]] = [[] for _ in counts]
    for trace in figure["data"]:
        if trace["type"] == "heatmap":
            rows[row_of[int(trace["xaxis"][1:] or 1) - 1]].append(trace)
    return rows
