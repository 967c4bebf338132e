"""The guided walk in the browser: every step by keys, on a laptop and on a phone; the followed
token, the way back, the links.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FIGURES_READY, LAPTOP, PHONE, Visitor
from tests.browser.test_figures import living
from tests.thorough import mostly

WALKS = {
    "translator": ("source=i+am+cold", 14),
    "shakespeare": ("text=to+be+or+not", 11),
    "fill-in": ("text=I+drink+a+cup+of+___+.", 9),
    "digits": ("image=eight", 10),
}
QUERY = "model=translator&source=i+am+cold&full=true"
COLUMN = """async () => {
    const stage = document.querySelector("#picture .stage");
    await Promise.all(stage.getAnimations({ subtree: true }).map(({ finished }) => finished));
    const column = stage.querySelector(".xy .heatmaplayer image").getBoundingClientRect();
    const { x, y, width, height } = column;
    return [[x, y, width, height], stage.getBoundingClientRect().bottom];
}"""
"""Where the column stands, and where the picture ends."""
DEVICES = {"laptop": LAPTOP, "phone": PHONE}


def captions_of(page: Page) -> dict:
    """What the API says of the walk that the page shows."""
    link = str(page.locator("[data-get]").get_attribute("href"))
    address = page.url.split("/journey")[0] + link.replace("/journey", "/journey/figures")
    return page.request.get(f"{address}&figures=1").json()["words"]


def expect_step(page: Page, step: int, of: int) -> None:
    expect(page.locator("#count")).to_have_text(f"{step} / {of}")
    expect(page.locator(FIGURES_READY)).to_have_count(1)


EVERY_WALK = [
    pytest.param(device, model, id=f"{name}-{model}")
    for name, device in DEVICES.items()
    for model in WALKS
]
"""The pictures of a phone differ with what is read: a sentence or an image."""


@pytest.mark.parametrize(
    ("regular", "model"),
    mostly(
        EVERY_WALK,
        *(it for it in EVERY_WALK if it.id == "laptop-translator"),
    ),
    indirect=["regular"],
)
def test_a_clicker_walks_through_every_step_and_each_is_drawn_and_told(
    regular: Visitor, model: str
):
    query, steps = WALKS[model]
    page = regular.visit(f"/journey?model={model}&{query}")
    words = captions_of(page)["steps"]
    assert len(words) == steps
    first: list[float] = []
    for step, caption in enumerate(words, start=1):
        expect_step(page, step, steps)
        expect(page.locator("#picture h2")).to_have_text(caption["title"])
        text = " ".join(caption["sentences"])
        expect(page.locator("#said")).to_have_text(text, use_inner_text=True)  # without tips
        expect(page.locator("#whole")).to_have_attribute("href", caption["link"])
        expect(page.locator("#picture .stage > :visible").first).to_be_visible()
        expect(page.locator("#readout")).to_have_text(caption["title"])
        living(page, "picture")
        column, bottom = page.evaluate(COLUMN)
        first = first or column
        assert column == pytest.approx(first, abs=1), f"step {step}: the column is elsewhere"
        assert bottom <= page.evaluate("innerHeight"), "the picture is within the first screen"
        if step > 1:
            expect(page).to_have_url(re.compile(rf"[?&]step={step}\b"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("PageDown")
    expect_step(page, steps, steps)
    page.keyboard.press("PageUp")
    expect_step(page, steps - 1, steps)


def test_a_step_onwards_moves_the_column_from_where_it_stood_and_none_moves_where_none_is_asked_for(
    regular: Visitor,
):
    page = regular.visit("/journey?source=i+am+cold&step=6")
    living(page, "picture")
    for motion, longest in ((None, 0.25), ("reduce", 0)):
        page.emulate_media(reduced_motion=motion)
        page.locator("#place").press("Home")
        for _ in range(6):
            page.locator("#place").press("ArrowRight")
        expect_step(page, 7, 14)
        came = page.locator("#picture").evaluate("e => Number(e.style.getPropertyValue('--came'))")
        assert came == pytest.approx(0.74)
        column = page.locator("#picture .subplot.xy")
        assert column.evaluate("e => getComputedStyle(e).animationName") == "turn-1"
        seconds = column.evaluate("e => parseFloat(getComputedStyle(e).animationDuration)")
        assert seconds <= longest
        bars = page.locator("#picture .bars path").first
        assert bars.evaluate("e => parseFloat(getComputedStyle(e).transitionDuration)") <= longest


def test_the_last_step_has_the_next_words_at_the_temperature_that_is_chosen(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold&step=13")
    heat = page.locator("[name=temperature]")
    expect(heat).to_be_hidden()
    page.locator("#place").press("ArrowRight")
    expect_step(page, 14, 14)
    living(page, "picture")
    heat.fill("2.5")
    expect(page).to_have_url(re.compile(r"[?&]temperature=2\.5\b"))
    title = page.locator("#picture").get_by_text("softmax(logits / T), T = 2.5")
    expect(title).to_be_visible()
    plotted = page.evaluate("Array.from(document.querySelector('#picture .plot').data[1].x)")
    logits = page.request.get(f"{page.url.split('/journey')[0]}/api/v1/logits?{QUERY}").json()
    row = np.array(logits["tensors"]["logits"]["data"], float)[2] / 2.5
    chances = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
    assert plotted == pytest.approx(np.sort(chances)[::-1][: len(plotted)], abs=1e-6)
    page.go_back()
    expect(page.locator("#picture").get_by_text("softmax(logits / T), T = 1")).to_be_visible()


def test_back_is_the_step_before_and_an_address_opens_its_step(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold&step=4")
    expect_step(page, 4, 14)
    page.keyboard.press("ArrowRight")
    expect_step(page, 5, 14)
    page.go_back()
    expect_step(page, 4, 14)
    expect(page.locator("[name=step]")).to_have_value("4")


def test_home_and_end_go_to_the_ends_and_the_list_of_steps_to_any(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold")
    page.keyboard.press("End")
    expect_step(page, 14, 14)
    page.keyboard.press("Home")
    expect_step(page, 1, 14)
    page.locator("[name=step]").select_option("11")
    expect_step(page, 11, 14)
    expect(page.locator("#picture h2")).to_have_text("Cross-attention connects the two texts")


def test_another_token_is_followed_in_the_same_step_and_stands_in_the_address(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold&step=1")
    expect(page.locator("#said")).to_contain_text("Follow “cold”")
    page.locator("[name=token]").select_option("1")
    expect(page.locator("#said")).to_contain_text("Follow “i”")
    expect(page).to_have_url(re.compile(r"[?&]token=1\b"))
    page.go_back()
    expect(page.locator("#said")).to_contain_text("Follow “cold”")


def test_another_model_begins_its_own_walk(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold&step=14&token=2")
    page.locator('#input [name="model"]').select_option("digits")
    expect_step(page, 1, 10)
    assert "step=" not in page.url
    assert "token=" not in page.url


def test_a_link_opens_the_page_that_shows_the_same_head(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold&step=11")
    page.locator("#whole").click()
    expect(page).to_have_url(re.compile(r"/attention\?.*kind=cross.*layer=2&head=1"))
    regular.ready()
    expect(page.locator("#map h2, #map-title").first).to_contain_text("layer 2, head 1")


@pytest.mark.thorough  # as test_presenter.py on other pages
def test_a_presenter_sees_sentences_of_twenty_pixels_and_a_picture_no_smaller(regular: Visitor):
    page = regular.visit("/journey?source=i+am+cold&step=5")
    living(page, "picture")
    stage = page.locator("#picture .stage")
    before = stage.evaluate("e => e.clientHeight * e.clientWidth")
    page.keyboard.press("f")
    expect(page.locator("html")).to_have_attribute("data-presenter", "")
    size = page.locator("#said").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 20
    assert stage.evaluate("e => e.clientHeight * e.clientWidth") >= before
    page.keyboard.press("f")
    expect(page.locator("html")).not_to_have_attribute("data-presenter", "")


def test_the_overview_leads_to_the_walk_with_the_reader_s_sentence(regular: Visitor):
    page = regular.visit("/?source=you+are+happy")
    page.get_by_role("link", name="Follow a word").click()
    expect(page).to_have_url(re.compile(r"/journey\?.*source=you\+are\+happy"))
    regular.ready()
    expect(page.locator("#said")).to_contain_text("Follow")
