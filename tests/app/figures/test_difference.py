"""Figures that show a difference: their numbers are NumPy's difference of the two figures that are
served, matched by name, and what has no match is told.
"""

import json
from functools import cache
from typing import Any

import numpy as np
import orjson
import pytest

from app.compute.messages import Figures, Numbers
from app.experiments import words
from app.figures.axis_scales import linear, named
from app.figures.difference import difference
from app.figures.plot import Panel, Plot, dumps, figure
from app.figures.traces import bars, heat_map
from model.analyses import ANALYSES, takes_edits
from tests.app.questions import Worker, answer
from tests.rounding import PRINTED, SINGLE, near, same

TRANSLATION = {"model": "translator", "source": "i am cold"}
EARLY = [{"op": "zero", "at": "encoder.0.attention.z"}]
CROSS = [{"op": "zero", "at": "decoder.0.cross_attention.z", "where": {"head": [0, 2]}}]
HEAD = [{"op": "zero", "at": "decoder.0.attention.z", "where": {"head": [0]}}]
STREAM = [{"op": "scale", "at": "decoder.1.residual.in", "value": 1.5}]
QUESTIONS = [
    ("attention", TRANSLATION, EARLY),
    (
        "attention",
        TRANSLATION | {"kind": "cross", "layer": 1, "head": 2, "stage": "masked_scores"},
        CROSS,
    ),
    ("logits", TRANSLATION, CROSS),
    ("residual", TRANSLATION | {"position": 2}, CROSS),
    ("residual", TRANSLATION, STREAM),
    ("feed-forward", TRANSLATION, CROSS),
    ("feed-forward", TRANSLATION | {"stack": "decoder", "layer": 0}, STREAM),
    ("journey", TRANSLATION, EARLY),
    ("images", {"model": "digits", "image": "three"}, EARLY),
    ("tables", {"model": "penguins-ft", "row": "adelie"}, EARLY),
    ("detection", {"model": "shapes", "image": "three"}, CROSS),
    ("generate", TRANSLATION, CROSS),
    ("generate", {"model": "shakespeare", "text": "the king", "max_new_tokens": 6}, HEAD),
]
QUESTIONS += [
    (word, TRANSLATION, CROSS)
    for word in ANALYSES
    if takes_edits(word) and word in words() and word not in {word for word, *_ in QUESTIONS}
]


def served(word: str, question: dict, shows: Any) -> dict[str, dict]:
    return served_once(word, json.dumps(question), shows)


@cache
def served_once(word: str, question: str, shows: Any) -> dict[str, dict]:
    """Figures as they are served, drawn once for all tests."""
    return json.loads(Worker.answer(word, json.loads(question), Figures(shows=shows)))["figures"]


def names_along(of: dict, trace: dict, which: str) -> list[str] | None:
    axis = of["layout"][f"{which}axis{trace.get(f'{which}axis', which)[1:]}"]
    ticks = axis.get("tickvals", [])
    return axis["ticktext"] if ticks and list(ticks) == list(range(len(ticks))) else None


def array(values: Any) -> np.ndarray:
    return np.array(values, dtype=float)


def cells_of(of: dict, trace: dict) -> dict[tuple, float]:
    """Every number of a trace by what it is called: the names or places of its row and column, or
    of its point; a word that its cell names belongs to its name.
    """
    found: dict[tuple, float] = {}

    def put(*name: Any, value: float) -> None:
        twin = sum(known[:-1] == name for known in found)
        found[(*name, twin)] = value

    if trace["type"] == "heatmap":
        z, rows, columns = (
            array(trace["z"]),
            names_along(of, trace, "y"),
            names_along(of, trace, "x"),
        )
        for (r, c), value in np.ndenumerate(z):
            word = trace["text"][r][c].split("<br>")[0] if trace["meta"].get("worded") else ""
            row = f"{rows[r]}#{rows[:r].count(rows[r])}" if rows and len(rows) == len(z) else r
            column = (
                columns[c] + f"#{columns[:c].count(columns[c])}"
                if columns and len(columns) == z.shape[1]
                else c
            )
            found[(row, column, word)] = value
        return found
    axis, along = ("x", "y") if trace.get("orientation") == "h" else ("y", "x")
    names, places = names_along(of, trace, along), array(trace[along])
    called = trace["meta"].get("rows") or trace["meta"].get("steps")
    for i, value in enumerate(array(trace[axis])):
        if called:
            put(str(called[i]), value=value)
        elif names and 0 <= round(places[i]) < len(names):
            put(names[round(places[i])], value=value)
        else:
            put(places[i], value=value)
    return found


def name_of(trace: dict) -> tuple:
    keys = ("type", "xaxis", "yaxis", "name")
    return (*(trace.get(key) for key in keys), trace.get("meta", {}).get("column"))


