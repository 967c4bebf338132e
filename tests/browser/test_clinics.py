"""What holds for every clinic's page: the curtain, the number to read off, the findings, and a projector that needs no scrolling."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import EXPERIMENTS, Visitor

every_clinic = pytest.mark.parametrize("path", EXPERIMENTS, scope="module")


@every_clinic
def test_r_draws_the_curtain_over_the_measurement_and_takes_it_away(regular: Visitor, path: str):
    page = regular.stay(path)
    curtain = page.locator("#curtain")
    expect(curtain).to_be_hidden()
    page.keyboard.press("r")
    expect(curtain).to_be_visible()
    assert curtain.inner_text().count("?") >= 1, "a curtain asks"
    for covered in (page.locator("#measured .stage canvas").first, page.locator("#reading")):
        box = covered.bounding_box()
        on_top = page.evaluate("([x, y]) => document.elementFromPoint(x, y)?.closest('#curtain') !== null", [box["x"] + 9, box["y"] + 9])
        assert on_top, "the answer shows through the curtain"
    assert "curtain=1" in page.url, "a link to the covered page is a link"
    page.keyboard.press("r")
    expect(curtain).to_be_hidden()
    assert "curtain" not in page.url


@every_clinic
def test_the_number_to_read_off_and_the_findings_are_words(regular: Visitor, path: str):
    page = regular.stay(path)
    assert any(letter.isdigit() for letter in page.locator("#reading").inner_text())
    summary = page.locator("#findings summary")
    expect(summary).to_contain_text("findings hold")
    summary.click()
    rows = page.locator("#findings tbody tr")
    assert rows.count() >= 1
    for row in rows.all():
        assert row.locator("td").first.inner_text().startswith(("✓", "✗"))
    summary.click()


@every_clinic
def test_a_presenter_needs_no_scrolling(regular: Visitor, path: str):
    page = regular.stay(path)
    page.keyboard.press("f")
    expect(page.locator("html")).to_have_attribute("data-presenter", "")
    regular.drawn()
    page.wait_for_timeout(200)
    tall, wide = page.evaluate("() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    assert tall <= 720
    assert wide <= 1280
    expect(page.locator("#reading")).to_be_visible()
    page.keyboard.press("f")
