"""Figures of /warmup: the lines are the networks and their seeds, and the axis goes as far as it is
asked to.
"""

import pytest

from tests.rounding import SINGLE, same

SMALL = {"layers": 1, "seeds": 2, "steps": 6, "warmup_steps": 3}


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def test_each_network_has_the_line_of_its_mean_and_a_thin_one_for_each_seed(ask):
    answer = ask("warmup", **SMALL)
    drawn = lines(ask("warmup/figures/loss", **SMALL))
    for arm, name in enumerate(["Post-LN", "with warm-up", "Admin", "Pre-LN", "B2T"]):
        by_seed = answer["tensors"]["loss"]["data"][arm]
        mean = [sum(losses) / 2 for losses in zip(*by_seed, strict=True)]
        same(drawn[name]["y"], mean, SINGLE)
        for seed, row in enumerate(by_seed):
            thin = drawn[f"{name}, seed {seed}"]
            same(thin["y"], row, SINGLE)
            assert (thin["meta"]["arm"], thin["meta"]["seed"]) == (arm, seed)
    assert set(drawn["guessing"]["y"]) == {answer["guessing"]}


def test_the_rate_with_warm_up_grows_evenly_to_that_of_the_others_and_both_fall(ask):
    drawn = lines(ask("warmup/figures/rate", peak=0.03, **SMALL))
    falls = [0.03 * (3 / step) ** 0.5 for step in (4, 5, 6)]
    same(drawn["with warm-up"]["y"], [0.01, 0.02, 0.03, *falls], SINGLE)
    same(drawn["the others"]["y"], [0.03] * 3 + falls, SINGLE)


@pytest.mark.parametrize(("until", "last"), [({}, 6), ({"until": 40}, 40)])
def test_the_axis_has_room_for_the_steps_that_are_still_to_come(ask, until, last):
    figure = ask("warmup/figures/loss", **SMALL, **until)
    assert figure["layout"]["xaxis"]["range"] == [1, last]
    assert len(lines(figure)["Pre-LN"]["x"]) == 6
