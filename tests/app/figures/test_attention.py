"""The map of a head: masked cells are empty, rows say their sum and the token that comes next; and
all heads as small maps.
"""

import re

import httpx2
import numpy as np
import plotly.graph_objects as go
import pytest

from app.figures.attention import heavier
from app.figures.attention_heads import every_head, in_blocks, names_of_blocks
from model.analyses.attention import attention
from tests.model.support.runs import small_run
from tests.rounding import PIXELS, PRINTED, SINGLE, near, same

QUESTION = {"model": "translator", "source": "i am cold", "layer": 1, "head": 2}


@pytest.fixture
def draw_pair(ask):
    def draw_one(**more: object) -> tuple[dict, dict]:
        question = {**QUESTION, **more}
        return ask("attention/figures/map", **question), ask("attention", **question)

    return draw_one


def test_a_pattern_is_drawn_from_0_to_1_and_scores_around_0(draw_pair):
    pattern = draw_pair(kind="cross", stack="decoder")[0]["data"][0]
    assert (pattern["zmin"], pattern["zmax"]) == (0, 1)
    scores = draw_pair(kind="cross", stack="decoder", stage="scores")[0]["data"][0]
    assert -scores["zmin"] == scores["zmax"]
    same(scores["zmax"], np.abs(scores["z"]).max(), SINGLE)


def test_a_row_names_its_query_and_what_comes_next_and_its_weights_add_up(draw_pair):
    figure, answer = draw_pair(kind="cross", stack="decoder")
    rows = figure["layout"]["yaxis"]["ticktext"]
    queries = answer["axes"]["target"]["labels"]
    following = [row.split(" → ")[-1] for row in rows]
    assert following[: len(answer["expected"])] == [
        token.replace("<", "&lt;").replace(">", "&gt;") for token in answer["expected"]
    ]
    sums = [float(note["text"].split()[-1]) for note in figure["layout"]["annotations"]]
    assert len(rows) == len(queries) == len(sums)
    near(sums, [1] * len(sums), PRINTED, abs=0.001)


def test_tokens_that_look_like_markup_stay_text(draw_pair):
    figure, _ = draw_pair(kind="self", stack="encoder", source="</s> <b>x</b>")
    names = go.Figure(figure).layout.xaxis.ticktext
    assert not any(sign in name for name in names for sign in "<>")


def tile(trace: dict, number: int) -> np.ndarray:
    """The numbers of a small map in the one trace of all."""
    _, top, left, *_ = trace["meta"]["tiles"][number]
    height, width = trace["meta"]["size"]
    return np.array(trace["z"], float)[top : top + height, left : left + width]


@pytest.mark.parametrize("arranged", ["stacked", "abreast", "column"])
def test_every_head_of_the_model_is_a_small_map_with_the_answer_s_numbers(ask, arranged: str):
    question = {"model": "translator", "source": "i am cold"}
    figure, answer = (
        ask("attention/figures/heads", arranged=arranged, **question),
        ask("attention", **question),
    )
    assert len(figure["data"]) == 3, "one trace for each kind of attention"
    for trace in figure["data"]:
        assert len(trace["meta"]["tiles"]) == 12
        for number, (title, *_, words, pick) in enumerate(trace["meta"]["tiles"]):
            part = {"self": "attention", "cross": "cross_attention"}[pick["kind"]]
            name = f"{pick['stack']}.{pick['layer']}.{part}"
            weights = np.array(answer["tensors"][f"{name}.pattern"]["data"][pick["head"]])
            cells = tile(trace, number)
            is_visible = np.isfinite(cells)
            assert np.array_equal(cells[is_visible], weights[is_visible])
            assert not weights[~is_visible].any()
            assert title.endswith(f"layer {pick['layer']}, head {pick['head']}")
            measured = [answer["entropy"][name][pick["head"]], answer["entropy_limit"][name]]
            assert re.findall(r"\d+\.\d+", words) == [f"{value:.2f}" for value in measured], title
    bars = [trace.get("showscale", True) for trace in figure["data"]]
    assert bars == [arranged != "column", False, False]


