"""Every language has all messages, passages of templates and texts of scripts, made of the same
parts, and none that nobody says.
"""

import json
import re
from collections import Counter

import pytest
from jinja2 import Environment, nodes
from jinja2.meta import find_undeclared_variables

from app.paths import folder
from app.site.pages import TEMPLATES, WORD_IN_TEX
from app.site.prose import prose_in
from model.labels import PLACE, table
from model.words import languages
from tests.languages import lacking, prose

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
"""A character that an escape such as \\b leaves, and that no text has."""
TAG = re.compile(r"</?\w+")
CALL = re.compile(r'(?<!function )\bsay\(\s*("(?:[^"\\]|\\.)*")?')


def english_of_scripts() -> set[str]:
    """The English of all calls; a call with another text than one that is written there fails."""
    scripts = [path.read_text("utf-8") for path in folder("static").rglob("*.js")]
    calls = [text for script in scripts for text in CALL.findall(script)]
    assert calls
    assert all(calls)
    return set(map(json.loads, calls))


every_other = pytest.mark.parametrize("language", [name for name in languages() if name != "en"])


@every_other
def test_no_message_and_no_passage_is_lacking(language):
    assert not list(lacking(language))


@every_other
def test_a_passage_has_the_tags_of_the_english_one(language):
    for english in prose():
        text = table(language)[english]
        assert Counter(TAG.findall(text)) == Counter(TAG.findall(english)), english


@every_other
def test_a_template_knows_the_names_of_the_english_one(language):
    english, translated = (
        Environment(autoescape=True, extensions=[prose_in(name)]) for name in ("en", language)
    )
    for environment in (english, translated):
        environment.filters |= dict.fromkeys(("explained", "shelf"), str)
    for path in TEMPLATES.rglob("*.html"):
        source = path.read_text("utf-8")
        parsed = [environment.parse(source) for environment in (translated, english)]
        names, known = map(find_undeclared_variables, parsed)
        assert names <= known, path
        texts = (str(text.value) for tree in parsed for text in tree.find_all(nodes.Const))
        assert not any(map(CONTROL.search, texts)), path


@every_other
def test_a_label_keeps_its_places(language):
    for english, text in table(language).items():
        assert set(PLACE.findall(text)) <= set(PLACE.findall(english)), english
        assert not CONTROL.search(english + text), english


@every_other
def test_what_scripts_say_is_said_in_every_language(language):
    known = table(language, "scripts")
    assert known.keys() == english_of_scripts()
    for english, text in known.items():
        assert set(PLACE.findall(text)) == set(PLACE.findall(english)), english


@every_other
def test_the_words_of_formulas_are_in_every_language(language):
    known = table(language)
    sources = [path.read_text("utf-8") for path in (TEMPLATES / "pages").glob("*.html")]
    formulas = "".join(sources).replace(r"\\", "\\")
    found = {word for _, word in WORD_IN_TEX.findall(formulas)}
    assert {"is padding", "accuracy"} <= found
    assert {word for word in found if word[0].islower()} <= known.keys()
