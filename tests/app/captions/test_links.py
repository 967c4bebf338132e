"""Links of pages about runs lead to a state that the other page has: a path that is taken away, the
derivation of the neuron that writes most, and of every step of a walk the page about it.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx2
import pytest

from app.captions.circuit import address_of
from app.captions.journey import LINKS, SENTENCES, TITLES, Spoken, entry_of, spoken
from app.experiments.feed_forward import captions
from model.analyses import answer
from model.answers.answer import Answer
from model.interpretability.path_expansion import group_of, removed_paths
from tests.model.analyses.test_journey import WALKED
from tests.rounding import SINGLE, same

PATHS = [
    *("direct", "0.0", "0.3", "1.0", "1.1"),
    *(f"0.{i}-1.{j}{end}" for i in (0, 3) for j in (0, 1) for end in ("", ".k", ".q")),
]
FIELDS = {"paths": PATHS, "groups": group_of(PATHS)}


@pytest.mark.parametrize(
    ("without", "address"),
    [
        (["0.3-1.0.k", "0.3-1.1.k"], "0.3-1.?.k"),
        (["0.3-1.0.k"], "0.3-1.0.k"),
        (["1.0", "1.1", "0.0-1.1"], "1.?,0.0-1.1"),
        ([], ""),
    ],
)
def test_an_address_names_a_group_where_all_of_it_is_taken_away(without: list[str], address: str):
    assert address_of(FIELDS, without) == address
    assert set(removed_paths(address, PATHS)) == set(without)


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


@cache
def walked(model: str) -> Answer:
    return answer("journey", {"model": model, **WALKED[model]})


def steps(model: str) -> Iterator[tuple[Spoken, dict[str, Any]]]:
    told = walked(model)
    for i, step in enumerate(told.fields["steps"]):
        yield spoken(i, told, {"model": model, **WALKED[model]}), step["numbers"]


def test_every_step_of_every_walk_is_titled_spoken_of_and_linked():
    for model in WALKED:
        told = walked(model)
        for step in told.fields["steps"]:
            for table in (TITLES, SENTENCES, LINKS):
                assert entry_of(table, step["name"], told.fields["walk"])


@pytest.mark.parametrize("model", WALKED)
def test_a_link_leads_to_a_page_about_the_model_in_a_state_that_it_has(
    fake: httpx2.Client, model: str, subtests: pytest.Subtests
):
    for said, _ in steps(model):
        with subtests.test(said.name):
            html = fake.get(said.link, follow_redirects=False)
            assert html.status_code == 200
            asked = dict(parse_qsl(urlsplit(said.link).query))
            assert asked.pop("model") == model
            assert {name: asked.pop(name) for name in WALKED[model]} == WALKED[model]
            for name, value in asked.items():
                controls = re.findall(rf'<(?:input|select)[^>]*name="{name}"[^>]*>', html.text)
                assert controls, name
                if 'type="radio"' in controls[0]:
                    assert any(f'value="{value}"' in control for control in controls), value
