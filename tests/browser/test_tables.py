"""The page of tables: a row whose values are changed and cleared, what that does to the answer, and
the same row in another model.
"""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor, eventually
from tests.browser.test_figures import PLACES, living, point_at, says
from tests.browser.test_models import choose, fields
from tests.thorough import mostly

TABLES = ["penguins-ft", "penguins-tab", "penguins-saint"]

BARS = """plot => {
  const {xaxis, yaxis} = plot._fullLayout;
  return Array.from(plot.data[0].y, (at, i) => ({
    at: i, x: xaxis._offset + xaxis.d2p(plot.data[0].x[i]) / 2, y: yaxis._offset + yaxis.d2p(at),
  }));
}"""
"""The middle of each bar of the figure of probabilities."""


def answer(page: Page) -> dict:
    address = page.locator("#reads [data-get]").get_attribute("href")
    return page.request.get(page.url.split("/tables")[0] + address).json()


@pytest.mark.parametrize("model", mostly(TABLES, TABLES[0]))
def test_the_chances_and_what_clearing_does_are_the_answers(regular: Visitor, model: str):
    page = regular.visit(f"/tables?model={model}&row=hardest")
    response = answer(page)
    axes, tensors, reply = (response[name] for name in ("axes", "tensors", "says"))
    predicted = axes["class"]["labels"].index(reply["class"])
    stage = living(page, "chances")
    stage.scroll_into_view_if_needed()
    for place in stage.locator(".plot").evaluate(BARS):
        card = point_at(page, stage, place)
        expect(card).to_contain_text(axes["class"]["labels"][place["at"]])
        eventually(page, partial(says, card, tensors["chances"]["data"][place["at"]]), True)
    for column, chances in zip(axes["cleared"]["labels"], tensors["without"]["data"], strict=True):
        change = (
            page.locator(f'label:has([data-column="{column}"]) output')
            .inner_text()
            .replace("−", "-")
        )
        assert float(change) == pytest.approx(chances[predicted] - reply["probability"], abs=6e-3)
    expect(page.locator("#rows")).to_have_count(1 if model == "penguins-saint" else 0)


def test_a_value_is_cleared_and_comes_back(regular: Visitor):
    page = regular.visit("/tables?model=penguins-ft&row=hardest")
    island = page.locator('[data-column="island"]')
    before = island.input_value()
    island.select_option("")
    expect(page).to_have_url(re.compile("row=bill_length_mm"))
    assert "island" not in fields(regular.ready())["row"]
    expect(page.locator('label:has([data-column="island"]) output')).to_have_text("")
    page.go_back()
    expect(island).to_have_value(before)


def test_the_row_goes_along_to_the_other_models(regular: Visitor):
    page = regular.visit("/tables?model=penguins-ft&row=gentoo")
    page = choose(regular, "penguins-tab")
    assert fields(page) == {"model": "penguins-tab", "row": "gentoo"}
    with page.expect_navigation():
        page.locator('.beside nav a[data-about="penguins-saint"]').click()
    regular.ready()
    assert fields(page)["model"] == "penguins-saint"
    assert answer(page)["input"]["row"].startswith("bill_length_mm=")


def test_a_cell_is_picked_and_the_arrows_go_from_token_to_token(regular: Visitor):
    page = regular.visit("/tables?model=penguins-saint&row=gentoo")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("query=1"))
    expect(page.locator("#reads-title")).to_contain_text("bill_length")
    regular.ready()
    box = living(page, "rows").locator(".nsewdrag").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 16)
    expect(page).to_have_url(re.compile("layer=0"))
    expect(page.locator('select[name="layer"]')).to_have_value("0")
    expect(page.locator("#map-title")).to_have_text("Layer 0, head 0")


@pytest.mark.parametrize("id", mostly(["reads", "rows", "map"], "rows"))
def test_a_cell_says_the_weight_that_the_answer_has_there(regular: Visitor, id: str):
    page = regular.visit("/tables?model=penguins-saint&row=gentoo&layer=0&head=2&query=3")
    weights = answer(page)["tensors"]
    layers = weights["weights"]["data"]
    expected = {
        "reads": [head[3] for layer in layers for head in layer],
        "rows": [head for layer in weights["rows"]["data"] for head in layer],
        "map": layers[0][2],
    }[id]
    stage = living(page, id)
    stage.scroll_into_view_if_needed()
    places = stage.locator(".plot").evaluate(PLACES)
    assert len(places) == sum(map(len, expected))
    for place in places[:: len(places) // 5]:
        card = point_at(page, stage, place)
        eventually(page, partial(says, card, expected[place["row"]][place["at"]]), True)


def test_what_is_no_value_is_refused_in_a_sentence(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}/tables?model=penguins-ft&row=island=Atlantis")
    expect(page.locator(".failure")).to_contain_text(
        "island must be one of Biscoe, Dream, Torgersen; 'Atlantis' was given"
    )
    regular.refused()


def test_a_table_of_many_columns_is_filled_in_and_its_categories_are_drawn(regular: Visitor):
    page = regular.visit("/tables?model=penguins-ft&row=sex=male")
    page = choose(regular, "flights-ft")
    assert fields(page) == {"model": "flights-ft"}  # a penguin is no flight
    page.locator('[data-column="destination"]').select_option("SEA")
    expect(page).to_have_url(re.compile("destination%3DSEA"))
    page.locator('select[name="column"]').select_option("destination")
    expect(page.locator("#categories-title")).to_have_text(
        "Which values of destination are similar"
    )
    expect(page.locator("#alike")).to_contain_text("104 categories of destination")
    regular.ready()
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    expect(page.locator("#worth .main-svg").first).to_be_visible()
