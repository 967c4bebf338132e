"""A choice that is not there, of another model or a longer sentence, becomes the nearest that is:
the page, its address and a sentence say so.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor
from tests.thorough import mostly

SHORT = "model=translator&source=i+am+cold"
ABSENT = [
    (f"/feed-forward?{SHORT}&layer=9", "layer", "2"),
    (f"/feed-forward?{SHORT}&layer=99999", "layer", "2"),
    (f"/feed-forward?{SHORT}&stack=encoder&position=99", "position", "4"),
    (f"/feed-forward?{SHORT}&top=7", "top", "5"),
    (f"/attention?{SHORT}&layer=9&head=99", "layer", "2"),
    (f"/attention?{SHORT}&layer=9&head=99", "head", "3"),
    (f"/attention?{SHORT}&kind=self&stack=encoder&query=99", "query", "4"),
    ("/attention?model=speller&kind=cross&layer=2", "layer", "1"),
    (f"/residual?{SHORT}&view=norm&stack=encoder&position=40", "position", "4"),
    (f"/residual?{SHORT}&stack=decoder&position=400", "position", None),
    (f"/residual?{SHORT}&view=norm&stack=encoder&step=50", "step", "end"),
    (f"/generate?{SHORT}&step=40", "step", None),
    (f"/masks?{SHORT}&show=weights&layer=9", "layer", "2"),
    (f"/journey?{SHORT}&token=99", "token", None),
    (f"/journey?{SHORT}&step=99", "step", "14"),
    ("/images?model=digits&query=99", "query", "16"),
    ("/images?model=digits&layer=9", "layer", "2"),
    ("/detection?model=shapes&query=99", "query", None),
    ("/tables?model=penguins-ft&query=99", "query", "6"),
]


CASES = [pytest.param(*it) for it in ABSENT]
ONCE = {
    **{case.values[0].partition("?")[0]: case for case in CASES},
    **{case.values[1]: case for case in CASES},
}
"""Each page once, and each name: the last of the cases about it."""


@pytest.mark.parametrize(("path", "name", "nearest"), mostly(CASES, *list(ONCE.values())[::4]))
def test_a_link_to_what_is_not_there_shows_the_nearest_and_says_so(
    regular: Visitor, path: str, name: str, nearest: str | None
):
    page = regular.visit(path)
    value = re.search(rf"{name}=(\d+)", path)[1]
    status = page.locator("#status")
    expect(status).to_contain_text(re.compile(rf"There is no \w+ {value} here; (\w+) \w+ is shown"))
    instead = re.search(rf" {value} here; \w+ (\w+) is shown", status.inner_text())[1]
    assert nearest in (None, instead)
    expect(page).not_to_have_url(re.compile(rf"{name}={value}(&|$)"))
    expect(page.locator(f'[name="{name}"]')).to_have_value(instead)
    expect(page.locator(".failure")).to_have_count(0)
    regular.refused()


def test_a_layer_that_only_one_stack_has_is_there_in_that_stack(regular: Visitor):
    page = regular.visit("/attention?model=speller&kind=self&stack=encoder&layer=2")
    expect(page.locator('[name="layer"]')).to_have_value("2")
    expect(page.locator("#status")).not_to_contain_text("There is no")


LAST = [
    pytest.param("feed-forward?stack=encoder", "position"),
    pytest.param("residual?stack=encoder&view=norm", "position"),
    pytest.param("attention?stack=encoder&kind=self", "query"),
]


@pytest.mark.parametrize(("view", "name"), mostly(LAST, LAST[0]))
def test_a_token_of_a_longer_sentence_becomes_the_last_of_a_shorter_one(
    regular: Visitor, view: str, name: str
):
    page = regular.visit(f"/{view}&model=translator&source=the+cat+sees+the+dog&{name}=6")
    status = page.locator("#status")
    expect(status).not_to_contain_text("There is no")
    page.locator('input[name="source"]').fill("i am cold")
    expect(status).to_contain_text(re.compile("There is no (token|query) 6 here"))
    expect(page).to_have_url(re.compile(f"{name}=4"))
    page.locator('input[name="source"]').fill("i am tired")
    expect(status).not_to_contain_text("There is no")
    regular.refused()


def test_what_somebody_types_is_refused_and_not_corrected(regular: Visitor):
    page = regular.visit("/generate?model=translator&source=i+am+cold&strategy=beam")
    page.locator('[name="beams"]').fill("999")
    expect(page.locator(".failure")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    expect(page.locator('[name="beams"]')).to_have_value("999")
    regular.refused()


def test_what_the_model_does_not_read_is_refused_aloud_and_leaves_the_address(regular: Visitor):
    page = regular.visit("/attention?model=speller&text=Bonjour+xyzzy&layer=1")
    expect(page.locator("#status")).to_contain_text("This model doesn’t take text as input")
    expect(page.locator('[name="source"]')).to_have_value("recieve")
    expect(page).to_have_url(re.compile(r"model=speller&layer=1$"))
    regular.visit("/attention?model=induction-1&text=a+b+c+a")
    page.locator('#input [name="model"]').select_option("speller")
    expect(page.locator("#status")).to_contain_text("This model doesn’t take text as input")
    expect(page).not_to_have_url(re.compile("text="))


ALLOWED = [
    pytest.param("/scores?temperature=0.01", "temperature", "0.01"),
    pytest.param("/several-heads?steps=50", "steps", "50"),
]


@pytest.mark.parametrize(("address", "name", "value"), mostly(ALLOWED, ALLOWED[0]))
def test_a_value_that_may_be_asked_stays_in_the_address_and_in_its_control(
    regular: Visitor, address: str, name: str, value: str
):
    page = regular.visit(address)
    expect(page.locator(f'[name="{name}"]')).to_have_value(value)
    expect(page).to_have_url(re.compile(rf"{name}={value}$"))
    expect(page.locator("#status")).not_to_contain_text("There is no")
