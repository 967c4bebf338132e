"""The attention page: what it shows is what the API says, every number leads down to the weights,
and the address holds it all.
"""

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import APIResponse, Locator, Page, Route, expect
from safetensors.numpy import load_file

from app.paths import weights
from tests.browser.conftest import (
    PHONE,
    Visitor,
    as_float,
    choose,
    eventually,
    expect_call,
    table_of,
)
from tests.browser.test_figures import living, point_at
from tests.thorough import mostly

HEAD = "/attention?layer=1&head=2"
CELL = f"{HEAD}&query=1&key=2&explain=decoder.1.cross_attention.pattern-2-1-2"
HOSTILE = "</s> <b>x</b> <img onerror=alert(1)> \u202eabc"


def api(regular: Visitor, word: str, **question: object) -> dict:
    query = {"model": "translator", "source": "i am cold", **question}
    answer = regular.page.request.get(f"{regular.address}/api/v1/{word}", params=query)
    assert answer.ok, answer.text()
    return answer.json()


def number(text: str) -> float | None:
    return None if text == "masked" else as_float(text)


def table(figure: Locator) -> list[list[str]]:
    """The figure's table, opened, without its heads."""
    return table_of(figure, cells="th, td")


def plotly(page: Page) -> Locator:
    """Plotly's picture, once it has taken the canvas's place."""
    plot = page.locator("#map .plot")
    expect(plot).to_be_visible()
    return plot


def point_at_share(page: Page, figure: str, across: float, down: float, *texts: str) -> None:
    """Points into a figure, at shares of its area, until the card says these."""
    stage = living(page, figure)
    place = stage.locator(".nsewdrag").evaluate(
        """(area, [across, down]) => {
          const {left, top, width, height} = area.getBoundingClientRect();
          const stage = area.closest(".stage").getBoundingClientRect();
          return {x: left - stage.left + across * width, y: top - stage.top + down * height};
        }""",
        [across, down],
    )
    point_at(page, stage, place, *texts)


MAPS = [
    pytest.param("self", "encoder", "scores"),
    pytest.param("self", "decoder", "masked_scores"),
    pytest.param("self", "decoder", "pattern"),
    pytest.param("cross", "decoder", "pattern"),
]


@pytest.mark.parametrize(("kind", "stack", "stage"), mostly(MAPS, *MAPS[1::2]))
def test_the_map_is_what_the_api_says(regular: Visitor, kind: str, stack: str, stage: str):
    page = regular.visit(f"{HEAD}&kind={kind}&stack={stack}&stage={stage}&source=i+am+cold")
    answer = api(regular, "attention", kind=kind, stack=stack, layer=1, head=2, stage=stage)
    (name,) = [name for name in answer["tensors"] if name.endswith(stage)]
    (rows,), mask = (
        answer["tensors"][name]["data"],
        answer["tensors"][f"{stack}.{name.split('.')[2]}.mask"]["data"],
    )
    hidden = [[stage != "scores" and not allowed for allowed in row] for row in mask]
    expected = [
        [None if hide else value for value, hide in zip(*pair, strict=True)]
        for pair in zip(rows, hidden, strict=True)
    ]
    plotted = plotly(page).evaluate("plot => Array.from(plot.data[0].z, row => Array.from(row))")
    np.testing.assert_array_equal(np.array(plotted, np.float32), np.array(expected, np.float32))
    in_table = [[number(cell) for cell in row[1:]] for row in table(page.locator("#map"))]
    for row, wanted in zip(in_table, expected, strict=True):
        assert row == [
            None if value is None else pytest.approx(value, abs=6e-4, rel=6e-3) for value in wanted
        ]
    called = page.request.get(
        regular.address + page.locator("#map [data-get]").get_attribute("href")
    ).json()
    assert called["tensors"][name]["data"] == [rows]


def test_a_pattern_is_drawn_from_0_to_1_and_scores_around_0(regular: Visitor):
    page = regular.visit(HEAD)
    scale = "plot => [plot.data[0].zmin, plot.data[0].zmax]"
    assert plotly(page).evaluate(scale) == [0, 1]
    choose(page, "stage", "scores")
    expect(page).to_have_url(re.compile("stage=scores"))
    regular.ready()
    low, high = plotly(page).evaluate(scale)
    assert low == -high < 0


