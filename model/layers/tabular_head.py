"""The head of a TabTransformer: an MLP over all tokens and the numeric columns."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.feed_forward import ACTIVATIONS
from model.layers.linear import make_linear
from model.layers.norms import LayerNorm, Stream
from model.layers.tabular_embedding import Rows
from model.trace import OFF, Trace

Bypassed = Float[Tensor, "*#batch 1 numeric"]
Logits = Float[Tensor, "*batch 1 vocabulary"]


class Bypass(nn.Module):
    """TabTransformer (Huang et al. 2020): MLP([all tokens, one after another; LN(numbers)]), 4 l
    and 2 l wide inside for l inputs.

    In the place of a missing number stands one that is learned for each column. The output has one
    position: the logits of the row.
    """

    def __init__(self, config: Config):
        super().__init__()
        n_numeric = config.columns.n_numeric
        width = config.max_length * config.d_model + n_numeric
        self.missing = nn.Parameter(torch.zeros(n_numeric))
        self.norm = LayerNorm(n_numeric, config.norm_epsilon)
        self.hidden1 = make_linear(config, width, 4 * width)
        self.hidden2 = make_linear(config, 4 * width, 2 * width)
        self.output = make_linear(config, 2 * width, config.vocabulary_size)
        self.activation = ACTIVATIONS[config.activation]

    def bypassed(self, rows: Rows, trace: Trace = OFF) -> Bypassed:
        """The numbers, normalised over the columns of one row."""
        numbers = trace(
            "numbers", (rows.known * rows.numbers + (1 - rows.known) * self.missing)[..., None, :]
        )
        return self.norm(numbers, trace / "norm")

    def forward(self, x: Stream, bypassed: Bypassed, trace: Trace = OFF) -> Logits:
        whole = torch.cat(
            [x.flatten(-2)[..., None, :], bypassed.expand(*x.shape[:-2], 1, -1)], dim=-1
        )
        post1 = trace("post1", self.activation(trace("pre1", self.hidden1(whole))))
        post2 = trace("post2", self.activation(trace("pre2", self.hidden2(post1))))
        return self.output(post2)
