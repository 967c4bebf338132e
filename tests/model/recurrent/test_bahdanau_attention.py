"""Bahdanau's attention against its equations in NumPy, and its gradient against finite
differences.
"""

import numpy as np
import torch

from model.recurrent.bahdanau_attention import BahdanauAttention
from model.trace import Recorder
from model.zoo.initialisation import initialise
from tests.rounding import same

HIDDEN, SOURCE = 4, 6


def random_attention() -> tuple[BahdanauAttention, torch.Tensor, torch.Tensor]:
    draws = torch.Generator().manual_seed(0)
    attention = initialise(BahdanauAttention(HIDDEN), draws)
    return (
        attention,
        torch.randn(2, HIDDEN, generator=draws),
        torch.randn(2, SOURCE, HIDDEN, generator=draws),
    )


def test_the_context_is_equations_5_and_6_written_out_in_numpy():
    attention, s, h = random_attention()
    w_a, u_a, v_a = (p.detach().numpy() for p in (attention.w_q, attention.w_k, attention.v))
    trace = Recorder()
    found = attention(s, h, trace)
    for word in range(2):
        e = np.array(
            [v_a @ np.tanh(s[word].numpy() @ w_a + h[word, j].numpy() @ u_a) for j in range(SOURCE)]
        )
        alpha = np.exp(e) / np.exp(e).sum()
        c = sum(alpha[j] * h[word, j].numpy() for j in range(SOURCE))
        same(trace.values["pattern"][word, 0].detach(), alpha, scale=1)
        same(found[word].detach(), c, scale=1)


def test_its_gradients_are_those_of_finite_differences():
    attention, s, h = random_attention()
    attention.double()
    inputs = [value.double().requires_grad_() for value in (s, h)]
    assert torch.autograd.gradcheck(attention, inputs)


def test_equal_annotations_are_weighed_equally():
    attention, s, h = random_attention()
    trace = Recorder()
    attention(s, h[:, :1].expand(-1, SOURCE, -1), trace)
    same(trace.values["pattern"], torch.full((2, 1, SOURCE), 1 / SOURCE), scale=1)
