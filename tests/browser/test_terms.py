"""Tips of terms: they open for a pointer, a finger and the keyboard, move nothing, stay in the
window, and lead to the glossary, with and without JavaScript.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from model.notes import terms
from tests.app.serving import Running
from tests.browser.conftest import LAPTOP, PHONE, Visitor, choose, eventually

SOFTMAX = next(term for term in terms() if term.name == "Softmax")
BOXES = """() => [...document.querySelectorAll("main p, main h1, main .figure")]
  .filter(e => e.checkVisibility()).map(e => {
    const {x, y, width, height} = e.getBoundingClientRect();
    return [x, y, width, height];
  })"""
"""Of what is seen: what lies in closed details gets a size at the browser's leisure."""
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def term(page: Page, name: str) -> Locator:
    """The first place where a term is explained beside the picture."""
    return (
        page.locator(f'.beside dfn:has(a[href$="/glossary#{name}"])').locator("visible=true").first
    )


def tip(dfn: Locator) -> Locator:
    return dfn.locator("> span")


@pytest.fixture
def without_a_script(browser: Browser, server: Running) -> Iterator[Page]:
    context = browser.new_context(**LAPTOP, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.address}/scaling")
    yield page
    context.close()


def test_a_pointer_and_the_keyboard_open_a_tip_and_nothing_moves(regular: Visitor):
    page = regular.visit("/scaling")
    softmax = term(page, "softmax")
    softmax.scroll_into_view_if_needed()
    before = page.evaluate(BOXES)
    expect(tip(softmax)).to_be_hidden()
    softmax.hover()
    expect(tip(softmax)).to_be_visible()
    expect(tip(softmax)).to_contain_text(SOFTMAX.sentence)
    assert page.evaluate(BOXES) == before
    page.mouse.move(0, 0)
    expect(tip(softmax)).to_be_hidden()
    softmax.focus()
    expect(tip(softmax)).to_be_visible()
    page.keyboard.press("Tab")
    expect(softmax.locator("a")).to_be_focused()
    expect(tip(softmax)).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip(softmax)).to_be_hidden()


def test_the_link_of_a_tip_leads_to_its_place_in_the_glossary(regular: Visitor):
    page = regular.visit("/scaling")
    softmax = term(page, "softmax")
    softmax.click()
    softmax.locator("a").click()
    expect(page.locator("body")).to_have_attribute("data-page", "glossary")
    expect(page.locator("#softmax")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("body")).to_have_attribute("data-page", "scaling")


@pytest.mark.parametrize("regular", [PHONE], indirect=True)
def test_a_finger_opens_a_tip(regular: Visitor):
    page = regular.visit("/scaling")
    softmax = term(page, "softmax")
    softmax.tap()
    expect(tip(softmax)).to_be_visible()
    assert page.evaluate(SIDEWAYS) <= 0
    page.locator("h1:visible").tap()
    expect(tip(softmax)).to_be_hidden()


def test_tips_open_without_javascript(without_a_script: Page):
    softmax = term(without_a_script, "softmax")
    softmax.hover()
    expect(tip(softmax)).to_be_visible()
    softmax.click()
    softmax.locator("a").click()
    expect(without_a_script).to_have_url(re.compile("/glossary#softmax$"))


def test_what_an_answer_says_is_explained_too(regular: Visitor):
    page = regular.visit("/scaling")
    key = page.locator("#look_for dfn").first
    key.hover()
    expect(tip(key)).to_be_visible()
    page = regular.visit("/feed-forward")
    neuron = page.locator("#see dfn").first
    neuron.hover()
    expect(tip(neuron)).to_be_visible()
    choose(page, "show", "writes")
    eventually(page, lambda: page.locator("#see dfn").count() > 0, True)
