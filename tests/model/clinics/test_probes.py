"""Probes against least squares in NumPy, the direct path against the decomposition of the stream,
and what cutting the residual does.
"""

from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from model.clinics import probes as clinic
from model.clinics.probes import (
    accuracies,
    cosines,
    fresh,
    majority,
    predict,
    probes,
    read,
    with_residual_scale,
)
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.stream.residual import decompose
from model.layers.context import Context
from model.measure.initialised_stacks import generator
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.rounding import RANDOM, SINGLE, near, same
from tests.thorough import mostly


def found(answer, name: str) -> dict:
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


@cache
def cached_probes(weights: str, seed: int):
    """Computed once for all who ask."""
    return probes(weights=weights, seed=seed)


@cache
def of_few():
    """Of the fewest sentences."""
    return probes(sentences=8)


@pytest.fixture
def trained():
    return cached_probes("trained", 0)


@pytest.fixture
def untrained():
    return cached_probes("fresh", 0)


def failing(answer) -> set[str]:
    return {finding.name for finding in answer.fields["findings"] if finding.verdict == "fails"}


@pytest.mark.parametrize("seed", mostly([0, 5], 0))
def test_in_the_trained_encoder_only_the_token_is_read_no_better_than_a_random_label(seed):
    """Both are read without a mistake: the vocabulary is so small that a probe learns it."""
    answer = cached_probes("trained", seed)
    assert failing(answer) == {"selectivity.token"}
    token, control = (found(answer, name).mean for name in ("token.last", "control.last"))
    near(token, control, RANDOM, abs=0.01)


@pytest.mark.parametrize("seed", mostly([0, 5], 0))
def test_twelve_fresh_post_norm_layers_collapse_with_the_residual_too(seed):
    answer = cached_probes("fresh", seed)
    assert {"cosine.on", "position.over_word"} <= failing(answer)
    assert found(answer, "residual.position").holds, "and later than without it"


def test_selectivity_is_accuracy_less_that_of_the_control(trained):
    by_word = torch.tensor(found(trained, "by_word").values)
    for residual in ("on", "off"):
        held_out = trained.tensors[f"accuracy.{residual}.by_seed"].data[:, :, 1]
        expected = torch.stack(
            [held_out[:, 0] - by_word[:, None], held_out[:, 1] - held_out[:, 2]], 1
        )
        selectivity = trained.tensors[f"selectivity.{residual}.by_seed"].data
        same(selectivity, expected)


def test_no_band_comes_from_another_measured_number(trained, untrained):
    others = probes(seed=3, sentences=8, seeds=2)
    for finding, other in zip(trained.fields["findings"], others.fields["findings"], strict=True):
        assert finding.band == other.band, finding.name
    assert found(untrained, "by_word").band == (None, None)


def test_the_probe_is_the_least_squares_solution_with_rows_added_for_the_ridge():
    draws = generator(0, 0)
    x, y = (
        torch.randn(1, 40, 5, generator=draws).double(),
        torch.randn(40, 3, generator=draws).double(),
    )
    fit = torch.arange(40) < 30
    for ridge in (1e-3, 1.0, 50.0):
        known, mean_x, mean_y = x[0, :30].numpy(), x[0, :30].mean(0).numpy(), y[:30].mean(0).numpy()
        rows = np.vstack([known - mean_x, np.sqrt(ridge) * np.eye(5)])
        w = np.linalg.lstsq(
            rows, np.vstack([y[:30].numpy() - mean_y, np.zeros((5, 3))]), rcond=None
        )[0]
        same(predict(x, y, fit, ridge)[0].numpy(), (x[0].numpy() - mean_x) @ w + mean_y, scale=1)


def test_a_probe_reads_what_is_written_in_a_channel_and_nothing_from_noise():
    draws = generator(0, 0)
    labels = torch.randint(4, (600,), generator=draws)
    fit = torch.arange(600) < 400
    noise = torch.randn(600, 8, generator=draws)
    marked = torch.cat([noise, torch.nn.functional.one_hot(labels, 4)], 1)
    (read_off,) = accuracies(
        torch.stack([marked, torch.cat([noise, torch.zeros(600, 4)], 1)]), [labels], fit, 1.0
    )
    assert (read_off[:, 0] == 1).all()
    assert 0.15 < read_off[1, 1] < 0.35


def test_what_was_fitted_flatters_most_where_there_is_little_of_it(trained):
    assert found(of_few(), "gap").mean > found(trained, "gap").mean > 0


