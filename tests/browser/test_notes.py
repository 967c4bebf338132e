"""The shelf of notes: entries are found by their words, links lead somewhere, and the claims carry
fresh numbers.
"""

import re

import pytest
from playwright.sync_api import expect

from app.site.pages import find_pages
from tests.browser.conftest import Visitor

every_note = pytest.mark.parametrize(
    "path", [page.path for page in find_pages() if page.room == "Notes"]
)


@every_note
def test_words_find_entries_and_the_address_keeps_them(regular: Visitor, path: str):
    page = regular.visit(path)
    entries = page.locator("#entries .entry:visible")
    everything = entries.count()
    assert everything >= 10
    page.locator('[name="find"]').fill("softmax")
    expect(page.locator("#found")).to_have_text(re.compile(rf"\d+\D+{everything}\b"))
    assert 1 <= entries.count() < everything
    for entry in entries.all():
        assert "softmax" in entry.inner_text().lower()
    expect(page).to_have_url(re.compile(r"[?&]find=softmax$"))


@every_note
def test_every_link_of_the_notes_resolves(regular: Visitor, path: str):
    page = regular.visit(path)
    addresses = {link.get_attribute("href") for link in page.locator("#entries a").all()}
    assert addresses
    broken = [
        address
        for address in addresses
        if page.request.get(regular.address + address).status != 200
    ]
    assert not broken


def test_the_claims_show_the_numbers_of_their_answer(regular: Visitor):
    page = regular.visit("/claims")
    claims = page.request.get(f"{regular.address}/api/v1/claims").json()["claims"]
    expect(page.locator(".entry")).to_have_count(len(claims))
    for claim, entry in zip(claims, page.locator(".entry").all(), strict=True):
        assert claim["notes"] in entry.inner_text()
        assert entry.locator("li").count() == len(claim["findings"])
        assert all(row.inner_text().startswith("✓") for row in entry.locator("li").all())
