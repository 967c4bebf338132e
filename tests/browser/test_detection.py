"""The page of detection: queries by keys and clicks, shapes moved, added and taken away; the
address keeps the scene.
"""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor, eventually, number, numbers
from tests.browser.test_figures import living, point_at, says
from tests.browser.test_models import fields
from tests.thorough import mostly

FIGURES = ("found", "heads", "board")
ADDRESS = "/detection?model=shapes"


def answer(page: Page) -> dict:
    address = page.locator("#found [data-get]").get_attribute("href")
    return page.request.get(page.url.split("/detection")[0] + address).json()


def at(page: Page, shares: list[float]) -> dict[str, float]:
    """A place in the picture, which is given in shares of its side."""
    box = living(page, "found").bounding_box()
    assert box is not None
    place = page.locator("#found .plot").evaluate(
        """({_fullLayout: {xaxis: x, yaxis: y}}, [across, down]) => ({
          x: x._offset + x.d2p(across * 32 + 0.5), y: y._offset + y.d2p(down * 32 + 0.5),
        })""",
        shares,
    )
    return {"x": box["x"] + place["x"], "y": box["y"] + place["y"]}


def picture(page: Page, figure: str) -> str:
    """What is drawn of a figure."""
    living(page, figure)
    return page.locator(f"#{figure} .plot").evaluate(
        "({data, layout: {shapes, annotations}}) => JSON.stringify([data, shapes, annotations])"
    )


def test_what_is_said_beside_the_picture_is_the_answers(regular: Visitor):
    page = regular.visit(ADDRESS)
    response = answer(page)
    expect(page.locator("#mean")).to_have_text(f"{response['mean_iou']:.2f}")
    objects = response["axes"]["object"]["labels"]
    right = sum(
        row["object"] is not None and row["class"] == objects[row["object"]]
        for row in response["found"]
    )
    assert numbers(page.locator("#count").inner_text()) == [right, len(objects)]
    assert len(page.locator(".beside").inner_text().split()) <= 70


def test_keys_choose_query_layer_and_head_and_every_figure_follows(regular: Visitor):
    page = regular.visit(ADDRESS)
    pictures = {figure: picture(page, figure) for figure in FIGURES}
    for key, name, value in [
        ("ArrowRight", "query", "1"),
        ("ArrowUp", "layer", "1"),
        ("]", "head", "1"),
    ]:
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"{name}={value}"))
    regular.ready()
    for figure, before in pictures.items():
        eventually(page, lambda figure=figure, before=before: picture(page, figure) != before, True)
    expect(page.locator("#found-title")).to_have_text(number(1))
    expect(page.locator("#heads-title")).to_have_text(number(1))


def test_a_click_on_a_box_chooses_its_query(regular: Visitor):
    page = regular.visit(ADDRESS)
    response = answer(page)
    row = next(row for row in response["found"] if row["object"] is not None and row["query"] > 0)
    page.mouse.click(**at(page, response["tensors"]["truth"]["data"][row["object"]][:2]))
    expect(page).to_have_url(re.compile(f"query={row['query']}"))


def test_the_pointer_is_told_the_light_of_a_pixel_and_the_weight_of_a_patch(regular: Visitor):
    page = regular.visit(ADDRESS)
    tensors, stage = answer(page)["tensors"], living(page, "found")
    box = stage.bounding_box()
    assert box is not None
    for row, column in ((9, 9), (12, 20), (25, 15)):
        where = at(page, [(column + 0.5) / 32, (row + 0.5) / 32])
        card = point_at(page, stage, {"x": where["x"] - box["x"], "y": where["y"] - box["y"]})
        expect(card).to_contain_text(f"row {row + 1}, column {column + 1}")
        for colour in tensors["picture"]["data"]:
            eventually(page, partial(says, card, colour[row][column]), True)
    where = at(page, [0.375, 0.005])
    card = point_at(page, stage, {"x": where["x"] - box["x"], "y": where["y"] - box["y"]})
    expect(card).to_contain_text("query 0 → 1,")
    weights = tensors["weights"]["data"][-1][0]
    expect(card).to_contain_text(re.compile(r"1,[34]"))
    column = int(re.search(r"1,(\d)", card.inner_text())[1])
    eventually(page, partial(says, card, weights[column - 1]), True)


def drag(page: Page, shape: list[float], *way: list[float]) -> None:
    """Drags what lies at a place, and rests at each place of the way until it has come along."""
    page.mouse.move(**at(page, shape))
    page.mouse.down()
    for place in way:
        eventually(page, partial(comes_along, page, at(page, place), page.url), True)
    page.mouse.up()


def comes_along(page: Page, where: dict[str, float], before: str) -> bool:
    page.mouse.move(**where)
    return page.url != before


WAYS = [[[0.75, 0.8]], [[0.5, 0.3], [0.6, 0.5], [0.75, 0.8]]]


@pytest.mark.parametrize("way", mostly(WAYS, WAYS[1]))
def test_a_shape_is_dragged_and_one_step_back_undoes_all_its_way(
    regular: Visitor, way: list[list[float]]
):
    page = regular.visit(ADDRESS)
    opened = page.url
    drag(page, answer(page)["tensors"]["truth"]["data"][0][:2], *way)
    expect(page).to_have_url(re.compile("image=ellipse"))
    x, y = (float(word) for word in fields(page)["image"].split(";")[0].split()[2:4])
    assert [x, y] == pytest.approx(way[-1], abs=0.03)
    eventually(
        page,
        lambda: answer(page)["tensors"]["truth"]["data"][0][:2] == pytest.approx([x, y]),
        True,
    )
    page.go_back()
    expect(page).to_have_url(opened)
    expect(page.locator('#input [name="image"]')).to_have_value("three")


def test_a_shape_is_added_and_taken_away(regular: Visitor):
    page = regular.visit(f"{ADDRESS}&image=one")
    page.locator("#add").select_option("blue ellipse")
    expect(page.locator("#count")).to_have_text(re.compile(r"\b2$"))
    page.locator("#less").click()
    expect(page.locator("#count")).to_have_text(re.compile(r"\b1$"))
    expect(page.locator("#less")).to_be_disabled()


@pytest.mark.thorough  # as the page of images
def test_about_a_model_that_reads_no_scene_the_page_is_about_one_that_does_and_the_bar_names_it(
    regular: Visitor,
):
    page = regular.visit("/detection?model=digits&image=five")
    assert fields(page) == {}
    assert answer(page)["model"] == "shapes"
    expect(page.locator('#input [name="model"]')).to_have_value("shapes")
    page.locator('#input [name="image"]').fill("rectangle red 0.5 0.5 0.4 0.3")
    expect(page.locator("#count")).to_have_text(re.compile(r"\b1$"))


@pytest.mark.thorough  # as a row: test_tables.py
def test_an_image_does_not_travel_to_a_model_that_reads_other_images(regular: Visitor):
    page = regular.visit("/attention?model=digits&image=five")
    page.locator('#input [name="model"]').select_option("shapes")
    expect(page).to_have_url(re.compile("model=shapes"))
    regular.ready()
    assert "image" not in fields(page)


def test_what_is_no_scene_is_refused_in_a_sentence(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}{ADDRESS}&image=circle+red+0.5+0.5+0.2+0.2")
    expect(page.locator(".failure")).to_contain_text("Shape 1 is 'circle'; use one of")
    regular.refused()
