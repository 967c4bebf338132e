"""Recurrent cells: how the state of a network changes when it reads one more vector.

A state is a tuple of vectors [*batch, hidden]; the first is h, the output of the cell. Matrices are
[input, output], so that the code reads like the paper; torch.nn.RNN and torch.nn.LSTM store the
transpose.
"""

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.layers.linear import Linear, Product

Vector = Float[Tensor, "*batch channel"]
Hidden = Float[Tensor, "*batch hidden"]
State = tuple[Hidden, ...]


class Recurrence(Product):
    """h U for all gates: a square matrix for each, concatenated."""


class Cell(nn.Module):
    """One step of a recurrent network with `n_hidden` units that reads vectors of `n_inputs`
    numbers.

    `input` holds the concatenated matrices W and biases b of all gates, `recurrent` the matrices U.
    `forward(x, state)` of a kind of cell returns the state after x.
    """

    n_gates: ClassVar[int]
    n_states: ClassVar[int]

    def __init__(self, n_inputs: int, n_hidden: int):
        super().__init__()
        self.n_hidden = n_hidden
        self.input = Linear(n_inputs, self.n_gates * n_hidden)
        self.recurrent = Recurrence(n_hidden, self.n_gates * n_hidden)

    def initial(self, *batch: int) -> State:
        """The initial state: zeros."""
        return (self.input.bias.new_zeros(*batch, self.n_hidden),) * self.n_states


class RNNCell(Cell):
    """h' = tanh(x W + h U + b)                                    (Elman 1990)"""

    n_gates, n_states = 1, 1

    def forward(self, x: Vector, state: State) -> State:
        (h,) = state
        return (torch.tanh(self.input(x) + self.recurrent(h)),)


class LSTMCell(Cell):
    """c' = f c + i g,    h' = o tanh(c')                          (Gers et al. 2000)

    where i, f, and o = sigmoid(x W + h U + b) are the input, forget, and output gates, and g =
    tanh(x W + h U + b) is the candidate, each with its own matrices. The gates are concatenated in
    the order i, f, g, o. Along c, a gradient is multiplied only by f. The bias of the forget gate
    is initialized to 1, so that f starts near sigmoid(1) = 0.73 (Jozefowicz et al. 2015).
    """

    n_gates, n_states = 4, 2

    def __init__(self, n_inputs: int, n_hidden: int):
        super().__init__(n_inputs, n_hidden)
        with torch.no_grad():
            self.input.bias[n_hidden : 2 * n_hidden] = 1

    def forward(self, x: Vector, state: State) -> State:
        h, c = state
        i, f, g, o = (self.input(x) + self.recurrent(h)).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


CELLS: dict[str, type[Cell]] = {"rnn": RNNCell, "lstm": LSTMCell}