def test_small_maps_lie_where_their_layers_and_heads_are_counted(ask):
    figure = ask("attention/figures/heads", model="translator", source="i am cold")
    layout = figure["layout"]
    assert layout["xaxis"]["ticktext"] == ["0", "1", "2", "3"]
    assert layout["yaxis"]["ticktext"] == ["0", "1", "2"] * 3
    for trace, rows in zip(
        figure["data"], np.split(np.array(layout["yaxis"]["tickvals"]), 3), strict=True
    ):
        (height, width), edges = trace["meta"]["size"], (trace["x"], trace["y"])
        for _, top, left, _, pick in trace["meta"]["tiles"]:
            across, down = edges[0][left : left + width + 1], edges[1][top : top + height + 1]
            same((across[0] + across[-1]) / 2, pick["head"] + 0.5, SINGLE)
            same((down[0] + down[-1]) / 2, rows[pick["layer"]], SINGLE)


def test_the_keys_before_which_less_than_a_share_lies_are_the_fewest_that_hold_it(draw_pair):
    figure, _ = draw_pair(kind="self", stack="decoder")
    trace = figure["data"][0]
    before, rows = (
        np.array(trace["meta"]["before"], float),
        np.nan_to_num(np.array(trace["z"], float)),
    )
    for weights, lies in zip(rows, before, strict=True):
        for share in (0.1, 0.5, 0.7, 0.95):
            is_before = lies < share
            assert weights[is_before].sum() >= share - 1e-3
            assert weights[is_before].sum() - weights[is_before].min() < share
            assert (weights[~is_before] <= weights[is_before].min()).all()
    assert figure["layout"]["meta"]["strongest"] == rows.argmax(1).tolist()


def test_a_query_that_may_look_nowhere_has_no_keys():
    assert (heavier(np.array([[np.nan, np.nan], [0.25, 0.75]])) == [[1, 1], [0.75, 0]]).all()


def test_a_long_text_is_drawn_in_blocks_each_with_its_largest_number():
    heads = np.arange(50, dtype=float).reshape(2, 5, 5)
    heads[0, :2, :2] = np.nan
    heads[1, 4, 4] = -99
    blocks = in_blocks(heads, 2)
    assert blocks.shape == (2, 3, 3)
    assert np.isnan(blocks[0, 0, 0])
    assert blocks[1, 0].tolist() == [31, 33, 34]
    assert blocks[1, 2, 2] == -99
    assert names_of_blocks(list("abcde"), 2) == ["a 0 … b 1", "c 2 … d 3", "e 4 … e 4"]


def test_patches_are_framed_in_the_weights_of_the_query_that_is_asked_for(ask):
    question = {"model": "digits", "image": "one", "layer": 2, "head": 0}
    weights, ink = ask("attention/figures/over", query=5, **question)["data"]
    (pattern,) = ask("attention", **question)["tensors"]["encoder.2.attention.pattern"]["data"]
    framed, places = np.array(weights["z"], float), np.array(weights["meta"]["places"])
    assert np.array_equal(framed[places >= 0], np.array(pattern)[5][places[places >= 0]])
    assert np.isnan(framed[places < 0]).all()
    assert weights["meta"]["rows"] == pattern
    pixels = np.array(ink["z"], float)
    image = np.array(ask("attention", **question)["input"]["image"].split(","), float)
    assert sorted(pixels[np.isfinite(pixels)]) == sorted(image)
    names = ask("attention/figures", model="translator", source="i am cold")["figures"]
    assert "over" not in names


@pytest.fixture(scope="module")
def deep():
    """The attention of a model with more layers than anybody looks at one by one."""
    return attention(small_run("decoder-only", "pre", n_decoder_layers=10))


