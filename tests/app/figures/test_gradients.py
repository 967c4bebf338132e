"""Figures of /gradients: the slope that the theorem bounds stands beside the last gradient."""

import numpy as np
import pytest

from tests.rounding import SINGLE, same

SMALL = {"depths": "2,4,8", "d_model": 8, "seeds": 2}


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def test_the_guide_falls_with_the_root_of_the_depth_from_the_first_pre_ln_gradient(ask):
    drawn = lines(ask("gradients/figures/last", **SMALL))
    guide, pre = drawn["1/√L"], drawn["Pre-LN"]
    same(guide["y"][0], pre["y"][0], SINGLE)
    same(guide["y"][2], guide["y"][0] / 2, SINGLE)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stack_asked_for_is_drawn_and_the_placement_asked_for_has_dots_and_seeds(ask, stack):
    question = {**SMALL, "stack": stack, "placement": "b2t"}
    drawn = lines(ask("gradients/figures/parameter", **question))
    tensor = ask("gradients", **question)["tensors"]["parameter"]["data"]
    own = tensor[["encoder", "decoder"].index(stack)]
    means = {name: trace for name, trace in drawn.items() if "seed" not in name}
    assert list(means) == ["Post-LN", "Pre-LN", "B2T"]
    for row, trace in zip(own, means.values(), strict=True):
        same(trace["y"], row, SINGLE)
    assert [name for name, trace in means.items() if "markers" in trace["mode"]] == ["B2T"]
    assert drawn.keys() - means.keys() == {f"B2T, seed {seed}" for seed in range(2)}


def test_the_loss_reads_the_last_layer(ask):
    axis = ask("gradients/figures/residual", **SMALL)["layout"]["xaxis"]
    assert axis["tickvals"][-1] == np.max(axis["tickvals"]) == 18
