"""The modes page: four squares of one sentence, each with its own call; the mask, the layer and the
head are in the address.
"""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor, choose

MODES = ("encoder-only", "decoder-only", "encoder-decoder", "prefix")


def pixels(page: Page, mode: str) -> str:
    return page.evaluate(f"document.querySelector('#{mode} canvas').toDataURL()")


def answer(page: Page, mode: str) -> dict:
    address = page.locator(f"#{mode} [data-get]").get_attribute("href")
    return page.request.get(page.url.split("/modes")[0] + address).json()


def test_each_square_is_one_modes_tensors_and_says_whose_they_are_or_why_there_are_none(
    regular: Visitor,
):
    page = regular.visit("/modes?source=i+am+cold")
    for mode in MODES:
        told = next(one for one in answer(page, mode)["modes"] if one["mode"] == mode)
        assert all(name.startswith(f"{mode}.") for name in answer(page, mode)["tensors"])
        said = page.locator(f"#{mode} .readout").inner_text()
        assert (told["model"] or told["why"]) in said
        assert f"{told['visible']['value']:.0f} of" in said
        assert page.locator(f"#{mode} [data-badge]").inner_text() == told["kind"]
    assert len(page.locator(".beside").inner_text().split()) <= 70


def test_the_mask_the_layer_and_the_head_redraw_the_squares_and_stay_in_the_address(
    regular: Visitor,
):
    page = regular.visit("/modes?source=i+am+cold")
    first = pixels(page, "encoder-decoder")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("head=1"))
    regular.drawn()
    second = pixels(page, "encoder-decoder")
    choose(page, "show", "mask")
    expect(page).to_have_url(re.compile("show=mask"))
    regular.drawn()
    assert len({first, second, pixels(page, "encoder-decoder")}) == 3
    page.go_back()
    expect(page.locator('input[name="show"][value="map"]')).to_be_checked()


def test_a_cell_that_is_walked_to_says_its_weight_and_what_its_row_says(regular: Visitor):
    page = regular.visit("/modes?source=i+am+cold")
    pattern = answer(page, "encoder-decoder")["tensors"]["encoder-decoder.pattern"]["data"]
    page.locator("#encoder-decoder canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#encoder-decoder .readout")).to_contain_text(
        re.compile(r"(\.\d{3}|\b0|\b1)\b")
    )
    assert len(pattern) == 9


def test_the_model_of_the_bar_stands_for_its_own_mode(regular: Visitor):
    page = regular.visit("/modes?model=induction-1")
    told = next(
        one for one in answer(page, "decoder-only")["modes"] if one["mode"] == "decoder-only"
    )
    assert told["model"] == "induction-1"
