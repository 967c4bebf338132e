"""Every link inside the product lands on what it names: on a page that knows each parameter of the
link, and offers its value.
"""

import re
from functools import cache
from html import unescape
from urllib.parse import urlsplit

import httpx2
import pytest

from app.site.pages import cards, find_pages
from tests.app.landing import WORDS, check_landing

LINK = re.compile(r'<a\b[^>]*\bhref="(/[^"]*)"')
OTHERS = ("/api/", "/docs", "/static/", "/openapi")
PAGES = [page.path for page in find_pages()]


def links_of(html: str) -> set[str]:
    """The addresses of pages of the product to which a page links, without places in them."""
    found = {unescape(address).split("#")[0] for address in LINK.findall(html)}
    return {address for address in found if address and not address.startswith(OTHERS)}


@cache
def known(client: httpx2.Client) -> dict[str, str]:
    """Every link of every page, for the first model and for the others, and a page that has it."""
    found: dict[str, str] = {}
    for path in PAGES:
        for address in (path, *(f"{path}?model={card['id']}" for card in cards())):
            page = client.get(address, follow_redirects=True)
            for link in links_of(page.text):
                found.setdefault(link, address)
    return found


def test_every_link_of_every_page_lands_on_a_page_that_knows_its_state(client: httpx2.Client):
    links = known(client)
    assert len(links) > len(PAGES)
    assert {urlsplit(link).path for link in links} >= set(PAGES)
    wrong = {}
    for link, page in links.items():
        try:
            check_landing(client, link)
        except (AssertionError, ValueError) as error:
            wrong[link] = f"on {page}: {error}"
    assert not wrong


@pytest.mark.parametrize(
    "address",
    [
        "/residual?view=stream",
        "/masks?pattern=causal&colour=red",
        "/scores?show=nothing",
        "/attention?model=nobody&stage=loud",
        "/nowhere",
        "/kv-cache?tokens=1000",
    ],
)
def test_a_link_to_what_a_page_has_not_is_found_out(client: httpx2.Client, address: str):
    with pytest.raises((AssertionError, ValueError)):
        check_landing(client, address)


def test_the_links_of_a_page_are_read_with_their_state():
    html = '<a class="x" href="/masks?a=1&amp;b=2#at">m</a><a href="https://x.org/">x</a>'
    assert links_of(html + '<a href="/docs#masks">d</a><a href="#here">h</a>') == {"/masks?a=1&b=2"}
    assert "masks" in WORDS
