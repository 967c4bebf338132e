"""The page of circuits: a click takes a path away, and the address says which are gone."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor


def without(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("without", [])


def test_a_link_takes_paths_away_and_back_gives_them_back(regular: Visitor):
    page = regular.visit("/circuit?model=induction-2")
    whole = "With all paths, the model predicts"
    expect(page.locator("#see")).to_contain_text(whole)
    page.get_by_role("link", name="All paths but this one").click()
    expect(page.locator("[name=without]")).to_have_value("0.3-1.?.k")
    expect(page.locator("#see")).to_contain_text("Without 4 paths")
    assert without(page) == ["0.3-1.?.k"]
    page.go_back()
    expect(page.locator("#see")).to_contain_text(whole)
    assert without(page) == []


def test_a_path_is_taken_away_by_the_keyboard(regular: Visitor):
    page = regular.visit("/circuit?model=induction-2")
    field = page.locator("[name=without]")
    field.fill("direct")
    field.press("Enter")
    expect(page.locator("#see")).to_contain_text("Without 1 path, the model")


def test_a_model_of_one_sentence_shows_no_control_of_paths(regular: Visitor):
    page = regular.visit("/circuit?source=i+am+cold")
    expect(page.locator("[name=without]")).to_have_count(0)
    expect(page.locator("#see")).to_contain_text("(cross-attention")
    page.get_by_text("your tokens", exact=True).click()
    expect(page.locator("#see")).to_contain_text("of your input, with the tokens")
    assert parse_qs(urlsplit(page.url).query)["show"] == ["input"]
