"""The masks page: cells are painted with pointer and keys, live in the address, and let through
what the sentence's run shows.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Visitor, eventually, number, numbers, table_of
from tests.browser.test_figures import living, point_at
from tests.thorough import mostly

EMPTY = "/masks?flip=none"


def table(page: Page, figure: str) -> list[list[str]]:
    """The numbers of a figure as its text table has them, without heads."""
    return table_of(page.locator(f"#{figure}"))


def point(page: Page, row: int, column: int, figure: str, *texts: str) -> None:
    """Points at a cell until the card says these."""
    stage = living(page, figure)
    box = stage.bounding_box()
    assert box is not None
    x, y = cell(page, row, column, figure)
    point_at(page, stage, {"x": x - box["x"], "y": y - box["y"]}, *texts)


def cell(page: Page, row: int, column: int, figure: str = "mask") -> tuple[float, float]:
    """The middle of a cell on the screen."""
    stage = living(page, figure)
    x, y = stage.locator(".plot").evaluate(
        "({_fullLayout: {xaxis: x, yaxis: y}}, [r, c]) =>"
        " [x._offset + x.d2p(c), y._offset + y.d2p(r)]",
        [row, column],
    )
    box = stage.bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def walk(page: Page, row: int, column: int) -> None:
    """Walks from the first cell of the mask to another with the arrows."""
    stage = living(page, "mask")
    page.keyboard.press("Tab")
    stage.focus()
    for key in ["ArrowDown"] * row + ["ArrowRight"] * column:
        page.keyboard.press(key)


def test_it_opens_on_a_clean_causal_mask_and_offers_a_cell_that_leaks(regular: Visitor):
    page = regular.visit("/masks")
    clean = table(page, "effect")
    assert all(clean[q][k] == "0" for q in range(len(clean)) for k in range(q + 1, len(clean)))
    page.get_by_role("button", name="Unmask one cell").click()
    expect(page).to_have_url(re.compile(r"flip=1\.3"))
    regular.ready()
    expect(page.locator("#at")).to_contain_text("may now attend to")
    allowed, leak = table(page, "mask"), table(page, "effect")
    future = [
        (q, k) for q, row in enumerate(allowed) for k in range(q + 1, len(row)) if row[k] == "1"
    ]
    assert future == [(1, 3)]
    assert leak[1][3] != "0"
    assert leak[0][1:] == ["0"] * (len(leak) - 1)
    assert len(page.locator(".beside section:visible").inner_text().split()) <= 70


@pytest.mark.thorough  # it opens on that mask, too
def test_under_the_causal_mask_alone_every_zero_above_the_diagonal_is_exact(regular: Visitor):
    page = regular.visit(EMPTY)
    leak = table(page, "effect")
    assert all(leak[q][k] == "0" for q in range(len(leak)) for k in range(q + 1, len(leak)))
    assert all(leak[q][k] != "0" for q in range(len(leak)) for k in range(q + 1))
    expect(page.locator("#facts")).to_contain_text(re.compile(r"measured 0\b"))


def test_a_click_paints_a_cell_and_back_takes_it_away(regular: Visitor):
    page = regular.visit(EMPTY)
    page.set_viewport_size({"width": 1600, "height": 720})  # at which the words above get shorter
    regular.ready()
    place = page.locator("#mask .stage").bounding_box()
    page.mouse.click(*cell(page, 0, 2))
    expect(page).to_have_url(re.compile(r"flip=0\.2"))
    regular.ready()
    assert page.locator("#mask .stage").bounding_box() == place, "it stays under the pointer"
    assert table(page, "mask")[0][2] == "1"
    assert table(page, "effect")[0][2] != "0"
    page.go_back()
    expect(page).not_to_have_url(re.compile(r"flip=\d"))
    regular.ready()
    assert table(page, "mask")[0][2] == "0"


def test_a_drag_gives_every_cell_the_state_of_its_first(regular: Visitor):
    page = regular.visit(EMPTY)
    start, end = cell(page, 0, 1), cell(page, 0, 3)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=12)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"flip=0\.1-3"))
    regular.ready()
    assert table(page, "mask")[0] == ["1"] * 4
    page.locator("#wipe").click()
    expect(page).not_to_have_url(re.compile("flip="))
    regular.ready()
    assert table(page, "mask")[0] == ["1", "0", "0", "0"]


def test_keys_alone_can_paint(regular: Visitor):
    page = regular.visit(EMPTY)
    walk(page, 2, 3)
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(r"flip=2\.3"))
    expect(page.locator("#live")).to_have_text(re.compile(r"\w"))
    regular.ready()
    page.keyboard.press("Space")
    expect(page).not_to_have_url(re.compile("flip="))


@pytest.mark.parametrize("regular", [PHONE], indirect=True)
def test_a_tap_paints_on_a_phone(regular: Visitor):
    page = regular.visit(EMPTY)
    page.locator("#mask .stage").scroll_into_view_if_needed()
    page.touchscreen.tap(*cell(page, 0, 1))
    expect(page).to_have_url(re.compile(r"flip=0\.1"))


def test_another_pattern_brings_its_parameter_and_starts_unpainted(regular: Visitor):
    page = regular.visit("/masks?alone=1")
    page.locator("#first").select_option("window")
    expect(page.locator("input[name=window]")).to_be_visible()
    expect(page.locator("input[name=prefix]")).to_be_hidden()
    page.locator("input[name=window]").fill("3")
    expect(page.locator("#count")).to_have_text(number(33))
    expect(page.locator("#facts")).to_contain_text(re.compile(r"measured 7\b"))
    expect(page).to_have_url(re.compile("window=3"))
    expect(page.locator("#effect .badge")).to_have_attribute("data-kind", "analytic")


def test_more_layers_reach_further(regular: Visitor):
    page = regular.visit("/masks?alone=1&pattern=window&window=2&flip=none&layers=2")
    expect(page.locator("#at")).to_have_text(number(10))
    page.locator("body").press("ArrowDown")
    expect(page.locator("#at")).to_have_text(number(19))


def test_what_does_not_fit_a_shorter_sentence_is_left_out_and_said(regular: Visitor):
    page = regular.visit("/masks?flip=9.9&target=j")
    length = len(table(page, "mask"))
    expect(page.locator("#count")).to_have_text(number(length))
    regular.refused()


def test_the_call_of_a_figure_leaves_out_what_does_not_fit(regular: Visitor):
    page = regular.visit("/masks?flip=9.9&target=j")
    call = page.locator("#mask [data-get]").get_attribute("href")
    assert call is not None
    assert "flip" not in call
    assert page.request.get(regular.address + call).status == 200
    regular.refused()


def test_the_pointer_is_told_the_state_of_a_cell_and_the_leak_there(regular: Visitor):
    page = regular.visit("/masks?flip=1.3")
    call = page.locator("#effect [data-get]").get_attribute("href")
    leak = page.request.get(regular.address + str(call)).json()["tensors"]["leak"]["data"]
    framed = """plot => plot.layout.shapes.filter(({name}) => name === "line focus")
      .map(({x0, y0}) => [y0 + 0.5, x0 + 0.5])"""
    plot = living(page, "mask").locator(".plot")
    point(page, 1, 0, "effect", f"{leak[1][0]:.3g}")
    eventually(page, lambda: plot.evaluate(framed), [[1, 0]])
    point(page, 1, 2, "mask", "masked, but reached indirectly, through 2 layers")
    eventually(page, lambda: plot.evaluate(framed), [])


def test_strokes_that_follow_fast_on_each_other_are_all_kept(regular: Visitor):
    page = regular.visit(EMPTY)
    places = [cell(page, 0, k) for k in (1, 2, 3)]
    for place in places:
        page.mouse.click(*place)
    expect(page).to_have_url(re.compile(r"flip=0\.1-3"))
    regular.ready()
    assert table(page, "mask")[0] == ["1"] * 4
    page.go_back()
    expect(page).to_have_url(re.compile(r"flip=0\.1-2"))
    regular.ready()


def test_a_drag_with_shift_zooms_and_what_is_painted_then_is_the_cell_under_the_pointer(
    regular: Visitor,
):
    page = regular.visit("/masks?alone=1&length=12&flip=none")
    start, end = cell(page, 4, 4), cell(page, 9, 9)
    page.mouse.move(*start)
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(*end, steps=8)
    page.mouse.up()
    page.keyboard.up("Shift")
    plot = living(page, "mask").locator(".plot")
    eventually(page, lambda: plot.evaluate("({_fullLayout: f}) => f.xaxis.range[0] > 3"), True)
    page.mouse.click(*cell(page, 5, 8))
    expect(page).to_have_url(re.compile(r"flip=5\.8"))


def test_a_row_that_sees_nothing_is_said(regular: Visitor):
    page = regular.visit(EMPTY)
    before = page.locator("#count").inner_text()
    page = regular.visit("/masks?flip=0.0")
    assert set(table(page, "mask")[0]) == {"0"}
    after = page.locator("#count").inner_text()
    assert re.sub("[^.]*= ", "", after).count(".") > before.count("."), "one sentence more"


EFFECTS = [
    pytest.param(show, stack)
    for stack in ("encoder", "decoder")
    for show in ("leak", "weights", "loss", "sums", "depth")
]


@pytest.mark.parametrize(("show", "stack"), mostly(EFFECTS, EFFECTS[0], EFFECTS[6]))
def test_every_effect_is_drawn_for_either_stack(regular: Visitor, show: str, stack: str):
    page = regular.visit(f"/masks?show={show}&stack={stack}")
    expect(page.locator(f".beside [data-view={show}]")).to_be_visible()
    assert len(page.locator(".beside section:visible").inner_text().split()) <= 70
    assert all(cell for row in table(page, "effect") for cell in row)


def test_several_sequences_are_shown_one_at_a_time(regular: Visitor):
    page = regular.visit("/masks?alone=1&pattern=padding&flip=none&lengths=12,5")
    page.locator("select[name=sequence]").select_option("1")
    regular.ready()
    assert table(page, "mask")[0] == ["1"] * 5 + ["0"] * 7


def test_two_masks_are_joined_and_the_address_says_so(regular: Visitor):
    page = regular.visit("/masks?alone=1&flip=none")
    page.locator("#join").select_option("and")
    page.locator("#second").select_option("block")
    expect(page).to_have_url(re.compile(r"pattern=causal\+and\+block"))
    page.locator("input[name=block]").fill("4")
    expect(page.locator("#count")).to_have_text(number(30))
    page.locator("#join").select_option("")
    expect(page.locator("#second")).to_be_hidden()
    expect(page.locator("input[name=block]")).to_be_hidden()


@pytest.mark.thorough
def test_a_window_in_two_dimensions_is_drawn_on_its_grid_for_the_query_pointed_at(regular: Visitor):
    page = regular.visit("/masks")
    page.locator("#first").select_option("window_2d")
    expect(page.locator("input[name=length]")).to_have_value("24")
    expect(page.locator("input[name=columns]")).to_have_attribute("placeholder", "6")
    readout = page.locator("#effect-at")
    eventually(page, lambda: numbers(readout.inner_text()), [21, 5, 21, 3, 3, 3])
    point(page, 8, 0, "mask")
    expect(page.locator("#effect-at")).to_have_text(re.compile(r"\b8\D+5\b"))

    def ones() -> list[int]:
        return [row.count("1") for row in table(page, "effect")]

    eventually(page, ones, [3, 1, 0, 0])  # the table is read before the next picture, too
    expect(page.locator(".beside [data-view=grid]")).to_be_visible()
    assert len(page.locator(".beside section:visible").inner_text().split()) <= 70


def test_a_grid_that_does_not_fit_the_length_is_left_out_and_said(regular: Visitor):
    page = regular.visit("/masks?alone=1&pattern=window_2d&flip=none&columns=5")
    expect(page.locator("#count")).to_have_text(re.compile(r"\b12\b.*columns"))
    regular.refused()
