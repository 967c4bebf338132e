"""Recurrent cells against torch.nn.RNN and torch.nn.LSTM with the same weights, against NumPy, and
their gradients against finite differences.
"""

import numpy as np
import pytest
import torch
from torch import nn

from model.recurrent.cells import CELLS, Cell, LSTMCell, RNNCell
from model.zoo.initialisation import initialise
from tests.rounding import same

THEIRS = {"rnn": nn.RNN, "lstm": nn.LSTM}
every_cell = pytest.mark.parametrize("name", CELLS)


def random_cell(name: str, n_inputs: int = 3, n_hidden: int = 5) -> Cell:
    return initialise(CELLS[name](n_inputs, n_hidden), torch.Generator().manual_seed(0))


def torch_cell(name: str, ours: Cell, n_inputs: int) -> nn.RNNBase:
    """torch keeps the matrices transposed, and has a second bias, which is 0 here."""
    theirs = THEIRS[name](n_inputs, ours.n_hidden, batch_first=True)
    theirs.weight_ih_l0.data = ours.input.weight.mT.clone()
    theirs.weight_hh_l0.data = ours.recurrent.weight.mT.clone()
    theirs.bias_ih_l0.data = ours.input.bias.clone()
    theirs.bias_hh_l0.data.zero_()
    return theirs


@every_cell
def test_a_cell_reads_a_sequence_as_torch_does_with_the_same_weights(name):
    ours = random_cell(name)
    x = torch.randn(2, 7, 3, generator=torch.Generator().manual_seed(1))
    state, outputs = ours.initial(2), []
    for x_t in x.unbind(1):
        state = ours(x_t, state)
        outputs.append(state[0])
    expected, last = torch_cell(name, ours, 3)(x)
    same(torch.stack(outputs, 1), expected, scale=1)
    last = last if isinstance(last, tuple) else (last,)
    for value, other in zip(state, last, strict=True):
        same(value, other[0], scale=1)


def test_an_lstm_step_is_the_equations_written_out_in_numpy():
    cell = random_cell("lstm")
    x, h, c = (torch.randn(n, generator=torch.Generator().manual_seed(n)) for n in (3, 5, 6))
    c = c[:5]
    w, u, b = (
        p.detach().numpy() for p in (cell.input.weight, cell.recurrent.weight, cell.input.bias)
    )

    def gate(number: int) -> np.ndarray:
        part = slice(5 * number, 5 * number + 5)
        return x.numpy() @ w[:, part] + h.numpy() @ u[:, part] + b[part]

    def sigmoid(z: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-z))

    i, f, g, o = sigmoid(gate(0)), sigmoid(gate(1)), np.tanh(gate(2)), sigmoid(gate(3))
    new_c = f * c.numpy() + i * g
    new_h = o * np.tanh(new_c)
    found_h, found_c = cell(x, (h, c))
    same(found_h.detach().numpy(), new_h, scale=1)
    same(found_c.detach().numpy(), new_c, scale=1)


@every_cell
def test_the_gradients_of_a_cell_are_those_of_finite_differences(name):
    cell = random_cell(name).double()
    draws = torch.Generator().manual_seed(2)
    inputs = [torch.randn(2, 3, generator=draws, dtype=torch.float64, requires_grad=True)]
    inputs += [
        torch.randn(2, 5, generator=draws, dtype=torch.float64, requires_grad=True)
        for _ in range(cell.n_states)
    ]
    assert torch.autograd.gradcheck(lambda x, *state: cell(x, state), inputs)


def test_the_forget_gate_of_a_new_lstm_is_biased_by_one_and_no_other_gate():
    for cell in (LSTMCell(3, 5), random_cell("lstm")):
        assert cell.input.bias.tolist() == [0] * 5 + [1] * 5 + [0] * 10
    assert not RNNCell(3, 5).input.bias.any()


@every_cell
def test_what_multiplies_the_state_is_orthogonal_for_every_gate(name):
    cell = random_cell(name)
    for gate in cell.recurrent.weight.split(cell.n_hidden, dim=1):
        same(gate @ gate.mT, torch.eye(5), scale=1)