def test_the_first_picture_needs_no_plotly(visitor: Visitor):
    visitor.without("*/plotly.min*.js")
    page = visitor.visit(HEAD)
    assert page.locator("#map canvas").bounding_box()["width"] > 300
    assert page.evaluate(
        "document.querySelector('#map canvas').getContext('2d').getImageData(0, 0, 400,"
        " 400).data.some(byte => byte > 0)"
    )


def test_a_click_on_the_mosaic_opens_that_head(regular: Visitor):
    page = regular.visit("/attention?head=all")
    expect(page.locator("#map")).to_be_hidden()
    plot = page.locator("#heads .stage[data-interactive] .nsewdrag")
    box = plot.bounding_box()
    plot.click(position={"x": box["width"] * 0.06, "y": box["height"] * 0.3})
    expect_call(page, "map", kind="self", stack="encoder", layer=0, head=0)
    page.keyboard.press("Escape")
    expect(page.locator("#map")).to_be_hidden()


def test_a_long_text_is_shown_by_tiles_down_to_single_cells(regular: Visitor):
    text = "ROMEO:\nBut soft, what light through yonder window breaks?\n\n" * 12
    query = {"model": "shakespeare", "source": None, "text": text, "level": "auto"}
    page = regular.visit(f"/attention?model=shakespeare&level=auto&text={quote(text)}")
    readout = page.locator("#tile .readout")
    expect(readout).to_contain_text("The whole map of 217 tokens.")
    area = living(page, "tile").locator(".nsewdrag")
    area.click(position={"x": 5, "y": area.bounding_box()["height"] - 5})
    expect(readout).to_contain_text("Queries 89 to 216, keys 0 to 127 of 217.")
    expect_call(page, "tile", rows="89%3A217", columns="0%3A128")
    answer = api(regular, "attention", **query, rows="89:217", columns="0:128")
    plotted = living(page, "tile").evaluate(
        "(stage) => [...stage.querySelector('.plot').data[0].z[9]]"
    )
    expected = answer["tensors"]["decoder.0.attention.maximum"]["data"][9]
    np.testing.assert_array_equal(np.array(plotted[:90], np.float32), np.array(expected[:90], "f4"))
    living(page, "tile").locator(".nsewdrag").first.click(position={"x": 5, "y": 1})
    expect(page).to_have_url(re.compile("position=89"))
    expect(page.locator("#row h2")).to_contain_text("89”: its largest weights")
    assert page.locator("svg *").count() < 1_500
    whole = living(page, "tile").locator(".nsewdrag").last
    ends = whole.bounding_box()
    whole.click(position={"x": ends["width"] - 2, "y": ends["height"] - 2})
    expect(readout).to_contain_text("Queries 89 to 216, keys 89 to 216 of 217.")


