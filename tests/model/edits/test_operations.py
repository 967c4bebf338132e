"""Each operation gives the numbers that NumPy gives by hand, in its cells and nowhere else."""

import numpy as np
import pytest
import torch

from model.edits.edit import read_edits
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from tests.model.support.runs import small_model, small_run
from tests.rounding import same

PAIR = Input(source="the cat sees the dog .", target="le chat voit")
OTHER = {"source": "i am cold .", "target": "j' ai froid"}
Z = "decoder.1.cross_attention.z"


def edited(*edits: dict, placement: str = "post") -> Run:
    return run_model(small_model("encoder-decoder", placement), PAIR, read_edits(edits))


def before(name: str) -> np.ndarray:
    return small_run().trace[name].numpy()


def test_zero_turns_one_head_off_and_leaves_the_others():
    after = edited({"op": "zero", "at": Z, "where": {"head": [2]}}).trace[Z].numpy()
    expected = before(Z).copy()
    expected[2] = 0
    assert np.array_equal(after, expected)


def test_a_cell_is_named_by_an_index_along_every_axis():
    where = {"head": [1], "query": [0, 2], "head_channel": [3]}
    after = edited({"op": "set", "at": Z, "where": where, "value": 7.5}).trace[Z].numpy()
    expected = before(Z).copy()
    expected[1, [0, 2], 3] = 7.5
    assert np.array_equal(after, expected)


def test_an_axis_may_be_named_as_in_the_answer_where_that_names_one():
    by_role = edited({"op": "zero", "at": Z, "where": {"query": [1]}})
    by_axis = edited({"op": "zero", "at": Z, "where": {"target": [1]}})
    assert torch.equal(by_role.trace["logits"], by_axis.trace["logits"])


def test_the_mean_is_over_the_positions_of_this_run():
    after = edited({"op": "mean", "at": Z, "where": {"head": [0]}}).trace[Z].numpy()
    mean = before(Z)[0].mean(0)
    same(after[0], np.tile(mean, (after.shape[1], 1)), scale=1)
    assert np.array_equal(after[1:], before(Z)[1:])


def test_the_mean_over_other_inputs_is_over_all_their_positions():
    others = [OTHER, {"source": "the cat sees me", "target": "le chat"}]
    edit = {"op": "mean", "at": Z, "where": {"query": [1]}, "from": others}
    after = edited(edit).trace[Z].numpy()
    whole = [run_model(small_model(), Input(**other)).trace[Z].numpy() for other in others]
    expected = before(Z).copy()
    expected[:, 1] = np.concatenate(whole, 1).mean(1)
    same(after, expected, scale=1)


def test_the_mean_may_be_over_another_axis():
    after = edited({"op": "mean", "at": Z, "axis": "head"}).trace[Z].numpy()
    same(after, np.broadcast_to(before(Z).mean(0), after.shape), scale=1)


def test_scale_multiplies_and_add_adds():
    scaled = edited({"op": "scale", "at": Z, "where": {"head": [3]}, "value": -2}).trace[Z]
    assert np.array_equal(scaled[3].numpy(), -2 * before(Z)[3])
    added = edited({"op": "add", "at": Z, "where": {"head": [3]}, "value": 0.25}).trace[Z]
    assert np.array_equal(added[3].numpy(), before(Z)[3] + np.float32(0.25))


def test_a_vector_is_added_at_every_position():
    name = "encoder.1.residual.in"
    vector = [(-1) ** channel * channel / 8 for channel in range(16)]
    after = edited({"op": "add", "at": name, "value": vector}).trace[name].numpy()
    assert np.array_equal(after, before(name) + np.float32(vector))


def test_a_list_has_the_shape_of_the_cells_without_axes_of_one_index():
    where = {"head": [1], "query": [0, 2]}
    rows = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    after = edited({"op": "set", "at": Z, "where": where, "value": rows}).trace[Z].numpy()
    assert np.array_equal(after[1, [0, 2]], np.float32(rows))
    assert np.array_equal(after[1, 1], before(Z)[1, 1])


def test_patch_puts_positions_of_another_run_where_they_are_said_to_go():
    edit = {"op": "patch", "at": Z, "from": OTHER, "positions": [[2, 0], [0, 1]]}
    after = edited(edit).trace[Z].numpy()
    other = run_model(small_model(), Input(**OTHER)).trace[Z].numpy()
    expected = before(Z).copy()
    expected[:, 0], expected[:, 1] = other[:, 2], other[:, 0]
    assert np.array_equal(after, expected)


def test_patch_takes_the_same_cells_where_nothing_else_is_said():
    other = {"source": "the cat sees the dog .", "target": "voit le chat"}
    there = run_model(small_model(), Input(**other)).trace[Z].numpy()
    edit = {"op": "patch", "at": Z, "from": other, "where": {"head": [1, 2]}}
    after = edited(edit).trace[Z].numpy()
    assert np.array_equal(after[[1, 2]], there[[1, 2]])
    assert np.array_equal(after[[0, 3]], before(Z)[[0, 3]])


