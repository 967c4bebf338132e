"""FAVOR+ with the projections of `performer-pytorch` (Wang 2020) gives its numbers: features,
attention, causal and not.

Two things differ. It takes the largest exponent off before exp, of each query and of all keys,
which cancels where a row is divided by its sum; and it adds an epsilon to every feature and to the
sum of the keys, which does not: set to 0 here, and measured once.
"""

import warnings
from functools import partial

import pytest
import torch
from torch import Tensor

from model.layers import masks, random_features
from model.trace import Recorder
from tests.model.support.small import SOURCE, small
from tests.rounding import same

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its module imports what Python and torch are about to drop
    reason = "it needs distutils, which Python has no more from 3.12 on"
    oracle = pytest.importorskip(
        "performer_pytorch.performer_pytorch", reason=reason, exc_type=ImportError
    )

N, HEADS, D_HEAD, M = 12, 4, 8, 32


@pytest.fixture
def without_epsilons(monkeypatch):
    monkeypatch.setattr(oracle, "softmax_kernel", partial(oracle.softmax_kernel, eps=0.0))
    monkeypatch.setattr(
        oracle,
        "causal_linear_attention_noncuda",
        partial(oracle.causal_linear_attention_noncuda, eps=0.0),
    )


@pytest.fixture
def qkv() -> Tensor:
    return torch.randn(3, 1, HEADS, N, D_HEAD, generator=torch.Generator().manual_seed(0))


def theirs(projections: Tensor, causal: bool) -> torch.nn.Module:
    attention = oracle.FastAttention(
        dim_heads=projections.shape[1], nb_features=len(projections), causal=causal
    )
    attention.projection_matrix.copy_(projections)
    return attention


def projection(seed: int = 1) -> Tensor:
    return random_features.orthogonal(1, M, D_HEAD, torch.Generator().manual_seed(seed))[0].float()


def ours(x: Tensor, w: Tensor) -> Tensor:
    return random_features.positive(x / D_HEAD**0.25, w)


def exponents(x: Tensor, w: Tensor) -> Tensor:
    return (x / D_HEAD**0.25) @ w.mT


def test_features_are_the_same_but_for_the_largest_exponent_that_it_takes_off(qkv):
    w = projection()
    for x, is_query, over in ((qkv[0], True, -1), (qkv[1], False, (-1, -2))):
        found = oracle.softmax_kernel(x, projection_matrix=w, is_query=is_query, eps=0.0)
        same(found * exponents(x, w).amax(over, keepdim=True).exp(), ours(x, w), scale=1)


@pytest.mark.usefixtures("without_epsilons")
def test_attention_at_a_cost_linear_in_the_length_is_the_same(qkv):
    w, (q, k, v) = projection(), qkv
    for causal, attend in (
        (False, random_features.linear_attention),
        (True, random_features.causal_linear_attention),
    ):
        found = theirs(w, causal)(q, k, v)[0]
        for head in range(HEADS):
            out = attend(ours(q[0, head], w), ours(k[0, head], w), v[0, head])
            same(out, found[head], scale=1)


@pytest.mark.usefixtures("without_epsilons")
@pytest.mark.parametrize("family", ["encoder-only", "decoder-only"])
def test_a_model_s_heads_gather_the_same(family):
    model, n = small(family, weighing="favor", n_features=M, dtype=torch.float32), len(SOURCE)
    stack, trace = model.config.stacks[0], Recorder()
    causal = stack == "decoder"
    mask = (masks.causal if causal else masks.full)(n)
    (model.decode if causal else model.encode)(SOURCE, mask, trace=trace)
    for layer in (0, 1):
        q, k, v, z = (trace.values[f"{stack}.{layer}.attention.{name}"] for name in "qkvz")
        projections = getattr(model, stack)[layer].attention.projections
        same(theirs(projections, causal)(q[None], k[None], v[None])[0], z, scale=1)


def test_with_its_epsilon_it_is_our_features_plus_a_constant_and_no_longer_the_same(qkv):
    """Each feature gets 1e-4 / sqrt(m) more after the largest exponent was taken off: a part of the
    plain mean of all values.
    """
    w, (q, k, v) = projection(), qkv
    shipped = theirs(w, causal=False)(q, k, v)
    more = 1e-4 / M**0.5
    q_features, k_features = (
        ours(x, w) / exponents(x, w).amax(o, keepdim=True).exp() + more
        for x, o in ((q, -1), (k, (-1, -2)))
    )
    for head in range(HEADS):
        out = random_features.linear_attention(q_features[0, head], k_features[0, head], v[0, head])
        same(out, shipped[0, head], scale=1)
    plain = torch.stack(
        [
            random_features.linear_attention(ours(q[0, h], w), ours(k[0, h], w), v[0, h])
            for h in range(HEADS)
        ]
    )
    assert (plain - shipped[0]).abs().max() > 0.1