def test_keys_lead_from_the_page_to_a_weight_and_back(regular: Visitor):
    page = regular.visit(f"{HEAD}&source=i+am+cold")
    page.mouse.move(2, 2)  # keys begin at what is pointed at
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.querySelector('#map .stage')"):
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    panel = page.locator("#derivation")
    expect(panel).to_be_visible()
    value = api(regular, "attention", kind="cross", layer=1, head=2)["tensors"][
        "decoder.1.cross_attention.pattern"
    ]["data"][0][1][1]
    assert number(panel.locator(".result b").last.inner_text()) == pytest.approx(value, rel=6e-3)
    expect(panel.get_by_role("slider").first).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(panel.locator(".trail li")).to_have_count(2)
    expect(panel.get_by_role("slider").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(panel.locator('[data-leaf="weight"]')).to_be_visible()
    weight = load_file(weights() / "translator" / "model.safetensors")[
        "decoder.1.cross_attention.query.weight"
    ]
    d_head = weight.shape[1] // 4
    expect(panel.locator(".leaf.number")).to_have_text(
        re.compile(rf"query\.weight\[0, {2 * d_head + 1}\] = ")
    )
    printed = panel.locator(".leaf.number").inner_text().partition(" = ")[2]
    assert float(printed) == pytest.approx(float(weight[0, 2 * d_head + 1]), rel=1e-6)
    for left in (2, 1):
        page.keyboard.press("Escape")
        expect(panel.locator(".trail li")).to_have_count(left)
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#map")).to_be_hidden()


def test_a_derivation_shows_the_answer_s_numbers_and_they_follow_from_each_other(regular: Visitor):
    page = regular.visit(f"{CELL}&source=i+am+cold")
    stages = ("scores", "masked_scores", "pattern")
    scores, masked, pattern = (
        api(regular, "explain", name=f"decoder.1.cross_attention.{stage}", at="2,1,2")
        for stage in stages
    )
    results = [number(text) for text in page.locator("#derivation .result b").all_inner_texts()]
    assert results == pytest.approx(
        [answer["value"] for answer in (scores, masked, pattern)], rel=6e-3
    )
    q, k = (np.array(operand["values"]) for operand in scores["operands"])
    assert q @ k / np.sqrt(len(q)) == pytest.approx(scores["value"], abs=1e-5)
    height = page.locator("#map").evaluate("map => map.getBoundingClientRect().height")
    assert height < page.evaluate("innerHeight"), "the map is whole beside a long derivation"
    page.locator('#derivation [data-part="table"]').click()
    cells = (
        page.locator("#derivation table")
        .first.locator("tbody tr")
        .first.locator("td")
        .all_inner_texts()
    )
    assert [number(cell) for cell in cells] == pytest.approx([q[0], k[0], q[0] * k[0]], rel=6e-3)
    shares = page.locator("#derivation table").last.locator("tbody tr").all()
    assert len(shares) >= len(pattern["operands"][0]["values"])


def test_every_number_in_an_equation_leads_one_step_back(regular: Visitor):
    page = regular.visit(CELL)
    page.locator("#derivation .equation button", has_text="mask").last.click()
    page.locator(
        '#derivation .trail button[aria-current="step"]', has_text=re.compile("mask")
    ).wait_for()
    page.go_back()
    expect(page.locator("#derivation .trail li")).to_have_count(1)


def test_the_derivation_follows_the_head_that_is_chosen(regular: Visitor):
    page = regular.visit(f"{CELL}&source=i+am+cold")
    page.locator("h1").evaluate("document.activeElement.blur()")
    page.keyboard.press("]")
    wanted = api(regular, "explain", name="decoder.1.cross_attention.pattern", at="3,1,2")["value"]
    expect_call(page, "map", kind="cross", layer=1, head=3)
    expect(page.locator("#derivation .result b").last).to_have_attribute("title", str(wanted))


def test_hovering_and_stepping_choose_a_query_whose_row_is_shown(regular: Visitor):
    page = regular.visit(f"{HEAD}&source=i+am+cold")
    title = page.locator("#lines-title")
    labels = api(regular, "attention", layer=0, kind="cross")["axes"]["target"]["labels"]
    expect(title).to_contain_text(labels[1])
    page.keyboard.press("ArrowRight")
    expect(title).to_contain_text(labels[2])
    expect(page).to_have_url(re.compile("query=2"))
    page.locator("#lines svg").hover(position={"x": 20, "y": 40})
    expect(title).to_contain_text(labels[0])
    heads = np.array([[number(cell) for cell in row[1:]] for row in table(page.locator("#lines"))])
    assert heads.sum(0) == pytest.approx(np.ones(4), abs=3e-3)


def test_a_choice_that_is_made_while_an_answer_is_under_way_is_kept(still: Visitor):
    page = still.load(HEAD)
    held: list[tuple[Route, APIResponse]] = []
    page.route(re.compile("forward=2"), lambda route: held.append((route, route.fetch())))
    page.keyboard.press("ArrowRight")
    eventually(page, lambda: len(held), 1)
    page.keyboard.press("ArrowRight")
    [(route, response)] = held
    route.fulfill(response=response)
    expect(page).to_have_url(re.compile("query=3"))


def test_typing_draws_again_without_a_new_page(regular: Visitor):
    page = regular.visit(HEAD)
    page.evaluate("window.same = true")
    page.locator('input[name="source"]').fill("we are hungry")
    expect(page).to_have_url(re.compile("we\\+are\\+hungry"))
    regular.ready()
    page.locator("#map [data-table]").dispatch_event("click")
    expect(page.locator("#map thead")).to_contain_text("hungry")
    assert page.evaluate("window.same")


def test_the_whole_view_is_in_the_address_and_back_works(still: Visitor):
    page = still.visit("/attention")
    page.locator('[data-group="decoder.attention"]').click()
    page.locator('select[name="head"]').select_option("3")
    page.locator('select[name="layer"]').select_option("0")
    choose(page, "stage", "masked_scores")
    expect_call(page, "map", kind="self", stack="decoder", layer=0, head=3)
    expect(page).to_have_url(re.compile("stage=masked_scores"))
    again = still.context.new_page()
    again.goto(page.url)
    expect_call(again, "map", kind="self", stack="decoder", layer=0, head=3)
    expect(again.locator('input[value="masked_scores"]')).to_be_checked()
    again.close()
    for _ in range(4):
        page.go_back()
    expect_call(page, "map", kind="cross")


def test_hostile_tokens_stay_text_in_every_picture(regular: Visitor):
    texts = {"model": "translator", "source": HOSTILE, "target": "<b> oui"}
    cell = "layer=2&head=0&key=1&explain=decoder.2.cross_attention.pattern-0-1-1"
    page = regular.visit(
        f"/attention?source={quote(HOSTILE)}&target={quote(texts['target'])}&{cell}"
    )
    names = "plot => plot.layout.xaxis.ticktext.map(name => name.replace(/^<b>(.*)<.b>$/, '$1'))"
    ticks = " ".join(plotly(page).evaluate(names))  # the chosen name is bold
    assert "&lt;" in ticks
    assert "<" not in ticks
    assert page.locator("main :is(b.x, img, script, a[href^=javascript])").count() == 0
    labels = page.request.get(f"{regular.address}/api/v1/attention", params=texts).json()["axes"][
        "target"
    ]["labels"]
    expect(page.locator("#derivation .trail")).to_contain_text(labels[1])


@pytest.mark.parametrize("source", mostly(["yes", "word " * 40], "word " * 40))
def test_one_word_and_forty_are_drawn(regular: Visitor, source: str):
    page = regular.visit(f"/attention?kind=self&stack=encoder&source={quote(source.strip())}")
    n = plotly(page).evaluate("plot => plot.data[0].z.length")
    assert n == len(source.split()) + 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 1281


@pytest.mark.thorough  # test_input_strip.py sees the chip come and go
def test_a_text_longer_than_any_in_training_is_said_to_be_extrapolation(regular: Visitor):
    page = regular.visit(f"/attention?source={quote(' '.join(['word'] * 40))}")
    extrapolated = re.compile("extrapolation")
    expect(page.locator("#chip")).to_have_text(extrapolated)
    page.locator('input[name="source"]').fill("yes")
    expect(page.locator("#chip")).not_to_have_text(extrapolated)


REFUSED = [pytest.param("", id="empty"), pytest.param("the cat " * 40, id="too long")]


@pytest.mark.parametrize("source", mostly(REFUSED, REFUSED[1]))
def test_a_refused_sentence_leaves_the_figures_and_takes_its_old_answer_away(
    regular: Visitor, source: str
):
    page = regular.visit("/attention?source=i+am+cold")
    expect(page.locator("#prediction")).not_to_be_empty()
    place = page.locator("#map .stage").bounding_box()
    page.locator('input[name="source"]').fill(source)
    refusal = page.locator(".failure")
    expect(refusal).to_have_count(1)
    field = page.locator('input[name="source"]').bounding_box()
    box = refusal.bounding_box()
    assert field is not None
    assert box is not None
    assert 0 <= box["y"] - field["y"] - field["height"] <= 16, "it stands at the field"
    expect(page.locator("#prediction")).to_be_empty()
    for id in ("heads", "map", "lines"):
        expect(page.locator(f"#{id} .stage")).to_have_css("opacity", "1")
        expect(page.locator(f"#{id} .stage > :not([hidden])").last).to_have_css("opacity", "0.4")
    assert page.locator("#map .stage").bounding_box() == place
    page.locator('input[name="source"]').fill("i am cold")
    expect(refusal).to_have_count(0)
    expect(page.locator("#prediction")).to_have_text("j' ai froid")
    regular.refused()


def test_keys_come_to_the_end_of_the_lines_of_a_long_text(regular: Visitor):
    page = regular.visit("/attention?source=" + "+".join(["cold"] * 60))
    stage = page.locator("#lines .stage")
    page.locator("#map .export summary").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if stage.evaluate("stage => stage === document.activeElement"):
            break
    expect(stage).to_be_focused()
    page.keyboard.press("End")
    below = "stage => Math.round(stage.scrollHeight - stage.scrollTop - stage.clientHeight)"
    eventually(page, lambda: stage.evaluate(below), 0)


def test_a_trail_that_this_input_does_not_have_is_said_to_be_none(regular: Visitor):
    page = regular.visit(f"{CELL}*decoder.1.cross_attention.q-2-99-0")
    expect(page.locator("#derivation .leaf:visible")).to_contain_text("99 does not exist")
    page.keyboard.press("Escape")
    expect(page.locator("#derivation .result").first).to_be_visible()
    regular.refused()


@pytest.mark.parametrize("regular", [PHONE], indirect=True)
def test_on_a_phone_the_first_tap_shows_and_the_second_opens(regular: Visitor):
    page = regular.visit(HEAD)
    canvas = page.locator("#map .nsewdrag")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    at = {"x": box["width"] * 0.5, "y": box["height"] * 0.4}
    canvas.tap(position=at)
    marked = "plot => plot.layout.shapes.filter(({name}) => name === 'line ink').length"
    eventually(page, lambda: page.locator("#map .plot").evaluate(marked), 1)
    expect(page.locator("#derivation")).to_be_hidden()
    card = page.locator("#map .hover-card").bounding_box()
    tapped = canvas.bounding_box()["y"] + at["y"]
    assert min(abs(card["y"] - tapped), abs(card["y"] + card["height"] - tapped)) > 44
    canvas.tap(position=at)
    expect(page.locator("#derivation")).to_be_visible()
    for target in page.locator("#derivation button:visible").all():
        assert target.bounding_box()["height"] >= 43.5
    assert page.evaluate("document.documentElement.scrollWidth") <= 361


def test_what_is_pointed_at_in_one_figure_shows_in_the_others_without_a_question(regular: Visitor):
    page = regular.visit("/attention?model=digits&image=one&layer=2&head=0&query=0")
    urls = []
    page.on("request", lambda request: urls.append(request.url))
    plot = plotly(page)
    over = page.locator("#over .stage[data-interactive] .plot")
    expect(over).to_be_visible()
    rows = plot.evaluate("plot => Array.from(plot.data[0].z, row => Array.from(row))")
    point_at_share(page, "map", 0.5, 5.5 / 17, "2,1")
    framed = "plot => Array.from(plot.data[0].z).flatMap(row => Array.from(row)).filter(isFinite)"
    eventually(page, lambda: over.evaluate(framed)[1:], rows[5][1:5] + over.evaluate(framed)[5:])
    assert sorted(over.evaluate(framed)) == sorted(rows[5])
    bold = "plot => plot.layout.yaxis.ticktext.filter(name => name.startsWith('<b>'))"
    assert plot.evaluate(bold) == ["<b>2,1</b>"]
    expect(page.locator("#lines-title")).to_contain_text("2,1")
    bars = page.locator("#lines svg .bar").evaluate_all(
        "bars => bars.map(bar => bar.width.baseVal.value)"
    )
    assert np.array(bars) / max(bars) == pytest.approx(np.array(rows[5]) / max(rows[5]), abs=1e-4)
    # What the weights of the row are used for is asked for, once the pointer rests.
    assert not [url for url in urls if "/api/v1/attention" in url and "forward=" not in url]


def test_a_masked_cell_says_so_at_the_pointer(regular: Visitor):
    page = regular.visit(f"{HEAD}&kind=self&stack=decoder&source=i+am+cold")
    point_at_share(page, "map", 0.97, 0.03, "masked")
    expect(page.locator("#map-readout")).to_contain_text("masked")


def test_pointed_at_a_small_map_says_its_head_and_the_number_there(regular: Visitor):
    page = regular.visit("/attention?head=all&source=i+am+cold")
    texts = ("encoder self-attention, layer 0, head 0", "of the weight")
    point_at_share(page, "heads", 0.02, 0.3, *texts)
    answer = api(regular, "attention", kind="self", stack="encoder", layer=0, head=0)
    entropy = answer["entropy"]["encoder.0.attention"][0]
    expect(page.locator("#heads-readout")).to_contain_text(f"{entropy:.2f} nats")


def test_a_head_is_found_by_its_layer_and_number(regular: Visitor):
    page = regular.visit("/attention")
    found = page.locator("#find")
    expect(found).to_be_hidden()  # few heads are all in sight
    eventually(page, lambda: page.evaluate("document.body.dataset.state") != "busy", True)
    found.evaluate("field => { field.value = '1.5'; field.dispatchEvent(new Event('change')) }")
    expect(page).to_have_url(re.compile(r"layer=1&head=5"))
