"""One test for the words of every page: a sentence may name only what an answer has, may say a
direction only where a fact has it so, and says the same in every language. What no rule can see,
which noun a true sentence is about, is approved: `approved/` has each message in each of its
variants, as it is said of the first answer that has it so.
"""

import inspect
import math
import re
import tomllib
from functools import cache
from html import unescape
from importlib import import_module
from itertools import product

import pytest

from app.captions.words import Words
from app.experiment import Experiment
from app.experiments import experiments
from app.worker.figures import captions
from model.words import FOLDER, PLURALS, languages, messages
from tests.app.words.approved import approved, cases, read, same_text
from tests.app.words.facts import second
from tests.app.words.ways import MARK, SENTENCE, ids_of, of_the_api, referred, selectors, ways
from tests.rounding import SINGLE, same

KINDS = {
    "fraction": lambda value: isinstance(value, float) and 0 <= value <= 1,
    "whole": lambda value: isinstance(value, int),
    "count": lambda value: isinstance(value, int) and value >= 0,
    **dict.fromkeys(("token", "excerpt", "text", "name"), lambda value: isinstance(value, str)),
    **dict.fromkeys(
        ("tokens", "names", "listed", "Listed"),
        lambda value: all(isinstance(item, str) for item in value),
    ),
}
PAGES = [word for word, experiment in experiments().items() if experiment.words]
every_page = pytest.mark.parametrize("word", PAGES)
every_text = pytest.mark.parametrize(("word", "language"), [*product(PAGES, languages())])


def page(word: str) -> tuple[Experiment, Words]:
    experiment = experiments()[word]
    assert experiment.words
    return experiment, experiment.words


@cache
def lexicon(language: str) -> dict[str, str]:
    """The words of direction, each with its sense."""
    listed = tomllib.loads((FOLDER / language / "senses.toml").read_text("utf-8"))
    return {word: sense for sense, words in listed.items() for word in words.split()}


@every_text
def test_what_a_message_names_is_declared_and_what_is_declared_is_named(word, language):
    _, words = page(word)
    named = set()
    for name in ids_of(words, language):
        for by, keys in selectors(words.page, language, name):
            named.add(by)
            if by in words.conditions:
                assert keys == set(words.conditions[by].variants), f"{name}: {by}"
            else:
                assert words.fields[by].kind == "count", f"{name}: {by}"
                assert keys == {PLURALS[language](n) for n in range(200)}, f"{name}: {by}"
        for _, text in ways(words.page, language, name):
            named |= {mark[1:] for mark in MARK.findall(text) if mark[0] == "$"}
    assert named == words.fields.keys() | words.conditions.keys()
    assert not words.fields.keys() & words.conditions.keys()


@every_page
def test_a_field_is_of_its_kind_and_what_its_oracle_says(word):
    """A field that no helper makes has an oracle of its own, as a condition or a term may."""
    _, words = page(word)
    oracles = getattr(second(word), "ORACLES", {})
    free = {
        name for name, field in words.fields.items() if field.of.__module__ != "app.captions.fields"
    }
    rest = {name for name in oracles if name in words.conditions or name[0] == "-"}
    assert free == oracles.keys() - rest
    for question, answer in cases(word):
        for name, field in words.fields.items():
            try:
                value = field.of(answer, question)
            except (KeyError, StopIteration):  # this answer has not what no sentence says of it
                continue
            if value is None:  # a setting that is left out
                continue
            assert KINDS.get(field.kind, math.isfinite)(value), f"{name} is {value} with {question}"
            if name in oracles:
                expected = oracles[name](answer, question)
                if isinstance(value, str | int | list):
                    assert value == expected, name
                else:
                    same(value, expected, SINGLE, what=name)
        for name in rest:
            of = words.conditions[name].of if name in words.conditions else words.sentence(name)
            assert of(answer, question) == oracles[name](answer, question), name


@every_page
def test_every_variant_is_said_of_some_answer_and_its_facts_are_so_in_all(word):
    _, words = page(word)
    facts = second(word).FACTS
    for name, condition in words.conditions.items():
        reached = set()
        for question, answer in cases(word):
            try:
                reached.add(variant := condition.of(answer, question))
            except (KeyError, StopIteration):  # as of a field
                continue
            for key, fact in facts.get(name, {}).get(variant, {}).items():
                assert fact(answer, question), f"{name}={variant}: not “{key}” with {question}"
        assert reached == set(condition.variants), f"{name}: only {reached} are reached"
    for name in facts.keys() - words.conditions.keys():
        for key, fact in facts[name][""].items():
            assert all(fact(answer, question) for question, answer in cases(word)), (name, key)


@every_text
def test_a_word_of_direction_stands_only_where_a_fact_has_this_sense_and_subject(word, language):
    _, words = page(word)
    facts, senses = second(word).FACTS, lexicon(language)
    declared = {
        (by, variant, key) for by, of in facts.items() for variant in of for key in of[variant]
    }
    subjects = {key.partition(" ")[2] for *_, key in declared}
    used = set()
    for name in ids_of(words, language):
        if name.partition(".")[0] in words.judged:
            continue
        for way, text in ways(words.page, language, name):
            places = [(by, key) for by, key in (*way, (name, "")) if key in facts.get(by, {})]
            known = {key for by, variant in places for key in facts[by][variant]}
            for sentence in SENTENCE.split(text):
                for key in keys(sentence, senses, subjects):
                    assert key in known, f"{language} {name} {dict(way)}: “{sentence}” says {key}"
                    used |= {(*place, key) for place in places if key in facts[place[0]][place[1]]}
    assert declared == used


