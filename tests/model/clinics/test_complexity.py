"""Table 1 against masks, products counted by hand and gradients taken by autograd."""

import itertools
import math

import numpy as np
import pytest
import torch

from model.analytic.mask_reach import layers_needed
from model.clinics.complexity import (
    FARTHEST,
    LAYERS,
    by_position,
    complexity,
    dilated_layers,
    orthogonal,
    size,
    through_gates,
    through_time,
)
from model.errors import InvalidInput
from model.layers import masks
from model.layers.context import Context
from model.measure.initialised_stacks import fresh_encoder, generator
from model.recurrent.cells import LSTMCell
from tests.rounding import APPROXIMATED, near, same
from tests.thorough import mostly

BY_NAME = {layer.name: layer for layer in LAYERS}


def found(answer, name: str) -> dict:
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@pytest.mark.parametrize(("n", "d", "k", "r"), [(5, 4, 3, 2), (8, 8, 2, 4), (3, 16, 5, 32)])
def test_operations_are_the_products_that_a_loop_would_make(n, d, k, r):
    products = {
        "self-attention": sum(1 for _ in itertools.product(range(n), range(n), range(d))),
        "recurrent": sum(1 for _ in itertools.product(range(n), range(d), range(d))),
        "convolution": sum(1 for _ in itertools.product(range(n), range(k), range(d), range(d))),
        "restricted": sum(1 for _ in itertools.product(range(n), range(min(n, r)), range(d))),
    }
    assert {name: layer.operations(n, d, k, r) for name, layer in BY_NAME.items()} == products


@pytest.mark.parametrize(("n", "r"), [(2, 2), (9, 2), (16, 5), (17, 5), (40, 32)])
def test_the_path_of_restricted_attention_is_the_layers_its_mask_needs(n, r):
    assert BY_NAME["restricted"].path(n, 3, r) == layers_needed(masks.window(n, r))[-1, 0]
    assert BY_NAME["self-attention"].path(n, 3, r) == layers_needed(masks.full(n))[-1, 0]
    assert BY_NAME["recurrent"].path(n, 3, r) == layers_needed(masks.window(n, 2))[-1, 0]


@pytest.mark.parametrize(
    ("n", "k"), [(1, 3), (2, 2), (9, 3), (10, 3), (1024, 2), (1025, 2), (100_000, 7)]
)
def test_dilated_convolutions_see_as_many_positions_as_a_power_of_their_kernel(n, k):
    reach, layers = {0}, 0
    while len(reach) < n:
        reach, layers = {place + k**layers * tap for place in reach for tap in range(k)}, layers + 1
    assert dilated_layers(n, k) == layers


