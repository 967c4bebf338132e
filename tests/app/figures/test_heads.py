"""Figures and words of /heads: each shows the numbers of the answer and says no more than they
do.
"""

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


def test_a_cost_below_0_is_drawn_below_0():
    answer = asked(model="translator")
    assert (answer.tensors["cost"].data < 0).any()
    figure = draw("heads", "costs", answer, {})
    drawn = np.concatenate([trace["y"] for trace in figure["data"] if trace["type"] == "bar"])
    same(drawn.min(), answer.tensors["cost"].data.min().item(), SINGLE)
    assert figure["layout"]["yaxis"]["range"][0] <= answer.tensors["cost_low"].data.min().item()


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


def test_a_role_is_offered_only_where_some_query_has_keys_of_it(induction: Answer):
    offered = {one["value"] for one in captions(induction, {})["choices"]["role"]}
    assert {"", "previous", "induction"} <= offered
    assert not {"next", "separator"} & offered
