"""The residual page: five views of one stream, chosen by pointer, by keys and by address, and sums
that can be seen to be sums.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor

VIEWS = ["contributions", "norm", "writes", "dependency", "lens"]


def table(page: Page) -> list[list[str]]:
    """The first figure's table, opened."""
    page.locator("#stream [data-table]").click()
    expect(page.locator("#stream tbody tr").first).to_be_visible()
    rows = page.locator("#stream table tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    page.locator("#stream [data-table]").click()
    return cells


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def pixels(page: Page) -> str:
    return page.evaluate("document.querySelector('#stream canvas').toDataURL()")


def test_it_opens_on_contributions_that_sum_to_the_stream(regular: Visitor):
    page = regular.visit("/residual")
    *_, parts, length = table(page)
    assert parts[0] == "sum"
    assert length[0] == "|x|"
    assert [number(cell) for cell in parts[1:]] == pytest.approx(
        [number(cell) for cell in length[1:]], abs=2e-3
    )
    expect(page.locator("#readout")).to_have_text(re.compile(r"\d"))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_a_picture_of_its_own_and_its_words(regular: Visitor, view: str, stack: str):
    page = regular.visit(f"/residual?view={view}&stack={stack}")
    expect(page.locator(f'input[name=view][value="{view}"]')).to_be_checked()
    expect(page.locator("[data-view]:visible")).to_have_count(1)
    assert len(page.locator(".beside").inner_text().split()) <= 70
    lens = page.locator("input[name=view][value=lens]")
    assert lens.is_disabled() == (stack == "encoder"), (
        "nothing is read from the encoder's stream as words"
    )
    assert (lens.locator("..").get_attribute("title") != "") == (stack == "encoder")


def test_the_views_differ_and_back_leads_through_them(regular: Visitor):
    page = regular.visit("/residual")
    seen = [pixels(page)]
    for view in VIEWS[1:]:
        page.locator("label", has=page.locator(f'input[value="{view}"]')).click()
        expect(page).to_have_url(re.compile(f"view={view}"))
        regular.drawn()
        seen.append(pixels(page))
    assert len(set(seen)) == len(VIEWS)
    page.go_back()
    expect(page).to_have_url(re.compile("view=dependency"))
    regular.drawn()
    assert pixels(page) == seen[3]


def test_arrows_walk_the_steps_and_the_tokens(regular: Visitor):
    page = regular.visit("/residual")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("step=8"))
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("position=2"))
    page.keyboard.press("ArrowRight")
    expect(page).not_to_have_url(re.compile("step="))
    expect(page.locator("select[name=step]")).to_have_value("end")
    expect(page.locator("select[name=position]")).to_have_value("2")


def test_a_click_on_a_column_selects_its_step_and_one_on_a_token_the_token(regular: Visitor):
    page = regular.visit("/residual")
    canvas = page.locator("#stream canvas")
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * 0.55, "y": box["height"] / 2})
    expect(page).to_have_url(re.compile("step=[45]"))
    canvas.click(position={"x": 8, "y": 8})
    expect(page).to_have_url(re.compile("position=0"))


def test_a_token_or_a_step_beyond_the_end_is_the_last_one(regular: Visitor):
    page = regular.visit("/residual?position=99&step=99")
    for name in ("position", "step"):
        last = page.locator(f"select[name={name}] option").last.get_attribute("value")
        expect(page.locator(f"select[name={name}]")).to_have_value(last)


def test_the_lens_table_ends_with_what_the_model_says(regular: Visitor):
    page = regular.visit("/residual?view=lens")
    rows = table(page)
    answer = page.request.get(
        f"{regular.address}{page.locator('#stream [data-get]').get_attribute('href')}"
    ).json()
    assert [row[-2].split()[0] for row in rows[1:]] == [
        tokens[0] for tokens in answer["top_tokens"]
    ]
    assert [row[-1] for row in rows[1:]] == answer["expected"]


def test_plotly_is_fetched_only_when_exploring_and_can_be_left_again(regular: Visitor):
    fetched = []
    regular.page.on(
        "request", lambda request: "plotly.min" in request.url and fetched.append(request.url)
    )
    page = regular.visit("/residual")
    assert not fetched
    page.locator("input[name=explore]").check()
    expect(page.locator("#stream .plot .bars path").first).to_be_visible()
    assert len(fetched) == 1
    page.locator("input[name=explore]").uncheck()
    expect(page.locator("#stream .plot")).to_have_count(0)
