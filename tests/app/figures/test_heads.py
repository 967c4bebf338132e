"""Figures and words of /heads: each shows the numbers of the answer and says no more than they
do.
"""

import dataclasses

import numpy as np
import pytest

from app.captions.heads import captions, chosen_head, id_of
from app.experiments import experiments
from app.worker.figures import draw
from model import analyses
from model.answers.answer import Answer
from model.zoo.models import ids
from tests.rounding import SINGLE, same
from tests.thorough import mostly


def asked(**question) -> Answer:
    return analyses.answer("heads", question)


@pytest.fixture(scope="module")
def induction() -> Answer:
    return asked(model="induction-2", text="qvmtzkdbqvmtzkdbqvmt")


@pytest.mark.parametrize("model", mostly(ids(), "translator", "digits", "penguins-saint"))
def test_every_figure_and_every_sentence_can_be_made_of_every_model(model: str):
    answer = asked(model=model)
    for name in experiments()["heads"].figures:
        meta = draw("heads", name, answer, {"model": model})["layout"]["meta"]
        assert meta["description"] == captions(answer, {})["views"][name]["see"]
    for role in answer.fields["roles"]:
        one = asked(model=model, role=role["role"])
        for name in experiments()["heads"].figures:
            assert draw("heads", name, one, {"model": model, "role": role["role"]})["data"]


def test_a_cell_has_the_role_only_of_a_head_that_has_one(induction: Answer):
    trace = draw("heads", "roles", induction, {})["data"][0]
    cells = [cell.split("<br>")[0] for row in trace["text"] for cell in row]
    names = {one["role"]: one["name"] for one in induction.fields["roles"]}
    expected = [names.get(head["role"], "–") for head in induction.fields["heads"]]
    assert cells == expected
    assert "–" in cells
    same(trace["z"], induction.tensors["lift"].data.clamp(0, 1), SINGLE)
    assert trace["meta"]["pick"]["place"][1][3] == "decoder.1.attention.3"


def test_bars_are_scores_in_order_and_each_has_its_interval_and_its_chance(induction: Answer):
    data = {trace["name"]: trace for trace in draw("heads", "scores", induction, {})["data"]}
    bars = {}
    for name in ("has a role", "no role found"):
        bars |= dict(zip(data[name]["x"].tolist(), data[name]["y"].tolist(), strict=True))
    score, low, high, chance = (
        induction.tensors[name].data.flatten() for name in ("score", "low", "high", "chance")
    )
    same([bars[i] for i in range(8)], score.tolist(), SINGLE)
    ends = data["interval of 95 %"]["y"].reshape(8, 3)
    same(ends[:, :2], np.stack([low, high], 1), SINGLE)
    same(data["chance"]["y"], chance, SINGLE)
    names = [one["role"] for one in induction.fields["roles"]]
    here = induction.tensors["here"].data
    at = names.index("induction"), 1, 3
    same(data["your input"]["y"][7], here[at].item(), SINGLE)


def test_a_cost_below_0_is_drawn_below_0():
    answer = asked(model="translator")
    assert (answer.tensors["cost"].data < 0).any()
    figure = draw("heads", "costs", answer, {})
    drawn = np.concatenate([trace["y"] for trace in figure["data"] if trace["type"] == "bar"])
    same(drawn.min(), answer.tensors["cost"].data.min().item(), SINGLE)
    assert figure["layout"]["yaxis"]["range"][0] <= answer.tensors["cost_low"].data.min().item()


def test_the_heads_of_a_role_cost_together_what_the_answer_says(induction: Answer):
    together, alone, _ = draw("heads", "groups", induction, {})["data"]
    assert together["y"].tolist() == [group["cost"] for group in induction.fields["groups"]]
    assert alone["y"].tolist() == [group["alone"] for group in induction.fields["groups"]]


def test_the_head_that_is_asked_for_is_told_and_another_name_falls_back(induction: Answer):
    place = {"place": "decoder.1.attention.3"}
    assert id_of(chosen_head(induction, place)) == place["place"]
    said = captions(induction, place)
    assert "Head decoder 1.3 has the role “induction”" in said["views"]["roles"]["more"]
    assert said["chosen"]["place"] == place["place"]
    assert id_of(chosen_head(induction, {"place": "encoder.9.attention.0"})) == (
        "decoder.0.attention.3"  # with a role, and the dearest
    )


def test_the_link_leads_to_the_head_on_the_example_where_it_shows_best():
    answer = asked(model="translator")
    link = captions(answer, {"place": "decoder.2.cross_attention.1"})["links"][0]["href"]
    assert link.startswith("/attention?model=translator&source=")
    assert "kind=cross&stack=decoder&layer=2&head=1" in link


def with_cost(answer: Answer, low: float, high: float) -> Answer:
    """The answer with another cost of its dearest head."""
    mean = (low + high) / 2
    heads = [
        {**one, "cost": mean, "cost_low": low, "cost_high": high, "needed": low > 0}
        for one in answer.fields["heads"]
    ]
    return dataclasses.replace(answer, fields={**answer.fields, "heads": heads})


def test_a_cost_that_may_be_0_is_said_to_be_so_and_a_gain_is_no_cost(induction: Answer):
    def said(low: float, high: float) -> str:
        return captions(with_cost(induction, low, high), {})["views"]["roles"]["more"]

    assert "raises the loss by 2 nats" in said(1, 3)
    assert "cannot be told from 0" in said(-1, 3)
    assert "lowers the loss by 2 nats" in said(-3, -1)


def test_heads_that_cost_less_together_than_alone_are_not_said_to_stand_in_for_each_other():
    both = {
        model: captions(asked(model=model), {})["views"]["groups"]["more"]
        for model in ("induction-2", "induction-1")
    }
    assert "more than the sum" in both["induction-2"]
    assert "no more than one by one" in both["induction-1"]
    digits = captions(asked(model="digits"), {})["views"]["groups"]["see"]
    assert "No head has a role" in digits


def test_a_role_is_offered_only_where_some_query_has_keys_of_it(induction: Answer):
    offered = {one["value"] for one in captions(induction, {})["choices"]["role"]}
    assert {"", "previous", "induction"} <= offered
    assert not {"next", "separator"} & offered


def test_few_inputs_are_said_to_be_few():
    few = captions(asked(model="translator", examples=3), {"examples": 3})
    assert "3 examples of the card, which are few (measured now)" in few["views"]["costs"]["see"]
    assert few["chosen"]["examples"] == "3"
    many = captions(asked(model="translator"), {})
    assert "few" not in many["views"]["costs"]["see"]
