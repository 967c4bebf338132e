"""The generate page: stepping, playing, the tree, teacher forcing; by pointer, by keys and by
address.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, Visitor, choose, eventually, number, table_of
from tests.browser.test_figures import living, numbers_in, point_at
from tests.thorough import mostly

SOURCE = "source=i+am+cold"


def count(page: Page) -> tuple[int, int]:
    """Where the player stands, and of how many steps."""
    now, last = page.locator("#count").inner_text().split("/")
    return int(now), int(last)


def figure_of(page: Page) -> Locator:
    """The figure that is shown: the tree, or another."""
    return page.locator("#writing:visible, #tree:visible")


def table(page: Page) -> list[list[str]]:
    return table_of(figure_of(page), rows="table tr", cells="th, td")


def answer(page: Page) -> dict:
    """What the page's own link to the API returns."""
    address = str(figure_of(page).locator("[data-get]").get_attribute("href"))
    return page.request.get(page.url.split("/generate")[0] + address).json()


def card_at(page: Page, axis: str, place: float, *parts: str | float) -> None:
    """Points where a candidate or a column stands until the card says these."""
    stage = living(page, "writing")
    x, y = stage.locator(".plot").evaluate(
        """(plot, [axis, place]) => {
          const {xaxis: x, yaxis: y} = plot._fullLayout;
          const at = axis === "y"
            ? [x._length / 2, y.d2p(place)]
            : [x.d2p(place), y._length - 4];
          return [x._offset + at[0], y._offset + at[1]];
        }""",
        [axis, place],
    )
    point_at(page, stage, {"x": x, "y": y}, *parts)


def test_it_opens_on_the_first_token_of_greedy_decoding_with_few_words(regular: Visitor):
    page = regular.visit("/generate")
    expect(page.locator("input[value=greedy]")).to_be_checked()
    expect(page.locator("#count")).to_have_text(re.compile("^1 / "))
    assert page.locator("#writing [data-badge]").inner_text() == "trained"
    assert len(page.locator(".beside").inner_text().split()) <= 70
    expect(page.locator(".look-for:visible")).to_have_count(1)


def test_the_figure_has_three_fifths_of_a_laptop_window(regular: Visitor):
    page = regular.visit("/generate?strategy=beam&show=tree")
    box = page.locator("#tree .stage").bounding_box()
    assert box is not None
    assert box["width"] * box["height"] > 0.45 * 1280 * 720
    assert box["y"] + box["height"] <= 720, "no scrolling to see it"


def test_arrows_and_a_clicker_step_through_the_text_and_the_address_keeps_the_place(
    regular: Visitor,
):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=1")
    _, last = count(page)
    for key, expected in [
        ("ArrowRight", 2),
        ("PageDown", 3),
        ("ArrowLeft", 2),
        ("PageUp", 1),
        ("ArrowLeft", 1),
    ]:
        page.keyboard.press(key)
        expect(page.locator("#count")).to_have_text(f"{expected} / {last}")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("step=2"))
    page.go_back()
    expect(page.locator("#count")).to_have_text(f"1 / {last}")


