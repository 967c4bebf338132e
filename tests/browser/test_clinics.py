"""What holds for every clinic's page: the curtain, the number to read off, the findings."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CLINICS, Visitor, numbers

every_clinic = pytest.mark.parametrize("path", CLINICS, scope="module")


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
        on_top = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('#curtain') !== null",
            [box["x"] + 9, box["y"] + 9],
        )
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
    expect(summary).to_have_text(re.compile(r"\d"))
    summary.click()
    rows = page.locator("#findings tbody tr")
    signs = [row.locator("td").first.inner_text()[0] for row in rows.all()]
    assert set(signs) <= {"✓", "✗"}
    assert numbers(summary.inner_text()) == [signs.count("✓"), len(signs)]
    summary.click()
