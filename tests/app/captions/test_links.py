"""Links of pages about runs lead to a state that the other page has: the derivation of the neuron
that writes most, and of every step of a walk the page about it.
"""

import re
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import pytest

from app.experiments import feed_forward, journey
from model.analyses import answer
from model.answers.answer import Answer
from tests.model.analyses.test_journey import WALKED
from tests.rounding import SINGLE, same

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}


def answer_and_captions(question: dict) -> tuple[Answer, dict]:
    answered = answer("feed-forward", question)
    return answered, feed_forward.captions(answered, question)


@pytest.mark.parametrize("model", ["translator", "translator-pre"])
def test_a_link_opens_the_derivation_of_the_neuron_that_writes_most(model: str):
    answered, captions = answer_and_captions(
        {**TRANSLATOR, "model": model, "layer": 1, "position": 2}
    )
    queries = [parse_qs(urlsplit(link["href"]).query) for link in captions["links"]]
    ((trail,),) = (query["explain"] for query in queries if "explain" in query)
    name, *at = trail.split("-")
    question = {**TRANSLATOR, "model": model, "name": name, "at": ",".join(at)}
    explained = answer("explain", question).fields
    same(explained["value"], answered.fields["top_neurons"][0]["post"], SINGLE)


@pytest.mark.parametrize("model", WALKED)
def test_a_link_leads_to_a_page_about_the_model_in_a_state_that_it_has(
    fake: httpx2.Client, model: str, subtests: pytest.Subtests
):
    question = {"model": model, **WALKED[model]}
    for step in journey.captions(answer("journey", question), question)["steps"]:
        with subtests.test(step["name"]):
            html = fake.get(step["link"], follow_redirects=False)
            assert html.status_code == 200
            query = dict(parse_qsl(urlsplit(step["link"]).query))
            assert query.pop("model") == model
            assert {name: query.pop(name) for name in WALKED[model]} == WALKED[model]
            for name, value in query.items():
                controls = re.findall(rf'<(?:input|select)[^>]*name="{name}"[^>]*>', html.text)
                assert controls, name
                if 'type="radio"' in controls[0]:
                    assert any(f'value="{value}"' in control for control in controls), value
