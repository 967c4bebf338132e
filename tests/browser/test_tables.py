"""The page of tables: a row whose values are changed and cleared, what that does to the answer, and
the same row in another model.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor
from tests.browser.test_models import asked, choose

TABLES = ["penguins-ft", "penguins-tab", "penguins-saint"]


def answer(page: Page) -> dict:
    address = page.locator("#reads [data-get]").get_attribute("href")
    return page.request.get(page.url.split("/tables")[0] + address).json()


@pytest.mark.parametrize("model", TABLES)
def test_the_chances_and_what_clearing_does_are_the_answers(regular: Visitor, model: str):
    page = regular.visit(f"/tables?model={model}&row=hardest")
    told = answer(page)
    said = told["axes"]["class"]["labels"].index(told["says"]["class"])
    shown = dict(
        zip(
            page.locator("#chances dt").all_inner_texts(),
            page.locator("#chances strong").all_inner_texts(),
            strict=True,
        )
    )
    assert [float(shown[name]) for name in told["axes"]["class"]["labels"]] == pytest.approx(
        told["tensors"]["chances"]["data"], abs=6e-4
    )
    for column, chances in zip(
        told["axes"]["cleared"]["labels"], told["tensors"]["without"]["data"], strict=True
    ):
        change = (
            page.locator(f'label:has([data-column="{column}"]) output')
            .inner_text()
            .replace("−", "-")
        )
        assert float(change) == pytest.approx(chances[said] - told["says"]["probability"], abs=6e-3)
    expect(page.locator("#rows")).to_have_count(1 if model == "penguins-saint" else 0)


def test_a_value_is_cleared_and_comes_back(regular: Visitor):
    page = regular.visit("/tables?model=penguins-ft&row=hardest")
    island = page.locator('[data-column="island"]')
    before = island.input_value()
    island.select_option("")
    expect(page).to_have_url(re.compile("row=bill_length_mm"))
    assert "island" not in asked(regular.drawn())["row"]
    expect(page.locator('label:has([data-column="island"]) output')).to_have_text("")
    page.go_back()
    expect(island).to_have_value(before)


def test_the_row_goes_along_to_the_other_models(regular: Visitor):
    page = regular.visit("/tables?model=penguins-ft&row=gentoo")
    page = choose(regular, "penguins-tab")
    assert asked(page) == {"model": "penguins-tab", "row": "gentoo"}
    with page.expect_navigation():
        page.locator('.beside nav a[data-about="penguins-saint"]').click()
    regular.drawn()
    assert asked(page)["model"] == "penguins-saint"
    assert answer(page)["input"]["row"].startswith("bill_length_mm=")


def test_a_cell_is_picked_and_the_arrows_go_from_token_to_token(regular: Visitor):
    page = regular.visit("/tables?model=penguins-saint&row=gentoo")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("query=1"))
    expect(page.locator("#reads-title")).to_contain_text("bill_length_mm")
    box = page.locator("#rows canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile("layer=|head="))


def test_what_is_no_value_is_refused_in_a_sentence(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}/tables?model=penguins-ft&row=island=Atlantis")
    expect(page.locator(".failure")).to_contain_text(
        "island is one of Biscoe, Dream, Torgersen; 'Atlantis' was given"
    )
    regular.wrongs.clear()
