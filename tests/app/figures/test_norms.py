"""Figures of /norms: Lemma 2 is drawn over Pre-LN, and axes of logarithms are marked."""

import numpy as np
import pytest

from app.figures.axis_scales import rounded
from tests.rounding import SINGLE, same

SMALL = {"depth": 12, "d_model": 8, "seeds": 2}


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_bounds_of_lemma_2_stand_where_a_layer_ends(ask):
    drawn = lines(ask("norms/figures/stream", placement="pre", **SMALL))
    layer = np.arange(1, 7)
    for name, slope in (("lower bound", 1 / 2), ("upper bound", 3 / 2)):
        np.testing.assert_array_equal(drawn[name]["x"], 2 * layer)
        same(drawn[name]["y"], np.sqrt((1 + slope * layer) * SMALL["d_model"]), SINGLE)


def test_the_bounds_of_a_decoder_stand_where_its_layers_of_three_sub_layers_end(ask):
    drawn = lines(ask("norms/figures/stream", placement="pre", stack="decoder", **SMALL))
    layer = np.arange(1, 5)
    for name, slope in (("lower bound", 1 / 2), ("upper bound", 5 / 2)):
        np.testing.assert_array_equal(drawn[name]["x"], 3 * layer)
        same(drawn[name]["y"], np.sqrt((1 + slope * layer) * SMALL["d_model"]), SINGLE)


def test_the_lemma_is_drawn_over_no_other_placement(ask):
    assert "lower bound" not in lines(ask("norms/figures/stream", placement="post", **SMALL))


@pytest.mark.parametrize("shortcut", [0.9, 1.1])
def test_the_lemma_is_about_plain_shortcuts_and_drawn_over_no_others(ask, shortcut):
    assert "lower bound" not in lines(ask("norms/figures/stream", shortcut=shortcut, **SMALL))


@pytest.mark.parametrize(("placement", "is_drawn"), [("none", True), ("pre", False)])
def test_a_stack_without_a_norm_is_drawn_where_it_is_asked_for(ask, placement, is_drawn):
    drawn = lines(ask("norms/figures/stream", placement=placement, **SMALL))
    assert ("no norm" in drawn) == is_drawn


def test_the_thin_lines_are_the_seeds_of_the_placement_asked_for(ask):
    answer = ask("norms", placement="branch", **SMALL)
    drawn = lines(ask("norms/figures/stream", placement="branch", **SMALL))
    for seed, row in enumerate(answer["tensors"]["stream.by_seed"]["data"]):
        same(drawn[f"x + LN(f), seed {seed}"]["y"], row, SINGLE)
    assert sum("seed" in name for name in drawn) == SMALL["seeds"]


def test_a_short_axis_of_logarithms_is_marked_at_1_2_and_5_and_a_long_one_at_powers_of_ten():
    assert rounded("length", [3, 41]).ticks == [2, 5, 10, 20, 50]
    assert rounded("length", [0.5, 60]).ticks == [0.1, 1, 10, 100]
    assert rounded("length", [7, 7]).ticks == [5, 10]
