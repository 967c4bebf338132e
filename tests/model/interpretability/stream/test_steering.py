"""Steering against loops that run the whole text anew at every step, and against closed forms."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from model.analyses import answer
from model.analyses.steering import stream
from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.text import TextTokenizer
from model.interpretability.stream import steering as steer
from model.layers import masks
from model.runs.run_model import run_model
from model.runs.strategies import Prompt, prompt_of
from model.trace import Trace
from model.zoo.models import load_model
from tests.model.support.models_of_others import hub_model
from tests.model.support.runs import small_model
from tests.rounding import SHIPPED, SINGLE, same

END = 2


def prompt(family: str, **choices) -> Prompt:
    inputs = Input(text="the cat") if family == "decoder-only" else Input(source="the cat sees me")
    return prompt_of(small_model(family, "pre", **choices), inputs)


def next_logits(of: Prompt, ids: list[int], layer: int, push: Tensor) -> Tensor:
    """The logits after `ids`, from the whole text at once, without a cache."""
    transformer, name = of.model.transformer, f"decoder.{layer}.residual.out"
    trace = Trace(lambda at, value: value + push if at == name else value)
    n, row = len(ids), torch.tensor(ids)
    mask = masks.prefix(n, of.prefix)
    if not of.model.config.cross:
        return transformer(None, row, {"decoder.attention": mask}, trace)[-1]
    source = torch.tensor([token.id for token in of.tokens])
    allowed = {
        "encoder.attention": masks.full(len(source)),
        "decoder.attention": mask,
        "decoder.cross_attention": torch.ones(n, len(source), dtype=torch.bool),
    }
    return transformer(source, row, allowed, trace)[-1]


FAMILIES = ["decoder-only", "encoder-decoder", "prefix"]


@pytest.mark.parametrize("family", FAMILIES)
def test_each_row_is_what_a_loop_over_the_whole_text_writes(family: str):
    of, generator = prompt(family), torch.Generator().manual_seed(0)
    pushes = torch.randn(3, of.model.config.d_model, generator=generator) * 3
    pushes[1] = 0
    tokens = torch.tensor([5, 8])
    samples = steer.write(of, 1, pushes, 6, tokens)
    costs = steer.mean_nll(of, samples)
    for row, push in enumerate(pushes):
        ids, nats = list(of.ids), []
        for step in range(samples.ids.shape[1]):
            p = next_logits(of, ids, 1, push).softmax(-1)
            plain = next_logits(of, ids, 1, torch.zeros_like(push)).log_softmax(-1)
            chance, wanted = samples.chances[row, step], samples.wanted[row, step]
            same(chance, p.max(), scale=1)
            same(wanted, p[5] + p[8], scale=1)
            ids.append(int(p.argmax()))
            nats.append(-float(plain[ids[-1]]))
            assert ids[-1] == int(samples.ids[row, step])
            if ids[-1] == END:
                break
        assert samples.real[row].sum() == len(nats)
        same(float(costs[row]), np.mean(nats), SINGLE)


def test_texts_that_differ_in_length_are_measured_each_over_its_own_tokens():
    ids = torch.tensor([[5, 5, 7], [5, END, END]])
    wanted = torch.tensor([[0.5, 0.25, 0.0], [0.5, 0.3, 0.9]])
    samples = steer.Samples(ids, torch.ones(2, 3), wanted, TextTokenizer.frame)
    assert samples.real.tolist() == [[True] * 3, [True, True, False]]
    same(samples.share.tolist(), [0.25, 0.4], SINGLE)
    same(steer.distinct(samples).tolist(), [2 / 3, 1.0], SINGLE)


def test_the_probe_is_the_ridge_solution_of_numpy_and_is_tested_on_what_it_has_not_seen():
    generator = torch.Generator().manual_seed(1)
    toward, away = torch.randn(7, 5, generator=generator), torch.randn(4, 5, generator=generator)
    toward[:, 0] += 8  # easily told apart
    found = steer.probe(toward, away)
    x = np.concatenate([toward.numpy(), away.numpy()]).astype(float)
    y = np.array([1.0] * 7 + [0.0] * 4)
    x, y = x - x.mean(0), y - y.mean()
    rho = steer.PENALTY * np.mean((x**2).sum(1))
    w = np.linalg.solve(x.T @ x + rho * np.eye(5), x.T @ y)
    same(found.direction.numpy(), w, scale=1)
    assert found.right == 1
    assert found.chance == 7 / 11
    vectors = torch.randn(40, 5, generator=generator)
    assert steer.probe(vectors[:20], vectors[20:]).right < 0.75


def test_random_directions_follow_their_seed():
    first, again, other = (steer.random_directions(2, 4, seed) for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


OPENING = {
    "model": "shakespeare",
    "text": "the king",
    "toward": "What? Why? Who? Where?",
    "away": "Yes. No. Indeed. It is.",
}


def test_the_opening_example_turns_a_speech_into_questions_and_random_directions_do_not():
    found = answer("steering", OPENING)
    at, without = found.fields["at"], found.fields["without"]
    assert found.fields["texts"][at]["text"].startswith("?")
    assert not found.fields["texts"][without]["text"].startswith("?")
    share, others = found.tensors["share"].data, found.tensors["random.share"].data
    assert share[at] > others[:, at].max()
    assert (others[:, without] == share[without]).all()


def test_every_vector_that_is_added_is_as_long_as_its_strength_times_the_stream():
    found = answer("steering", OPENING | {"layer": 2, "max_new_tokens": 1, "draws": 1})
    model = load_model("shakespeare")
    d, length = found.tensors["added"].data, found.fields["stream_length"]
    chances = [row["tokens"][0]["probability"] for row in found.fields["texts"]]
    of = prompt_of(model, Input(text="the king"))
    for strength, chance in zip(found.axes["strength"].values, chances, strict=True):
        push = strength * length * d / d.norm()
        p = next_logits(of, of.ids, 2, push).softmax(-1)
        same(float(p.max()), chance, SINGLE, n=SHIPPED, scale=1)


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"toward": None}, "toward", "missing"),
        (
            {"toward": OPENING["away"]},
            "toward",
            "`toward` needs a token that `away` doesn’t have: change",
        ),
        ({"direction": "token"}, "token", "is missing"),
        ({"direction": "token", "token": "Romeo"}, "token", "3 tokens"),
        ({"layer": 9}, "layer", "layer"),
        ({"strength": 9.0}, "strength", "strength"),
        ({"model": "digits", "text": None, "image": "3"}, "model", "does not generate text"),
    ],
)
def test_a_question_without_an_answer_is_refused_with_what_to_do(change, field, message):
    question = {name: value for name, value in {**OPENING, **change}.items() if value is not None}
    with pytest.raises(InvalidInput, match=message) as refused:
        answer("steering", question)
    assert refused.value.field == field


def test_a_stream_that_is_one_of_a_kind_is_no_part_of_the_mean():
    """In a model that was given no start sign the first token has a stream of that kind."""
    model = hub_model("gpt-2")
    inputs = Input(text="The capital of France is")
    run = run_model(model, inputs)
    x = run.trace["decoder.0.residual.out"]
    same(stream(model, run_model, inputs, 0), x)
    trace = {"decoder.0.residual.out": torch.cat([100 * x[:1], x[1:]])}
    massive = replace(run, trace=trace)
    same(stream(model, lambda *_: massive, inputs, 0), x[1:])
