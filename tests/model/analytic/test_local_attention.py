"""Local attention over patches: who sees whom, counted patch by patch, and what it does to a
model.
"""

from itertools import pairwise

import pytest
import torch

from model.analyses.images import images
from model.analytic.local_attention import local_attention
from model.errors import InvalidInput
from model.layers import masks
from tests.model.support.image_runs import image_run
from tests.rounding import same


@pytest.mark.parametrize("side", [1, 3, 4])
@pytest.mark.parametrize("window", [0, 1, 2])
@pytest.mark.parametrize("block", [1, 2, 3])
def test_a_patch_sees_what_lies_around_its_block_and_cls(side: int, window: int, block: int):
    allowed = local_attention(side, window, block)
    assert allowed.shape == (1 + side**2, 1 + side**2)
    assert allowed[0].all()
    assert allowed[:, 0].all()
    for query in range(side**2):
        for key in range(side**2):
            near = True
            for q, k in zip(divmod(query, side), divmod(key, side), strict=True):
                members = [i for i in range(side) if i // block == q // block]
                near &= min(abs(k - i) for i in members) <= window
            assert allowed[1 + query, 1 + key] == near


def test_as_wide_as_the_image_it_is_full_attention():
    assert torch.equal(local_attention(4, 3), masks.full(17))
    assert torch.equal(local_attention(4, 0, 4), masks.full(17))


def test_a_window_only_opens_more_cells_and_a_block_too():
    for block in (1, 2):
        masks_of = [local_attention(4, window, block) for window in range(4)]
        for narrow, wide in pairwise(masks_of):
            assert (narrow <= wide).all()
    assert (local_attention(4, 1, 1) <= local_attention(4, 1, 2)).all()


def test_the_answer_is_that_of_a_run_under_the_mask():
    run = image_run()
    side = run.config.image.side // run.config.image.patch_side
    allowed = local_attention(side, 0)
    answer = images(run, query=1, window=0)
    assert answer.fields["window"] == 0
    assert answer.fields["visible"] == int(allowed.sum())
    weights = answer.tensors["weights"].data
    assert weights[..., ~allowed[1]].abs().max() == 0
    same(weights.sum(-1), torch.ones(()), scale=1)
    image = run.constants["patches"]
    assert image is not None
    transformer = run.model.transformer
    picture = torch.tensor([run.model.patch_tokenizer.read(run.input["image"])])
    with torch.no_grad():
        by_hand = transformer.unembed(transformer.encode(picture, allowed))[0].softmax(-1)
    same(answer.tensors["says"].data[-1], by_hand, scale=1)


def test_a_window_that_sees_all_changes_nothing_and_none_says_so():
    run = image_run()
    side = run.config.image.side // run.config.image.patch_side
    full, wide = images(run), images(run, window=side - 1)
    same(full.tensors["says"].data, wide.tensors["says"].data, scale=1)
    assert full.fields["window"] is None
    assert "notes" not in full.fields
    assert wide.fields["notes"][0].startswith("Local attention:")


@pytest.mark.parametrize("question", [{"window": -1}, {"window": 99}, {"block": 0}, {"block": 99}])
def test_windows_and_blocks_that_are_not_there_are_refused(question: dict):
    with pytest.raises(InvalidInput, match="it must be between"):
        images(image_run(), **question)