@pytest.mark.parametrize("arranged", ["abreast", "stacked"])
def test_of_a_deep_model_layers_stand_side_by_side_where_there_is_room(deep, arranged: str):
    plot = every_head(deep, {"arranged": arranged, "switches": True})
    maps, dots = plot["data"]
    high, wide = maps["meta"]["size"]
    for title, top, left, _, pick in maps["meta"]["tiles"]:
        layer, head = pick["layer"], pick["head"]
        assert title.endswith(f"layer {layer}, head {head}")
        down, across = (head, layer) if arranged == "abreast" else (layer, head)
        near(maps["x"][left], across, PIXELS, abs=0.5)
        near(maps["y"][top], down, PIXELS, abs=0.5)
        pattern = deep.tensors[f"decoder.{layer}.attention.pattern"].data[head].numpy()
        cells = maps["z"][top : top + high, left : left + wide]
        np.testing.assert_array_equal(np.nan_to_num(cells), pattern)
    corners = list(zip(dots["x"].astype(int), dots["y"].astype(int), strict=True))
    parts_of_tiles = [tile[4] for tile in maps["meta"]["tiles"]]
    assert corners == [
        (part["layer"], part["head"]) if arranged == "abreast" else (part["head"], part["layer"])
        for part in parts_of_tiles
    ]
    titles = [plot["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
    assert titles[0].startswith("layer" if arranged == "abreast" else "head")
    assert titles[1] == ("head" if arranged == "abreast" else "layer")


def test_of_a_deep_model_the_head_of_a_role_is_named_with_its_score(deep):
    patterns = np.stack([t.data.numpy() for n, t in deep.tensors.items() if n.endswith("pattern")])
    names = [n for n in deep.tensors if n.endswith("pattern")]
    before = np.diagonal(patterns, offset=-1, axis1=-2, axis2=-1).mean(-1)  # a query each but one
    place, head = np.unravel_index(before.argmax(), before.shape)
    (role_fields,) = [
        role_entry for role_entry in deep.fields["roles"] if role_entry["role"] == "previous"
    ]
    assert role_fields["attention"] == names[place].removesuffix(".pattern")
    assert role_fields["head"] == head
    same(role_fields["score"], before.max(), SINGLE)
    n = patterns.shape[-1]
    same(role_fields["chance"], np.mean([1 / (q + 1) for q in range(1, n)]), SINGLE)
    caption = every_head(deep, {})["layout"]["meta"]["caption"]
    assert f"previous L{role_fields['attention'].split('.')[1]}H{head} (" in caption
    assert "roles" not in attention(small_run("decoder-only", "pre")).fields


def test_under_a_part_of_a_long_text_the_whole_map_leads_to_other_parts(client: httpx2.Client):
    address = "/api/v1/attention/figures/tile"
    part = {"model": "shakespeare", "text": "ROMEO:\nBut soft, what light?\n" * 20, "level": "0"}
    part |= {"rows": "128:192", "columns": "32:64"}
    figure = client.get(address, params=part).json()
    _, whole = figure["data"]
    size = len(whole["z"])
    assert size <= 32
    rows, columns = whole["meta"]["pick_row"]["rows"], whole["meta"]["pick"]["columns"]
    assert len(rows) == len(columns) == size
    lengths = [
        [end - start for start, end in (map(int, text.split(":")) for text in some)]
        for some in (rows, columns)
    ]
    assert lengths == [[64] * size, [32] * size]
    for at in (0, -1):
        query = part | {"rows": rows[at], "columns": columns[at]}
        assert client.get(address, params=query).status_code == 200


@pytest.mark.parametrize("arranged", ["abreast", "stacked"])
def test_of_a_deep_model_the_heads_of_a_chosen_role_are_in_frames(deep, arranged: str):
    for role in ("itself", "previous", "first"):
        plot = every_head(deep, {"arranged": arranged, "role": role})
        (role_fields,) = [
            role_entry for role_entry in deep.fields["roles"] if role_entry["role"] == role
        ]
        expected = set()
        for name, values in deep.tensors.items():
            if not name.endswith("pattern"):
                continue
            pattern, n = values.data.numpy(), values.data.shape[-1]
            first = pattern[:, 1:, 0].mean(1)  # the first query has no choice
            keys = {"itself": np.diagonal(pattern, 0, -2, -1)[:, 1:].mean(-1), "first": first}
            keys["previous"] = np.diagonal(pattern, -1, -2, -1).mean(-1)
            chance = np.mean([1 / (q + 1) for q in range(1, n)])
            for head in np.flatnonzero((keys[role] - chance) / (1 - chance) > 0.25):
                expected.add((int(name.split(".")[1]), int(head)))
        found = {
            (int(head["attention"].split(".")[1]), head["head"]) for head in role_fields["heads"]
        }
        assert found == expected
        frames = [shape for shape in plot["layout"]["shapes"] if shape["name"] == "line ink"]
        corners = [
            part.split("L")[0].split(",")
            for frame in frames
            for part in frame["path"].split("M")[1:]
        ]
        places = {(int(float(x)), int(float(y))) for x, y in corners}
        assert places == (
            expected if arranged == "abreast" else {(head, layer) for layer, head in expected}
        )
        caption = plot["layout"]["meta"]["caption"]
        assert all(f"L{layer}H{head} (" in caption for layer, head in found)
    assert found, "of the last role there are some"
    nothing = every_head(deep, {"role": "induction"})["layout"]
    assert not [shape for shape in nothing["shapes"] if shape["name"] == "line ink"]
