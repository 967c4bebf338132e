"""Two inputs of one model side by side: the page of a run twice, under one bar and one row of
controls.
"""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import FrameLocator, Page, Route, expect

from tests.browser.conftest import FIGURES_READY, PHONE, Visitor, choose, eventually
from tests.thorough import mostly

WORDS = "model=translator&source=i+am+cold&another=the+cat+sees+the+dog"
PAGES = [
    f"/?{WORDS}",
    f"/journey?{WORDS}&step=3",
    f"/attention?{WORDS}",
    f"/residual?{WORDS}",
    f"/feed-forward?{WORDS}",
    f"/generate?{WORDS}",
    f"/masks?{WORDS}",
    f"/modes?{WORDS}",
    "/images?model=digits&image=three&another=eight",
    "/attention?model=digits&image=three&another=eight",
    "/detection?model=shapes&image=three&another=one",
    "/tables?model=penguins-saint&row=adelie&another=gentoo",
]
READS = ("source", "text", "image", "row")


def twins(page: Page) -> tuple[FrameLocator, FrameLocator]:
    """Both frames, once their pages are drawn."""
    first, second = (page.locator(".twin").nth(i).content_frame for i in (0, 1))
    for frame in (first, second):
        expect(frame.locator(FIGURES_READY)).to_have_count(1)
    return first, second


def read_by(page: Page) -> list[str]:
    """What the models of both frames read, by their addresses."""
    fields = [parse_qs(urlsplit(frame.url).query) for frame in page.frames[1:]]
    return [of[name][0] for of in fields for name in READS if name in of]


def model_of_both(page: Page) -> set[str]:
    return {parse_qs(urlsplit(frame.url).query).get("model", [""])[0] for frame in page.frames[1:]}


def type_second(page: Page, sentence: str) -> None:
    page.locator(".twin-field summary").click()
    field = page.locator('input[name="another"]')
    field.fill(sentence)
    field.press("Enter")


def remove(page: Page) -> None:
    page.locator(".twin-field summary").click()
    page.locator(".twin-field button").click()


@pytest.mark.parametrize("path", mostly(PAGES, PAGES[11]))
def test_every_page_about_a_run_shows_both_inputs_at_once(still: Visitor, path: str):
    page = still.visit(path)
    query = parse_qs(urlsplit(path).query)
    for frame in twins(page):
        expect(frame.locator(".figure:visible").first).to_be_visible()
        expect(frame.locator(".failure")).to_have_count(0)
    (first,) = [query[name][0] for name in READS if name in query]
    assert read_by(page) == [first, query["another"][0]]
    boxes = [frame.bounding_box() for frame in page.locator(".twin").all()]
    assert [round(box["y"]) for box in boxes] == [round(boxes[0]["y"])] * 2, "side by side"
    bottom = max(box["y"] + box["height"] for box in boxes)
    assert bottom <= page.viewport_size["height"] + 1, "both are seen without scrolling"
    expect(page.locator("main > .figures")).not_to_be_visible()


def test_a_second_sentence_is_typed_kept_by_reload_and_removed_and_back_brings_it_again(
    still: Visitor,
):
    page = still.visit("/attention?model=translator&source=i+am+cold")
    expect(page.locator(".twin:visible")).to_have_count(0)
    held: list[Route] = []
    # its script comes after what is typed
    page.route("**/js/twin.js", lambda route: held.append(route))
    type_second(page, "he is late")
    expect(page).to_have_url(re.compile("another=he\\+is\\+late"))
    expect(page.locator('input[name="another"]')).to_be_hidden()
    eventually(page, lambda: len(held), 1)
    held[0].continue_()
    page.unroute("**/js/twin.js")
    expect(page.locator(".twin:visible")).to_have_count(2)
    twins(page)
    assert read_by(page) == ["i am cold", "he is late"]
    page.reload()
    still.ready()
    twins(page)
    assert read_by(page) == ["i am cold", "he is late"]
    remove(page)
    expect(page.locator(".twin:visible")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("another"))
    expect(page.locator("#map .stage")).to_be_visible()
    page.go_back()
    expect(page.locator(".twin:visible")).to_have_count(2)
    twins(page)


def test_a_choice_above_is_made_for_both_and_back_takes_it_back_for_both(still: Visitor):
    page = still.visit(f"/attention?{WORDS}&layer=0&head=1")
    twins(page)
    page.locator('select[name="layer"]').select_option("1")
    asks = "#map [data-get]"
    for layer in (1, 0):
        for frame in twins(page):
            expect(frame.locator(asks)).to_have_attribute("href", re.compile(f"layer={layer}"))
        if layer:
            page.go_back()


