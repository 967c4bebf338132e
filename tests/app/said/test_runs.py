"""What pages about a run say is what a second rendering reads off the answer: every number, every
name, every word that has an opposite, every choice of a control and every link.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from app.worker.figures import draw, figures_of
from model import analyses
from model.answers.answer import Answer
from tests.app.said.claims import check

WORDS = (
    "heads",
    "journey",
)
every_word = pytest.mark.parametrize("word", WORDS)
Asked = tuple[str, dict[str, Any], Answer]


def product(word: str) -> ModuleType:
    return import_module(f"app.captions.{word}")


def second(word: str) -> ModuleType:
    return import_module(f"tests.app.said.{word}")


@cache
def answers(word: str) -> list[Asked]:
    """The answers to the questions of a word, and what else they could have been."""
    own, given = second(word), []
    for i, question in enumerate(own.ASKED):
        answer = analyses.answer(word, {k: v for k, v in question.items() if k not in VIEW})
        given.append((f"question {i}", question, answer))
        for name, other in own.variants(answer) if i < own.VARIED else ():
            given.append((f"question {i}, {name}", question, other))
    return given


VIEW = {"chosen", "place"}
"""Fields that say which part of an answer is shown."""


@cache
def told(word: str) -> list[tuple[str, dict[str, Any], Answer, dict[str, Any]]]:
    return [(*one, by_view(product(word).captions(one[2], one[1]))) for one in answers(word)]


def by_view(words: dict[str, Any]) -> dict[str, Any]:
    """What a page says, where its steps stand for views."""
    if "steps" not in words:
        return words
    steps = words["steps"]
    parts = ("see", "more")
    return {
        "views": {
            step["name"]: dict(zip(parts, step["sentences"], strict=True))
            | {"explained": {"both": step["explained"]}, "both": " ".join(step["sentences"])}
            for step in steps
        },
        "choices": words["choices"],
        "chosen": {},
        "links": [{"href": step["link"], "text": step["more"]} for step in steps],
    }


def drawn(word: str, answer: Answer, question: dict[str, Any]) -> Callable[[str], Any]:
    """The figures of an answer by their names."""
    return lambda name: draw(word, name, answer, question)


@every_word
def test_every_sentence_says_what_the_answer_holds(word: str):
    for name, question, answer, said in told(word):
        expected = second(word).claims(answer, question, drawn(word, answer, question))
        views = said["views"]
        assert set(views) == set(expected), f"{word}, {name}: the views are {', '.join(views)}"
        for view, texts in expected.items():
            for part, claims in zip(("see", "more"), texts, strict=True):
                check(views[view][part], claims, f"{word}, {name}, {view}")


TIP = re.compile(r"<dfn[^>]*>([^<]*)<span>.*?</span></dfn>")


@every_word
def test_what_is_said_with_terms_explained_says_the_same(word: str):
    for name, _, _, said in told(word):
        for view in said["views"].values():
            for part, html in view["explained"].items():
                plain = unescape(TIP.sub(r"\1", html))
                assert plain == view[part], f"{word}, {name}: “{plain}” is not “{view[part]}”"


@every_word
def test_every_control_offers_and_shows_what_the_answer_has(word: str):
    own = second(word)
    for name, question, answer, said in told(word):
        for control, choices in own.choices(answer, question).items():
            offered = [(one["value"], one["label"]) for one in said["choices"][control]]
            assert offered == choices, f"{word}, {name}: {control} offers {offered}"
        shown = own.chosen(answer, question)
        assert said["chosen"] == shown, f"{word}, {name}: chosen is {said['chosen']}, not {shown}"


@every_word
def test_every_link_leads_to_the_state_that_it_names(word: str):
    for name, question, answer, said in told(word):
        expected = [
            (path, {key: str(value) for key, value in state.items()}, text)
            for path, state, text in second(word).links(answer, question)
        ]
        found = [
            (
                at.path + (at.fragment and f"#{at.fragment}"),
                dict(parse_qsl(at.query)),
                one["text"],
            )
            for one in said["links"]
            for at in [urlsplit(one["href"])]
        ]
        assert found == expected, f"{word}, {name}: the links are {found}, not {expected}"


def constants(module: ModuleType) -> Iterator[str]:
    """Every piece of a sentence in a module: three words and more, no docstring."""
    tree = ast.parse(inspect.getsource(module))
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        said = node.value if isinstance(node, ast.Constant) and id(node) not in quiet else None
        if isinstance(said, str) and " " in said and len(re.findall(r"[A-Za-z]{2,}", said)) > 2:
            yield said


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


@every_word
def test_every_sentence_of_a_module_is_said_at_least_once(word: str):
    said = "\n".join({one for *_, words in told(word) for one in strings(words)})
    missing = [one for one in constants(product(word)) if one not in said]
    missing = [one for one in missing if one not in second(word).UNSAID]
    assert not missing, (
        f"{word}: no answer of the tests says “{missing[0]}” ({len(missing)} in all)"
    )


@pytest.mark.parametrize("word", [word for word in WORDS if word != "journey"])
def test_a_figure_is_described_by_what_its_view_says(word: str):
    """For the question as it stands: readers who do not see the figure hear the same sentence."""
    _, question, answer, said = told(word)[0]
    for figure in figures_of(word, answer):
        described = draw(word, figure, answer, question)["layout"]["meta"]["description"]
        there = said["views"][figure]["see"]
        assert described == there, f"{word}, {figure}: “{described}” is not “{there}”"
