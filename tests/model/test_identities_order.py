"""Where a model knows the order of its tokens from: positions, or a causal mask, or nothing (rows
26 and 27 of the science).
"""

import math

import pytest
import torch

from model.layers import masks, positional_encodings
from tests.model.support.small import SOURCE, continue_text, largest_difference, small, traced
from tests.rounding import same

FAMILIES = pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder"])
PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])


@FAMILIES
def test_position_is_added_to_the_token_as_the_paper_says(family):
    trace = traced(small(family))
    stack = "decoder" if "decoder" in family else "encoder"
    position = trace[f"{stack}.embedding.position"]
    for p in range(len(position)):
        for i in range(0, 16, 2):
            angle = p / 10000 ** (i / 16)
            same(position[p, i], math.sin(angle), scale=1)
            same(position[p, i + 1], math.cos(angle), scale=1)
    assert torch.equal(
        trace[f"{stack}.embedding.sum"], trace[f"{stack}.embedding.token"] + position
    )


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-4), (torch.float64, 1e-9)])
def test_sinusoids_agree_by_offset_alone_and_all_have_the_same_length(dtype, tolerance):
    encoding = positional_encodings.sinusoidal(200, 64, dtype=dtype)
    similarity = encoding @ encoding.mT
    assert (similarity.diagonal() - 32).abs().max() < tolerance
    for k in (1, 7, 50):
        assert similarity.diagonal(k).max() - similarity.diagonal(k).min() < tolerance
    assert (
        largest_difference(
            encoding[150:], positional_encodings.sinusoidal(50, 64, start=150, dtype=dtype)
        )
        == 0
    )


@PLACEMENTS
def test_without_positions_or_a_mask_a_shuffle_of_the_input_is_a_shuffle_of_the_output(
    placement,
):
    model, shuffle = (
        small("encoder-only", positions="none", placement=placement),
        torch.tensor([3, 0, 6, 1, 5, 2, 4]),
    )
    same(continue_text(model, SOURCE[shuffle]), continue_text(model)[shuffle], scale=1)
    causal = masks.causal(7)
    in_order = continue_text(model, allowed=causal)
    assert (
        largest_difference(continue_text(model, SOURCE[shuffle], causal), in_order[shuffle]) > 0.1
    )
    with_positions = small("encoder-only", placement=placement)
    assert (
        largest_difference(
            continue_text(with_positions, SOURCE[shuffle]), continue_text(with_positions)[shuffle]
        )
        > 0.1
    )
