"""Choosing a model: every page follows, keeps of the address what there is in the other model, and
says in a sentence what does not fit.
"""

import re
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from app.site.pages import cards
from tests.browser.conftest import Visitor, eventually, expect_call
from tests.browser.conftest import choose as pick
from tests.browser.test_figures import PLACES, living, point_at, says
from tests.thorough import mostly

OTHER = "induction-2"
NAMES = {card["id"]: card["name"] for card in cards()}


def fields(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def choose(visitor: Visitor, model: str) -> Page:
    """Another model in the bar is another page of the same name."""
    with visitor.page.expect_navigation():
        visitor.page.locator('#input select[name="model"]').select_option(model)
    return visitor.ready()


def test_what_the_other_model_does_not_have_falls_back(regular: Visitor):
    page = regular.visit("/attention?layer=2&head=3&stage=scores&source=you+are+happy&query=1")
    page = choose(regular, OTHER)
    assert fields(page) == {"model": OTHER, "head": "3", "stage": "scores", "text": "you are happy"}
    expect(page.locator('select[name="layer"]')).to_have_value("1")
    expect(page.locator('#input input[name="text"]')).to_have_value("you are happy")
    expect_call(page, "map", stack="decoder", kind="self", layer=1, head=3)
    expect(page.locator('#input select[name="model"]')).to_be_focused()
    page.go_back()
    expect(page.locator('input[name="source"]')).to_have_value("you are happy")
    expect(regular.ready().locator('select[name="layer"]')).to_have_value("2")


def test_an_input_goes_along_where_it_can_be_read(regular: Visitor):
    page = regular.visit(f"/residual?model={OTHER}&text=abcabc")
    page = choose(regular, "induction-1")
    assert fields(page) == {"model": "induction-1", "text": "abcabc"}
    page = choose(regular, "translator")
    assert fields(page) == {"model": "translator", "source": "abcabc"}


PLACES_OF_ANOTHER = [
    "/attention?kind=cross&stack=encoder&layer=9&head=9&query=99&key=99",
    "/residual?stack=encoder&position=99&step=99",
    "/generate?show=step&layer=9&head=9&strategy=greedy",
    "/masks?stack=encoder&layer=2&show=weights&head=9",
]


@pytest.mark.parametrize("path", mostly(PLACES_OF_ANOTHER, PLACES_OF_ANOTHER[0]))
def test_places_of_another_model_in_an_address_are_no_error(regular: Visitor, path: str):
    page = regular.visit(f"{path}&model={OTHER}&source=i+am+cold")
    expect(page.locator(".failure")).to_have_count(0)


def test_a_text_that_the_model_cannot_read_is_refused_in_a_sentence(regular: Visitor):
    regular.page.goto(f"{regular.address}/attention?model={OTHER}&text=room+101")
    expect(regular.page.locator("body")).to_have_attribute("data-state", "failed")
    expect(regular.page.locator(".failure")).to_contain_text(
        "The text contains '1'; this model only knows"
    )
    expect(regular.page.locator('input[name="text"]')).to_have_attribute("aria-invalid", "true")
    regular.refused()


def test_a_tile_of_the_gallery_is_the_choice_of_a_model(regular: Visitor):
    page = regular.visit("/models?model=induction-1&text=abcab")
    expect(page.locator("#gallery a")).to_have_count(len(cards()))
    expect(page.locator("#gallery a[aria-current]")).to_contain_text(NAMES["induction-1"])
    with page.expect_navigation():
        page.locator("#gallery a").filter(has=page.get_by_text(NAMES[OTHER], exact=True)).click()
    regular.ready()
    assert fields(page) == {"model": OTHER, "text": "abcab"}
    expect(page.locator("h1:visible")).to_have_text(NAMES[OTHER])
    assert re.search(
        rf"model={OTHER}", page.locator('.rooms a[href^="/attention"]').get_attribute("href")
    )
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    expect(regular.ready().locator("h1:visible")).to_have_text(NAMES["induction-1"])


def test_a_dot_says_the_parameters_of_its_model_and_a_click_chooses_it(regular: Visitor):
    page = regular.visit("/models")
    stage = living(page, "sizes")
    stage.scroll_into_view_if_needed()
    by_row = list(cards())
    places = stage.locator(".plot").evaluate(PLACES)
    for place in places[::4]:
        card = point_at(page, stage, place)
        expect(card).to_contain_text(by_row[place["value"]]["name"])
        eventually(page, partial(says, card, by_row[place["value"]]["parameters"]), True)
    last = next(place for place in places if by_row[place["value"]]["id"] == OTHER)
    expect(point_at(page, stage, last)).to_contain_text(NAMES[OTHER])
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"[?&]model={OTHER}(&|$)"))
    regular.ready()


def test_the_table_says_in_what_the_models_differ(regular: Visitor):
    page = regular.visit("/models?show=compare&first=translator&second=translator-pre")
    row = page.locator(
        "#compared tr", has=page.get_by_role("rowheader", name="norm placement", exact=True)
    )
    expect(row.locator("td")).to_have_text(["Post-LN", "Pre-LN"])
    page.locator('.compare select[name="second"]').select_option("induction-2")
    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile("second=induction-2"))
    expect(row.locator("td")).to_have_text(["Post-LN", "no norm"])
    regular.ready()
    pick(page, "show", "gallery")
    expect(regular.ready().locator("#gallery a").first).to_be_visible()


def test_line_breaks_are_shown_typed_and_told(regular: Visitor):
    page = regular.visit("/attention?model=shakespeare&text=ROMEO%3A%0A")
    field = page.locator('input[name="text"]')
    expect(field).to_have_value("ROMEO:⏎")
    field.press("End")
    field.press("Shift+Enter")
    field.press_sequentially("O")
    expect(field).to_have_value("ROMEO:⏎⏎O")
    expect(page).to_have_url(re.compile(r"text=ROMEO%3A%0A%0AO"))
