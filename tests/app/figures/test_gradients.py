"""Figures of /gradients: the slope that the theorem bounds stands beside the last gradient."""

import numpy as np
import pytest

SMALL = {"depths": "2,4,8", "d_model": 32, "seeds": 4}


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_guide_falls_with_the_root_of_the_depth_from_the_first_pre_ln_gradient(ask):
    drawn = lines(ask("gradients/figures/last", **SMALL))
    guide, pre = drawn["1/√L"], drawn["Pre-LN"]
    assert guide["y"][0] == pytest.approx(pre["y"][0])
    assert guide["y"][2] == pytest.approx(guide["y"][0] / 2)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stack_asked_for_has_dots_and_seeds_and_the_other_has_not(ask, stack):
    drawn = lines(ask("gradients/figures/parameter", stack=stack, **SMALL))
    means = {name: trace for name, trace in drawn.items() if "seed" not in name}
    assert {name for name, trace in means.items() if "markers" in trace["mode"]} == {
        f"Post-LN {stack}",
        f"Pre-LN {stack}",
    }
    seeds = drawn.keys() - means.keys()
    assert len(seeds) == 2 * 4
    assert all(stack in name for name in seeds)


def test_the_loss_reads_the_last_layer(ask):
    axis = ask("gradients/figures/residual", **SMALL)["layout"]["xaxis"]
    assert axis["tickvals"][-1] == np.max(axis["tickvals"]) == 18
