"""Figures and words of /heads: each shows the numbers of the answer and says no more than they
do.
"""

import numpy as np
import pytest

from app.experiments import experiments
from app.figures.heads import chosen_head, id_of
from app.worker.figures import captions, draw
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
        assert draw("heads", name, answer, {"model": model})["layout"]["meta"]["description"]
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


def test_another_name_than_that_of_a_head_falls_back(induction: Answer):
    assert id_of(chosen_head(induction, {"place": "encoder.9.attention.0"})) == (
        "decoder.0.attention.3"  # with a role, and the dearest
    )


def test_a_role_is_offered_only_where_some_query_has_keys_of_it(induction: Answer):
    offered = {one["value"] for one in captions("heads", induction, {})["words"]["choices"]["role"]}
    assert {"", "previous", "induction"} <= offered
    assert not {"next", "separator"} & offered
