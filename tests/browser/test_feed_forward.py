"""The feed-forward page: one token in one layer, five views, all of it in the address."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visitor

LINES = "/feed-forward?source=i+am+cold&target=j%27+ai+froid"


def test_a_view_a_layer_and_a_token_are_chosen_and_back_returns_to_them(regular: Visitor):
    page = regular.visit(LINES)
    title = page.locator("#neurons-title")
    expect(title).to_have_text("Which neurons fire")
    expect(page.locator("#see")).to_contain_text("“j'”")
    page.locator("label", has_text="contributions").first.click()
    expect(title).to_have_text("What each neuron contributes")
    page.locator('select[name="position"]').select_option("3")
    page.locator('select[name="layer"]').select_option("0")
    for part in ("show=writes", "position=3", "layer=0"):
        expect(page).to_have_url(re.compile(part))
    expect(page.locator("#leads a").first).to_have_attribute("href", re.compile("position=3"))
    page.locator('label:has([value="fires"])').click()
    expect(page.locator("#see")).to_contain_text("“froid”")
    page.go_back()
    expect(title).to_have_text("What each neuron contributes")


def test_another_stack_has_its_own_layers_and_its_own_tokens(regular: Visitor):
    page = regular.visit("/feed-forward?model=speller&source=eight&stack=decoder")
    expect(page.locator('select[name="layer"] option')).to_have_count(3)
    page.locator("label", has_text="encoder").click()
    expect(page.locator('select[name="layer"] option')).to_have_count(4)


def test_a_model_without_a_feed_forward_is_not_offered_and_leads_to_one_that_has(regular: Visitor):
    page = regular.visit("/feed-forward?model=induction-2&text=abcabc")
    expect(page.locator(".failure")).to_have_count(0)
    expect(page.locator('#input select[name="model"] option[value="induction-2"]')).to_have_count(0)
    expect(page.locator("#see")).to_contain_text("neurons")


def test_an_image_has_neurons_and_no_words(regular: Visitor):
    page = regular.visit("/feed-forward?model=digits")
    expect(page.locator("#see")).to_contain_text("one of 96 neurons")
    expect(page.locator('input[name="show"][value="words"]')).to_have_count(0)
