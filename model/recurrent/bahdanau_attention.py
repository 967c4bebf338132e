"""Bahdanau's attention: before each step, the decoder attends to all states of the encoder."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.layers.attention_scores import additive, softmax
from model.recurrent.cells import Hidden
from model.trace import OFF, Trace

Annotations = Float[Tensor, "*batch source hidden"]


class BahdanauAttention(nn.Module):
    """c_i = sum_j alpha_ij h_j                                   (Bahdanau et al. 2015, equation 5)

        alpha_ij = softmax_j(e_ij)                                (equation 6)
        e_ij = v_a^T tanh(W_a s_(i-1) + U_a h_j)                  (appendix A.1.2)

    s_(i-1) is the decoder state before step i, and h_j the annotation of source position j: the
    encoder state after reading it. `w_q` is W_a, `w_k` is U_a, and `v` is v_a, as named in the
    additive score.
    """

    def __init__(self, n_hidden: int):
        super().__init__()
        self.w_q = nn.Parameter(torch.zeros(n_hidden, n_hidden))
        self.w_k = nn.Parameter(torch.zeros(n_hidden, n_hidden))
        self.v = nn.Parameter(torch.zeros(n_hidden))

    def forward(self, s: Hidden, h: Annotations, trace: Trace = OFF) -> Hidden:
        """The context c_i for the decoder state `s`: the weighted sum of the annotations `h`."""
        e = additive(s.unsqueeze(-2), h, self.w_q, self.w_k, self.v)
        alpha = trace("pattern", softmax(e))
        return (alpha @ h).squeeze(-2)
