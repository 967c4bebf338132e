"""Every link of a step of /journey leads to a state that the other page has."""

import re
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from app.experiments.journey import captions
from model.analyses import answer
from tests.model.analyses.test_journey import WALKED


@pytest.mark.parametrize("model", WALKED)
def test_a_link_leads_to_a_page_about_the_model_in_a_state_that_it_has(
    fake: httpx2.Client, model: str, subtests: pytest.Subtests
):
    question = {"model": model, **WALKED[model]}
    for step in captions(answer("journey", question), question)["steps"]:
        with subtests.test(step["name"]):
            html = fake.get(step["link"], follow_redirects=False)
            assert html.status_code == 200
            asked = dict(parse_qsl(urlsplit(step["link"]).query))
            assert asked.pop("model") == model
            assert {name: asked.pop(name) for name in WALKED[model]} == WALKED[model]
            for name, value in asked.items():
                controls = re.findall(rf'<(?:input|select)[^>]*name="{name}"[^>]*>', html.text)
                assert controls, name
                if 'type="radio"' in controls[0]:
                    assert any(f'value="{value}"' in control for control in controls), value
