"""The modes page: four squares of one sentence, each with its own call; the mask, the layer and the
head are in the address.
"""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitor, choose, eventually, expect_call
from tests.browser.test_figures import living

MODES = ("encoder-only", "decoder-only", "encoder-decoder", "prefix")


def cells(page: Page, mode: str) -> list[list[float | None]]:
    """The numbers of a square as it is drawn; None where a cell is hidden."""
    return (
        living(page, mode)
        .locator(".plot")
        .evaluate(
            "plot => Array.from(plot.data[0].z, (row) => Array.from(row, (z) => z >= 0 ? z : null))"
        )
    )


def point_at(page: Page, mode: str, panel: str, row: int, column: int) -> Locator:
    """The card at the pointer, over a cell of one of the two panels, "" or "2"."""
    stage = living(page, mode)
    x, y = stage.locator(".plot").evaluate(
        """({_fullLayout: full}, [panel, row, column]) => {
          const [x, y] = [full[`xaxis${panel}`], full[`yaxis${panel}`]];
          return [x._offset + x.d2p(column), y._offset + y.d2p(row)];
        }""",
        [panel, row, column],
    )
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x, box["y"] + y, steps=3)
    card = stage.get_by_role("tooltip")
    expect(card).to_be_visible()
    return card


def answer(page: Page, mode: str) -> dict:
    address = page.locator(f"#{mode} [data-get]").get_attribute("href")
    return page.request.get(page.url.split("/modes")[0] + address).json()


def test_each_square_is_one_modes_tensors_and_says_whose_they_are_or_why_there_are_none(
    regular: Visitor,
):
    page = regular.visit("/modes?source=i+am+cold")
    for mode in MODES:
        row = next(row for row in answer(page, mode)["modes"] if row["mode"] == mode)
        assert all(name.startswith(f"{mode}.") for name in answer(page, mode)["tensors"])
        readout = page.locator(f"#{mode} .readout").inner_text()
        assert (row["model"] or row["why"]) in readout
        assert f"{row['visible']['value']:.0f} of" in readout
        assert page.locator(f"#{mode} [data-badge]").inner_text() == row["kind"]
    assert len(page.locator(".beside").inner_text().split()) <= 70


def test_the_mask_the_layer_and_the_head_redraw_the_squares_and_stay_in_the_address(
    regular: Visitor,
):
    page = regular.visit("/modes?source=i+am+cold")
    first = cells(page, "encoder-decoder")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("head=1"))
    regular.ready()
    expect_call(page, "encoder-decoder", head=1)
    eventually(page, lambda: cells(page, "encoder-decoder") != first, True)
    choose(page, "show", "mask")
    expect(page).to_have_url(re.compile("show=mask"))
    regular.ready()
    mask = answer(page, "encoder-decoder")["tensors"]["encoder-decoder.mask"]["data"]
    expected = [[1 if may else None for may in row] for row in mask]
    eventually(page, lambda: cells(page, "encoder-decoder"), expected)
    page.go_back()
    expect(page.locator('input[name="show"][value="map"]')).to_be_checked()


def test_the_pointer_is_told_the_weight_of_a_cell_and_what_its_row_says(regular: Visitor):
    page = regular.visit("/modes?source=i+am+cold")
    response = answer(page, "encoder-decoder")
    pattern = response["tensors"]["encoder-decoder.pattern"]["data"]
    card = point_at(page, "encoder-decoder", "", 6, 1)
    expect(card).to_contain_text(f"{pattern[6][1]:.3g}"[:4])
    expect(point_at(page, "encoder-decoder", "", 0, 7)).to_contain_text("masked")
    chance = response["tensors"]["encoder-decoder.top_probability"]["data"][1]
    mode = next(row for row in response["modes"] if row["mode"] == "encoder-decoder")
    card = point_at(page, "encoder-decoder", "2", 1, 0)
    expect(card).to_contain_text(f"{chance[0]:.3g}"[:4])
    for guess in mode["top_tokens"][1]:
        expect(card).to_contain_text(guess)


def test_the_arrows_walk_the_square_and_go_on_to_what_is_said(regular: Visitor):
    page = regular.visit("/modes?source=i+am+cold")
    stage = living(page, "decoder-only")
    page.keyboard.press("Tab")
    stage.focus()
    card = stage.get_by_role("tooltip")
    page.keyboard.press("ArrowRight")
    expect(card).to_contain_text("masked")
    rows = len(cells(page, "decoder-only"))
    for _ in range(rows):
        page.keyboard.press("ArrowDown")
    expect(card).to_contain_text("probability")
    page.keyboard.press("ArrowUp")
    expect(card).to_contain_text("weight")


def test_the_model_of_the_bar_stands_for_its_own_mode(regular: Visitor):
    page = regular.visit("/modes?model=induction-1")
    row = next(
        row for row in answer(page, "decoder-only")["modes"] if row["mode"] == "decoder-only"
    )
    assert row["model"] == "induction-1"