def is_a_picture(trace: dict) -> bool:
    if trace["type"] == "image" or trace["meta"].get("subtracted") is False:
        return True
    return trace["meta"].get("scale") in (["paper", "ink"], ["sunken", "select"])


@pytest.mark.parametrize(("word", "question", "edits"), QUESTIONS)
def test_the_numbers_are_those_with_edits_minus_those_without(word, question, edits):
    query = {**question, "edits": edits}
    edited, run, changed = (served(word, query, shows) for shows in ("edited", "run", "difference"))
    assert changed.keys() == edited.keys()
    compared = 0
    for name, figure_now in changed.items():
        if name == "fires":  # points stand where they stand with the edits: see below
            continue
        both = {key: list(some[name]["data"]) for key, some in (("now", edited), ("was", run))}
        lost = False
        for trace in figure_now["data"]:
            now, was = (
                next(other for other in both[key] if name_of(other) == name_of(trace))
                for key in ("now", "was")
            )
            both["now"].remove(now)
            both["was"].remove(was)
            if is_a_picture(trace):
                assert trace == now
                continue
            assert tuple(trace.get("meta", {}).get("scale", "signed")) == tuple("signed")
            new, old = cells_of(edited[name], now), cells_of(run[name], was)
            subtracted = cells_of(
                figure_now,
                {
                    **trace,
                    "text": now.get("text"),
                    "customdata": now.get("customdata"),
                    "meta": now["meta"],
                },
            )
            if trace["type"] == "bar":  # what is not drawn has the length 0
                absent = {
                    key for key in new.keys() & old.keys() if np.isnan([new[key], old[key]]).all()
                }
                new, old = (
                    {
                        key: np.nan if key in absent else np.nan_to_num(value)
                        for key, value in some.items()
                    }
                    for some in (new, old)
                )
            for key, value in subtracted.items():
                expected = new[key] - old.get(key, np.nan)
                same(value, expected, SINGLE, scale=1, what=(name, key))
                compared += bool(np.isfinite(value))
            lost |= any(
                np.isfinite(value) and key not in some
                for these, some in ((new, old), (old, new))
                for key, value in these.items()
            )
        sentence = figure_now["layout"]["meta"]["difference"]
        assert ("Not subtracted" in sentence) >= bool(lost or both["now"] or both["was"]), name
        assert figure_now["layout"]["meta"]["description"].startswith(sentence)
    assert compared > 0


