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


def answer_of(**question) -> Answer:
    return analyses.answer("heads", question)


@pytest.fixture(scope="module")
def induction() -> Answer:
    return answer_of(model="induction-2", text="qvmtzkdbqvmtzkdbqvmt")


@pytest.mark.parametrize("model", mostly(ids(), "translator", "digits", "penguins-saint"))
def test_every_figure_and_every_sentence_can_be_made_of_every_model(model: str):
    answer = answer_of(model=model)
    for name in experiments()["heads"].figures:
        assert draw("heads", name, answer, {"model": model})["layout"]["meta"]["description"]
    for role in answer.fields["roles"]:
        answered = answer_of(model=model, role=role["role"])
        for name in experiments()["heads"].figures:
            assert draw("heads", name, answered, {"model": model, "role": role["role"]})["data"]


def test_a_cost_below_0_is_drawn_below_0():
    answer = answer_of(model="translator")
    assert (answer.tensors["cost"].data < 0).any()
    figure = draw("heads", "costs", answer, {})
    heights = np.concatenate([trace["y"] for trace in figure["data"] if trace["type"] == "bar"])
    same(heights.min(), answer.tensors["cost"].data.min().item(), SINGLE)
    assert figure["layout"]["yaxis"]["range"][0] <= answer.tensors["cost_low"].data.min().item()


def test_another_name_than_that_of_a_head_falls_back(induction: Answer):
    assert id_of(chosen_head(induction, {"place": "encoder.9.attention.0"})) == (
        "decoder.0.attention.3"  # with a role, and the dearest
    )


def test_a_role_is_offered_only_where_some_query_has_keys_of_it(induction: Answer):
    offered = {
        choice["value"] for choice in captions("heads", induction, {})["words"]["choices"]["role"]
    }
    assert {"", "previous", "induction"} <= offered
    assert not {"next", "separator"} & offered