def test_random_labels_of_words_are_learnt_by_heart(trained):
    """So a high line alone is no knowledge of the model: Hewitt and Liang's point."""
    position, _, control = trained.tensors["accuracy.on"].data[:, 1, 0]
    assert control > 0.9
    assert control > position


def test_the_guess_from_the_word_is_its_most_frequent_place():
    token, position = torch.tensor([0, 0, 0, 1, 1, 0, 1, 2]), torch.tensor([1, 1, 2, 3, 3, 1, 4, 0])
    fit = torch.tensor([True] * 5 + [False] * 3)
    same(majority(token, position, fit), 2 / 3, SINGLE)


def test_the_mean_cosine_is_that_of_every_pair():
    stream = torch.randn(2, 3, 4, 8, generator=generator(0, 0))
    real = torch.tensor([[True] * 4, [True] * 3 + [False], [True] * 2 + [False] * 2])
    expected = []
    for point in stream.numpy():
        means = []
        for sentence, n in zip(point, (4, 3, 2), strict=True):
            unit = sentence[:n] / np.linalg.norm(sentence[:n], axis=1, keepdims=True)
            means.append(np.mean([unit[i] @ unit[j] for i in range(n) for j in range(n) if i != j]))
        expected.append(np.mean(means))
    same(cosines(stream, real).numpy(), expected, scale=1)


@torch.no_grad()
def test_the_direct_path_is_the_part_that_the_decomposition_of_the_stream_finds():
    model = load_model("translator")
    run = run_model(model, Input(source="I have a black cat.", target="j'ai un chat noir."))
    whole = decompose(run, "encoder")
    ids = torch.tensor([[token.id for token in run.tokens["source"]]])
    stream, direct = read(model.transformer, ids, torch.ones_like(ids, dtype=torch.bool))
    last = model.config.n_encoder_layers - 1
    for point, name in (
        (0, "encoder.0.residual.in"),
        (1, "encoder.0.residual.out"),
        (last + 1, f"encoder.{last}.residual.out"),
    ):
        x = run.trace[name]
        same(stream[point, 0], x, scale=1)
        for i, kind in enumerate(("position", "token")):
            (part,) = (n for n, part in enumerate(whole.parts) if part.kind == kind)
            same(
                direct[i, point, 0],
                (whole.by_step[name][part] * x).sum(-1) / x.square().sum(-1),
                scale=1,
            )


@torch.no_grad()
def test_without_the_residual_a_layer_normalises_what_its_sub_layers_write_alone():
    transformer = fresh(generator(0, 0))
    cut = with_residual_scale(transformer, 0.0)
    x = torch.randn(1, 5, 64, generator=generator(1, 0))
    mask = torch.ones(5, 5, dtype=torch.bool)
    block = transformer.encoder[0]
    after = block.norm1(block.attention(x, Context(mask)))
    same(cut.encoder[0](x, Context(mask)), block.norm2(block.feed_forward(after)), scale=1)
    assert with_residual_scale(transformer, 1.0) is transformer


def test_ranks_collapse_within_a_few_fresh_layers_without_the_residual(untrained):
    on, off = (untrained.tensors[f"cosine.{residual}"].data for residual in ("on", "off"))
    assert off[3:].min() > 0.99
    assert on[3] < 0.9
    assert found(untrained, "cosine.off").band == (0.99, None)
    position, token, _ = untrained.tensors["accuracy.off"].data[:, 1]
    assert position[-1] < 0.25 > token[-1]


@pytest.mark.parametrize("d_model", mostly([32, 64, 128], 64))
def test_rank_collapse_is_no_matter_of_width(d_model, monkeypatch):
    monkeypatch.setattr(clinic, "FRESH_D_MODEL", d_model)
    assert found(probes(weights="fresh", sentences=8), "cosine.off").mean > 0.99


def test_other_weights_are_read_differently(monkeypatch):
    model = load_model("translator")
    plain = of_few()
    blurred = deepcopy(model.transformer)
    blurred.encoder[0].feed_forward.output.weight.mul_(3)
    monkeypatch.setattr(clinic, "load_model", lambda _: replace(model, transformer=blurred))
    before, after = (answer.tensors["accuracy.on"].data for answer in (plain, probes(sentences=8)))
    assert torch.equal(before[..., 0], after[..., 0])
    assert not torch.equal(before[..., 1:], after[..., 1:])


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"weights": "half"}, "weights is 'half'; it must be one of"),
        ({"sentences": 7}, "sentences is 7; it must be between 8 and 64."),
        ({"sentences": 65}, "sentences is 65; it must be between 8 and 64."),
        ({"ridge": 0.0}, "ridge is 0; it must be between 0.001"),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        probes(**question)
