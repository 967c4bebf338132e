"""The search: pages, models, systems, terms and rows of the notes are found by the words of
students, and the pages themselves say what a system is called.
"""

import re

import httpx2
import pytest

from app.site.pages import find_pages
from app.site.search import systems


def found(fake: httpx2.Client, words: str) -> dict[str, list[str]]:
    """What the page lists under each of its headings."""
    html = fake.get("/search", params={"find": words}).text
    entries = html[html.index('id="entries"') : html.index("</main>")]
    parts = re.split(r"<h2>(.+?)</h2>", entries)[1:]
    return {
        title: re.findall(r'class="text"><a href="[^"]+">([^<]+)</a>', text)
        for title, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_a_system_is_found_by_its_name_with_its_page_and_its_term(fake: httpx2.Client, system):
    groups = found(fake, system.name.lower())
    assert groups["Systems"][0] == system.name
    assert groups["Pages"]
    assert groups["Terms"]
    if system.models:
        assert groups["Models"]


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_the_pages_of_a_system_name_it_and_say_what_differs_from_the_paper(
    fake: httpx2.Client, system
):
    for address in system.pages:
        path, _, _ = address.partition("?")
        model = {"model": system.models[0]} if system.models else {}
        html = fake.get(path, params=model, follow_redirects=True).text
        assert f"{system.name}: what differs from the paper" in html, address
    for model in system.models:
        gallery = fake.get("/models", params={"model": model}).text
        assert f"<strong>{system.name}</strong>" in gallery
        assert f"{system.name}: what differs from the paper" in gallery


def test_all_words_have_to_be_held_in_any_case_and_order(fake: httpx2.Client):
    assert "DETR" in found(fake, "TRANSFORMER detection")["Systems"]
    assert found(fake, "detr zeppelin") == {}


def test_nothing_is_found_by_no_word_and_the_page_says_what_to_do(fake: httpx2.Client):
    for words in ("", "   "):
        assert found(fake, words) == {}
    assert "Type a word" in fake.get("/search").text
    assert "Try fewer words" in fake.get("/search", params={"find": "zeppelin"}).text


def test_what_is_typed_is_shown_and_never_read_as_html(fake: httpx2.Client):
    html = fake.get("/search", params={"find": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_every_page_has_the_field_and_a_link_to_the_documentation(fake: httpx2.Client):
    for page in find_pages():
        html = fake.get(page.path).text
        assert 'action="/search"' in html
        assert '<a href="/docs"' in html


def test_a_page_without_a_model_says_so_and_keeps_the_readers_choice_hidden(fake: httpx2.Client):
    for page in find_pages():
        html = fake.get(page.path).text
        form = re.search(r'<form class="input"[^>]*>', html)[0]
        assert (" hidden" in form) == (page.model is not None), page.word
        assert ("without-input" in html) == (page.model is not None)
