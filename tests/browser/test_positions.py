"""The positions page: the table, its channels as curves, and what the table can do, with the
numbers of the law.
"""

import math
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import JUMPED, Visitor, as_float, table_of
from tests.browser.test_figures import point_at
from tests.thorough import mostly


def table(page: Page, figure: str) -> list[list[str]]:
    return table_of(page.locator(f"#{figure}"))


def living(page: Page, figure: str) -> Locator:
    """The figure's stage, once it answers to the hand."""
    stage = page.locator(f"#{figure} .stage[data-interactive]")
    expect(stage).to_be_visible()
    return stage


@pytest.mark.thorough  # a law of the answer, and its cells are those of the page
def test_the_table_is_the_formula(regular: Visitor):
    page = regular.visit("/positions?length=6&d_model=8&base=100")
    for c, row in enumerate(table(page, "table")):
        for p, cell in enumerate(row):
            angle = p / 100 ** (2 * (c // 2) / 8)
            assert as_float(cell) == pytest.approx(
                [math.sin(angle), math.cos(angle)][c % 2], abs=6e-4
            )


CELLS = [pytest.param("similarity", "similarity"), pytest.param("shift", "encoding")]


@pytest.mark.parametrize(("show", "tensor"), mostly(CELLS, CELLS[0]))
def test_a_cell_says_the_number_that_the_answer_has_there(regular: Visitor, show: str, tensor: str):
    page = regular.visit(f"/positions?show={show}&length=8&d_model=8")
    figure = "view" if show == "similarity" else "table"
    stage = living(page, figure)
    link = page.locator(f"#{figure} [data-get]").get_attribute("href")
    answer = page.request.get(f"{regular.address}{link}").json()
    values = answer["tensors"][tensor]["data"]
    for row, column in [(1, 2), (5, 3), (7, 6)]:
        x, y = stage.evaluate(
            """(stage, [row, column]) => {
                const { xaxis, yaxis } = stage.querySelector(".js-plotly-plot")._fullLayout;
                return [
                    xaxis._offset + xaxis.d2p(column) + 3,
                    yaxis._offset + yaxis.d2p(row) + 3,
                ];
            }""",
            [row, column],
        )
        wanted = values[row][column] if tensor == "similarity" else values[column][row]
        card = point_at(page, stage, {"x": x, "y": y}, f"{row}", f"{column}")
        place = re.compile(rf"^\D*{row}\D+{column}(\D|$)")
        expect(card.locator("div").first).to_have_text(place)
        text = card.locator("strong").inner_text()
        assert as_float(text) == pytest.approx(wanted, rel=6e-3, abs=6e-3)


def test_nothing_jumps_when_the_board_is_drawn(regular: Visitor):
    regular.page.evaluate("globalThis.jumped = 0")
    page = regular.visit("/positions?show=board")
    living(page, "board")
    assert page.evaluate(JUMPED) <= 0.02


VIEWS = ("shift", "similarity", "norms", "twice", "board")
EVERY_VIEW = {
    (show, scheme): pytest.param(show, scheme)
    for scheme in ("sinusoidal", "learned", "shaw", "alibi", "own")
    for show in VIEWS
}
OF_EVERY_SORT = [
    *(EVERY_VIEW[show, "sinusoidal"] for show in VIEWS),
    EVERY_VIEW["shift", "learned"],
    *(EVERY_VIEW[it] for it in (("twice", "shaw"), ("board", "alibi"))),
    *(EVERY_VIEW[show, "own"] for show in ("norms", "board")),
]
"""Every view, and every sort of scheme in a view that it changes."""


@pytest.mark.parametrize(("show", "scheme"), mostly(EVERY_VIEW.values(), *OF_EVERY_SORT[::4]))
def test_every_view_is_drawn_for_a_scheme_of_every_sort(regular: Visitor, show: str, scheme: str):
    page = regular.visit(f"/positions?show={show}&scheme={scheme}&length=12&d_model=16")
    missing = (
        ("twice", "board") if scheme == "own" else () if scheme == "sinusoidal" else ("shift",)
    )
    view = "similarity" if show in missing else show
    expect(page.locator(f'input[name=show][value="{view}"]')).to_be_checked()
    expect(page.locator(f".beside section[data-view~={view}]:visible")).to_have_count(1)
    assert len(page.locator(".beside section:visible").inner_text().split()) <= 70
    figure = "board" if view == "board" else "view"
    assert all(cell for row in table(page, figure) for cell in row)


@pytest.mark.parametrize(
    "scheme",
    mostly(["none", "integer", "normalised", "sigmoid", "sine", "t5", "rope"], "t5"),
)
def test_every_other_scheme_has_its_words_and_its_similarity(regular: Visitor, scheme: str):
    page = regular.visit(f"/positions?scheme={scheme}&length=8")
    expect(page.locator(f'.beside section[data-scheme="{scheme}"]:visible')).to_have_count(1)
    assert len(table(page, "view")) == 8


def test_the_board_holds_every_scheme_against_the_same_questions(regular: Visitor):
    page = regular.visit("/positions?show=board&length=64")
    expect(page.locator("#table")).to_be_hidden()
    rows = table(page, "board")
    assert len(rows) == 11
    of_sigmoid, of_alibi = rows[3], rows[10]
    assert of_sigmoid[2].startswith("no 19")
    assert of_alibi[1].startswith("no 63.5")


def test_a_scheme_is_chosen_from_the_board(regular: Visitor):
    page = regular.visit("/positions?show=board")
    page.keyboard.press("Tab")
    living(page, "board").focus()
    for key in ["ArrowDown", "ArrowDown", "Enter"]:
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("scheme=normalised(&|$)"))
    expect(page.locator("select[name=scheme]")).to_have_value("normalised")


def test_a_learned_table_ends_where_the_length_ends(regular: Visitor):
    page = regular.visit("/positions?scheme=learned&show=twice&length=5")
    sizes, _, last = zip(*table(page, "view"), strict=True)
    assert sizes[5:] == ("—",) * 5
    assert "—" not in sizes[:5]
    assert set(last) == {"—"}
    expect(page.locator("#view .badge")).to_have_attribute("data-kind", "random initialization")


def test_a_head_of_alibi_is_laid_out_when_its_row_is_chosen(regular: Visitor):
    page = regular.visit("/positions?scheme=alibi&length=4&heads=4")
    page.keyboard.press("Tab")
    living(page, "table").focus()
    for key in ["ArrowDown", "Enter"]:
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("head=1(&|$)"))
    regular.ready()
    assert [as_float(cell) for cell in table(page, "view")[0]] == pytest.approx(
        [0, -1 / 16, -2 / 16, -3 / 16], abs=6e-4
    )


