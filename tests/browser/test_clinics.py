"""What clinics' pages share: controls that switch a premise off, chips, sliders, votes. What holds
for each of them is asked in test_every_page.py.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor
from tests.thorough import mostly


def test_where_a_control_switches_the_premise_off_the_heading_is_its_question(regular: Visitor):
    page = regular.stay("/norms?shortcut=0.9&depth=12&d_model=32")
    heading = page.locator("h1")
    expect(heading).to_have_text("How does norm placement affect vector lengths?")
    expect(page.locator("#standing li").first).to_contain_text("λ = 0.9")
    page.locator("select[name=shortcut]").select_option("1")
    expect(heading).to_have_text(re.compile("^Post-LN"))


def test_a_field_of_the_api_without_a_control_is_asked_and_can_be_taken_away(regular: Visitor):
    page = regular.stay("/scores?keys=16&d_head=4")
    chip = page.get_by_role("button", name="keys = 16, from the address")
    expect(chip).to_be_visible()
    call = page.locator("#measured [data-get]").first
    expect(call).to_have_attribute("href", re.compile(r"[?&]keys=16(&|$)"))
    chip.click()
    expect(chip).to_have_count(0)
    regular.ready()
    assert "keys" not in page.url
    expect(call).not_to_have_attribute("href", re.compile("keys"))
    page.go_back()
    expect(chip).to_be_visible()
    expect(call).to_have_attribute("href", re.compile(r"[?&]keys=16(&|$)"))


def test_a_field_that_the_api_does_not_know_is_refused_in_its_sentence(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}/scores?d_head=4&key=16")
    expect(page.get_by_role("alert").locator("p").first).to_contain_text("key")
    page.get_by_role("button", name="key = 16, from the address").click()
    regular.ready()
    expect(page.get_by_role("alert")).to_have_count(0)
    regular.refused()


SLIDERS = [
    pytest.param(
        *("/scaling", "[name=correlation]", {"0.5": "correlation=0.5", "0.3": "correlation=0.3"})
    ),
    pytest.param("/journey?source=i+am+cold", "#place", {"3": "step=4", "5": "step=6"}),
]


@pytest.mark.parametrize(("path", "slider", "places"), mostly(SLIDERS, SLIDERS[0]))
def test_a_slider_moved_again_after_back_is_another_place_to_go_back_from(
    regular: Visitor, path: str, slider: str, places: dict[str, str]
):
    page = regular.visit(path)
    opened = page.url
    for value, pattern in places.items():
        page.locator(slider).fill(value)
        expect(page).to_have_url(re.compile(pattern))
        page.go_back()
        expect(page).to_have_url(opened)


def test_a_vote_is_counted_once_while_the_answer_is_hidden(regular: Visitor):
    page = regular.stay("/scores?curtain=1&d_head=4")
    expect(page.locator("#asks")).to_contain_text("4 components")
    for hidden in ("h1", "#reading", "#counts"):
        expect(page.locator(hidden)).to_be_hidden()
    choices = page.locator("#choices button")
    counts = page.locator("#choices output")
    expect(counts).to_have_text(["", "", ""])
    choices.nth(2).click()
    expect(counts).to_have_text(["0", "0", "1"])
    choices.nth(1).click()
    expect(counts).to_have_text(["0", "1", "0"])
    page.reload()
    expect(counts).to_have_text(["0", "1", "0"])
    expect(choices.nth(1)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("r")
    expect(page.locator("h1")).to_be_visible()
    expect(choices.nth(0)).to_be_disabled()
    expect(page.locator("#reason")).to_contain_text("Correct at these settings: “Five”")
