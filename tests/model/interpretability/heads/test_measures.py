"""Roles, costs and their intervals, against SciPy, against weights that are really taken away, and
on induction-2, whose heads are known.
"""

import copy
import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from scipy import stats
from torch.nn.functional import cross_entropy

from model.edits.edit import Edit
from model.inputs.input import Input
from model.interpretability.heads.costs import costs
from model.interpretability.heads.groups import groups
from model.interpretability.heads.measures import (
    MARGIN,
    Example,
    HeadMeasures,
    Interval,
    OneInput,
    interval,
    measure,
    measure_example,
    scores_of_run,
    together,
)
from model.interpretability.heads.survey import recorded_survey, survey, to_record
from model.runs.run_model import run_model
from model.training.drawn_inputs import inputs_of, repeating
from model.zoo.head_record import read_head_record
from model.zoo.models import load_model
from tests.model.support.models_of_others import hub_model
from tests.rounding import PRINTED, REMEASURED, SINGLE, near, same


def test_an_interval_is_that_of_student_over_the_inputs_that_count():
    values = torch.randn(9, 2, generator=torch.Generator().manual_seed(0)).double()
    values[[1, 4], 1] = torch.nan
    found = interval(values)
    for column in range(2):
        some = values[:, column].numpy()
        some = some[~np.isnan(some)]
        low, high = stats.t.interval(0.95, len(some) - 1, np.mean(some), stats.sem(some))
        same(found.mean[column], np.mean(some))
        same(found.low[column].item(), low, SINGLE)
        same(found.high[column].item(), high, SINGLE)


def test_one_input_alone_has_no_interval_and_gives_no_role():
    assert interval(torch.ones(1, 1).double()).low.isnan().all()
    model = load_model("induction-2")
    found = measure(model, inputs_of(model, 1, 0).examples)
    assert found.role == [[None] * 4] * 2
    assert not found.needed.any()


def test_an_input_without_a_query_of_the_role_changes_nothing():
    known = OneInput(
        ("a",), ("r",), torch.full((1, 1, 1), 0.5), torch.full((1, 1), 0.2), torch.zeros(1, 1)
    )
    other = replace(known, scores=torch.full((1, 1, 1), 0.7))
    silent = replace(
        known,
        scores=torch.full((1, 1, 1), torch.nan),
        chance=torch.full((1, 1), torch.nan),
    )
    two, three = together([known, other]), together([known, other, silent])
    assert three.inputs == 3
    assert torch.equal(two.score.low, three.score.low)
    assert torch.equal(two.chance, three.chance)


def measures_with(low: float, chance: float = 0.2) -> HeadMeasures:
    """One head with one role, whose interval begins at `low`."""
    ones = torch.ones(1, 1, 1).double()
    cost = torch.zeros(1, 1).double()
    return HeadMeasures(
        ("encoder.0.attention",),
        ("itself",),
        9,
        Interval(ones * (low + 0.1), ones * low, ones * (low + 0.2)),
        torch.full((1, 1), chance).double(),
        Interval(cost, cost, cost),
    )


def test_a_head_has_a_role_only_if_its_whole_interval_lies_above_the_margin():
    chance = 0.2
    edge = chance + MARGIN * (1 - chance)
    assert measures_with(edge + 0.01).role == [["itself"]]
    assert measures_with(edge - 0.01).role == [[None]]
    found = measures_with(edge - 0.01)
    assert found.closest.item() == 0
    assert (
        found.lift(
            torch.tensor(
                [
                    [[chance]],
                ]
            ).double()
        ).item()
        == 0
    )
    assert found.lift(torch.ones(1, 1, 1).double()).item() == 1


def test_a_cost_counts_only_if_its_interval_lies_above_0():
    measures, ones = measures_with(0.9), torch.ones(1, 1).double()
    assert not replace(measures, cost=Interval(ones, -0.01 * ones, 2 * ones)).needed.item()
    assert replace(measures, cost=Interval(ones, 0.01 * ones, 2 * ones)).needed.item()


@pytest.mark.parametrize("head", [0, 3])
def test_the_cost_of_a_head_is_that_of_its_rows_of_the_output_matrix(head: int):
    model = load_model("induction-2")
    text = inputs_of(model, 1, 5).examples[0].input
    run = run_model(model, text)
    ids = torch.tensor([token.id for token in run.tokens["text"]])
    allowed = {"decoder.attention": run.masks["decoder.attention"]}

    def loss(of) -> float:
        return cross_entropy(of(None, ids, allowed)[:-1], ids[1:]).item()

    ablated = copy.deepcopy(model.transformer)
    width = model.config.d_head
    for layer in range(2):
        weight = ablated.get_parameter(f"decoder.{layer}.attention.output.weight")
        original = weight.detach().clone()
        weight.data[head * width : (head + 1) * width] = 0
        expected = loss(ablated) - loss(model.transformer)
        weight.data.copy_(original)
        found = costs(run, text, [[(f"decoder.{layer}.attention", head)]])
        same(found.item(), expected, SINGLE, scale=1)