def test_it_opens_on_128_positions_and_how_similar_they_are(regular: Visitor):
    page = regular.visit("/positions")
    expect(page.locator("#table [data-shape]")).to_have_text("[128, 128] position, channel")
    expect(page.locator("input[name=show][value=similarity]")).to_be_checked()


@pytest.mark.thorough  # a law of the answer, and its cells are those of the page
def test_the_shift_shows_its_measured_error(regular: Visitor):
    page = regular.visit("/positions?show=shift&length=20&d_model=32")
    expect(page.locator("#facts")).to_contain_text(re.compile("float64.*10⁻¹[³⁴⁵⁶]", re.S))
    float32, float64 = zip(*table(page, "view"), strict=True)
    assert max(map(as_float, float64)) < 1e-12 < max(map(as_float, float32)) < 1e-6
    expect(page.locator("#table .badge")).to_have_attribute("data-kind", "analytic")


@pytest.mark.thorough  # a law of the answer, and its cells are those of the page
def test_similarity_depends_on_the_offset_alone(regular: Visitor):
    page = regular.visit("/positions?show=similarity&length=9&d_model=16")
    rows = [[as_float(cell) for cell in row] for row in table(page, "view")]
    assert all(
        rows[p][q] == pytest.approx(rows[0][abs(p - q)], abs=2e-3)
        for p in range(9)
        for q in range(9)
    )
    assert rows[3][3] == pytest.approx(8, abs=1e-3)


@pytest.mark.thorough  # a law of the answer, and its cells are those of the page
def test_norms_are_the_models_own_and_trained(regular: Visitor):
    page = regular.visit("/positions?show=norms")
    rows = [[as_float(cell) for cell in row] for row in table(page, "view")]
    token, position, _ = zip(*rows, strict=True)
    d_model = page.request.get(f"{regular.address}/api/v1/models/translator").json()["config"][
        "d_model"
    ]
    assert {round(norm, 2) for norm in position} == {round((d_model / 2) ** 0.5, 2)}, (
        "half of the channels are sines, half cosines"
    )
    assert min(token) > 0
    expect(page.locator("#view .badge")).to_have_attribute("data-kind", "trained")
    expect(page.locator("#table .badge")).to_have_attribute("data-kind", "analytic")


def test_length_and_base_are_controls_that_live_in_the_address(regular: Visitor):
    page = regular.visit("/positions?show=shift&d_model=32")
    page.locator("input[name=length]").fill("24")
    expect(page).to_have_url(re.compile("length=24"))
    page.locator("select[name=base]").select_option("10")
    expect(page).to_have_url(re.compile("base=10(&|$)"))
    regular.ready()
    expect(page.locator("#table [data-shape]")).to_have_text("[24, 32] position, channel")
    expect(page.locator("#facts")).to_contain_text(f"{2 * math.pi * 10 ** (30 / 32):.1f}")
    page.go_back()
    expect(page.locator("select[name=base]")).to_have_value("10000")


def test_a_row_chosen_by_keys_becomes_a_curve(regular: Visitor):
    page = regular.visit("/positions?channels=")
    page.keyboard.press("Tab")
    living(page, "table").focus()
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"]:
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("channels=2(&|$)"))
    expect(page).to_have_url(re.compile("position=1(&|$)"))
    regular.ready()
    label = re.compile(r"channels? 2\b")
    expect(page.locator("#table .stage")).to_have_attribute("aria-label", label)


def test_arrows_move_position_and_offset(regular: Visitor):
    page = regular.visit("/positions?show=shift")
    page.locator("body").press("ArrowRight")
    expect(page).to_have_url(re.compile("position=41"))
    page.locator("body").press("ArrowDown")
    expect(page).to_have_url(re.compile("offset=4"))


ODD = [
    "position=1e9&offset=-3&channels=x,,999,-1",
    "show=nothing&position=&offset=NaN",
    "length=2&d_model=2",
]


@pytest.mark.parametrize("address", mostly(ODD, ODD[0]))
def test_whatever_stands_in_the_address_something_is_drawn(regular: Visitor, address: str):
    regular.visit(f"/positions?{address}")
