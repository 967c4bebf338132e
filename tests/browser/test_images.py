"""Images in the browser: every page about a model that reads them, a digit drawn with pointer and
keys, and the page of images.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from app.site.pages import cards
from tests.browser.conftest import PHONE, Visitor
from tests.browser.test_figures import PLACES, living, point_at
from tests.browser.test_models import choose, fields

DIGITS = "digits"
CARD = next(card for card in cards() if card["id"] == DIGITS)
FIRST = CARD["examples"][0]["id"]
SILENT = "/generate"


def test_what_writes_nothing_says_so_in_a_sentence(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}{SILENT}?model={DIGITS}")
    expect(page.locator("body")).to_have_attribute("data-state", "failed")
    expect(page.locator(".failure")).to_contain_text(
        "digits doesn’t generate text: an encoder alone"
    )
    expect(page.locator(".failure")).to_contain_text("Choose a model with a decoder.")


@pytest.mark.thorough  # as a text: test_models.py, test_every_page.py
def test_the_pages_follow_a_model_of_images_and_the_image_travels(regular: Visitor):
    page = regular.visit("/attention?source=you+are+happy&stage=scores&layer=1")
    page = choose(regular, DIGITS)
    assert fields(page) == {"model": DIGITS, "stage": "scores", "layer": "1"}
    expect(page.locator("#examples")).to_have_css("text-indent", "0px")  # its choice is seen
    page.locator("#examples").select_option(label="5  five")
    expect(page).to_have_url(re.compile("image=five"))
    regular.ready()
    for link in page.locator("a[data-travels]").all():
        assert "image=five" in link.get_attribute("href")


@pytest.mark.parametrize("regular", [PHONE], indirect=True, ids=["phone"])
def test_a_phone_has_room_for_the_pad(regular: Visitor):
    page = regular.visit(f"/attention?model={DIGITS}")
    page.locator("[popovertarget=input]").click()
    page.locator(".image-field summary").click()
    expect(page.locator(".image-field .paper canvas")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def draw_a_stroke(page: Page) -> None:
    box = page.locator(".paper:visible canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4, steps=8)
    page.mouse.up()


def test_a_digit_is_drawn_in_the_bar_undone_and_gone_back_from(still: Visitor):
    page = still.visit(f"/attention?model={DIGITS}")
    page.locator(".image-field summary").click()
    expect(page.locator(".image-field .paper canvas")).to_have_attribute("tabindex", "0")
    page.locator(".image-field").locator("[data-pad=clear]").click()
    expect(page).to_have_url(re.compile("image=0{64}"))
    draw_a_stroke(page)
    middle = page.locator('input[name="image"]').input_value()
    # Its beginning is in the address earlier.
    expect(page).to_have_url(re.compile(f"image={middle}"))
    url = still.ready().url
    assert re.fullmatch("[0-9a-g]{64}", middle)
    assert (
        {middle[8 * row + 3] for row in range(8)}
        == {middle[8 * row + 4] for row in range(8)}
        != {"0"}
    ), "a stroke down the middle"
    for before in (re.compile("image=0{64}"), re.compile(f"image={FIRST}|model={DIGITS}$")):
        page.locator(".image-field").locator("[data-pad=undo]").click()
        expect(page).to_have_url(before)
    expect(page.locator(".image-field").locator("[data-pad=undo]")).to_be_disabled()
    page.goto(url)
    expect(still.ready().locator('input[name="image"]')).to_have_value(middle)


def test_a_digit_is_drawn_with_the_keys(regular: Visitor):
    page = regular.visit(f"/images?model={DIGITS}&image={'0' * 64}")
    canvas = page.locator(".drawing .paper canvas")
    expect(canvas).to_have_attribute("tabindex", "0")
    canvas.focus()
    for key in ("ArrowRight", "ArrowDown", " "):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("image=0{8}0g0{54}"))
    expect(page.locator("#live")).to_have_text(re.compile(r"\b2\D+2\D+1\b"))
    page.locator(".drawing").locator('[data-grey="0.25"]').press("Enter")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("image=0{8}0g40{53}"))


def test_the_page_of_images_says_what_the_model_says(regular: Visitor):
    page = regular.visit(f"/images?model={DIGITS}&image=three")
    expect(page.locator("#class")).to_have_text("3")
    expect(page.locator("#painted-title")).to_have_text(re.compile(r"\[CLS\].*\b2\D+0$"))
    page.locator(".drawing .samples button[aria-label='example seven']").click()
    expect(page).to_have_url(re.compile("image=seven"))
    expect(page.locator("#class")).to_have_text("7")
    answer = page.request.get(
        regular.address + page.locator("#says [data-get]").get_attribute("href")
    ).json()
    assert answer["says"]["class"] == "7"


def test_a_patch_and_a_head_are_picked_and_the_address_holds_them(regular: Visitor):
    page = regular.visit(f"/images?model={DIGITS}&image=three")
    page.keyboard.press("Tab")
    living(page, "heads").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("layer=0.*head=1|head=1.*layer=0"))
    regular.ready()
    living(page, "painted").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("query=5"))
    expect(page.locator("#painted-title")).to_have_text(re.compile(r"\b2,1\b.*\b0\D+1$"))


def test_the_pointer_is_told_the_pixel_and_the_weight_of_its_patch(regular: Visitor):
    page = regular.visit(f"/images?model={DIGITS}&image=three&layer=1&head=2")
    stage = living(page, "painted")
    query = {"model": DIGITS, "image": "three", "query": "0"}
    answer = page.request.get(f"{regular.address}/api/v1/images", params=query).json()
    labels = answer["axes"]["image"]["labels"]
    pixels = answer["tensors"]["pixels"]["data"]
    weights = answer["tensors"]["weights"]["data"][1][2]
    inked = [place for place in stage.locator(".plot").evaluate(PLACES) if place["curve"] == 1]
    assert len(inked) == 64
    for place in inked[::9]:
        row, column = place["row"] - place["row"] // 3, place["at"] - place["at"] // 3
        token = 1 + row // 2 * 4 + column // 2
        texts = (f"row {row + 1}, column {column + 1}", f"[CLS] → {labels[token]}")
        point_at(page, stage, place, *texts, pixels[row][column], weights[token])


def test_another_grid_is_said_to_be_another(regular: Visitor):
    page = regular.visit(f"/images?model={DIGITS}&image=three&query=60&grid=8")
    expect(page.locator("#painted-title")).to_contain_text("8,4")
    page.locator('select[name="grid"]').select_option(label="4 × 4")
    expect(page.locator("#painted-title")).to_contain_text("4,4")
    expect(page.locator("#status")).to_contain_text("There is no query 60 here; query 16 is shown")
    regular.refused()


def test_about_a_model_that_reads_no_image_the_page_is_about_one_that_does_and_the_bar_names_it(
    regular: Visitor,
):
    page = regular.visit("/images?model=translator&source=you+are+happy")
    expect(page).to_have_url(re.compile(r"/images$"))
    expect(page.locator('#input [name="model"]')).to_have_value(DIGITS)
    expect(page.locator("#class")).to_have_text("3")
    page.locator("main .samples button[aria-label='example eight']").click()
    expect(page).to_have_url(re.compile("model=digits.*image=eight"))
    expect(page.locator("#class")).to_have_text("8")
    page.go_back()
    expect(page.locator("#class")).to_have_text("3")


def test_what_is_no_image_is_refused_in_a_sentence(regular: Visitor):
    regular.page.goto(f"{regular.address}/attention?model={DIGITS}&image=0,1")
    expect(regular.page.locator("body")).to_have_attribute("data-state", "failed")
    expect(regular.page.locator(".failure")).to_contain_text(
        "The image has 2 gray values; this model needs 8 × 8 ="
    )
    regular.refused()
