"""Attention rollout and flow are those of Abnar and Zuidema (2020): against products of matrices in
NumPy, a linear programme, and the networks of which both are known by hand.
"""

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from model.inputs.input import Input
from model.interpretability.attribution.answer import AttributedAnswer, attributed_answer
from model.interpretability.attribution.flow import (
    flow,
    layer_attentions,
    mean_attention,
    mixings,
    node_of,
    rollout,
)
from model.runs.run import Run
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, row_run
from tests.model.support.runs import small_run
from tests.rounding import PRINTED, SINGLE, near, same

FAMILIES = ["encoder-only", "decoder-only", "encoder-decoder", "prefix"]
RESIDUAL = 0.5


def asked_about(run: Run, index: int | None = None) -> AttributedAnswer:
    return attributed_answer(run, Input(**run.input), index)


def random_patterns(tokens: int, layers: int, seed: int, causal: bool) -> list[np.ndarray]:
    """Random patterns whose rows sum to 1."""
    random = np.random.default_rng(seed)
    weights = random.random((layers, tokens, tokens)) ** 3
    weights = np.tril(weights) if causal else weights
    return list(weights / weights.sum(-1, keepdims=True))


def mixed(patterns: list[np.ndarray]) -> list[torch.Tensor]:
    """0.5 W + 0.5 I, section 3 of the paper."""
    identity = np.eye(len(patterns[0]))
    return [torch.from_numpy(RESIDUAL * pattern + RESIDUAL * identity) for pattern in patterns]


@pytest.mark.parametrize("seed", range(3))
def test_rollout_is_the_product_of_the_mixed_patterns(seed: int):
    patterns = random_patterns(6, 3, seed, causal=True)
    first, second, third = (RESIDUAL * pattern + RESIDUAL * np.eye(6) for pattern in patterns)
    whole = third @ second @ first
    for start in range(6):
        same(rollout(mixed(patterns), start), whole[start], scale=1)


def test_two_tokens_and_two_layers_are_computed_by_hand():
    """Layer 1: [1, 0] and [1/2, 1/2] become [1, 0] and [1/4, 3/4]. Layer 2: [1, 0] and [1, 0]
    become [1, 0] and [1/2, 1/2]. The second token is 1/2 + 1/2 · 1/4 = 5/8 of the first. To the
    first token flow 1/2 directly and at most 1/4 through the second.
    """
    patterns = [np.array([[1, 0], [0.5, 0.5]]), np.array([[1, 0], [1.0, 0]])]
    same(rollout(mixed(patterns), 1), [5 / 8, 3 / 8])
    same(flow(mixed(patterns), 1), [1 / 2 + 1 / 4, 1 / 2], scale=1)


def most_that_flows(mixings: list[torch.Tensor], start: int, sink: int) -> float:
    """The maximum flow as a linear programme: pipes are variables from 0 to their capacity, what
    flows into a stream flows out, and what arrives at `sink` is as large as it can be.
    """
    n, pipes = len(mixings[0]), []
    for stage, mixing in enumerate(mixings):
        pipes += [
            ((stage + 1) * n + query, stage * n + key, mixing[query, key].item())
            for query in range(n)
            for key in range(n)
        ]
    inner = list(range(n, len(mixings) * n))  # neither the last streams nor the first
    balance = np.zeros((len(inner), len(pipes)))
    for column, (out, into, _) in enumerate(pipes):
        if out in inner:
            balance[inner.index(out), column] -= 1
        if into in inner:
            balance[inner.index(into), column] += 1
    begins = [
        (0, 0) if out >= len(mixings) * n and out != len(mixings) * n + start else (0, capacity)
        for out, _, capacity in pipes
    ]
    ends = [
        (0, 0) if into < n and into != sink else bound
        for (_, into, _), bound in zip(pipes, begins, strict=True)
    ]
    arrives = np.array([-float(into == sink) for _, into, _ in pipes])
    found = linprog(arrives, A_eq=balance, b_eq=np.zeros(len(inner)), bounds=ends)
    assert found.success
    return -found.fun


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_flow_is_the_maximum_of_a_linear_programme(seed: int, causal: bool):
    network = mixed(random_patterns(5, 3, seed, causal))
    found = flow(network, 4)
    expected = [most_that_flows(network, 4, sink) for sink in range(5)]
    same(found, expected, SINGLE, scale=1)
    assert len({round(value, 4) for value in expected}) > 1


