"""The training page: one slider over the steps, by pointer, by keys, by playing and by address;
everything drawn follows it.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Visitor, eventually, number

FIGURES = ("maps", "loss", "time")
PRESSED = """play => {
  window.pressed = [];
  new MutationObserver(() => pressed.push(play.ariaPressed)).observe(play, { attributes: true });
}"""
"""What a button says from now on: a look at it may come after the few beats for which it plays."""


def traces(page: Page, figure: str) -> str:
    """What Plotly draws in a figure: its numbers, its lines and its words."""
    page.locator(f"#{figure} .stage[data-interactive]").wait_for()
    return page.evaluate(
        """id => {
            const { data, layout } = document.querySelector(`#${id} .js-plotly-plot`);
            const plain = (one) => (ArrayBuffer.isView(one) ? [...one] : one);
            const numbers = data.map(({ z, y }) => [...(z ?? y)].map(plain));
            const words = layout.annotations.map(({ text }) => text);
            return JSON.stringify([numbers, layout.shapes, words]);
        }""",
        figure,
    )


def answer(page: Page, figure: str) -> dict:
    address = page.locator(f"#{figure} [data-get]").get_attribute("href")
    return page.request.get(page.url.split("/training")[0] + address).json()


def test_it_opens_where_the_induction_head_forms_and_says_so_with_the_answers_numbers(
    regular: Visitor,
):
    page = regular.visit("/training")
    whole = answer(page, "time")
    formed = whole["formed"]
    assert answer(page, "maps")["axes"]["step"]["ids"] == [formed["step"]]
    expect(page.locator("#count")).to_have_text(number(formed["step"]))
    text = page.locator(".beside").inner_text()
    losses = whole["tensors"]["held_out.repeat_loss"]["data"]
    for step in formed.values():
        assert str(step) in text
        for loss in losses:
            assert f"{loss[whole['steps'].index(step)]:.2f}" in text
    assert len(page.locator(".beside").inner_text().split()) <= 70


def test_every_figure_follows_the_step_and_the_address_keeps_it(regular: Visitor):
    page = regular.visit("/training?step=0")
    pictures = {figure: {traces(page, figure)} for figure in FIGURES}
    for key, step in [
        ("ArrowRight", 50),
        ("PageDown", 100),
        ("End", 3000),
        ("ArrowLeft", 2500),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        expect(page.locator("#count")).to_have_text(number(step))
        regular.ready()
        assert f"step={step}" in page.url
        if step:
            for figure in FIGURES:
                known = pictures[figure]
                eventually(page, lambda id=figure, known=known: traces(page, id) not in known, True)
                known.add(traces(page, figure))
    page.go_back()
    expect(page.locator("#count")).to_have_text(number(2500))


def test_space_plays_to_the_end_and_again_pauses(regular: Visitor):
    page = regular.visit("/training?step=2000")
    page.locator("#play").evaluate(PRESSED)
    page.keyboard.press("Space")
    expect(page.locator("#count")).to_have_text(number(3000))
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("pressed[0]") == "true", "it said that it plays"
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#count")).not_to_have_text(number(3000))


def test_the_slider_and_a_click_into_a_curve_go_to_a_step(regular: Visitor):
    page = regular.visit("/training")
    page.locator("#place").focus()
    page.keyboard.press("End")
    expect(page.locator("#count")).to_have_text(number(3000))
    stage = page.locator("#time .stage[data-interactive]")
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] * 0.3, "y": box["height"] / 2})
    expect(page.locator("#count")).not_to_have_text(number(3000))


def test_a_head_opens_with_its_letters_and_closes_again(regular: Visitor):
    page = regular.visit("/training")
    mosaic = traces(page, "maps")
    stage = page.locator("#maps .stage")
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] / 24, "y": box["height"] / 4})
    expect(page).to_have_url(re.compile(r"head=0\.0"))
    regular.ready()
    eventually(page, lambda: traces(page, "maps") != mosaic, True)
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(r"head=0\.1"))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("head="))
    regular.ready()
    eventually(page, lambda: traces(page, "maps"), mosaic)


def test_other_letters_are_read_and_what_is_none_is_refused_in_a_sentence(regular: Visitor):
    page = regular.visit("/training?letters=hearthearthear")
    assert answer(page, "loss")["axes"]["expected"]["labels"] == list("hearthearthear")
    page.locator("[name=letters]").fill("l'heure")
    expect(page.locator(".failure")).to_contain_text("only knows the letters a to z")
    eventually(page, lambda: sum("422" in wrong for wrong in regular.heard), 1)
    regular.refused()


def test_with_its_own_model_in_the_bar_the_text_is_the_bars(regular: Visitor):
    page = regular.visit("/training?model=induction-1&text=abcabcab")
    expect(page.locator("[name=letters]")).to_have_count(0)
    assert answer(page, "loss")["axes"]["expected"]["labels"] == list("abcabcab")


@pytest.mark.parametrize("show", ["roles", "loss"])
def test_the_curves_over_training_are_held_out_and_both_models_are_in_them(
    regular: Visitor, show: str
):
    page = regular.visit(f"/training?show={show}")
    page.locator("#time [data-table]").dispatch_event("click")
    expect(page.locator("#time thead")).to_contain_text("1 layer")
    names = page.locator("#time thead th").all_inner_texts()
    page.locator("#time [data-table]").dispatch_event("click")
    assert "1 layer" in names


@pytest.mark.thorough  # as every first visit on a phone
@pytest.mark.parametrize("regular", [PHONE], indirect=True)
def test_on_a_phone_nothing_sticks_out_and_a_head_can_be_opened(regular: Visitor):
    page = regular.visit("/training?head=1.2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
