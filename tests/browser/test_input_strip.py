"""The strip on top: the sentence has room, and what is said of the answer is never cut."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor

ROOM = """field => {
  const style = getComputedStyle(field), canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  context.font = style.font;
  const inside = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return Math.floor(inside / context.measureText("0").width);
}"""
WHOLE_PLACEHOLDER = """field => {
  const style = getComputedStyle(field), canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  context.font = style.font;
  const sides = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + 24;
  return context.measureText(field.placeholder).width <= field.clientWidth - sides;
}"""
"""A search field keeps a place for the button that empties it."""
LONG = "+".join(["the"] * 11)


def letters(page: Page) -> int:
    """How many letters of the sentence are seen at once."""
    return page.locator('#input [name="source"]').evaluate(ROOM)


def test_forty_letters_of_the_sentence_are_seen_and_twenty_eight_in_a_hall(still: Visitor):
    page = still.visit("/attention")
    page.set_viewport_size({"width": 1280, "height": 720})
    assert letters(page) >= 40
    assert page.locator(".finder input").evaluate(WHOLE_PLACEHOLDER)
    page.set_viewport_size({"width": 1024, "height": 768})
    assert page.locator(".finder input").evaluate(WHOLE_PLACEHOLDER)
    page.keyboard.press("f")
    assert letters(page) >= 28


def test_the_sentence_about_the_answer_is_a_click_away_and_whole(regular: Visitor):
    page = regular.visit(f"/attention?source={LONG}")
    source = page.locator('#input [name="source"]')
    expect(source).to_have_attribute("title", LONG.replace("+", " "))
    prediction = page.locator("#prediction")
    expect(prediction).to_have_attribute("title", prediction.inner_text().removeprefix("→ "))
    chip = page.locator("#chip")
    expect(chip.locator("summary")).to_have_text("unlike its training data")
    chip.locator("summary").click()
    note = chip.locator("p")
    expect(note).to_contain_text("trained on at most 10")
    expect(note).to_contain_text("Expect mistakes")
    expect(note).to_be_in_viewport(ratio=1)
    assert note.evaluate("p => p.scrollWidth <= p.clientWidth && p.scrollHeight <= p.clientHeight")
    source.fill("i am cold")
    expect(source).to_have_attribute("title", "")
    expect(chip.locator("summary")).to_have_text("confident")
    expect(page.locator("#prediction")).to_have_text("j' ai froid")
