"""A model of patches at another resolution: at its own nothing changes, and elsewhere pixels and
positions lie between those they had.
"""

import numpy as np
import pytest
import torch

from model.analyses.images import MAX_GRID, images
from model.analyses.logits import logits
from model.analyses.positions import positions
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo.resize_position_embedding import LEARNED, model_for_grid, resample, resize_positions
from tests.model.support.image_runs import IMAGE, PIXELS, image_model, image_run
from tests.model.support.runs import small_run
from tests.rounding import SINGLE, same

SINUSOIDAL = {"placement": "post", "positions": "sinusoidal"}


def bilinear(values: np.ndarray, side: int) -> np.ndarray:
    """By the definition: cell i of n covers the middle (i + 1/2) / n; beyond the outermost middles
    the border goes on.
    """
    old = len(values)
    places = np.clip((np.arange(side) + 0.5) * old / side - 0.5, 0, old - 1)
    low = np.minimum(np.floor(places).astype(int), max(old - 2, 0))
    share = places - low
    high = np.minimum(low + 1, old - 1)
    rows = values[low] * (1 - share)[:, None, None] + values[high] * share[:, None, None]
    return rows[:, low] * (1 - share)[None, :, None] + rows[:, high] * share[None, :, None]


@pytest.mark.parametrize("side", [1, 2, 3, 5, 8])
def test_the_table_is_interpolated_bilinearly_and_cls_keeps_its_row(side):
    table = image_model().transformer.state_dict()[LEARNED]
    new = resize_positions(table, side)
    assert torch.equal(new[0], table[0])
    expected = bilinear(table[1:].unflatten(0, (4, 4)).numpy(), side).reshape(side**2, -1)
    same(new[1:].numpy(), expected, scale=1)


@pytest.mark.parametrize("choices", [{}, SINUSOIDAL])
def test_at_its_own_resolution_a_model_is_itself_bit_for_bit(choices):
    model = image_model(**choices)
    assert torch.equal(
        run_model(model_for_grid(model, 4), Input(image=IMAGE)).trace["logits"],
        image_run(**choices).trace["logits"],
    )
    assert torch.equal(resample(torch.tensor(PIXELS)[None, None], 8)[0, 0], torch.tensor(PIXELS))


def test_an_image_is_resampled_bilinearly_and_an_even_one_stays_even():
    expected = bilinear(np.array(PIXELS)[..., None], 12)[..., 0]
    same(resample(torch.tensor(PIXELS)[None, None], 12)[0, 0], expected, scale=1)
    assert torch.equal(resample(torch.full((1, 1, 8, 8), 0.25), 5), torch.full((1, 1, 5, 5), 0.25))


@pytest.mark.parametrize("choices", [{}, SINUSOIDAL])
@pytest.mark.parametrize("grid", [1, 3, 6])
def test_every_patch_of_another_grid_has_its_weights(choices, grid):
    answer = images(image_run(**choices), grid=grid, query=grid**2)
    axis = answer.axes["image"]
    assert (axis.size, axis.grid, axis.labels[-1]) == (grid**2 + 1, [grid, grid], f"{grid},{grid}")
    assert answer.tensors["pixels"].data.shape == (2 * grid, 2 * grid)
    assert answer.tensors["weights"].data.shape == (2, 4, grid**2 + 1)
    same(answer.tensors["weights"].data.sum(-1), 1, SINGLE, scale=1)
    assert "4 x 4 patches" in answer.fields["notes"][0]


@pytest.mark.parametrize("choices", [{}, SINUSOIDAL, {"unembedding_bias": True}])
@pytest.mark.parametrize("query", [0, 7])
def test_the_weights_are_the_rows_of_the_patterns_and_cls_says_the_models_answer(choices, query):
    of = image_run(**choices)
    answer = images(of, query=query)
    for layer in range(2):
        assert torch.equal(
            answer.tensors["weights"].data[layer],
            of.trace[f"encoder.{layer}.attention.pattern"][:, query],
        )
    assert answer.tensors["pixels"].data.tolist() == PIXELS
    says = answer.tensors["says"].data
    same(says[-1], of.trace["probabilities"][0], SINGLE, scale=1)
    lens = logits(of, lens=True, full=True).tensors["lens.probabilities"].data[:, 0]
    same(says, lens, SINGLE, scale=1)
    assert answer.fields["says"] == {
        "class": str(int(says[-1].argmax())),
        "probability": says[-1].max().item(),
    }
    assert "notes" not in answer.fields


