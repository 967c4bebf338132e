"""Logits and lens: the last reading is the model's own, every reading is a distribution, and a
logit is the sum of its parts.
"""

import numpy as np
import pytest
import torch

from model.analyses.logits import logits
from model.errors import InvalidInput, UnknownName
from tests.model.support.stream_runs import PLACEMENTS, small_run
from tests.rounding import same

FAMILIES = ["encoder-decoder", "decoder-only"]


def array(answer, name: str) -> np.ndarray:
    return answer.tensors[name].data.numpy()


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_the_lens_at_the_last_point_is_the_models_output_bit_for_bit(placement, family, dtype):
    run = small_run(placement, family, dtype=dtype)
    answer = logits(run, lens=True, full=True)
    assert torch.equal(answer.tensors["lens.logits"].data[-1], run.trace["logits"])
    assert torch.equal(
        answer.tensors["lens.probabilities"].data[-1], answer.tensors["probabilities"].data
    )
    assert answer.fields["lens_tokens"][-1] == answer.fields["top_tokens"]


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_the_lens_reads_every_point_with_that_points_own_statistics(placement):
    run = small_run(placement)
    weights = {name: value.numpy() for name, value in run.model.transformer.state_dict().items()}
    answer = logits(run, lens=True, full=True)
    assert len(answer.fields["points"]) == 1 + 3 * 2
    for i, point in enumerate(answer.fields["points"]):
        x = run.trace[point["name"]].numpy()
        if placement == "pre":
            x = (x - x.mean(-1, keepdims=True)) / np.sqrt(
                x.var(-1, keepdims=True) + run.config.norm.epsilon
            )
            x = x * weights["decoder.norm.gain"] + weights["decoder.norm.bias"]
        same(array(answer, "lens.logits")[i], x @ weights["embedding.token"].T, scale=1)


@pytest.mark.parametrize("prefix", ["", "lens."])
def test_top_and_rest_and_rank_and_entropy_follow_from_the_whole_distribution(prefix):
    run = small_run()
    answer = logits(run, top=3, lens=True, full=True)
    scores = array(answer, f"{prefix}logits")
    chances = softmax(scores)
    order = np.argsort(-scores, axis=-1)[..., :3]
    np.testing.assert_array_equal(array(answer, f"{prefix}top_id"), order)
    same(array(answer, f"{prefix}top_probability"), np.take_along_axis(chances, order, -1), scale=1)
    same(array(answer, f"{prefix}top_logit"), np.take_along_axis(scores, order, -1), scale=1)
    same(
        array(answer, f"{prefix}top_probability").sum(-1) + array(answer, f"{prefix}rest"),
        1,
        scale=1,
    )
    same(array(answer, f"{prefix}entropy"), -(chances * np.log(chances)).sum(-1), scale=1)
    for place, id in enumerate(answer.fields["expected_ids"]):
        expected = scores[..., place, id]
        same(
            array(answer, f"{prefix}expected_probability")[..., place],
            chances[..., place, id],
            scale=1,
        )
        same(array(answer, f"{prefix}expected_logit")[..., place], expected, scale=1)
        rank = 1 + (scores[..., place, :] > expected[..., None]).sum(-1)
        np.testing.assert_array_equal(array(answer, f"{prefix}expected_rank")[..., place], rank)


def test_the_rest_of_everything_is_nothing():
    assert array(logits(small_run(), top=13), "rest").max() == 0


def test_a_target_ends_with_the_end_and_a_text_expects_nothing_after_its_last_token():
    assert logits(small_run()).fields["expected_ids"] == [6, 8, 3, 10, 2]
    one_text = logits(small_run(family="decoder-only"))
    assert one_text.fields["expected_ids"] == [9, 4, 7, 5, 11, 2]
    assert one_text.axes["expected"].size == one_text.axes["text"].size - 1


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_logit_is_the_sum_of_what_the_parts_say_for_it(placement, family):
    run = small_run(placement, family)
    expected = logits(run, attribution=True)
    same(array(expected, "attribution").sum(axis=0), array(expected, "expected_logit"), scale=1)
    chosen = logits(run, attribution=True, token=7)
    same(array(chosen, "attribution").sum(axis=0), run.trace["logits"][:, 7].numpy(), scale=1)
    assert chosen.fields["token"] == {"id": 7, "text": "t7"}


def test_an_untied_model_is_read_with_its_own_unembedding():
    run = small_run(tied_unembedding=False)
    assert torch.equal(
        logits(run, lens=True, full=True).tensors["lens.logits"].data[-1], run.trace["logits"]
    )


def test_names_narrow_what_is_sent():
    answer = logits(small_run(), lens=True, names="lens.top_probability, rest")
    assert list(answer.tensors) == ["lens.top_probability", "rest"]


def test_what_does_not_exist_is_refused_in_a_sentence():
    run = small_run()
    with pytest.raises(InvalidInput, match="top is 14; it must be between 1 and 13"):
        logits(run, top=14)
    with pytest.raises(InvalidInput, match="it must be between 0 and 12"):
        logits(run, attribution=True, token=13)
    with pytest.raises(UnknownName, match="rest"):
        logits(run, names="rests")


def test_behind_one_more_layer_a_logit_is_no_sum_of_parts():
    run = small_run(family="encoder-only", transform="gelu", normed_transform=True)
    assert torch.equal(
        logits(run, lens=True, full=True).tensors["lens.logits"].data[-1], run.trace["logits"]
    )
    with pytest.raises(
        InvalidInput, match="can’t be split into parts: hidden layers come after its"
    ):
        logits(run, attribution=True)
