"""Direct logits sum to the logit, and are what the decomposition of the stream says of heads."""

import pytest
import torch

from model.inputs.input import Input
from model.interpretability.attribution.answer import attributed_answer
from model.interpretability.attribution.direct_logits import by_key, direct_logits, directions
from model.interpretability.stream.residual import decompose, steps
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, row_run
from tests.model.support.runs import RUNS, small_run
from tests.rounding import SINGLE, same

PLAIN = [
    pytest.param(lambda run=run: small_run(run[0], run[1], **run[2]), id=str(run))
    for run in RUNS
    if not {"segment", "slots"} & run[2].keys() and "weighing" not in run[2]
]
EVERY = [
    *PLAIN,
    pytest.param(image_run, id="image"),
    pytest.param(lambda: row_run(**FT), id="row"),
]


@pytest.mark.parametrize("make", EVERY)
def test_the_tokens_and_the_rest_sum_to_the_logit(make):
    run = make()
    for index in (0, None):
        answer = attributed_answer(run, Input(**run.input), index)
        tokens, rest = direct_logits(answer)
        logit = run.trace["logits"][answer.position, answer.id].item()
        same(tokens.sum().item() + rest, logit, SINGLE, scale=1)


@pytest.mark.parametrize("make", EVERY)
def test_the_keys_of_an_attention_sum_to_what_the_decomposition_says_of_its_heads(make):
    run = make()
    answer = attributed_answer(run, Input(**run.input))
    whole = decompose(run, answer.stack)
    last = whole.by_step[steps(run.config, answer.stack)[-1].name][:, answer.position].double()
    read = last @ run.model.transformer.unembedding[:, answer.id].double()
    toward, _ = directions(answer)
    for name, direction in toward.items():
        if name.split(".")[-2] in ("attention", "cross_attention"):
            scope = name.removesuffix(".out")
            heads = [
                value.item()
                for part, value in zip(whole.parts, read, strict=True)
                if part.name.startswith(f"{scope}.head_out")
            ]
            assert len(heads) == run.config.n_heads
            found = by_key(answer, scope, direction).sum().item()
            same(found, sum(heads), SINGLE, scale=1)


def test_a_token_that_the_answers_position_does_not_look_at_brings_nothing():
    """A causal answer at position 1 looks at two tokens, and no other is among its tokens."""
    run = small_run("decoder-only")
    answer = attributed_answer(run, Input(**run.input), 1)
    tokens, _ = direct_logits(answer)
    assert len(tokens) == 2
    assert torch.count_nonzero(tokens) == 2


@pytest.mark.parametrize("make", EVERY)
def test_all_tokens_bring_what_their_vectors_and_the_heads_bring_each_once(make):
    run = make()
    answer = attributed_answer(run, Input(**run.input))
    whole = decompose(run, answer.stack)
    last = whole.by_step[steps(run.config, answer.stack)[-1].name][:, answer.position].double()
    read = (last @ run.model.transformer.unembedding[:, answer.id].double()).tolist()
    brought = sum(
        value
        for part, value in zip(whole.parts, read, strict=True)
        if part.kind == "token" or ".head_out" in part.name
    )
    tokens, _ = direct_logits(answer)
    text = f"the tokens bring {tokens.sum().item():.4f}, their vectors and the heads {brought:.4f}"
    same(tokens.sum().item(), brought, SINGLE, scale=1, what=text)