def test_the_first_input_changes_and_the_second_stays(still: Visitor):
    page = still.visit(f"/residual?{WORDS}")
    twins(page)
    page.locator('input[name="source"]').fill("she is hungry")
    eventually(page, lambda: read_by(page), ["she is hungry", "the cat sees the dog"])


@pytest.mark.thorough  # a sentence is typed, an image is chosen: one field
def test_another_example_is_chosen_as_the_second_image(still: Visitor):
    page = still.visit("/images?model=digits&image=one")
    page.locator(".twin-field summary").click()
    page.locator('select[name="another"]').select_option("two")
    twins(page)
    assert read_by(page) == ["one", "two"]
    page.go_back()
    expect(page.locator(".twin:visible")).to_have_count(0)


def test_a_second_sentence_stays_with_a_model_that_reads_it_and_not_with_one_of_images(
    still: Visitor,
):
    page = still.visit(f"/attention?{WORDS}")
    page.evaluate("sessionStorage.clear()")  # no sentence of before waits for a model
    models = page.locator('select[name="model"]')
    models.select_option("translator-pre")
    expect(page).to_have_url(re.compile("model=translator-pre.*another="))
    eventually(page, lambda: model_of_both(page), {"translator-pre"})
    twins(still.ready())
    assert read_by(page) == ["i am cold", "the cat sees the dog"]
    page.locator('select[name="model"]').select_option("digits")
    expect(page).to_have_url(re.compile("model=digits"))
    still.ready()
    expect(page).not_to_have_url(re.compile("another="))
    expect(page.locator(".twin:visible")).to_have_count(0)


@pytest.mark.parametrize("swapping", mostly([True, False], False))
def test_both_inputs_travel_to_another_page_about_a_run(
    request: pytest.FixtureRequest, swapping: bool
):
    """Where Plotly has come, a page is swapped and not loaded."""
    visitor: Visitor = request.getfixturevalue("regular" if swapping else "still")
    page = visitor.visit(f"/attention?{WORDS}")
    link = page.locator('.rooms a[href^="/residual?"]')
    link.evaluate("link => link.click()")
    expect(page.locator("body")).to_have_attribute("data-page", "residual")
    twins(visitor.ready())
    assert read_by(page) == ["i am cold", "the cat sees the dog"]


def test_the_link_in_a_frame_opens_the_whole_page_about_its_input_alone(still: Visitor):
    page = still.visit(f"/feed-forward?{WORDS}")
    _, second = twins(page)
    choose(page, "show", "writes")
    link = second.locator("a.whole")
    expect(link).to_have_attribute("href", re.compile("show=writes"))
    expect(link).to_have_attribute("href", re.compile("source=the\\+cat"))
    expect(link).not_to_have_attribute("href", re.compile("another|embed"))


def test_frames_follow_the_theme_and_presenter_mode(still: Visitor):
    page = still.visit(f"/residual?{WORDS}")
    twins(page)
    before = page.locator("html").get_attribute("data-theme")
    page.locator(".view > summary").click()
    page.locator("#theme").click()
    expect(page.locator("html")).not_to_have_attribute("data-theme", before)
    theme = page.locator("html").get_attribute("data-theme")
    for i in (0, 1):
        root = page.locator(".twin").nth(i).content_frame.locator("html")
        expect(root).to_have_attribute("data-theme", theme)
    page.locator("#presenter").click()
    for i in (0, 1):
        root = page.locator(".twin").nth(i).content_frame.locator("html")
        expect(root).to_have_attribute("data-presenter", "")
    twins(page)


@pytest.mark.parametrize("still", [PHONE], indirect=True)
def test_on_a_phone_one_stands_under_the_other_and_nothing_is_wider_than_the_page(
    still: Visitor,
):
    page = still.visit(f"/attention?{WORDS}")
    twins(page)
    above, below = (frame.bounding_box() for frame in page.locator(".twin").all())
    assert below["y"] >= above["y"] + above["height"] - 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("[popovertarget=input]").click()
    type_second(page, "i am tired")
    eventually(page, lambda: read_by(page), ["i am cold", "i am tired"])


@pytest.mark.thorough  # as a page about one: test_choices.py
def test_a_shorter_second_input_says_which_token_it_shows_instead(still: Visitor):
    page = still.visit(
        "/feed-forward?model=translator&source=the+cat+sees+the+dog&stack=encoder&position=6"
        "&another=i+am+cold"
    )
    first, second = twins(page)
    expect(second.locator("#status")).to_contain_text("There is no token 6 here")
    expect(first.locator("#status")).not_to_contain_text("There is no")
    still.refused()


def test_a_second_example_that_does_not_exist_is_said(still: Visitor):
    page = still.load("/images?model=digits&image=one&another=nothing")
    expect(page.locator("#status")).to_contain_text("nothing")
    expect(page.locator(".twin:visible")).to_have_count(0)
