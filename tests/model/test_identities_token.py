"""What a block does to each token alone, LayerNorm and the feed-forward, against their formulas
(rows 22 and 25 of the science).
"""

import math

import numpy as np
import pytest
import torch

from model.layers.feed_forward import FeedForward
from model.layers.norms import LayerNorm
from tests.model.support.small import small
from tests.rounding import near, same


def test_layer_norm_is_that_of_torch_and_of_the_formula():
    generator = torch.Generator().manual_seed(0)
    ours, theirs = LayerNorm(64, 1e-5).double(), torch.nn.LayerNorm(64, 1e-5).double()
    for mine, other in ((ours.gain, theirs.weight), (ours.bias, theirs.bias)):
        mine.data = torch.randn(64, dtype=torch.float64, generator=generator)
        other.data = mine.data.clone()
    x = 5 + 3 * torch.randn(10, 64, dtype=torch.float64, generator=generator)
    by_hand = (x.numpy() - x.numpy().mean(-1, keepdims=True)) / np.sqrt(
        x.numpy().var(-1, keepdims=True) + 1e-5
    )
    same(ours(x), theirs(x), scale=1)
    same(
        ours(x).detach().numpy(),
        by_hand * ours.gain.detach().numpy() + ours.bias.detach().numpy(),
        scale=1,
    )


def test_a_normalised_token_has_mean_zero_and_squared_length_d():
    """y.y = d, not sqrt(d), up to epsilon / variance."""
    x = 5 + 3 * torch.randn(10, 64, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    y = LayerNorm(64, 1e-12).double()(x)
    same(y.mean(-1), 0, scale=1)
    near((y * y).sum(-1), 64, "the epsilon of the norm", abs=1e-9)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_feed_forward_is_that_of_the_formula_and_sees_each_token_alone(activation):
    model = small("encoder-only", activation=activation)
    ours: FeedForward = model.encoder[0].feed_forward
    x = torch.randn(5, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    pre = x.numpy() @ ours.hidden.weight.numpy() + ours.hidden.bias.numpy()
    normal = np.vectorize(lambda t: (1 + math.erf(t / math.sqrt(2))) / 2)
    post = np.maximum(pre, 0) if activation == "relu" else pre * normal(pre)
    by_hand = post @ ours.output.weight.numpy() + ours.output.bias.numpy()
    same(ours(x).numpy(), by_hand, scale=1)
    other = x.clone()
    other[1:] += 1
    assert torch.equal(ours(other)[0], ours(x)[0])
    units = [post[:, i : i + 1] * ours.output.weight.numpy()[i] for i in range(24)]
    same(sum(units) + ours.output.bias.numpy(), by_hand, scale=1)
