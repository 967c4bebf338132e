"""The shelf of notes: rows are found by their words, with and without a script, links lead
somewhere, and a row that is opened shows the numbers that settle it.
"""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import NOTES, Visitor
from tests.thorough import mostly

every_note = pytest.mark.parametrize("path", mostly(NOTES, "/notes", "/glossary"))


@every_note
def test_words_find_entries_and_the_address_keeps_them(regular: Visitor, path: str):
    page = regular.visit(path)
    entries = page.locator("#entries .entry")
    everything = entries.count()
    assert everything >= 10
    page.locator('main [name="find"]').fill("softmax")
    expect(page.locator("#found")).to_have_text(re.compile(rf"^\d+ of {everything} "))
    expect(page).to_have_url(re.compile(r"[?&]find=softmax$"))
    expect(entries).not_to_have_count(everything)
    assert entries.count() >= 1
    for entry in entries.all():
        assert "softmax" in entry.text_content().lower()
    page.reload()
    expect(page.locator('main [name="find"]')).to_have_value("softmax")


def test_what_is_typed_before_the_script_comes_is_found(regular: Visitor):
    page, held = regular.page, []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/js/views/notes.js", hold)
    page.goto(f"{regular.address}/notes", wait_until="domcontentloaded")
    page.locator('main [name="find"]').fill("softmax")
    for route in held:
        route.continue_()
    page.unroute("**/js/views/notes.js")
    expect(page.locator("#found")).to_have_text(re.compile(r"^\d+ of \d+ "))
    expect(page.locator('main [name="find"]')).to_have_value("softmax")
    expect(page).to_have_url(re.compile(r"[?&]find=softmax$"))


def test_a_filtered_section_is_a_place_to_go_back_to(regular: Visitor):
    page = regular.visit("/notes?section=claims&verdict=wrong")
    some = page.locator("#entries .entry").count()
    expect(page.locator('[name="section"]')).to_have_value("claims")
    page.locator('[name="verdict"]').select_option("right")
    expect(page).to_have_url(re.compile(r"section=claims&verdict=right$"))
    expect(page.locator("#entries .entry")).not_to_have_count(some)
    page.go_back()
    expect(page.locator("#entries .entry")).to_have_count(some)
    expect(page.locator('[name="verdict"]')).to_have_value("wrong")


def test_the_form_works_without_a_script(regular: Visitor, browser: Browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{regular.address}/notes?section=claims")
    page.locator('main [name="find"]').fill("niece")
    page.locator('main [name="find"]').press("Enter")
    expect(page.locator(".entry")).to_have_count(1)
    expect(page.locator('[name="section"]')).to_have_value("claims")
    assert "find=niece" in page.url
    page.locator("summary", has_text="C97").click()
    expect(page.locator("#C97")).to_contain_text("by induction")
    context.close()


def test_a_row_that_is_opened_shows_the_numbers_of_its_answer(regular: Visitor):
    page = regular.visit("/notes?items=C57")
    page.locator("summary", has_text="C57").focus()
    page.keyboard.press("Enter")
    answer = page.request.get(f"{regular.address}/api/v1/notes?items=C57&measured=true").json()
    (row,) = answer["rows"]
    items = page.locator("#C57 li")
    expect(items).to_have_count(len(row["measured"]))
    for finding, item in zip(row["measured"], items.all(), strict=True):
        judged = {"holds": "as expected", "fails": "not reproduced"}[finding["verdict"]]
        law = f"{judged}. Theory: {finding['law']}."
        assert item.inner_text() == f"{finding['title'] or 'Measured'}: {finding['said']}, {law}"


def test_all_claims_are_measured_on_their_page(regular: Visitor):
    page = regular.visit("/claims?verdict=wrong&find=mask")
    lists = page.locator("[data-measures]")
    assert lists.count() >= 2
    page.locator("#measure").click()
    for each in lists.all():
        expect(each.locator("li").first).to_be_visible()
    assert page.locator('[data-holds="false"]').count() == 0


def test_enter_opens_what_was_found_and_enter_again_the_first_page(regular: Visitor):
    page = regular.visit("/masks")
    for typed, found in (("layernorm", "/norms"), ("postional encodng", "/positions")):
        page.locator('.finder [name="find"]').fill(typed)
        page.keyboard.press("Enter")
        expect(page.locator("#found")).to_be_visible()
        expect(page.locator("#entries a").first).to_be_focused()
        page.keyboard.press("Enter")
        expect(page).to_have_url(regular.address + found)
        expect(page.locator(".finder")).to_be_visible()
