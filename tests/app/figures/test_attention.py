"""The map of a head: masked cells are empty, rows say their sum and the token that comes next."""

import numpy as np
import plotly.graph_objects as go
import pytest

QUESTION = {"model": "translator", "source": "i am cold", "layer": 1, "head": 2}


@pytest.fixture
def drawn(ask):
    def drawn(**more: object) -> tuple[dict, dict]:
        question = {**QUESTION, **more}
        return ask("attention/figures/map", **question), ask("attention", **question)

    return drawn


def test_a_masked_cell_is_empty_and_hatched_and_all_others_have_their_weight(drawn):
    figure, answer = drawn(kind="self", stack="decoder")
    (pattern,) = answer["tensors"]["decoder.1.attention.pattern"]["data"]
    allowed = np.array(answer["tensors"]["decoder.attention.mask"]["data"], bool)
    shown = np.array(figure["data"][0]["z"], float)
    assert np.array_equal(~np.isnan(shown), allowed)
    assert np.array_equal(shown[allowed], np.array(pattern)[allowed])
    assert figure["data"][0]["meta"]["hatched"]


def test_a_pattern_is_drawn_from_0_to_1_and_scores_around_0(drawn):
    pattern = drawn(kind="cross", stack="decoder")[0]["data"][0]
    assert (pattern["zmin"], pattern["zmax"]) == (0, 1)
    scores = drawn(kind="cross", stack="decoder", stage="scores")[0]["data"][0]
    assert -scores["zmin"] == scores["zmax"] == pytest.approx(np.abs(scores["z"]).max())


def test_a_row_names_its_query_and_what_comes_next_and_its_weights_add_up(drawn):
    figure, answer = drawn(kind="cross", stack="decoder")
    rows = figure["layout"]["yaxis"]["ticktext"]
    queries = answer["axes"]["target"]["labels"]
    following = [row.split(" → ")[-1] for row in rows]
    assert following[: len(answer["expected"])] == [
        token.replace("<", "&lt;").replace(">", "&gt;") for token in answer["expected"]
    ]
    sums = [float(note["text"].split()[-1]) for note in figure["layout"]["annotations"]]
    assert len(rows) == len(queries) == len(sums)
    assert sums == pytest.approx([1] * len(sums), abs=1e-3)


def test_tokens_that_look_like_markup_stay_text(drawn):
    figure, _ = drawn(kind="self", stack="encoder", source="</s> <b>x</b>")
    names = go.Figure(figure).layout.xaxis.ticktext
    assert not any(sign in name for name in names for sign in "<>")


def test_every_head_of_the_model_is_a_small_map(ask):
    figure = ask("attention/figures/heads", model="translator", source="i am cold")
    panels = figure["data"]
    titles = [note["text"] for note in figure["layout"]["annotations"]]
    assert len(panels) == 3
    assert titles == [f"{layer}.{head}" for _ in panels for layer in range(3) for head in range(4)]