def test_uniform_causal_attention_gives_49_hundredths_to_the_first_of_10_tokens_after_6_layers():
    uniform = np.tril(np.ones((10, 10)))
    uniform /= uniform.sum(-1, keepdims=True)
    near(rollout(mixed([uniform] * 6), 9)[0].item(), 0.49, PRINTED, abs=0.005)


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_stream_is_mixed_from_streams_that_it_may_see_in_shares_that_sum_to_1(
    family: str, uniform: bool
):
    answer = asked_about(small_run(family))
    for mixing in mixings(answer, uniform):
        same(mixing.sum(-1), 1, scale=1)
        assert (mixing >= 0).all()
        if family == "decoder-only":
            assert not mixing.triu(1).any()
    same(rollout(mixings(answer, uniform), node_of(answer)).sum().item(), 1, SINGLE)


@pytest.mark.parametrize(
    "make",
    [
        lambda: small_run("decoder-only"),
        lambda: small_run("encoder-only"),
        image_run,
        lambda: row_run(**FT),
    ],
)
def test_in_one_stack_a_mixing_is_that_of_the_mean_over_the_heads(make):
    run = make()
    answer = asked_about(run)
    (stack,) = run.config.stacks
    tokens = len(answer.tokens)
    for layer, mixing in enumerate(mixings(answer)):
        pattern = run.trace[f"{stack}.{layer}.attention.pattern"].double().numpy().mean(0)
        expected = RESIDUAL * pattern[:tokens, :tokens] + RESIDUAL * np.eye(tokens)
        same(mixing, expected, SINGLE, scale=1)


def test_a_decoder_is_mixed_from_its_own_tokens_and_then_from_the_encoders():
    run = small_run("encoder-decoder")
    answer = asked_about(run, 2)
    n, m = len(run.tokens["source"]), 3
    assert len(answer.tokens) == n + m
    encoder, decoder, cross = (
        run.trace[f"{name}.pattern"].double().numpy().mean(0)
        for name in ("encoder.0.attention", "decoder.0.attention", "decoder.0.cross_attention")
    )
    whole = mixings(answer)
    assert len(whole) == 2 + 2 * 2
    first, itself, other = np.eye(n + m), np.eye(n + m), np.eye(n + m)
    first[:n, :n] = RESIDUAL * encoder + RESIDUAL * np.eye(n)
    itself[n:, n:] = RESIDUAL * decoder[:m, :m] + RESIDUAL * np.eye(m)
    other[n:, n:] *= RESIDUAL
    other[n:, :n] = RESIDUAL * cross[:m]
    for found, expected in zip((whole[0], whole[2], whole[3]), (first, itself, other), strict=True):
        same(found, expected, SINGLE, scale=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_mean_attention_is_the_mean_row_of_the_answer(family: str):
    run = small_run(family)
    answer = asked_about(run)
    stack = run.config.stacks[-1]
    rows = np.zeros(len(answer.tokens))
    count = 0
    for name, pattern in run.trace.items():
        if name.startswith(stack) and name.endswith("attention.pattern"):
            row = pattern.double().numpy().mean(0)[answer.position]
            other = "encoder" if "cross" in name else stack
            at = [i for i, token in enumerate(answer.tokens) if token.stack == other]
            rows[at] += row[: len(at)]
            count += 1
    found = mean_attention(answer)
    same(found, rows / count, SINGLE, scale=1)
    same(found.sum().item(), 1, SINGLE)


def test_uniform_attention_looks_at_all_that_the_mask_allows_alike():
    answer = asked_about(small_run("decoder-only"))
    for attention in layer_attentions(answer, uniform=True):
        for query, row in enumerate(attention.weights):
            same(row[: query + 1], 1 / (query + 1))
            assert not row[query + 1 :].any()