def test_a_later_word_is_not_shown_before_its_step(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=1")
    steps = answer(page)["steps"]
    expect(page.locator("#readout")).to_contain_text(steps[0]["text"])
    assert steps[2]["text"] not in page.locator("#readout").inner_text()


def test_a_fraction_is_typed_digit_by_digit(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=sample")
    field = page.locator("[name=min_p]")
    field.focus()
    page.keyboard.type("0.5")  # in the middle of which the field reads as 0
    expect(page).to_have_url(re.compile("min_p=0.5"))
    expect(field).to_have_value("0.5")
    regular.ready()


def test_space_plays_to_the_end(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=1")
    _, last = count(page)
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#count")).to_have_text(f"{last} / {last}")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    assert page.locator("#readout").inner_text().endswith(answer(page)["text"])


def test_space_again_pauses(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=1")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_the_table_holds_the_candidates_of_the_answer(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=end")
    *_, last = answer(page)["steps"]
    _, *rows = table(page)
    assert len(rows) == len(last["candidates"]) + 1
    for row, candidate in zip(rows, last["candidates"], strict=False):
        assert row[0] == candidate["text"]
        assert numbers_in(row[1]) == [pytest.approx(candidate["probability"], rel=6e-3)]
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"step=\d"))
    regular.ready()
    before = answer(page)["steps"][-2]
    assert [row[0] for row in table(page)[1:-1]] == [c["text"] for c in before["candidates"]]


@pytest.mark.thorough  # its table holds the same numbers
def test_the_pointer_is_told_the_probability_of_each_candidate(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=sample&top_k=5&show=step&step=1")
    for row, candidate in enumerate(answer(page)["steps"][0]["candidates"][:8]):
        parts = [candidate[name] for name in ("text", "probability", "after")]
        card_at(page, "y", row, *parts)


def test_a_click_on_a_column_of_the_text_goes_to_its_step(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=text&step=end")
    step = answer(page)["steps"][1]
    card_at(page, "x", 1, step["token"]["text"])
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile("step=2"))


def test_a_long_text_is_read_column_by_column_and_the_step_is_in_sight(regular: Visitor):
    page = regular.visit(
        "/generate?model=shakespeare&text=ROMEO:&strategy=greedy&show=text&step=20"
    )
    names = living(page, "writing").locator(".infolayer .annotation-text").all_text_contents()
    assert answer(page)["steps"][19]["token"]["text"].strip() in " ".join(names)
    first, last = page.locator("#writing .plot").evaluate("plot => plot._fullLayout.xaxis.range")
    assert first < 19 < last
    assert last - first < 24
    page.locator("#writing .plot").evaluate(
        "plot => Plotly.relayout(plot, 'xaxis.range', [8.5, 12.5])"
    )
    names = page.locator("#writing .plot .xtick text")
    expect(names.first).to_have_text(answer(page)["steps"][8]["token"]["text"])


@pytest.mark.thorough  # of the API, whose tests ask it
def test_the_same_seed_gives_the_same_picture_and_another_one_another_text(regular: Visitor):
    address = f"/generate?{SOURCE}&strategy=sample&show=step&temperature=2&seed="
    texts = [answer(regular.visit(address + str(seed)))["text"] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert "seed=2" in figure_of(regular.page).locator("[data-get]").get_attribute("href")


def test_each_strategy_shows_its_own_settings_and_a_tree_needs_beams(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=sample")
    expect(page.locator("[name=seed]")).to_be_visible()
    expect(page.locator("[name=beams]")).to_be_hidden()
    tree = page.locator("label", has=page.locator("input[value=tree]"))
    assert "beam" in tree.get_attribute("title")
    tree.click()
    expect(page).to_have_url(re.compile("strategy=beam&show=tree"))
    regular.ready()
    expect(page.locator("[name=beams]")).to_be_visible()
    expect(tree).to_have_attribute("title", "")


def test_after_a_click_on_a_choice_the_arrows_are_the_pages_and_after_tab_the_choices(
    regular: Visitor,
):
    page = regular.visit(f"/generate?{SOURCE}&show=step")
    choose(page, "show", "text")
    expect(page).to_have_url(re.compile("show=text"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("show=text&step=2"))
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowLeft")
    expect(page).not_to_have_url(re.compile("show="))  # as the page opens
    expect(page).to_have_url(re.compile("step=2"))


def test_the_tree_grows_with_the_step_and_is_walked_with_the_arrows(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=beam&show=tree&step=1")
    tree = page.locator("#tree .scroller")
    faint = tree.locator("[opacity='0.85'] [data-step]")
    first = faint.count()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("step=2"))
    regular.ready()
    assert 0 < faint.count() < first
    best = tree.locator("[data-step='2']").first
    expect(best).to_have_attribute("aria-label", number(1))
    expect(page.locator("#readout")).to_have_text(str(best.get_attribute("aria-label")))
    best.focus()
    page.keyboard.press("ArrowDown")
    here = tree.locator(":focus")
    expect(here).to_have_attribute("aria-label", number(2))
    expect(page.locator("#readout")).to_have_text(number(2))
    page.keyboard.press("ArrowLeft")
    expect(here).to_have_attribute("data-step", "1")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("step="))  # the page opens on the first step
    regular.ready()
    expect(here).to_have_attribute("data-step", "1")


def test_a_click_on_a_text_of_the_tree_goes_to_its_step(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=beam&show=tree")
    dropped = page.locator("#tree [data-step='2']").last
    dropped.hover()
    expect(page.locator("#readout")).to_have_text(str(dropped.get_attribute("aria-label")))
    dropped.click()
    expect(page).to_have_url(re.compile("step=2"))


@pytest.mark.parametrize("format", mostly(["SVG", "PNG"], "SVG"))
def test_the_tree_is_taken_along_with_where_it_is_from(regular: Visitor, format: str):
    page = regular.visit(f"/generate?{SOURCE}&strategy=beam&show=tree")
    page.locator("#tree .export summary").click()
    with page.expect_download() as taken:
        page.locator("#tree .export button", has_text=format).click()
    assert taken.value.suggested_filename.startswith("vitrine-generate-translator-i-am-cold")
    content = taken.value.path().read_bytes()
    if format == "SVG":
        assert b"weights sha256" in content
    else:
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        stage = page.locator("#tree .scroller").bounding_box()
        assert stage is not None
        assert int.from_bytes(content[16:20]) > 1.9 * stage["width"]


def test_a_reference_is_compared_row_by_row(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&target=le+chat+dort&strategy=greedy&show=forcing")
    forcing = answer(page)["teacher_forcing"]
    _, *rows = table(page)
    assert [row[0] for row in rows] == [str(row["index"] + 1) for row in forcing["rows"]]
    expect(page.locator("#differs")).to_have_text(number(forcing["first_difference"] + 1))


def test_without_a_reference_the_greedy_text_is_forced_and_no_row_differs(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=forcing")
    assert answer(page)["teacher_forcing"]["first_difference"] is None
    expect(page.locator("#differs")).to_have_text(re.compile(r"^\D+$"))


def test_layer_and_head_choose_whose_attention_is_painted(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=1")
    weights = page.locator("#memory")
    texts = {weights.inner_text()}
    for key, name in [("ArrowUp", "layer"), ("]", "head")]:
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"{name}="))
        eventually(page, lambda: weights.inner_text() in texts, False)
        texts.add(weights.inner_text())


def test_what_was_looked_at_has_the_weights_of_the_answer(regular: Visitor):
    page = regular.visit(f"/generate?{SOURCE}&strategy=greedy&show=step&step=2&layer=0&head=1")
    response = answer(page)
    weights = response["tensors"]["decoder.0.cross_attention.pattern"]["data"][1][1]
    cells = page.locator("#memory .guess")
    assert cells.count() == len(response["axes"]["source"]["labels"]) == len(weights)
    for cell, value in zip(cells.all(), weights, strict=True):
        weight = float(str(cell.get_attribute("title")).rpartition(" ")[2])
        assert weight == pytest.approx(value, abs=6e-4)
    expect(page.locator("#links line")).to_have_count(len(weights))
    page.locator("#read .token").nth(1).click()
    expect(page).not_to_have_url(re.compile("step="))  # 1, as the page opens


@pytest.mark.parametrize("regular", [PHONE], indirect=True)
@pytest.mark.parametrize("show", mostly(["step", "text", "tree", "forcing"], "step"))
def test_on_a_phone_nothing_sticks_out(regular: Visitor, show: str):
    page = regular.visit(f"/generate?source=I+don%27t+know+where+she+lives.&show={show}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_bad_setting_is_marked_with_what_to_do(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}/generate?{SOURCE}&strategy=sample&top_p=7")
    expect(page.locator("body")).to_have_attribute("data-state", "failed")
    expect(page.locator(".failure")).to_be_visible()
    expect(page.locator("[name=top_p]")).to_have_attribute("aria-invalid", "true")
    regular.refused()


def test_behind_a_long_text_steps_are_shown_and_where_they_look(regular: Visitor):
    long = "model=shakespeare&window=0:9&text=ROMEO%3A+but+soft+what+light&max_new_tokens=4"
    page = regular.visit(f"/generate?{long}&step=2")
    expect(page.locator("#readout")).to_contain_text("Log-probability")
    page.locator("label", has=page.locator("input[value=looks]")).click()
    expect(page.locator("#writing-title")).to_have_text("What it attends to while writing")
    expect(page.locator("#readout")).to_contain_text("of its weight on positions 0 to 8")
    pattern = answer(page)["tensors"]["decoder.3.attention.pattern.mean"]["data"]
    match = re.search(r"has (\d+)%", page.locator("#readout").inner_text())
    assert match
    assert int(match[1]) == round(100 * sum(pattern[1]))
