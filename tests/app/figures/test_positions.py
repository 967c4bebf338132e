"""Figures of /positions: clocks, curves and marks are where the answer's numbers say."""

import math

import httpx2
import numpy as np
import pytest

from tests.rounding import SINGLE, same

WAVES = "scheme=sinusoidal&length=12&d_model=8&base=100"


def figure(client: httpx2.Client, name: str, question: str) -> dict:
    response = client.get(f"/api/v1/positions/figures/{name}?{question}")
    assert response.status_code == 200, response.text
    return response.json()


def numbers(client: httpx2.Client, question: str, tensor: str) -> np.ndarray:
    answer = client.get(f"/api/v1/positions?{question}").json()
    return np.array(answer["tensors"][tensor]["data"], float)


def test_channels_that_a_scheme_has_not_are_left_out(client: httpx2.Client):
    _, *curves = figure(client, "table", f"{WAVES}&channels=1,1,400")["data"]
    assert {trace["name"] for trace in curves} == {"channel 1"}


def test_the_heads_of_a_scheme_that_adds_numbers_are_its_rows(client: httpx2.Client):
    plot = figure(client, "table", "scheme=alibi&length=5&d_model=8&heads=2")
    assert plot["data"][0]["x"] == list(range(-4, 5))
    assert np.array(plot["data"][0]["z"]).tolist() == [
        [-abs(k) / 16**head for k in range(-4, 5)] for head in (1, 2)
    ]
    assert plot["data"][0]["meta"]["pick_row"] == {"head": [0, 1]}
    assert "pick" not in plot["data"][0]["meta"]


def test_a_click_picks_a_channel_or_lets_it_go_and_the_oldest_makes_room(client: httpx2.Client):
    def picks(channels: str) -> dict:
        return figure(client, "table", f"{WAVES}&channels={channels}")["data"][0]["meta"]

    picked = picks("1,2")
    assert picked["pick"] == {"position": list(range(12))}
    assert picked["pick_row"]["channels"][1:4] == ["2", "1", "1,2,3"]
    assert picks("2")["pick_row"]["channels"][2] == "none"
    assert picks("0,1,2,3,4,5")["pick_row"]["channels"][7] == "1,2,3,4,5,7"


@pytest.mark.parametrize("position", [0, 3, 7])
def test_the_angle_between_the_hands_is_the_same_from_every_position(
    client: httpx2.Client, position: int
):
    query = f"{WAVES}&channels=0,2&position={position}&offset=2"
    data = figure(client, "shift", query)["data"]
    for pair in (0, 1):
        axis = "x" if pair == 0 else "x2"
        hands = {
            trace["name"]: math.atan2(trace["y"][1], trace["x"][1])
            for trace in data
            if trace["xaxis"] == axis and trace["name"].startswith("position")
        }
        turned = hands[f"position {position + 2}"] - hands[f"position {position}"]
        same(turned % (2 * math.pi), 2 * 100 ** (-2 * pair / 8), SINGLE, scale=1)


def test_an_arc_leads_from_one_hand_to_the_other(client: httpx2.Client):
    data = figure(client, "shift", f"{WAVES}&channels=0&position=4&offset=3")["data"]
    (arc,) = (trace for trace in data if trace["name"].startswith("rotation"))
    ends = [math.atan2(arc["y"][i], arc["x"][i]) for i in (0, -1)]
    encoding = numbers(client, WAVES, "encoding")
    same(ends, [math.atan2(*encoding[p, :2]) for p in (4, 7)], SINGLE, scale=1)


def test_the_errors_stand_on_an_axis_of_logarithms_where_0_has_no_place(client: httpx2.Client):
    errors = numbers(client, WAVES, "shift_error")
    plot = figure(client, "shift", f"{WAVES}&channels=0")
    lines = {trace["name"]: trace for trace in plot["data"]}
    for name, measured in zip(("float64", "float32"), errors, strict=True):
        table = lines[name]["meta"].get("said", lines[name]["y"])
        same(table, measured.tolist(), SINGLE)
        assert all(error is None or error > 0 for error in lines[name]["y"])
        axis = plot["layout"]["yaxis" + lines[name]["yaxis"][1:]]
        assert axis["type"] == "log"
    names = {note["text"]: note for note in plot["layout"]["annotations"]}
    for name in ("float64", "float32"):
        assert math.isfinite(names[name]["y"])


def test_without_a_channel_there_is_no_clock_and_no_curve(client: httpx2.Client):
    assert len(figure(client, "table", f"{WAVES}&channels=none")["data"]) == 1
    assert len(figure(client, "shift", f"{WAVES}&channels=none")["data"]) == 2


@pytest.mark.parametrize("name", ["table", "similarity", "twice"])
def test_numbers_that_are_all_zero_still_have_axes(client: httpx2.Client, name: str):
    layout = figure(client, name, "scheme=none&length=4&d_model=4&channels=1")["layout"]
    for axis, of in layout.items():
        if "axis" in axis:
            assert of["range"][0] != of["range"][1]
    notes_at = [
        note for note in layout.get("annotations", ()) if (note["x"], note["y"]) == (1.5, 1.5)
    ]
    assert len(notes_at) == (name != "twice"), "an empty map says that its cells are 0"
    through = [shape for shape in layout.get("shapes", ()) if shape["name"].startswith("line head")]
    assert through == [], "and no row is marked through these words"