@pytest.mark.parametrize("at", ["scores", "masked_scores", "*scores"])
def test_a_masked_key_has_no_weight_and_the_others_share_it(at: str):
    scope = "decoder.1.cross_attention"
    run = edited({"op": "mask", "at": f"{scope}.{at}", "where": {"query": [1], "key": [0, 3]}})
    scores = before(f"{scope}.scores")[:, 1].astype(np.float64)
    scores[:, [0, 3]] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    pattern = run.trace[f"{scope}.pattern"].numpy()
    same(pattern[:, 1], weights / weights.sum(-1, keepdims=True), scale=1)
    assert (pattern[:, 1, [0, 3]] == 0).all()
    assert np.array_equal(run.trace[f"{scope}.scores"].numpy(), before(f"{scope}.scores"))
    [change] = run.edits
    assert change.names == [f"{scope}.masked_scores"]
    assert change.elements == 4 * 2
    assert change.largest_change is None


def test_a_key_is_masked_in_the_kernel_of_a_performer():
    model = small_model("decoder-only", "pre", weighing="favor", norm="scale", positions="sine")
    mask = {"op": "mask", "at": "decoder.0.attention.kernel", "where": {"key": [0]}}
    text = Input(text="the cat sees me")
    pattern = run_model(model, text, read_edits([mask])).trace["decoder.0.attention.pattern"]
    kernel = run_model(model, text).trace["decoder.0.attention.kernel"].numpy().copy()
    kernel[..., 0] = 0
    rows = kernel[:, 1:] / kernel[:, 1:].sum(-1, keepdims=True)
    same(pattern[:, 1:].numpy(), rows, scale=1)
    assert (pattern[:, 0] == 0).all()


def test_swap_exchanges_two_heads():
    after = edited({"op": "swap", "at": Z, "where": {"head": [0, 2]}}).trace[Z].numpy()
    assert np.array_equal(after, before(Z)[[2, 1, 0, 3]])


def test_swap_exchanges_two_positions_of_some_heads():
    where = {"query": [0, 2], "head": [1, 3]}
    after = edited({"op": "swap", "at": Z, "where": where, "axis": "query"}).trace[Z].numpy()
    expected = before(Z).copy()
    for head in (1, 3):
        expected[head, [0, 2]] = expected[head, [2, 0]]
    assert np.array_equal(after, expected)


def test_edits_of_one_activation_are_made_in_their_order():
    double, plus = {"op": "scale", "at": Z, "value": 2}, {"op": "add", "at": Z, "value": 1}
    same(edited(double, plus).trace[Z].numpy(), 2 * before(Z) + 1)
    same(edited(plus, double).trace[Z].numpy(), 2 * (before(Z) + 1))


def test_a_head_that_writes_something_else_changes_the_sum_of_the_heads():
    scope = "decoder.0.attention"
    silent = edited({"op": "zero", "at": f"{scope}.head_out", "where": {"head": [1]}})
    without = edited({"op": "zero", "at": f"{scope}.z", "where": {"head": [1]}})
    expected = before(f"{scope}.out") - before(f"{scope}.head_out")[1]
    same(silent.trace[f"{scope}.out"].numpy(), expected, scale=1)
    same(silent.trace["logits"].numpy(), without.trace["logits"].numpy(), scale=1)


def test_a_glob_names_several_activations_and_the_change_counts_them_all():
    run = edited({"op": "zero", "at": "decoder.*.cross_attention.z", "where": {"head": [0]}})
    [change] = run.edits
    assert change.names == [f"decoder.{layer}.cross_attention.z" for layer in range(2)]
    assert all((run.trace[name][0] == 0).all() for name in change.names)
    length, width = before(Z).shape[1:]
    assert change.elements == 2 * length * width
    layer_0 = np.abs(before("decoder.0.cross_attention.z")[0]).max()
    assert change.largest_change >= layer_0


def test_a_patch_without_an_input_freezes_the_numbers_of_the_unedited_run():
    zero = {"op": "zero", "at": "encoder.0.residual.in"}
    freeze = {"op": "patch", "at": "decoder.*.cross_attention.pattern"}
    run = edited(zero, freeze)
    for name in ("decoder.0.cross_attention.pattern", "decoder.1.cross_attention.pattern"):
        assert np.array_equal(run.trace[name].numpy(), before(name))
    assert not np.array_equal(run.trace[Z].numpy(), before(Z))


def test_with_frozen_norms_the_last_sub_layer_adds_its_share_of_the_logits():
    last, model = "decoder.1.feed_forward.out", small_model("encoder-decoder", "pre")
    unedited = run_model(model, PAIR).trace
    freeze = {"op": "patch", "at": "*norm*.mean, *norm*.scale"}
    edited_logits = edited({"op": "zero", "at": last}, freeze, placement="pre").trace["logits"]
    gain = model.transformer.decoder.norm.gain.numpy()
    scale = unedited["decoder.norm.scale"].numpy()[:, None]
    share = unedited[last].numpy() * gain / scale @ model.transformer.unembedding.numpy()
    change = unedited["logits"].numpy() - edited_logits.numpy()
    assert np.abs(share).max() > 0.1
    same(change, share, scale=1)