def test_the_loss_is_about_what_is_right_where_the_example_says_it():
    model = load_model("digits")
    inputs = Input(image="three")
    logits = run_model(model, inputs).trace["logits"][0].double()
    heads = [[("encoder.0.attention", head) for head in range(4)]]
    run = run_model(model, inputs)
    found = {right: costs(run, inputs, heads, (right,)).item() for right in (3, 8)}
    without = (
        run_model(model, inputs, edits=(Edit("zero", "encoder.0.attention.z"),))
        .trace["logits"][0]
        .double()
    )
    for right, cost in found.items():
        expected = logits.log_softmax(-1)[right] - without.log_softmax(-1)[right]
        same(cost, expected.item(), SINGLE, scale=1)
    same(costs(run, inputs, heads), found[int(logits.argmax())])


def induction_2() -> tuple[HeadMeasures, list[Example]]:
    model = load_model("induction-2")
    examples = list(inputs_of(model, 48, 7).examples)
    return measure(model, examples), examples


def test_both_measures_find_the_heads_of_induction_2_and_no_others():
    found, examples = induction_2()
    role, cost = found.role, found.cost
    heads = [(i, h) for i in range(2) for h in range(4)]
    previous = [(i, h) for i, h in heads if role[i][h] == "previous"]
    induction = [(i, h) for i, h in heads if role[i][h] == "induction"]
    # One head of layer 0 is told the letter before, and by cost too it stands alone.
    assert previous == [(0, 3)]
    others = [cost.high[at].item() for at in heads if at != (0, 3)]
    assert cost.low[0, 3].item() > 10 * max(others)
    # Every head of layer 1 looks for the repetition, and none of layer 0 does.
    assert induction == [(1, head) for head in range(4)]
    # Its clearest head is the one that costs most of them, by intervals that do not meet.
    score = found.score.mean[found.roles.index("induction"), 1]
    assert score.argmax() == cost.mean[1].argmax() == 3
    assert cost.low[1, 3] > cost.high[1, :3].max()
    # They stand in for each other: only together they cost as much as the head before.
    by_role = {group.role: group for group in groups(load_model("induction-2"), found, examples)}
    assert by_role["induction"].alone < 0.2
    low = by_role["induction"].low
    assert low is not None
    assert low > 5 * by_role["induction"].alone
    same(by_role["previous"].cost, cost.mean[0, 3])


def test_the_control_of_one_layer_has_neither_head():
    model = load_model("induction-1")
    found = measure(model, inputs_of(model, 24, 7).examples)
    assert not {"previous", "induction"} & {role for row in found.role for role in row}


@pytest.mark.thorough  # what a survey is made of is measured by hand above, from fewer inputs
def test_a_record_holds_what_a_survey_measures():
    model = load_model("induction-2")
    found = survey(model, inputs_of(model, 200, 0))
    record = read_head_record("induction-2")
    assert record is not None
    again = recorded_survey(record)
    assert record.inputs == 200
    near(again.measures.score.mean, found.measures.score.mean, PRINTED, abs=1e-5)
    near(again.measures.cost.low, found.measures.cost.low, REMEASURED, abs=0.001)
    assert again.measures.role == found.measures.role
    assert again.shown == found.shown
    assert [group.heads for group in again.groups] == [group.heads for group in found.groups]


def test_a_record_that_is_read_is_the_one_that_is_written():
    record = read_head_record("induction-2")
    assert record is not None
    again = recorded_survey(record)
    text = json.dumps(asdict(to_record(again, record.weights_sha256)))
    assert json.loads(text) == asdict(record)


def test_what_nothing_defines_is_null_in_a_record():
    record = read_head_record("induction-2")
    assert record is not None
    assert record.score[record.roles.index("next")] == [[None] * 4] * 2
    assert math.isnan(
        recorded_survey(record).measures.score.mean[record.roles.index("next"), 0, 0].item()
    )


def test_an_example_is_measured_as_the_run_of_the_same_input():
    model = load_model("translator")
    example = Example(Input(source="i am cold", target="j'ai froid"))
    found = measure_example(model, example)
    run = run_model(model, example.input)
    pattern = run.trace["decoder.2.attention.pattern"]
    at = found.roles.index("itself"), found.layers.index("decoder.2.attention"), 3
    weights = pattern[3].diagonal()[1:].mean().item()  # the first query sees itself alone
    same(found.scores[at].item(), weights, SINGLE)


def test_inputs_that_are_only_scored_count_for_roles_and_not_for_costs():
    model = hub_model("gpt-2")
    examples, others = (
        [Example(Input(text=text)) for text in texts]
        for texts in (["The cat is"], ["cat dog cat dog", "one two one two one"])
    )
    found, plain = measure(model, examples, scored=others), measure(model, examples)
    every = [scores_of_run(run_model(model, example.input))[2] for example in (*examples, *others)]
    by_hand = np.ma.masked_invalid(np.stack([scores.numpy() for scores in every])).mean(0)
    same(found.score.mean.numpy(), by_hand.filled(np.nan))
    assert found.inputs == 1
    assert torch.equal(found.cost.mean, plain.cost.mean)


def test_words_that_repeat_are_said_twice_in_an_order_that_the_seed_draws():
    texts = [example.input.text.split() for example in repeating(0)]
    assert all(words[:8] == words[8:] and len(set(words)) == 8 for words in texts)
    assert repeating(0) == repeating(0) != repeating(1)