@pytest.mark.parametrize(("word", "question", "edits"), QUESTIONS[:6])
def test_a_difference_is_on_a_scale_around_0_and_says_so(word, question, edits):
    for name, figure_now in served(word, {**question, "edits": edits}, "difference").items():
        valued = set()
        for trace in figure_now["data"]:
            if is_a_picture(trace):
                continue
            if trace["type"] == "heatmap":
                assert trace["zmin"] == -trace["zmax"]
                assert trace["colorbar"]["title"]["text"].startswith("difference of ")
                assert trace["colorscale"][len(trace["colorscale"]) // 2][1] == "#fbfaf5"
            else:
                which = "x" if trace.get("orientation") == "h" else "y"
                valued.add(f"{which}axis{trace.get(f'{which}axis', which)[1:]}")
            assert "with the edits<br>" in trace["hovertemplate"]
            assert "without them<br>difference" in trace["hovertemplate"]
        for place in valued:
            low, high = figure_now["layout"][place]["range"]
            assert low == -high, name
            assert figure_now["layout"][place]["title"]["text"].startswith("difference of ")


@pytest.mark.parametrize(("word", "question", "edits"), QUESTIONS[::2])
def test_the_run_is_drawn_as_if_there_were_no_edits_byte_by_byte(word, question, edits):
    query = {**question, "edits": edits, "beside": True}
    assert Worker.answer(word, query, Figures(shows="run")) == Worker.answer(
        word, question, Figures()
    )
    assert served(word, query, "edited") != served(word, question, "edited")


def test_a_difference_says_what_it_is_and_its_call_returns_both_runs():
    plot = served("logits", TRANSLATION | {"edits": CROSS}, "difference")["lens"]
    meta = plot["layout"]["meta"]
    assert meta["shows"] == "difference"
    assert meta["kind"] == "trained"
    assert meta["formula"].startswith("with edits - without edits, of softmax(logits)")
    assert "beside=true" in meta["call"]
    assert "edits=%5B%7B%22op%22" in meta["call"]
    assert all(
        sentence.startswith("With the edits: ") for row in meta["sentences"] for sentence in row
    )
    both = json.loads(
        Worker.answer(
            "logits", TRANSLATION | {"edits": CROSS, "lens": True, "beside": True}, Numbers()
        )
    )
    now, was = (
        array(both[side]["lens.top_probability"]["data"])[..., 0].T
        for side in ("tensors", "unedited")
    )
    z = array(plot["data"][0]["z"])
    known = np.isfinite(z)
    same(z[known], (now - was)[known], SINGLE, scale=1)
    assert known.any()


def test_an_edit_that_changes_nothing_has_a_difference_of_0_everywhere():
    nothing = [{"op": "scale", "at": "*", "value": 1}]
    for figure_now in served("residual", TRANSLATION | {"edits": nothing}, "difference").values():
        for trace in figure_now["data"]:
            assert not np.nan_to_num(array(trace["y"])).any()
        assert "Not subtracted" not in figure_now["layout"]["meta"]["difference"]


def drawing(rows: list[str], z: Any, titles: dict | None = None) -> Plot:
    panel = Panel(
        named("key", ["a", "b"]),
        named("row", rows, down=True),
        [heat_map(np.array(z, dtype=float), "%{y}, %{x}<br><b>%{z:.3g}</b>", unit="weight")],
    )
    plot = figure(panel, description="Two rows.")
    plot["layout"]["meta"] |= {"title": "Rows"}
    return plot


def test_rows_are_matched_by_name_and_those_of_one_run_are_told():
    now = drawing(["x", "y", "x"], [[1, 2], [3, 4], [5, 6]])
    was = drawing(["y", "x", "z"], [[1, 1], [2, 2], [9, 9]])
    subtracted = difference(now, was)
    np.testing.assert_array_equal(subtracted["data"][0]["z"], [[-1, 0], [2, 3], [np.nan, np.nan]])
    sentence = subtracted["layout"]["meta"]["difference"]
    assert "the row x of “weight” only with the edits" in sentence
    assert "the row z of “weight” only without the edits" in sentence


def test_maps_of_other_sizes_without_names_are_not_subtracted_and_this_is_told():
    def unnamed(size: int) -> Plot:
        level = linear("channel", [0, 9.5])
        panel = Panel(level, level, [heat_map(np.ones((size, 3)), "%{z}", unit="weight")])
        plot = figure(panel, description="A map.")
        plot["layout"]["meta"] |= {"title": "Map"}
        return plot

    subtracted = difference(unnamed(2), unnamed(3))
    assert not subtracted["data"]
    assert "“weight” has different rows or columns" in subtracted["layout"]["meta"]["difference"]


def test_bars_have_the_colour_of_their_sign():
    def bars_of(values: list[float]) -> Plot:
        panel = Panel(
            named("step", ["a", "b"]),
            linear("length", [5]),
            [bars([0, 1], values, "length", "query", "%{y}")],
        )
        plot = figure(panel, description="-")
        plot["layout"]["meta"] |= {"title": "Bars"}
        return plot

    (subtracted,) = difference(bars_of([3, 1]), bars_of([1, 2]))["data"]
    assert list(subtracted["y"]) == [2, -1]
    assert list(subtracted["meta"]["role"]) == ["above", "below"]
    assert list(subtracted["marker"]["color"]) == ["#cf7220", "#3f7fbd"]
    assert subtracted["customdata"] == [["3", "1", "2"], ["1", "2", "−1"]]
    assert subtracted["hovertemplate"] == (
        "%{customdata[0]}, with the edits<br>%{customdata[1]} without them"
        "<br>difference <b>%{customdata[2]}</b><extra></extra>"
    )


def test_a_neuron_is_compared_with_itself_also_where_only_one_run_has_it_fire():
    query = TRANSLATION | {"edits": CROSS, "stack": "decoder", "layer": 0}
    now, was = (
        answer("feed-forward", question).tensors["activated"].data.numpy()
        for question in (query, {**query, "edits": []})
    )
    curve, *dots, _ = served("feed-forward", query, "difference")["fires"]["data"]
    assert not array(curve["y"]).any()
    assert ((now > 0) != (was > 0)).any()
    bars = {
        int(label.split(":")[0].removeprefix("neuron ")): (value, with_edits, without)
        for trace in dots
        for value, (label, with_edits, without, _) in zip(
            trace["y"], trace["customdata"], strict=True
        )
    }
    assert len(bars) == len(now)
    for neuron, (value, *numbers_told) in bars.items():
        same(value, now[neuron] - was[neuron], SINGLE, scale=1)
        near(
            [float(number.replace("−", "-")) for number in numbers_told],
            [now[neuron], was[neuron]],
            PRINTED,
            rel=0.01,
            abs=1e-09,
        )


def test_a_hover_text_says_what_a_number_is_with_the_edits_and_what_without():
    query = TRANSLATION | {"kind": "cross", "layer": 1, "edits": CROSS}
    edited, run, changed = (
        served("attention", query, shows)["map"]["data"][0]
        for shows in ("edited", "run", "difference")
    )
    assert changed["hovertemplate"] == (
        "query %{y}<br>key %{x}<br><b>%{customdata[0]}</b> of the weight, with the edits"
        "<br>%{customdata[1]} without them<br>difference <b>%{customdata[2]}</b><extra></extra>"
    )
    for r, c in np.ndindex(array(changed["z"]).shape):
        both = edited["z"][r][c], run["z"][r][c]
        assert changed["customdata"][r][c][:2] == [
            f"{value:.3g}".replace("-", "−") for value in both
        ]


def test_every_row_over_an_image_is_a_difference():
    query = {"model": "digits", "image": "three", "edits": EARLY}
    edited, run, changed = (
        array(served("attention", query, shows)["over"]["data"][0]["meta"]["rows"])
        for shows in ("edited", "run", "difference")
    )
    same(changed, edited - run, SINGLE, scale=1)


def test_boxes_are_drawn_where_they_are_the_same_and_else_are_told():
    query = {"model": "shapes", "image": "three", "edits": CROSS}
    edited, found = (
        served("detection", query, shows)["found"] for shows in ("edited", "difference")
    )
    truth, picture = (
        next(trace for trace in edited["data"] if trace.get(key) == value)
        for key, value in (("name", "true box: red ellipse"), ("type", "image"))
    )
    assert truth in found["data"]
    assert picture in found["data"]
    assert "query 0: red ellipse” differs with the edits" in str(found["layout"]["meta"])
    assert [found["layout"][axis]["range"] for axis in ("xaxis", "yaxis")] == [
        edited["layout"][axis]["range"] for axis in ("xaxis", "yaxis")
    ]


def test_numbers_at_bars_that_are_not_drawn_are_left_out():
    """The word whose probability the bars are is another one with the edits."""
    edits = [{"op": "zero", "at": "encoder.0.attention.z"}]
    query = {"model": "digits", "image": "three", "edits": edits}
    run, changed = (served("journey", query, shows) for shows in ("run", "difference"))

    def has_bars(step: dict) -> bool:
        return any(trace["type"] == "bar" for trace in step["data"])

    lost = [name for name in run if has_bars(run[name]) and not has_bars(changed[name])]
    assert lost
    assert all(run[name]["layout"]["annotations"] for name in lost)
    assert not any(changed[name]["layout"]["annotations"] for name in lost)


def test_a_cell_that_names_another_word_shows_both_words_and_no_difference():
    lens = served("logits", TRANSLATION | {"edits": CROSS}, "difference")["lens"]
    (trace,) = lens["data"]
    empty = [
        text
        for texts, row in zip(trace["text"], trace["z"], strict=True)
        for text, value in zip(texts, row, strict=True)
        if value is None or np.isnan(value)
    ]
    assert empty
    assert all("<br>was " in text for text in empty)
    assert f"{len(empty)} cell" in lens["layout"]["meta"]["difference"]


def test_the_sums_beside_rows_are_differences_too():
    """Each row of weights sums to 1 with the edits and without, and their differences to 0."""
    query = TRANSLATION | {"edits": EARLY}
    edited, changed = (
        served("attention", query, shows)["map"] for shows in ("edited", "difference")
    )

    def sums(of: dict) -> list[str]:
        notes = zip(of["layout"]["annotations"], of["layout"]["meta"]["notes"], strict=True)
        return [note["text"] for note, style in notes if style["kind"] == "sum"]

    assert set(sums(edited)) == {"Σ 1.000"}
    assert set(sums(changed)) == {"Σ 0.000"}


def test_bars_that_are_parts_of_a_sum_are_stacked_anew():
    def stacked(values: list[list[float]]) -> Plot:
        traces = [
            bars([0, 1], row, f"part {i}", "query", "%{y}", base=[0.0, 0.0])
            for i, row in enumerate(values)
        ]
        plot = figure(
            Panel(named("step", ["a", "b"]), linear("length", [5]), traces), description="-"
        )
        plot["layout"]["meta"] |= {"title": "Parts"}
        return plot

    subtracted = difference(stacked([[3, 1], [1, 4], [2, 2]]), stacked([[1, 2], [2, 1], [1, 2]]))
    assert [list(trace["y"]) for trace in subtracted["data"]] == [[2, -1], [-1, 3], [1, 0]]
    assert [list(trace["base"]) for trace in subtracted["data"]] == [[0, 0], [0, 0], [2, 3]]
    assert {trace["meta"]["role"] for trace in subtracted["data"]} == {"query"}
    assert (
        orjson.loads(dumps(subtracted, "json"))["layout"]["yaxis"]["title"]["text"]
        == "difference of length"
    )
