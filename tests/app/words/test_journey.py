"""What the page of /journey says: two sentences a step, each number in them the run's, and links
that lead to pages in a state that those pages know.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from app.figures.text import number
from app.words.journey import LINKS, SENTENCES, TITLES, Spoken, said_in, share, spoken, words
from model.analyses import answer
from model.answers.answer import Answer
from tests.model.analyses.test_journey import WALKED

STATED = {"0", "1", "0.1 %", "99.9 %"}
"""Numbers that a sentence may state: the ends of a range, and what is too small to be printed."""
SPOKEN_NUMBER = re.compile(r"−?\d[\d.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?: %)?")


@cache
def walked(model: str) -> Answer:
    return answer("journey", {"model": model, **WALKED[model]})


def steps(model: str) -> Iterator[tuple[Spoken, dict[str, Any]]]:
    told = walked(model)
    for i, step in enumerate(told.fields["steps"]):
        yield spoken(i, told, {"model": model, **WALKED[model]}), step["numbers"]


def forms(value: object) -> set[str]:
    """How a number may be printed: as it is, as a share, one more or one less."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return set()
    counted = {str(value - 1), str(value), str(value + 1)} if isinstance(value, int) else set()
    return counted | {number(value), number(round(value, 5)), share(value)}


def unquoted(sentence: str) -> str:
    """The sentence without the tokens in it, and without names of patches such as 2,3."""
    return re.sub(r"“[^”]*”|\d+,\d+", "", sentence)


@pytest.mark.parametrize("model", WALKED)
def test_every_step_has_a_title_and_two_sentences_with_the_numbers_of_the_run(
    model: str, subtests: pytest.Subtests
):
    for said, numbers in steps(model):
        with subtests.test(said.name):
            assert said.title
            assert len(said.sentences) == 2
            assert all(re.fullmatch(r"[A-Z“].*\.", one) for one in said.sentences)
            known = STATED.union(*map(forms, numbers.values()))
            for sentence in said.sentences:
                for found in SPOKEN_NUMBER.findall(unquoted(sentence)):
                    assert found.rstrip(".") in known, sentence


@pytest.mark.parametrize("model", WALKED)
def test_no_sentence_has_a_number_of_its_own(model: str, subtests: pytest.Subtests):
    """With other numbers of a run it says those, and none of the run before."""
    walk = walked(model).fields["walk"]
    for said, numbers in steps(model):
        with subtests.test(said.name):
            others: dict[str, Any] = {
                name: value if isinstance(value, str) else 777 if isinstance(value, int) else 0.2718
                for name, value in numbers.items()
            }
            known = STATED | forms(777) | forms(0.2718)
            for sentence in said_in(SENTENCES, said.name, walk)({**others, "unit": "token"}):
                for found in SPOKEN_NUMBER.findall(unquoted(sentence)):
                    assert found.rstrip(".") in known, sentence


def test_what_rounds_to_nothing_is_said_to_be_little():
    assert share(0.0004) == "less than 0.1 %"
    assert share(0.0006) == "0.1 %"
    assert share(0) == "0.0 %"


def test_what_is_nearly_all_is_not_said_to_be_all():
    assert share(0.9994) == "99.9 %"
    assert share(0.9997) == "more than 99.9 %"
    assert share(1.0) == "100 %"


def test_patches_are_counted_as_patches():
    said = [sentence for one, _ in steps("digits") for sentence in one.sentences]
    assert any("patches around it" in sentence for sentence in said)
    assert not any("patchs" in sentence for sentence in said)


def test_a_token_that_looks_at_itself_is_not_said_to_look_elsewhere():
    same = {"top_weight": 0.5, "own_weight": 0.5, "top": "cold", "sum": 1.0, "unit": "token"}
    assert "itself, with 50.0 %" in SENTENCES["weights"](same)[1]
    assert "“cold”" in SENTENCES["weights"]({**same, "own_weight": 0.25})[1]


def test_a_text_that_was_given_is_said_to_go_on_otherwise():
    given = {"word": "froid", "follows": "suis", "known": 4, "product": 0.1}
    assert "goes on with “suis”" in SENTENCES["fed_back"](given)[0]
    assert "goes on" not in SENTENCES["fed_back"]({**given, "follows": "froid"})[0]
    assert "goes on" not in SENTENCES["fed_back"]({**given, "follows": ""})[0]


def test_every_step_of_every_walk_is_titled_spoken_of_and_linked():
    for model in WALKED:
        told = walked(model)
        for step in told.fields["steps"]:
            for table in (TITLES, SENTENCES, LINKS):
                assert said_in(table, step["name"], told.fields["walk"])


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


def test_the_choices_of_the_page_are_the_tokens_and_the_steps():
    told = walked("translator")
    choices = words(told, {"model": "translator", **WALKED["translator"]})["choices"]
    assert [one["label"] for one in choices["token"]] == [
        *("3 cold", "0 <s>", "1 i", "2 am", "3 cold", "4 </s>"),
    ]
    chosen = words(told, {"model": "translator", "token": 3})["choices"]["token"][0]
    assert chosen == {"value": "", "label": "proposed"}
    assert [one["value"] for one in choices["step"]] == [str(i) for i in range(1, 15)]
