"""/heads: what is kept and what is measured now, one role or each head's own, and refusals."""

import json
import math
from typing import get_args

import pytest
import torch

from app.experiments.heads import Role
from model import analyses
from model.errors import CorruptWeights, InvalidInput
from model.inputs.input import Input
from model.interpretability.heads.measures import scores_of_run
from model.interpretability.heads.roles import NAMES
from model.runs.run_model import run_model
from model.training.drawn_inputs import inputs_of
from model.zoo import head_record
from model.zoo.models import WEIGHTS, ids, load_model
from tests.rounding import same


def answer(**question):
    return analyses.answer("heads", question)


@pytest.mark.parametrize("model", ids())
def test_every_model_has_a_record_of_every_head_and_all_that_is_told_agrees(model: str):
    found = answer(model=model)
    fields, tensors = found.fields, found.tensors
    layers, heads = found.axes["layer"].size, found.axes["head"].size
    assert not fields["measured_now"]
    assert fields["inputs"] >= 100
    assert len(fields["heads"]) == layers * heads
    assert found.input is None
    for i, head in enumerate(fields["heads"]):
        at = divmod(i, heads)
        assert [head["layer"], head["head"]] == [found.axes["layer"].labels[at[0]], at[1]]
        for name in ("score", "low", "high", "chance", "lift", "cost", "cost_low", "cost_high"):
            same(head[name], tensors[name].data[at], scale=1)
        assert head["role"] in (None, head["closest"])
        assert head["cost_low"] <= head["cost"] <= head["cost_high"]
        assert head["needed"] == (head["cost_low"] > 0)
        lift_of_low = (head["low"] - head["chance"]) / (1 - head["chance"])
        assert (head["role"] is not None) == (lift_of_low > fields["margin"])
    grouped = {
        (head["layer"], head["head"]) for group in fields["groups"] for head in group["heads"]
    }
    having = {(head["layer"], head["head"]) for head in fields["heads"] if head["role"]}
    assert grouped == having


def test_one_role_is_told_of_every_head():
    found = answer(model="induction-2", role="induction")
    order = found.axes["role"].labels
    assert order is not None
    row = order.index("induction")
    for name, plural in (("score", "scores"), ("low", "lows"), ("high", "highs")):
        assert torch.equal(found.tensors[name].data, found.tensors[plural].data[row])
    assert found.tensors["score"].data[1].min() > 0.7 > found.tensors["score"].data[0].max()


def test_what_no_query_defines_is_null():
    found = answer(model="induction-2", role="next")
    assert (found.tensors["score"].data == -math.inf).all()
    assert found.tensors["score"].masked


def test_an_input_of_ones_own_is_scored_beside_the_others():
    text = "qvmtzkdbqvmtzkdbqvmt"
    found = answer(model="induction-2", text=text)
    model = load_model("induction-2")
    _, _, scores, _ = scores_of_run(run_model(model, Input(text=text)))
    here = found.tensors["here"].data
    assert torch.equal(here.isfinite(), scores.isfinite())
    same(here[here.isfinite()], scores[scores.isfinite()])
    assert found.input == {"text": text}


def test_the_numbers_are_measured_now_over_as_many_inputs_as_are_asked_for():
    first, again, other = (answer(model="induction-2", examples=3, seed=seed) for seed in (1, 1, 2))
    assert first.fields["measured_now"]
    assert first.fields["inputs"] == 3
    cost = [result.tensors["cost"].data for result in (first, again, other)]
    assert torch.equal(cost[0], cost[1])
    assert not torch.equal(cost[0], cost[2])
    assert answer(model="translator", examples=2).fields["of"] == "examples from the model card"


def test_more_examples_than_there_are_are_refused_with_their_number():
    with pytest.raises(InvalidInput, match="fill-in only has 4 examples") as refused:
        answer(model="fill-in", examples=5)
    assert (refused.value.field, refused.value.limit) == ("examples", 4)


def test_a_role_that_no_head_of_the_model_can_have_is_refused_with_those_that_there_are():
    with pytest.raises(InvalidInput, match=r"'box'.* previous.* induction") as refused:
        answer(model="induction-2", role="box")
    assert refused.value.field == "role"


def test_the_roles_that_may_be_asked_for_are_those_that_there_are():
    assert get_args(Role) == NAMES


def test_an_input_that_the_model_cannot_read_is_refused():
    with pytest.raises(InvalidInput, match="source"):
        answer(model="induction-2", source="i am cold")


def test_inputs_that_are_drawn_are_new_for_each_seed_and_never_those_of_the_training():
    model = load_model("induction-2")
    examples, others = (inputs_of(model, 6, seed).examples for seed in (0, 1))
    assert not {example.input for example in examples} & {example.input for example in others}
    scenes = inputs_of(load_model("shapes"), 5, 3)
    assert len({example.input for example in scenes.examples}) == 5
    assert scenes == inputs_of(load_model("shapes"), 5, 3)


def test_a_record_of_other_weights_is_refused(tmp_path):
    shipped = WEIGHTS / "induction-1"
    folder = tmp_path / "induction-1"
    folder.mkdir()
    for name in ("card.json", "model.safetensors"):
        (folder / name).write_bytes((shipped / name).read_bytes())
    assert head_record.read_head_record("induction-1", tmp_path) is None
    head_record.read_head_record.cache_clear()
    record = json.loads((shipped / head_record.FILE).read_text(encoding="utf-8"))
    (folder / head_record.FILE).write_text(json.dumps(record | {"weights_sha256": "0" * 64}))
    with pytest.raises(CorruptWeights, match=r"heads.json was measured with other weights"):
        head_record.read_head_record("induction-1", tmp_path)
