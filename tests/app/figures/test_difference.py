"""Figures that show a difference: their numbers are NumPy's difference of the two figures that are
served, matched by name, and what has no match is told.
"""

import json
from functools import cache
from typing import Any

import numpy as np
import orjson
import pytest

from app.compute.representations import Figures, Numbers
from app.experiments import words
from app.figures.axis_scales import linear, named
from app.figures.difference import difference
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, dumps
from app.figures.traces import bars, heat_map
from model.analyses import ANALYSES, takes_edits
from tests.app.asked import Worker, answer
from tests.rounding import PRINTED, SINGLE, near, same

TRANSLATION = {"model": "translator", "source": "i am cold"}
EARLY = [{"op": "zero", "at": "encoder.0.attention.z"}]
CROSS = [{"op": "zero", "at": "decoder.0.cross_attention.z", "where": {"head": [0, 2]}}]
HEAD = [{"op": "zero", "at": "decoder.0.attention.z", "where": {"head": [0]}}]
STREAM = [{"op": "scale", "at": "decoder.1.residual.in", "value": 1.5}]
ASKED = [
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
ASKED += [
    (word, TRANSLATION, CROSS)
    for word in ANALYSES
    if takes_edits(word) and word in words() and word not in {word for word, *_ in ASKED}
]


def served(word: str, question: dict, shows: Any) -> dict[str, dict]:
    return kept(word, json.dumps(question), shows)


@cache
def kept(word: str, question: str, shows: Any) -> dict[str, dict]:
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


@pytest.mark.parametrize(("word", "question", "edits"), ASKED)
def test_the_numbers_are_those_with_edits_minus_those_without(word, question, edits):
    asked = {**question, "edits": edits}
    edited, run, drawn = (served(word, asked, shows) for shows in ("edited", "run", "difference"))
    assert drawn.keys() == edited.keys()
    compared = 0
    for name, one in drawn.items():
        if name == "fires":  # points stand where they stand with the edits: see below
            continue
        both = {key: list(some[name]["data"]) for key, some in (("now", edited), ("was", run))}
        lost = False
        for trace in one["data"]:
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
            shown = cells_of(
                one,
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
            for key, value in shown.items():
                expected = new[key] - old.get(key, np.nan)
                same(value, expected, SINGLE, scale=1, what=(name, key))
                compared += bool(np.isfinite(value))
            lost |= any(
                np.isfinite(value) and key not in some
                for these, some in ((new, old), (old, new))
                for key, value in these.items()
            )
        told = one["layout"]["meta"]["difference"]
        assert ("Not subtracted" in told) >= bool(lost or both["now"] or both["was"]), name
        assert one["layout"]["meta"]["description"].startswith(told)
    assert compared > 0


@pytest.mark.parametrize(("word", "question", "edits"), ASKED[:6])
def test_a_difference_is_on_a_scale_around_0_and_says_so(word, question, edits):
    for name, one in served(word, {**question, "edits": edits}, "difference").items():
        valued = set()
        for trace in one["data"]:
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
            low, high = one["layout"][place]["range"]
            assert low == -high, name
            assert one["layout"][place]["title"]["text"].startswith("difference of ")


@pytest.mark.parametrize(("word", "question", "edits"), ASKED[::2])
def test_the_run_is_drawn_as_if_there_were_no_edits_byte_by_byte(word, question, edits):
    asked = {**question, "edits": edits, "beside": True}
    assert Worker.answer(word, asked, Figures(shows="run")) == Worker.answer(
        word, question, Figures()
    )
    assert served(word, asked, "edited") != served(word, question, "edited")


def test_a_difference_says_what_it_is_and_its_call_returns_both_runs():
    drawn = served("logits", TRANSLATION | {"edits": CROSS}, "difference")["lens"]
    meta = drawn["layout"]["meta"]
    assert meta["shows"] == "difference"
    assert meta["kind"] == "trained"
    assert meta["formula"].startswith("with edits - without edits, of softmax(logits)")
    assert "beside=true" in meta["call"]
    assert "edits=%5B%7B%22op%22" in meta["call"]
    assert all(said.startswith("With the edits: ") for row in meta["sentences"] for said in row)
    both = json.loads(
        Worker.answer(
            "logits", TRANSLATION | {"edits": CROSS, "lens": True, "beside": True}, Numbers()
        )
    )
    now, was = (
        array(both[side]["lens.top_probability"]["data"])[..., 0].T
        for side in ("tensors", "unedited")
    )
    z = array(drawn["data"][0]["z"])
    known = np.isfinite(z)
    same(z[known], (now - was)[known], SINGLE, scale=1)
    assert known.any()


def test_an_edit_that_changes_nothing_has_a_difference_of_0_everywhere():
    nothing = [{"op": "scale", "at": "*", "value": 1}]
    for one in served("residual", TRANSLATION | {"edits": nothing}, "difference").values():
        for trace in one["data"]:
            assert not np.nan_to_num(array(trace["y"])).any()
        assert "Not subtracted" not in one["layout"]["meta"]["difference"]


def drawing(rows: list[str], z: Any, titles: dict | None = None) -> Plot:
    panel = Panel(
        named("key", ["a", "b"]),
        named("row", rows, down=True),
        [heat_map(np.array(z, dtype=float), "%{y}, %{x}<br><b>%{z:.3g}</b>", unit="weight")],
    )
    made = figure(panel, description="Two rows.")
    made["layout"]["meta"] |= {"title": "Rows"}
    return made


def test_rows_are_matched_by_name_and_those_of_one_run_are_told():
    now = drawing(["x", "y", "x"], [[1, 2], [3, 4], [5, 6]])
    was = drawing(["y", "x", "z"], [[1, 1], [2, 2], [9, 9]])
    shown = difference(now, was)
    np.testing.assert_array_equal(shown["data"][0]["z"], [[-1, 0], [2, 3], [np.nan, np.nan]])
    told = shown["layout"]["meta"]["difference"]
    assert "the row x of “weight” only with the edits" in told
    assert "the row z of “weight” only without the edits" in told


def test_maps_of_other_sizes_without_names_are_not_subtracted_and_this_is_told():
    def unnamed(size: int) -> Plot:
        level = linear("channel", [0, 9.5])
        panel = Panel(level, level, [heat_map(np.ones((size, 3)), "%{z}", unit="weight")])
        made = figure(panel, description="A map.")
        made["layout"]["meta"] |= {"title": "Map"}
        return made

    shown = difference(unnamed(2), unnamed(3))
    assert not shown["data"]
    assert "“weight” has other rows or columns" in shown["layout"]["meta"]["difference"]


def test_bars_have_the_colour_of_their_sign():
    def made(values: list[float]) -> Plot:
        panel = Panel(
            named("step", ["a", "b"]),
            linear("length", [5]),
            [bars([0, 1], values, "length", "query", "%{y}")],
        )
        drawn = figure(panel, description="-")
        drawn["layout"]["meta"] |= {"title": "Bars"}
        return drawn

    (shown,) = difference(made([3, 1]), made([1, 2]))["data"]
    assert list(shown["y"]) == [2, -1]
    assert list(shown["meta"]["role"]) == ["above", "below"]
    assert list(shown["marker"]["color"]) == ["#cf7220", "#3f7fbd"]
    assert shown["customdata"] == [["3", "1", "2"], ["1", "2", "−1"]]
    assert shown["hovertemplate"] == (
        "%{customdata[0]}, with the edits<br>%{customdata[1]} without them"
        "<br>difference <b>%{customdata[2]}</b><extra></extra>"
    )


def test_a_neuron_is_compared_with_itself_also_where_only_one_run_has_it_fire():
    asked = TRANSLATION | {"edits": CROSS, "stack": "decoder", "layer": 0}
    now, was = (
        answer("feed-forward", question).tensors["activated"].data.numpy()
        for question in (asked, {**asked, "edits": []})
    )
    curve, *dots, _ = served("feed-forward", asked, "difference")["fires"]["data"]
    assert not array(curve["y"]).any()
    assert ((now > 0) != (was > 0)).any()
    shown = {
        int(said.split(":")[0].removeprefix("neuron ")): (value, with_edits, without)
        for trace in dots
        for value, (said, with_edits, without, _) in zip(
            trace["y"], trace["customdata"], strict=True
        )
    }
    assert len(shown) == len(now)
    for neuron, (value, *said) in shown.items():
        same(value, now[neuron] - was[neuron], SINGLE, scale=1)
        near(
            [float(one.replace("−", "-")) for one in said],
            [now[neuron], was[neuron]],
            PRINTED,
            rel=0.01,
            abs=1e-09,
        )


def test_a_hover_text_says_what_a_number_is_with_the_edits_and_what_without():
    asked = TRANSLATION | {"kind": "cross", "layer": 1, "edits": CROSS}
    edited, run, drawn = (
        served("attention", asked, shows)["map"]["data"][0]
        for shows in ("edited", "run", "difference")
    )
    assert drawn["hovertemplate"] == (
        "query %{y}<br>key %{x}<br><b>%{customdata[0]}</b> of the weight, with the edits"
        "<br>%{customdata[1]} without them<br>difference <b>%{customdata[2]}</b><extra></extra>"
    )
    for r, c in np.ndindex(array(drawn["z"]).shape):
        both = edited["z"][r][c], run["z"][r][c]
        assert drawn["customdata"][r][c][:2] == [f"{value:.3g}".replace("-", "−") for value in both]


def test_every_row_over_an_image_is_a_difference():
    asked = {"model": "digits", "image": "three", "edits": EARLY}
    edited, run, drawn = (
        array(served("attention", asked, shows)["over"]["data"][0]["meta"]["rows"])
        for shows in ("edited", "run", "difference")
    )
    same(drawn, edited - run, SINGLE, scale=1)


def test_boxes_are_drawn_where_they_are_the_same_and_else_are_told():
    asked = {"model": "shapes", "image": "three", "edits": CROSS}
    edited, found = (
        served("detection", asked, shows)["found"] for shows in ("edited", "difference")
    )
    truth, picture = (
        next(trace for trace in edited["data"] if trace.get(key) == value)
        for key, value in (("name", "the red ellipse itself"), ("type", "image"))
    )
    assert truth in found["data"]
    assert picture in found["data"]
    assert "query 0: red ellipse” is another one with the edits" in str(found["layout"]["meta"])
    assert [found["layout"][axis]["range"] for axis in ("xaxis", "yaxis")] == [
        edited["layout"][axis]["range"] for axis in ("xaxis", "yaxis")
    ]


def test_numbers_at_bars_that_are_not_drawn_are_left_out():
    """The word whose probability the bars are is another one with the edits."""
    edits = [{"op": "zero", "at": "encoder.0.attention.z"}]
    asked = {"model": "digits", "image": "three", "edits": edits}
    run, drawn = (served("journey", asked, shows) for shows in ("run", "difference"))

    def has_bars(step: dict) -> bool:
        return any(trace["type"] == "bar" for trace in step["data"])

    lost = [name for name in run if has_bars(run[name]) and not has_bars(drawn[name])]
    assert lost
    assert all(run[name]["layout"]["annotations"] for name in lost)
    assert not any(drawn[name]["layout"]["annotations"] for name in lost)


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
    asked = TRANSLATION | {"edits": EARLY}
    edited, drawn = (served("attention", asked, shows)["map"] for shows in ("edited", "difference"))

    def sums(of: dict) -> list[str]:
        notes = zip(of["layout"]["annotations"], of["layout"]["meta"]["notes"], strict=True)
        return [note["text"] for note, look in notes if look["kind"] == "sum"]

    assert set(sums(edited)) == {"Σ 1.000"}
    assert set(sums(drawn)) == {"Σ 0.000"}


def test_bars_that_are_parts_of_a_sum_are_stacked_anew():
    def stacked(values: list[list[float]]) -> Plot:
        traces = [
            bars([0, 1], row, f"part {i}", "query", "%{y}", base=[0.0, 0.0])
            for i, row in enumerate(values)
        ]
        made = figure(
            Panel(named("step", ["a", "b"]), linear("length", [5]), traces), description="-"
        )
        made["layout"]["meta"] |= {"title": "Parts"}
        return made

    shown = difference(stacked([[3, 1], [1, 4], [2, 2]]), stacked([[1, 2], [2, 1], [1, 2]]))
    assert [list(trace["y"]) for trace in shown["data"]] == [[2, -1], [-1, 3], [1, 0]]
    assert [list(trace["base"]) for trace in shown["data"]] == [[0, 0], [0, 0], [2, 3]]
    assert {trace["meta"]["role"] for trace in shown["data"]} == {"query"}
    assert (
        orjson.loads(dumps(shown, "json"))["layout"]["yaxis"]["title"]["text"]
        == "difference of length"
    )
