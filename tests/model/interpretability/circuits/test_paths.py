"""Paths through attention: their sum is the model's own logits, and a path that is taken away is
missing where it ends, against loops in NumPy.
"""

from copy import deepcopy

import numpy as np
import pytest
import torch

from model.interpretability.circuits.paths import (
    AttentionStack,
    Removal,
    is_expandable,
    matching,
    path_names,
    repetition,
)
from model.layers import masks
from model.zoo.models import ids, load_model
from tests.rounding import SINGLE, same

HEADS, D_HEAD = 4, 16
TEXT = "qvmtzkdbqvmtzkdb"


def stack_of(id: str) -> AttentionStack:
    return AttentionStack(deepcopy(load_model(id).transformer).double())


def read(text: str = TEXT) -> torch.Tensor:
    return torch.tensor([1, *(ord(letter) - ord("a") + 3 for letter in text)])


def rotated(x: np.ndarray) -> np.ndarray:
    """RoPE (Su et al. 2021): pairs of neighbouring channels as complex numbers, turned."""
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    angles = np.outer(np.arange(len(x)), 10_000.0 ** (-np.arange(0, D_HEAD, 2) / D_HEAD))
    turned = pairs * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], -1).reshape(x.shape)


def by_hand(stack: AttentionStack, ids: torch.Tensor, removed: set[str]) -> np.ndarray:
    """The logits without some paths, head by head, straight from the weights."""
    network = stack.transformer
    x = network.embedding(ids).numpy()
    sides = [
        [linear.weight.numpy() for linear in (layer.query, layer.key, layer.value, layer.output)]
        for layer in stack.layers
    ]

    def writes(layer: int, head: int, query: np.ndarray, key: np.ndarray, value: np.ndarray):
        channels = slice(D_HEAD * head, D_HEAD * (head + 1))
        w_q, w_k, w_v, w_o = sides[layer]
        q, k = rotated(query @ w_q[:, channels]), rotated(key @ w_k[:, channels])
        scores = q @ k.T / np.sqrt(D_HEAD)
        scores[np.triu_indices(len(x), 1)] = -np.inf
        weights = np.exp(scores - scores.max(1, keepdims=True))
        weights /= weights.sum(1, keepdims=True)
        return weights @ (value @ w_v[:, channels]) @ w_o[channels]

    first = {f"0.{head}": writes(0, head, x, x, x) for head in range(HEADS)}
    out = np.zeros_like(x) if "direct" in removed else x.copy()
    out += sum(vector for name, vector in first.items() if name not in removed)
    if len(stack.layers) == 2:
        for head in range(HEADS):

            def left(end: str, head: int = head) -> np.ndarray:
                vectors = [v for name, v in first.items() if f"{name}-1.{head}{end}" not in removed]
                return sum(vectors, np.zeros_like(x))

            value = left("") + (0 if f"1.{head}" in removed else x)
            out += writes(1, head, x + left(".q"), x + left(".k"), value)
    return out @ network.unembedding.numpy()


@pytest.mark.parametrize("id", ["induction-1", "induction-2"])
def test_the_paths_add_up_to_the_logits_of_the_model(id: str):
    stack = stack_of(id)
    summed = stack.expansion(read()).sum(0)
    network = stack.transformer
    logits = network.unembed(network.decode(read(), masks.causal(len(read()))))
    same(summed, logits, scale=1)
    single = load_model(id).transformer
    shipped = single.unembed(single.decode(read(), masks.causal(len(read()))))
    same(summed.float(), shipped, scale=1)


@pytest.mark.parametrize(
    ("id", "patterns"),
    [
        ("induction-2", ()),
        ("induction-2", ("direct", "0.1", "1.2", "0.3-1.0")),
        ("induction-2", ("0.3-1.?.k",)),
        ("induction-2", ("0.*.q", "1.[01]")),
        ("induction-2", ("*",)),
        ("induction-1", ("0.2",)),
    ],
    ids=str,
)
def test_a_run_without_paths_is_that_of_a_loop_over_heads_without_them(id: str, patterns):
    stack = stack_of(id)
    removed = matching(patterns, stack.names)
    found = stack.without(removed, read()[None])[0]
    same(found, by_hand(stack, read(), set(removed)), scale=1)


def test_without_a_path_of_the_logits_exactly_its_term_is_missing():
    """These paths determine no pattern, so that the others stay as they are."""
    stack = stack_of("induction-2")
    terms, whole = stack.expansion(read()), stack.without([], read()[None])[0]
    for name, term in zip(stack.names, terms, strict=False):
        less = stack.without([name], read()[None])[0]
        same(whole - less, term, scale=1)


def test_a_path_of_the_scores_is_no_term_of_the_logits_and_changes_them_all_the_same():
    stack = stack_of("induction-2")
    assert len(stack.names) - len(stack.expansion(read())) == 2 * HEADS * HEADS
    whole, less = (stack.without(gone, read()[None]) for gone in ([], ["0.3-1.3.k"]))
    assert (whole - less).abs().max() > 0.1


@pytest.mark.parametrize("id", ["induction-1", "induction-2"])
def test_the_contribution_along_a_direction_is_the_term_times_the_direction(id: str):
    stack = stack_of(id)
    direction = torch.randn(
        len(read()), 64, generator=torch.Generator().manual_seed(0), dtype=torch.float64
    )
    found = Removal(stack, read()[None]).contributions(direction[None])[:, 0]
    # Of the vectors themselves: an unembedding that changes nothing.
    bare = deepcopy(stack)
    bare.transformer.untied = torch.nn.Parameter(torch.eye(64, dtype=torch.float64))
    vectors = bare.expansion(read()).detach()
    same(found, (vectors * direction).sum(-1), scale=1)


def test_many_texts_are_read_as_each_of_them_alone():
    stack = stack_of("induction-2")
    texts = torch.stack([read("abcabcab"), read("zyxwzyxw")])
    together = stack.without(["0.3-1.1.q"], texts)
    for text, logits in zip(texts, together, strict=True):
        same(stack.without(["0.3-1.1.q"], text[None])[0], logits)


def test_loss_and_accuracy_are_those_of_the_repeated_letters_alone():
    logits = torch.log(torch.tensor([[[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]]]))
    repeated = torch.tensor([[False, True, True]])
    found = repetition(logits, torch.tensor([[0, 1, 1]]), repeated)
    same(found.loss, -(np.log(0.75) + np.log(0.1)) / 2, SINGLE)
    assert found.accuracy == 0.5
    assert found.by_text.tolist() == [0.5]


def test_one_layer_has_five_paths_and_two_have_twenty_five_and_thirty_two_of_scores():
    assert path_names(1, 2) == ["direct", "0.0", "0.1"]
    names = path_names(2, 4)
    assert len(names) == len(set(names)) == 25 + 32


def test_only_models_of_attention_alone_without_norms_are_sums_of_paths():
    found = [id for id in ids() if is_expandable(load_model(id).transformer)]
    assert sorted(found) == ["induction-1", "induction-2"]
