"""Gradients times input are those of finite differences, and integrated gradients are complete."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

from model.edits.edit import read_edits
from model.inputs.input import Input
from model.interpretability.attribution import gradients as input_gradients
from model.interpretability.attribution.answer import AttributedAnswer, attributed_answer
from model.interpretability.attribution.gradients import (
    gradient_times_input,
    integrated_gradients,
    log_probabilities,
    sums_at,
)
from model.runs.run import Run
from model.runs.run_model import run_model
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, row_run
from tests.model.support.runs import small_run
from tests.rounding import APPROXIMATED, SINGLE, near, same

MAKE = [
    pytest.param(lambda: small_run("encoder-decoder", "post"), id="encoder-decoder"),
    pytest.param(lambda: small_run("decoder-only", "pre", norm="rms", relative="rope"), id="rope"),
    pytest.param(lambda: small_run("encoder-only", "post", normed_embedding=True), id="encoder"),
    pytest.param(lambda: small_run("prefix", "pre"), id="prefix"),
    pytest.param(image_run, id="image"),
    pytest.param(lambda: row_run(**FT), id="row"),
]


def in_float64(run: Run) -> AttributedAnswer:
    """The same answer of the same model in float64."""
    transformer = deepcopy(run.model.transformer).double()
    model = replace(run.model, transformer=transformer)
    trace = {name: value.double() for name, value in run.trace.items() if value.is_floating_point()}
    return attributed_answer(replace(run, model=model, trace=trace), Input(**run.input))


@pytest.mark.parametrize("make", MAKE[:4])
def test_a_gradient_times_input_is_the_slope_of_shortening_one_vector(make):
    answer = in_float64(make())
    found = gradient_times_input(answer)
    whole = sums_at(answer, torch.ones(1, dtype=torch.float64))
    step = 1e-6
    for place, token in enumerate(answer.tokens):
        name = f"{token.stack}.embedding"
        vector = answer.run.trace[f"{name}.token"][token.position]
        ends = []
        for sign in (-1, 1):
            moved = {key: value.clone() for key, value in whole.items()}
            moved[f"{name}.sum"][0, token.position] += sign * step * vector
            ends.append(log_probabilities(answer, moved).item())
        slope = (ends[1] - ends[0]) / (2 * step)
        same(found[place].item(), slope, SINGLE, scale=1)


@pytest.mark.parametrize("make", MAKE)
def test_integrated_gradients_sum_to_what_the_log_probability_loses_without_all_vectors(make):
    run = make()
    answer = attributed_answer(run, Input(**run.input))
    found = integrated_gradients(answer, 2048)
    edits = read_edits(
        [{"op": "zero", "at": f"{stack}.embedding.token"} for stack in run.config.stacks]
    )
    without = run_model(run.model, answer.input, edits=edits).trace["logits"]
    known = answer.log_probability(run.trace["logits"]) - answer.log_probability(without)
    same(found.difference, known.item(), SINGLE, scale=1)
    near(found.scores.sum().item(), known.item(), APPROXIMATED, abs=0.001)
    assert found.error <= 1e-3
    assert found.steps <= 2048


def test_integrated_gradients_are_those_of_a_fine_sum_over_the_way():
    answer = in_float64(small_run("encoder-only", "post"))
    points = (torch.arange(4000, dtype=torch.float64) + 0.5) / 4000
    rows = [input_gradients.gradients_at(answer, batch)[1] for batch in points.split(200)]
    expected = torch.cat(rows).mean(0)
    found = integrated_gradients(answer, 2048).scores
    near(found, expected, APPROXIMATED, abs=0.002)


def test_more_points_are_only_taken_where_they_are_needed(monkeypatch: pytest.MonkeyPatch):
    run = small_run("encoder-only", "post")
    answer = attributed_answer(run, Input(**run.input))
    few, many = (integrated_gradients(answer, steps) for steps in (17, 4096))
    assert few.steps == 17
    assert many.steps < 4096
    monkeypatch.setattr(input_gradients, "TOLERANCE", 0.0)
    assert integrated_gradients(answer, 99).steps in (97, 98, 99)


def test_the_batches_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    run = small_run("encoder-decoder", "pre")
    answer = attributed_answer(run, Input(**run.input))
    whole = integrated_gradients(answer, 65)
    monkeypatch.setattr(input_gradients, "PAIRS", 1)
    one_by_one = integrated_gradients(answer, 65)
    same(whole.scores, one_by_one.scores, SINGLE, scale=1)


def test_a_gradient_is_computed_inside_an_inference_as_outside():
    run = small_run("decoder-only")
    answer = attributed_answer(run, Input(**run.input))
    outside = gradient_times_input(answer)
    with torch.inference_mode():
        inside = gradient_times_input(answer)
    same(inside, outside)