@pytest.mark.parametrize("d", mostly([32, 64, 128], 64))
def test_attention_and_recurrence_cost_the_same_where_n_is_d(d):
    answer = complexity(d_model=d, lengths=[d // 2, d, 2 * d])
    attention, recurrent = answer.tensors["operations"].data[:2]
    assert [a < b for a, b in zip(attention, recurrent, strict=True)] == [True, False, False]
    assert attention[1] == recurrent[1]
    assert found(answer, "crossover_length").value == d
    assert all(finding.verdict != "fails" for finding in answer.fields["findings"])


@pytest.mark.parametrize("gain", [0.8, 1.2])
def test_the_gradient_through_time_is_what_autograd_finds(gain):
    draws = generator(0, 0)
    w, x = (
        gain * orthogonal(8, draws),
        torch.randn(FARTHEST, 8, generator=draws, dtype=torch.float64) / 10,
    )

    def last(start: torch.Tensor, steps: int) -> torch.Tensor:
        h = start
        for new in x[:steps]:
            h = torch.tanh(w @ h + new)
        return h

    sizes = through_time(w, x)
    for steps in (1, 7, FARTHEST):
        jacobian = torch.autograd.functional.jacobian(
            lambda start, steps=steps: last(start, steps), torch.zeros(8, dtype=torch.float64)
        )
        same(sizes[steps - 1], np.linalg.norm(jacobian.numpy()) / np.sqrt(8))


def test_without_inputs_the_recurrent_gradient_is_the_gain_to_the_power_of_the_distance():
    sizes = through_time(
        0.9 * orthogonal(16, generator(0, 0)), torch.zeros(FARTHEST, 16, dtype=torch.float64)
    )
    same(sizes, 0.9 ** torch.arange(1, FARTHEST + 1, dtype=torch.float64))


def test_the_gradient_through_attention_is_its_change_under_a_small_step():
    attention = fresh_encoder("post", 1, 8, generator(0, 1))[0].attention
    x = torch.randn(2, FARTHEST + 1, 8, generator=generator(0, 2)).double()
    jacobian, distance = by_position(attention, x), 5
    everything = Context(masks.full(FARTHEST + 1))
    for sequence, found in zip(x, jacobian, strict=True):
        for channel in range(8):
            step = torch.zeros_like(sequence)
            step[-1 - distance, channel] = 1e-5
            up, down = (
                attention(moved, everything)[-1] for moved in (sequence + step, sequence - step)
            )
            near(found[distance, :, channel], (up - down) / 2e-5, APPROXIMATED, abs=1e-9)


def test_the_gradient_through_the_gates_is_what_autograd_finds_in_torchs_own_lstm():
    cell = LSTMCell(6, 6).double().requires_grad_(False)
    for matrix in (cell.input.weight, cell.recurrent.weight):
        matrix.copy_(torch.randn(matrix.shape, generator=generator(0, 3)) / 2)
    theirs = torch.nn.LSTMCell(6, 6).double().requires_grad_(False)
    theirs.weight_ih.copy_(cell.input.weight.mT)
    theirs.weight_hh.copy_(cell.recurrent.weight.mT)
    theirs.bias_ih.copy_(cell.input.bias)
    theirs.bias_hh.zero_()
    x = torch.randn(9, 6, generator=generator(0, 4)).double()

    def last(c: torch.Tensor) -> torch.Tensor:
        h = torch.zeros_like(c)
        for new in x:
            h, c = theirs(new[None], (h[None], c[None]))
            h, c = h[0], c[0]
        return c

    jacobian = torch.autograd.functional.jacobian(last, torch.zeros(6).double())
    same(through_gates(cell, x)[-1], size(jacobian))


@pytest.mark.parametrize("d", [16, 64])
def test_pairs_cost_more_than_matrices_from_six_times_the_width_on(d):
    assert found(complexity(d_model=d, seeds=1), "crossover_products").value == 6 * d


def test_larger_inputs_move_the_edge_between_vanishing_and_exploding():
    growth = complexity(d_model=16, seeds=2).tensors["growth"].data
    assert (growth[:6, 1:] < growth[:6, :-1]).all(), "up to a gain of 1.2"
    assert growth[5, 0] > 2 > 0 > growth[5, -1], "at gain 1.2"


def test_attention_of_small_inputs_passes_on_as_much_as_equal_weights():
    even = found(complexity(input_size=0.001, seeds=2), "attention.even")
    assert abs(even.mean - 1) < 1e-3
    assert found(complexity(input_size=2.0, seeds=1), "attention.even").verdict == "not applicable"


def test_seeds_that_favour_the_far_do_not_make_up_for_seeds_that_favour_the_near():
    """Of large inputs one seed gives the farther half a hundred million times as much, and another
    a hundred thousandth.
    """
    finding = found(complexity(lengths=[2, 4], input_size=10.0), "gradient.attention")
    assert finding.verdict == "fails"
    assert found(complexity(lengths=[2, 4]), "gradient.attention").holds


@pytest.mark.parametrize("seeds", mostly([1, 4, 16], 4))
def test_gradients_that_float64_cannot_hold_have_an_answer(seeds):
    """Small networks and large inputs leave less of a gradient than the smallest number."""
    answer = complexity(lengths=[2, 4], d_model=4, input_size=10.0, seeds=seeds)
    for finding in answer.fields["findings"]:
        assert math.isfinite(finding.number), finding.name
        assert finding.interval is None or finding.interval[0] >= 0, finding.name


def test_other_weights_move_the_gradients():
    gradient, other = (
        complexity(seed=seed, seeds=1).tensors["gradient_by_distance"].data for seed in (0, 1)
    )
    assert (gradient[2, -1] - other[2, -1]).abs() > 1e-3 * gradient[2, -1]
    assert (gradient[4] != other[4]).all()


@pytest.mark.parametrize("kernel", [2, 3])
def test_the_time_of_a_kernel_of_any_width_is_measured_without_a_warning(kernel):
    answer = complexity(lengths=[4, 8], d_model=8, kernel=kernel, measure=True, seeds=1)
    assert (answer.tensors["time"].data > 0).all()


def test_time_is_taken_only_when_asked_for_and_the_answer_says_that_it_cannot_be_repeated():
    before = torch.random.get_rng_state()
    answer = complexity(lengths=[4, 8], d_model=8, measure=True, seeds=1)
    assert answer.tensors["time"].data.shape == (3, 2)
    assert (answer.tensors["time"].data > 0).all()
    assert "vary from run to run" in answer.fields["notes"][0]
    assert torch.equal(before, torch.random.get_rng_state()), (
        "the state that all requests share stays as it was"
    )
    assert "time" not in complexity(lengths=[4, 8], d_model=8, seeds=1).tensors


@pytest.mark.parametrize(
    "wrong",
    [
        {"lengths": [1, 2]},
        {"lengths": [8]},
        {"d_model": 30},
        {"kernel": 1},
        {"window": 1},
        {"input_size": -1.0},
        {"lengths": [2, 4096], "measure": True},
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        complexity(**wrong)
