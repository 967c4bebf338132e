"""Every step of /journey has words, and its link leads to a state that the other page has."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from app.captions.journey import LINKS, SENTENCES, TITLES, Spoken, entry_of, spoken
from model.analyses import answer
from model.answers.answer import Answer
from tests.model.analyses.test_journey import WALKED


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
