"""Presenter mode enlarges: no plot gets narrower, its type is read from the last row, and one
figure may stand alone. It goes on from page to page, and the address says it.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from app.site.pages import find_pages
from tests.browser.conftest import Visitor, eventually
from tests.browser.test_figures import living
from tests.thorough import mostly

WINDOWS = ((1280, 720), (1024, 768))
LEAST = 20  # pixels of type in a figure
STAGES = """() => [...document.querySelectorAll(".stage")]
  .filter(stage => stage.checkVisibility() && stage.clientWidth)
  .map(stage => [stage.closest(".figure").id, stage.clientWidth, stage.clientHeight])"""
TYPE = """stage => [...stage.querySelectorAll(".plot text")]
  .filter(e => e.textContent.trim() && !e.closest(".modebar"))
  .map(e => parseFloat(getComputedStyle(e).fontSize))"""
FITS = """(stage, [width, height]) => innerWidth === width && innerHeight === height
  && stage.clientWidth === stage.querySelector(".plot")._fullLayout.width"""
PAGES = find_pages()
AFTER = PAGES[[page.word for page in PAGES].index("attention") + 1]
CURSOR = "stage => getComputedStyle(stage.querySelector('.nsewdrag')).cursor"


def sizes(page: Page, *, presenting: bool) -> dict[str, tuple[int, int]]:
    """Width and height of each picture, once they stand still. Nothing is asked again for it."""
    page.evaluate(
        """on => new Promise(done => {
          document.documentElement.toggleAttribute("data-presenter", on);
          requestAnimationFrame(() => requestAnimationFrame(done));
        })""",
        presenting,
    )
    return {id: (width, height) for id, width, height in page.evaluate(STAGES)}


def fitted(page: Page, stage: Locator, window: tuple[int, int]) -> None:
    """Waits until the figure is drawn for the room that this window leaves it."""
    eventually(page, lambda: stage.evaluate(FITS, window), True)


def area_of(stage: Locator) -> float:
    """Of the plot alone, without names and margins, in square pixels."""
    box = stage.locator(".nsewdrag").first.bounding_box()
    return box["width"] * box["height"] if box else 0


ENLARGED = [
    pytest.param(path, id, window)
    for path, id in (
        ("/attention", "map"),
        ("/images", "painted"),
        ("/modes", "prefix"),
        ("/tables", "map"),
    )
    for window in WINDOWS
]


@pytest.mark.parametrize(("path", "id", "window"), mostly(ENLARGED, ENLARGED[1]))
def test_no_plot_gets_narrower_than_its_larger_type_leaves_room_for(
    regular: Visitor, path: str, id: str, window: tuple[int, int]
):
    page = regular.visit(path)
    before = page.viewport_size
    page.set_viewport_size({"width": window[0], "height": window[1]})
    stage = living(page, id)
    fitted(page, stage, window)
    usual = area_of(stage)
    page.keyboard.press("f")
    eventually(page, lambda: min(stage.evaluate(TYPE)) >= LEAST, True)
    eventually(page, lambda: area_of(stage) >= 0.99 * usual, True)
    page.keyboard.press("f")
    expect(page.locator("html")).not_to_have_attribute("data-presenter", "")
    page.set_viewport_size(before)
    regular.forget()


READ = [
    pytest.param(*it)
    for it in (("/scaling", "beside"), ("/attention", "map"), ("/residual", "stream"))
]


@pytest.mark.parametrize(("path", "id"), mostly(READ, READ[0]))
def test_the_type_of_a_figure_is_read_from_the_last_row(regular: Visitor, path: str, id: str):
    page = regular.visit(path)
    living(page, id)
    page.keyboard.press("f")
    stage = living(page, id)
    eventually(page, lambda: min(stage.evaluate(TYPE)) >= LEAST, True)
    assert "svg" in stage.evaluate(CURSOR), "the pointer is a ring"
    for chrome in (".finder", ".beside > :not(section, .look-for)", ".findings", ".controls"):
        for element in page.locator(chrome).all():
            expect(element).to_be_hidden()


def test_one_figure_at_a_time_where_asked(regular: Visitor):
    regular.visit("/scaling")
    page = regular.announced()
    usual = sizes(page, presenting=False)
    figures = page.locator(".figure:visible")
    for id in usual:
        page.keyboard.press("o")
        expect(figures).to_have_count(1)
        expect(figures).to_have_id(id)
        assert sizes(page, presenting=False)[id][0] > 1.8 * usual[id][0]
        expect(page.locator("#live")).to_have_text(page.locator(f"#{id} h2").inner_text())
    expect(page).to_have_url(re.compile(rf"[?&]one={list(usual)[-1]}(&|$)"))
    regular.load(page.url.removeprefix(regular.address))
    expect(figures).to_have_count(1)
    expect(figures).to_have_id(list(usual)[-1])
    page.keyboard.press("o")
    expect(figures).to_have_count(len(usual))
    eventually(page, lambda: sizes(page, presenting=False), usual)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("one figure at a time")
    page.keyboard.press("Escape")


def test_what_a_foot_offers_is_there_when_it_is_asked_for(regular: Visitor):
    page = regular.visit("/scaling")
    page.keyboard.press("f")
    take = page.locator("#weights .export")
    opacity = "take => getComputedStyle(take).opacity"
    page.mouse.move(2, 2)
    eventually(page, lambda: take.evaluate(opacity), "0")
    page.keyboard.press("s")
    eventually(page, lambda: take.evaluate(opacity), "1")
    expect(page.locator("#weights [data-export=svg]")).to_be_focused()


def test_a_link_opens_in_a_hall_and_a_clicker_goes_through_the_course(regular: Visitor):
    page = regular.visit("/attention?kind=self&stack=encoder&layer=0&head=0&query=3&present=1")
    root, title = page.locator("html"), page.locator(".here")
    for path in ("/attention", "/attention", AFTER.path):
        expect(page).to_have_url(re.compile(rf"{path}\?.*present=1"))
        expect(root).to_have_attribute("data-presenter", "")
        regular.ready()
        if path == "/attention":
            page.keyboard.press("PageDown")
    steps = page.locator('[data-key~="step"]').evaluate("choices => choices.selectedIndex")
    for _ in range(steps + 1):
        page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile(r"/attention\?.*present=1"))
    expect(title).to_have_text("Attention")
    expect(title).to_be_in_viewport(ratio=1)
    expect(page.locator(".look-for")).to_be_visible()
    controls, settings = page.locator("#controls"), page.get_by_role("button", name="settings")
    expect(controls).to_be_hidden()
    settings.click()
    expect(controls).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(controls).to_be_hidden()
    page.keyboard.press("f")
    expect(root).not_to_have_attribute("data-presenter", "")
    expect(page).not_to_have_url(re.compile("present"))