def keys(sentence: str, senses: dict[str, str], subjects: set[str]) -> list[str]:
    """The senses of the words of direction in a sentence, each with the nearest of the terms that
    facts are about.
    """
    terms = [mark for mark in MARK.finditer(sentence) if mark[1] in subjects]
    found = []
    for match in re.finditer(r"[^\W\d_]+", MARK.sub(lambda mark: "\0" * len(mark[0]), sentence)):
        if sense := senses.get(match[0].lower()):
            found.append(f"{sense} {nearest(terms, match)}" if terms else sense)
    return found


def nearest(marks: list[re.Match], place: re.Match) -> str:
    """The name of the mark that is nearest to a place of the same sentence."""
    return min(marks, key=lambda mark: max(mark.start() - place.end(), place.start() - mark.end()))[
        1
    ]


@every_text
def test_numbers_are_fields_few_and_beside_their_labels(word, language):
    _, words = page(word)
    labels = {label for field in words.fields.values() for label in field.labels}
    for name in ids_of(words, language):
        for way, text in ways(words.page, language, name):
            typed = MARK.sub("", text)
            assert not re.search(r"\d|[<>&]", typed), f"{language} {name}: typed: “{typed}”"
            for sentence in SENTENCE.split(text):
                marks = list(MARK.finditer(sentence))
                fields = [mark for mark in marks if mark[1][0] == "$"]
                measured = [mark[1] for mark in fields if words.fields[mark[1][1:]].measured]
                assert len(measured) <= 2, f"{language} {name} {dict(way)}: {measured}"
                named = [mark for mark in marks if mark[1] in labels]
                for mark in fields:
                    if named and (read := words.fields[mark[1][1:]].labels):
                        near = nearest(named, mark)
                        assert near in read, f"{language} {name}: {mark[1]} stands beside {near}"


@every_text
def test_languages_say_the_same(word, language):
    _, words = page(word)
    shapes = [
        {
            (name, frozenset(choice for choice in way if choice[0] in words.conditions), mark)
            for name in ids_of(words, spoken)
            for way, text in ways(words.page, spoken, name)
            for mark in MARK.findall(text)
            if mark[0] == "$"
        }
        for spoken in (language, "en")
    ]
    assert ids_of(words, language) == ids_of(words, "en")
    assert shapes[0] == shapes[1]


@every_page
def test_every_message_is_said(word):
    experiment, words = page(word)
    source = inspect.getsource(import_module(f"app.experiments.{word.replace('-', '_')}"))
    figures = {name.replace(".", "-") for name in experiment.figures}
    used = {"-found_by", *figures, *(f"{name}.description" for name in figures)}
    if experiment.captions:
        used |= {f"{name}.more" for name in figures}
    if asks := experiment.exercise:
        used |= {"claim", "question", "look_for", "reading", "asks"}
        used |= {f"asks.{name}" for name in (*asks.choices, *asks.variants.values())}
    used |= getattr(second(word), "COMPOSED", set())
    used |= set(re.findall(r'WORDS(?:\.\w+)?\(\s*"([\w.-]+)"', source))
    text = (FOLDER / "en" / f"{words.page}.ftl").read_text("utf-8")
    used |= set(re.findall(r"\{ (-?[a-zA-Z][\w.-]*) \}", text))
    known = {name for name, (file, _) in messages(words.page, "en").items() if file == words.page}
    known -= of_the_api(known)
    assert not known - used, f"nobody says {known - used}"


@every_page
def test_every_text_is_as_it_was_approved(word):
    was, now, words = read(word), approved(word), page(word)[1]
    ids = {name.partition(" ")[0] for name in now} - {"beside", "title"}
    expected = {*ids_of(words, "en")} - referred(words, "en")
    assert ids == expected, "what is never said is not approved"
    write = f"`python -m tests.app.words {word}` writes what is said: read it before you keep it"
    assert was.keys() == now.keys(), f"{sorted(was.keys() ^ now.keys())}: {write}"
    changed = [name for name in was if not same_text(was[name], now[name])]
    assert not changed, f"“{now[changed[0]]}” where “{was[changed[0]]}” was approved: {write}"


def test_facts_do_not_know_the_conditions():
    """A fact that calls its condition would hold however that is turned round."""
    for word in PAGES:
        assert "app.experiments" not in inspect.getsource(second(word)), word


TIP = re.compile(r"<dfn[^>]*>([^<]*)<span>.*?</span></dfn>")


@pytest.mark.parametrize("word", [word for word in PAGES if experiments()[word].captions])
def test_what_is_said_with_terms_explained_says_the_same(word):
    question, answer = cases(word)[0]
    views = captions(word, answer, {**question, "figures": []})["words"].get("views", {})
    for view in views.values():
        for part, html in view["explained"].items():
            assert unescape(TIP.sub(r"\1", html)) == view[part], word