def test_patches_cost_the_fourth_power_of_their_side_less_than_pixels():
    answer = images(image_run())
    assert [row["patch_side"] for row in answer.fields["cost"]] == [1, 2, 4, 8]
    for row in answer.fields["cost"]:
        assert row["pairs"] == row["tokens"] ** 2
        assert answer.fields["cost"][0]["pairs"] / row["pairs"] == row["patch_side"] ** 4
    facts = {fact.name: fact for fact in answer.fields["facts"]}
    assert (facts["fewer_pairs"].value, facts["fewer_pairs"].holds) == (16, True)
    assert (facts["same_size_change"].value, facts["same_size_change"].holds) == (0, True)
    assert "same_size_change" not in {
        fact.name for fact in images(image_run(**SINUSOIDAL)).fields["facts"]
    }


def test_the_positions_of_a_model_of_patches_are_served_at_another_grid(monkeypatch):
    monkeypatch.setattr("model.analyses.positions.load_model", lambda name: image_model())
    table = image_model().transformer.state_dict()[LEARNED]
    for side in (4, 6, 8):
        answer = positions(model="small", interpolated=side)
        same(answer.tensors["encoding"].data, resize_positions(table, side), SINGLE, scale=1)
        assert (answer.fields["length"], answer.fields["grid"], answer.fields["interpolated"]) == (
            side**2 + 1,
            side,
            side,
        )
        assert {fact.name: fact.value for fact in answer.fields["facts"]}["same_size_change"] == 0
    with pytest.raises(InvalidInput, match="interpolated is 13; it must be between 1 and 12"):
        positions(model="small", interpolated=13)


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned", "normalised"])
def test_a_table_is_drawn_out_and_pressed_together(scheme):
    plain = positions(scheme=scheme, length=10, d_model=16)
    table = plain.tensors["encoding"].data
    for length in (10, 25, 4):
        answer = positions(scheme=scheme, length=10, d_model=16, interpolated=length)
        places = np.clip((np.arange(length) + 0.5) * 10 / length - 0.5, 0, 9)
        expected = np.stack(
            [np.interp(places, np.arange(10), channel) for channel in table.numpy().T], axis=1
        )
        same(answer.tensors["encoding"].data.numpy(), expected, scale=1)
        assert answer.tensors["similarity"].data.shape == (length, length)
        assert (answer.fields["length"], answer.fields["from"]) == (length, 10)
        (change,) = [fact for fact in answer.fields["facts"] if fact.name == "same_size_change"]
        assert change.holds


def test_only_a_table_of_vectors_is_interpolated():
    for scheme in ("rope", "alibi", "t5", "shaw"):
        with pytest.raises(InvalidInput, match=f"{scheme} has no position vectors to interpolate"):
            positions(scheme=scheme, length=8, interpolated=16)
    with pytest.raises(InvalidInput, match="interpolated is 1; it must be between 2 and 512"):
        positions(scheme="learned", length=8, interpolated=1)
    with pytest.raises(InvalidInput, match="An interpolated table has no"):
        positions(scheme="learned", length=8, interpolated=16, board=True)


def test_what_is_no_grid_and_no_token_is_refused_in_a_sentence():
    for grid in (0, -1, MAX_GRID + 1):
        with pytest.raises(
            InvalidInput, match=f"grid is {grid}; it must be between 1 and {MAX_GRID}"
        ):
            images(image_run(), grid=grid)
    for query, grid, last in ((17, None, 16), (-1, None, 16), (10, 3, 9)):
        with pytest.raises(
            InvalidInput, match=f"query is {query}; it must be between 0 and {last}"
        ):
            images(image_run(), query=query, grid=grid)
    with pytest.raises(InvalidInput, match="does not classify images at"):
        images(small_run("decoder-only"))
