"""The link to a derivation of /feed-forward leads to the number that it names."""

from urllib.parse import parse_qs, urlsplit

import pytest

from app.experiments.feed_forward import captions
from model.analyses import answer
from model.answers.answer import Answer
from tests.rounding import SINGLE, same

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}


def said(question: dict) -> tuple[Answer, dict]:
    asked = answer("feed-forward", question)
    return asked, captions(asked, question)


@pytest.mark.parametrize("model", ["translator", "translator-pre"])
def test_a_link_opens_the_derivation_of_the_neuron_that_writes_most(model: str):
    asked, told = said({**TRANSLATOR, "model": model, "layer": 1, "position": 2})
    queries = [parse_qs(urlsplit(link["href"]).query) for link in told["links"]]
    ((trail,),) = (query["explain"] for query in queries if "explain" in query)
    name, *at = trail.split("-")
    question = {**TRANSLATOR, "model": model, "name": name, "at": ",".join(at)}
    explained = answer("explain", question).fields
    same(explained["value"], asked.fields["top_neurons"][0]["post"], SINGLE)
