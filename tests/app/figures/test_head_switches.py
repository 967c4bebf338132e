"""Dots over the small maps of heads: which are on, and the edits that turn one off or on."""

import json

import pytest

Z = "decoder.2.cross_attention.z"
OFF = {"op": "zero", "at": Z, "where": {"head": [1]}}


@pytest.fixture
def dots(ask):
    """Of each head whether it is off and what a click asks for, by its name."""

    def dots(edits: list) -> dict[str, tuple[bool, list]]:
        query = {"edits": json.dumps(edits)} if edits else {}
        figure = ask(
            "attention/figures/heads",
            model="translator",
            source="i am cold",
            switches=True,
            **query,
        )
        trace = figure["data"][-1]
        tiles = [tile for trace in figure["data"][:-1] for tile in trace["meta"]["tiles"]]
        assert len(trace["x"]) == len(tiles) == 36
        for off, text in zip(trace["meta"]["hollow"], trace["customdata"], strict=True):
            assert f"<b>{'off' if off else 'on'}</b>" in text
        picks = [json.loads(edits or "[]") for edits in trace["meta"]["pick"]["edits"]]
        names = [
            f"{pick['stack']}.{pick['kind']}.{pick['layer']}.{pick['head']}" for *_, pick in tiles
        ]
        return dict(zip(names, zip(trace["meta"]["hollow"], picks, strict=True), strict=True))

    return dots


def test_without_edits_every_head_is_on_and_a_click_turns_it_off(dots):
    found = dots([])
    assert not any(off for off, _ in found.values())
    assert found["decoder.cross.2.1"] == (False, [OFF])
    at = {edits[0]["at"] for _, edits in found.values()}
    assert len(at) == 9


def test_a_head_that_is_off_is_turned_on_and_other_edits_stay(dots):
    other = {"op": "scale", "at": "logits", "value": 2.0}
    found = dots([OFF, other])
    assert found["decoder.cross.2.1"] == (True, [other])
    assert found["decoder.cross.2.0"] == (
        False,
        [OFF, other, {**OFF, "where": {"head": [0]}}],
    )
    assert sum(off for off, _ in found.values()) == 1


def test_of_several_heads_that_one_edit_turns_off_the_others_stay_off(dots):
    found = dots([{"op": "zero", "at": Z}])
    assert found["decoder.cross.2.3"] == (True, [{**OFF, "where": {"head": [0, 1, 2]}}])
    assert sum(off for off, _ in found.values()) == 4


@pytest.mark.parametrize(
    "edit",
    [
        {"op": "zero", "at": Z, "where": {"head": [1], "query": [0]}},
        {"op": "scale", "at": Z, "where": {"head": [1]}, "value": 0.0},
        {"op": "zero", "at": "decoder.2.cross_attention.pattern", "where": {"head": [1]}},
    ],
)
def test_what_is_not_the_whole_head_off_is_no_switch(dots, edit: dict):
    assert not any(off for off, _ in dots([edit]).values())


def test_a_figure_has_no_dots_unless_they_are_asked_for(ask):
    figure = ask("attention/figures/heads", model="translator", source="i am cold")
    assert all(trace["type"] == "heatmap" for trace in figure["data"])


def figures(ask, edits: list, **more: object) -> dict[str, dict]:
    query = {"kind": "cross", "layer": 2, "model": "translator", "source": "i am cold", **more}
    return ask("attention/figures", edits=json.dumps(edits), **query)["figures"]


def test_a_head_that_is_off_is_grey_and_what_an_edit_changed_is_marked(ask):
    """Nothing after the last cross-attention looks; the first encoder layer changes what comes."""

    def names(figure: dict) -> list[str]:
        return [shape["name"] for shape in figure["layout"]["shapes"]]

    last = figures(ask, [OFF], head=1)
    assert last["map"]["data"][0]["meta"]["scale"] == ["rule", "sunken"]
    assert last["map"]["layout"]["meta"]["title"].endswith("head 1 is off")
    assert names(last["heads"]) == ["fill rule-strong"]
    assert last["heads"]["layout"]["shapes"][0]["path"].count("M") == 1
    assert not names(last["map"])
    early = {"op": "zero", "at": "encoder.0.attention.z"}
    first, run = (figures(ask, [early], head=3, shows=shows) for shows in ("edited", "run"))
    assert names(run["map"]) == []
    texts = [figure["map"]["data"][0]["text"] for figure in (first, run)]
    other = sum(a != b for rows in zip(*texts, strict=True) for a, b in zip(*rows, strict=True))
    (mark,) = first["map"]["layout"]["shapes"]
    assert mark["name"] == "fill edited"
    assert mark["path"].count("M") == other > 0
    grids = [
        [
            trace["z"][top + row][left : left + trace["meta"]["size"][1]]
            for _, top, left, *_ in trace["meta"]["tiles"]
            for row in range(trace["meta"]["size"][0])
        ]
        for trace in (first["heads"]["data"][0], run["heads"]["data"][0])
    ]
    high = first["heads"]["data"][0]["meta"]["size"][0]
    moved = [a != b for a, b in zip(*grids, strict=True)]
    framed = sum(any(moved[at : at + high]) for at in range(0, len(moved), high))
    marks = first["heads"]["layout"]["shapes"]
    assert [(mark["name"], mark["path"].count("M")) for mark in marks] == [("line edited", framed)]
    assert framed
    apart = figures(ask, [OFF, early], head=1, shows="difference")
    assert names(apart["heads"]) == ["fill rule-strong"]
    numbers = [text for row in apart["map"]["data"][0]["text"] for text in row]
    assert all(numbers)
    assert numbers.count("0") < len(numbers)
