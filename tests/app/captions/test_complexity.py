"""The sentence of /complexity says that attention's shares are equal where they are."""

import pytest

from app.captions.templates import captions_of
from app.experiments import experiments
from model.analyses import answer

SMALL = {"lengths": [2, 4], "d_model": 16, "seeds": 2}


@pytest.mark.parametrize("size", [0.0001, 0.1, 3.0])
def test_attention_is_level_near_one_over_n_where_its_weights_are_equal(size: float):
    one = answer("complexity", {**SMALL, "input_size": size})
    line = one.tensors["gradient_by_distance"].data[-1]
    level = (line.max() < 1.2 * line.min()).item()
    said = captions_of(experiments()["complexity"]).look_for(
        one, {**SMALL, "figures": ("operations", "distance")}
    )
    assert ("level near 1/n" in said) == level
    assert ("goes up and down" in said) == (not level)
