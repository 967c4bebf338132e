"""Circuits in the basis of tokens, against the whole matrices in NumPy."""

import numpy as np
import pytest
import torch

from model.config import Config
from model.interpretability.circuits import tokens
from model.interpretability.circuits.qk_ov import matrices, ov, qk
from model.interpretability.circuits.tokens import (
    AT_ONCE,
    TokenCircuit,
    copying,
    ov_circuit,
    qk_circuit,
)
from model.layers.attention import MultiHeadAttention
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from tests.rounding import SINGLE, same


def attention(kv_heads: int = 0) -> MultiHeadAttention:
    config = Config(
        family="decoder-only",
        vocabulary_size=11,
        d_model=12,
        n_heads=4,
        n_kv_heads=kv_heads,
        n_decoder_layers=1,
    )
    draws = torch.Generator().manual_seed(0)
    return initialise(MultiHeadAttention(config), draws).double().requires_grad_(False)


@pytest.mark.parametrize("kv_heads", [0, 2, 1])
def test_the_circuits_of_a_head_are_products_of_its_columns_and_rows(kv_heads: int):
    """Heads of grouped-query attention share keys and values."""
    layer = attention(kv_heads)
    w_q, w_k, w_v, w_o = (
        linear.weight.numpy() for linear in (layer.query, layer.key, layer.value, layer.output)
    )
    for head in range(4):
        channels = slice(3 * head, 3 * head + 3)
        of = head // (4 // (kv_heads or 4))
        shared = slice(3 * of, 3 * of + 3)
        same(qk(layer)[head], w_q[:, channels] @ w_k[:, shared].T)
        same(ov(layer)[head], w_v[:, shared] @ w_o[channels])


def test_the_rows_are_those_of_the_whole_matrix_of_the_vocabulary():
    layer, draws = attention(), torch.Generator().manual_seed(1)
    embedding = torch.randn(11, 12, generator=draws, dtype=torch.float64)
    unembedding = torch.randn(12, 11, generator=draws, dtype=torch.float64)
    heads = matrices(layer)
    e, u = embedding.numpy(), unembedding.numpy()
    every = torch.arange(11)
    same(ov_circuit(heads, 2, embedding, unembedding).rows(every), e @ ov(layer)[2].numpy() @ u)
    same(qk_circuit(heads, 2, embedding).rows(every), e @ qk(layer)[2].numpy() @ e.T / np.sqrt(3))


def test_the_scores_of_two_tokens_are_those_of_a_run_without_positions():
    """x W_QK y^T / sqrt(d_head) is what the attention itself computes of the same vectors."""
    layer, draws = attention(), torch.Generator().manual_seed(1)
    x = torch.randn(11, 12, generator=draws, dtype=torch.float64)
    q, k = layer.split_heads(layer.query(x)), layer.split_heads(layer.key(x))
    # Biases begin at zero, so that they add nothing here.
    for head in range(4):
        scores = qk_circuit(matrices(layer), head, x).rows(torch.arange(11))
        same(scores, layer.score(q, k)[head])


def test_the_scan_finds_the_largest_number_of_every_row_over_the_seams_of_its_blocks():
    draws = np.random.default_rng(0)
    rows = 2 * AT_ONCE + 3
    left, right = draws.normal(size=(rows, 4)), draws.normal(size=(4, rows))
    found = TokenCircuit(torch.tensor(left), torch.tensor(right)).scan()
    whole = left @ right
    np.testing.assert_array_equal(found.column, whole.argmax(1))
    same(found.value, whole.max(1))
    assert found.self_share() == np.mean(whole.argmax(1) == np.arange(rows))


def test_of_a_large_vocabulary_rows_at_even_distances_are_looked_through(monkeypatch):
    monkeypatch.setattr(tokens, "SCANNED", 4)
    left, right = torch.randn(11, 2), torch.randn(2, 11)
    found, whole = TokenCircuit(left, right).scan(), left @ right
    assert found.ids.tolist() == [0, 3, 6, 9]
    same(found.value, whole[::3].max(1).values)
    assert found.self_share() == (whole.argmax(1) == torch.arange(11))[::3].double().mean()


@pytest.mark.parametrize("circuit", ["ov", "qk"])
def test_copying_is_a_ratio_of_the_eigenvalues_of_the_whole_matrix(circuit: str):
    network = load_model("induction-2").transformer
    heads = matrices(network.stack("decoder")[1].attention)
    embedding, unembedding = network.embedding.vectors(torch.arange(29)), network.unembedding
    sides = {
        "ov": (heads.value, unembedding @ embedding, heads.output),
        "qk": (heads.query, embedding.mT @ embedding, heads.key.mT),
    }
    found = copying(*sides[circuit])
    for head in range(4):
        whole = {
            "ov": ov_circuit(heads, head, embedding, unembedding),
            "qk": qk_circuit(heads, head, embedding),
        }[circuit]
        values = np.linalg.eigvals(whole.left.double().numpy() @ whole.right.double().numpy())
        expected = values.real.sum() / np.abs(values).sum()
        same(found[head].item(), expected, SINGLE, scale=1)


def test_a_circuit_that_gives_every_token_itself_copies_and_its_negative_does_not():
    identity = torch.eye(5, dtype=torch.float64)
    both = torch.stack([identity, identity])
    found = copying(both, identity, torch.stack([identity, -identity]))
    same(found, torch.tensor([1.0, -1.0]))
    assert TokenCircuit(identity, identity).scan().self_share() == 1
