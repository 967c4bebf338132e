"""Dots over the small maps of heads: which are on, and the edits that turn one off or on."""

import json

import pytest

Z = "decoder.2.cross_attention.z"
OFF = {"op": "zero", "at": Z, "where": {"head": [1]}}


@pytest.fixture
def dots(ask):
    """Of each head whether it is off and what a click asks for, by its name."""

    def dots(edits: list) -> dict[str, tuple[bool, list]]:
        asked = {"edits": json.dumps(edits)} if edits else {}
        figure = ask(
            "attention/figures/heads",
            model="translator",
            source="i am cold",
            switches=True,
            **asked,
        )
        trace = figure["data"][-1]
        tiles = [tile for one in figure["data"][:-1] for tile in one["meta"]["tiles"]]
        assert len(trace["x"]) == len(tiles) == 36
        for off, said in zip(trace["meta"]["hollow"], trace["customdata"], strict=True):
            assert f"<b>{'off' if off else 'on'}</b>" in said
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
