"""Edits under the hand: chips from the address, taken back and moved; heads turned off by their
dots; a number typed into a cell; the menu; and one switch for all figures.
"""

import json
import re
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import FIGURES_READY, PHONE, Visitor, choose, eventually
from tests.thorough import left

Z = "decoder.2.cross_attention.z"
HEAD = {"op": "zero", "at": Z, "where": {"head": [1]}}
HALF = {"op": "scale", "at": "decoder.1.feed_forward.out", "value": 0.5}
WEIGHTS = "decoder.2.cross_attention.pattern"
CHIP = "decoder layer 2 cross-attention head 1: off"
SHIFTS = """() => {
  window.shifted = [];
  new PerformanceObserver(list => shifted.push(...list.getEntries().map(({value, sources}) =>
    [value, sources.map(({node}) => node?.outerHTML?.slice(0, 80))])))
    .observe({type: "layout-shift", buffered: true});
}"""


def with_edits(path: str, *edits: dict) -> str:
    joint = "&" if "?" in path else "?"
    return f"{path}{joint}edits={quote(json.dumps(edits))}"


def edits_of(page: Page) -> list[dict]:
    """Those of the address."""
    return json.loads(parse_qs(urlsplit(page.url).query).get("edits", ["[]"])[0])


def visit_edited(visitor: Visitor, path: str, *edits: dict) -> Page:
    """The page once it has an answer to its edits, whose chips take the place of those that came
    with the page.
    """
    page = visitor.visit(with_edits(path, *edits))
    expect(answer(page)).to_contain_text("without the edit")
    return page


def chips(page: Page) -> Locator:
    return page.locator(".chips [data-remove]")


def answer(page: Page) -> Locator:
    """The lines that say what the model writes or says with the edits and without them."""
    return page.locator(".before-after")


def numbers_of(page: Page, figure: str = "map") -> list[list[float]]:
    """The numbers of a figure's first trace, once it is drawn."""
    expect(page.locator(FIGURES_READY)).to_have_count(1)
    return page.evaluate(
        """async figure => {
          const show = [...performance.getEntriesByType("resource")].map(({name}) => name)
            .find(name => name.endsWith("/js/figures/show.js"));
          const {figures} = await import(show);
          const [trace] = figures.get(document.querySelector(`#${figure} .stage`)).traces;
          return trace.z.map(row => [...row]);
        }""",
        figure,
    )


def test_the_chips_of_an_address_stand_before_the_answer_and_nothing_jumps(visitor: Visitor):
    page = visitor.page
    page.add_init_script(f"({SHIFTS})()")
    visitor.visit(with_edits("/attention", HEAD, HALF))
    expect(chips(page)).to_have_count(2)
    expect(chips(page).first).to_contain_text(CHIP)
    expect(answer(page)).to_contain_text("without the edit")
    moved = [node for _, nodes in page.evaluate("shifted") for node in nodes]
    assert not moved


def test_an_edit_that_is_taken_back_leaves_the_numbers_as_they_were(regular: Visitor):
    page = regular.visit("/attention?kind=cross&layer=2&head=0")
    plain = numbers_of(page)
    early = {**HEAD, "at": "decoder.0.cross_attention.z"}
    visit_edited(regular, "/attention?kind=cross&layer=2&head=0", early)
    assert numbers_of(page) != plain
    marks = page.locator("#heads .shapelayer path")
    expect(marks).to_have_count(4)  # a head that is off, what changed twice, the chosen head
    expect(marks.first).to_have_css("fill", "rgb(139, 133, 119)")
    expect(marks.nth(1)).to_have_css("stroke", "rgb(208, 0, 111)")
    chips(page).click()
    expect(page.locator("#edits")).to_be_hidden()
    assert edits_of(page) == []
    eventually(page, lambda: numbers_of(page) == plain, True)
    page.go_back()
    expect(chips(page)).to_have_count(1)
    eventually(page, lambda: numbers_of(page) != plain, True)


def place_of(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box is not None
    return box["x"], box["y"]


def test_a_head_that_is_turned_off_writes_another_text_which_is_said_at_once(regular: Visitor):
    page = regular.visit("/attention?kind=cross&layer=2&head=1&source=the+water+is+cold")
    sentence = page.locator(".said:visible")
    expect(sentence).to_have_text("l' eau est froide")
    late: list[Route] = []
    page.route(lambda url: "logits/edits" in url, lambda route: late.append(route))
    page.locator("#turn").click()
    eventually(page, lambda: len(late), 1)
    controls = [page.locator(of) for of in ("#edits .choice", "#edits [data-clear]", "#page")]
    before = [place_of(control) for control in controls]
    late[0].continue_()
    expect(answer(page)).to_contain_text(
        "The model now outputs “le frimpe est froid”; without the edit “l' eau est froide”."
    )
    assert [place_of(control) for control in controls] == before, "what was there has not moved"
    marked = answer(page).locator("b").all_inner_texts()
    assert " ".join(marked) == "le frimpe froid l' eau froide"
    expect(sentence).to_have_text("le frimpe est froid")
    choose(page, "shows", "run")
    expect(sentence).to_have_text("l' eau est froide")
    answer(page).get_by_role("link").click()
    regular.ready()
    expect(page.locator('[name="show"][value="text"]')).to_be_checked()
    expect(page.locator("#texts dd")).to_contain_text(["le frimpe est froid", "l' eau est froide"])


def test_edits_are_put_in_another_order_by_buttons_by_keys_and_by_dragging(regular: Visitor):
    page = visit_edited(regular, "/attention", HEAD, HALF)
    page.locator('.chips li:first-child [data-move="1"]').click()
    expect(chips(page).first).to_contain_text("feed-forward")
    assert edits_of(page) == [HALF, HEAD]
    expect(chips(page).nth(1)).to_be_focused()
    page.keyboard.press("Alt+ArrowLeft")
    expect(chips(page).first).to_contain_text(CHIP)
    expect(chips(page).first).to_be_focused()
    assert edits_of(page) == [HEAD, HALF]
    page.locator(".chips li").first.drag_to(page.locator(".chips li").nth(1))
    expect(chips(page).first).to_contain_text("feed-forward")
    assert edits_of(page) == [HALF, HEAD]


@pytest.mark.thorough  # how the input is read is taken back so, too
def test_all_are_taken_back_at_once(regular: Visitor):
    page = visit_edited(regular, "/attention", HEAD, HALF)
    page.locator("#edits [data-clear]").click()
    expect(page.locator("#edits")).to_be_hidden()
    assert "edits" not in page.url


def test_edits_travel_to_other_rooms_and_are_refused_by_a_model_that_has_no_such_part(
    regular: Visitor,
):
    page = regular.visit(with_edits("/attention", HEAD))
    page.locator(".explore summary").click()
    page.locator('.rooms a[href^="/residual"]').click()
    regular.ready()
    assert edits_of(page) == [HEAD]
    expect(chips(page)).to_contain_text(CHIP)
    page.locator('#input [name="model"]').select_option("digits")
    expect(page.locator(".chips li[data-wrong]")).to_have_count(1)
    expect(answer(page)).to_contain_text(Z)
    expect(answer(page)).to_contain_text("Remove the marked edit.")
    chips(page).click()
    regular.ready()
    expect(page.locator("#edits")).to_be_hidden()
    regular.refused()


def test_a_head_is_turned_off_and_on_by_its_dot_by_its_button_and_by_a_key(regular: Visitor):
    page = regular.visit("/attention?kind=cross&layer=2&head=1")
    stage = page.locator("#heads .stage")
    expect(stage).to_have_attribute("data-interactive", "")
    dots = page.locator("#heads .scatterlayer path.point")
    expect(dots).to_have_count(36)
    dots.nth(33).click(force=True)
    expect(chips(page)).to_contain_text(CHIP)
    assert edits_of(page) == [HEAD]
    regular.ready()
    expect(page.locator("#turn")).to_have_text("turn on")
    page.locator("#turn").click()
    expect(page.locator("#edits")).to_be_hidden()
    regular.ready()
    expect(page.locator("#turn")).to_have_text("turn off")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("h")
    expect(chips(page)).to_contain_text(CHIP)
    regular.ready()
    page.keyboard.press("h")
    expect(page.locator("#edits")).to_be_hidden()


def test_a_number_that_is_typed_while_a_cell_is_chosen_stands_in_it(regular: Visitor):
    page = regular.load("/attention?kind=cross&layer=2&head=1")
    expect(page.locator("#map .stage")).to_have_attribute("data-interactive", "")
    page.locator("#map .stage").focus()
    for key in ["ArrowDown"] * 2 + ["ArrowRight"] * 3:
        page.keyboard.press(key)
    page.keyboard.type("0.25")
    field = page.locator("input.set-cell")
    expect(field).to_have_value("0.25")
    cell = page.locator("#map .shapelayer path").last
    expect(cell).to_be_visible()  # the mark of the chosen cell, which is drawn anew
    box, at = cell.bounding_box(), field.bounding_box()
    assert [at["x"], at["y"]] == pytest.approx([box["x"], box["y"]], abs=4)
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Enter")
    where = {"head": [1], "query": [2], "key": [3]}
    expect(chips(page)).to_contain_text("set to 0.25")
    assert edits_of(page) == [{"op": "set", "at": WEIGHTS, "where": where, "value": 0.25}]
    eventually(page, lambda: numbers_of(page)[2][3], 0.25)
    expect(page.locator("#map .stage")).to_be_focused()
    page.keyboard.type("-1")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(chips(page)).to_contain_text("set to -1")
    assert edits_of(page) == [{"op": "set", "at": WEIGHTS, "where": where, "value": -1}]


TYPED_AT_ONCE = """async () => {
  const stage = document.querySelector("#map .stage");
  const press = (of, key) =>
    of.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const fields = [];
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    for (const field of added.filter((node) => node.matches?.("input.set-cell"))) {
      fields.push(field.value);
      press(field, "Enter");
    }
  }).observe(stage, { childList: true });
  stage.focus();
  for (const key of "0.25") press(stage, key);
  const { href } = document.querySelector('link[data-view][href$="/views/attention.js"]');
  await import(new URL("attention-cell.js", href)); // comes after all that were asked before it
  return fields;
}"""
"""Types a number before the code of its field is there, and Enter as soon as the field is."""


def test_a_number_that_is_typed_faster_than_its_field_comes_opens_one_field(regular: Visitor):
    page = regular.visit("/attention?kind=cross&layer=2&head=1&query=2&key=3")
    expect(page.locator("#map .stage")).to_have_attribute("data-interactive", "")
    fields = page.evaluate(TYPED_AT_ONCE)
    assert fields == ["0.25"], f"{len(fields)} fields came for one number, with {fields}"
    expect(page.locator("#map .stage")).to_be_focused()
    expect(chips(page)).to_contain_text("set to 0.25")
    regular.ready()


def test_what_is_no_number_is_not_taken_and_escape_leaves_the_cell(regular: Visitor):
    page = regular.visit("/attention?kind=cross&layer=2&head=1&query=2&key=3")
    page.locator("#set-cell").click()
    field = page.locator("input.set-cell")
    expect(field).to_be_focused()
    field.press_sequentially("much")
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(page.locator("#set-cell")).to_be_visible()
    assert edits_of(page) == []


def test_an_edit_is_made_in_the_menu_by_the_keyboard_alone(regular: Visitor):
    page = regular.visit("/residual?view=norm")
    page.locator(".edit-field summary").focus()
    page.keyboard.press("Enter")
    what = page.locator('#edit [name="what"]')
    expect(what).to_be_focused()
    what.select_option("scale")
    value = page.locator('#edit [name="value"]')
    expect(what).to_be_focused()
    page.locator('#edit [name="layer"]').select_option("2")
    expect(page.locator("#edit p")).to_contain_text("number")
    value.focus()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    expect(chips(page)).to_contain_text("decoder layer 2 cross-attention head 0: × 0.5")
    assert edits_of(page) == [{"op": "scale", "at": Z, "where": {"head": [0]}, "value": 0.5}]
    expect(page.locator(".edit-field summary")).to_be_focused()
    expect(answer(page)).to_contain_text("without the edit")


def test_the_menu_stays_as_it_was_left_last_whatever_answer_comes_late(still: Visitor):
    page = still.load("/residual?view=norm")
    late: list[Route] = []
    page.route(
        lambda url: "what=scale" in url and "layer=1" in url, lambda route: late.append(route)
    )
    page.locator(".edit-field summary").click()
    layer = page.locator('#edit [name="layer"]')
    page.locator('#edit [name="what"]').select_option("scale")
    layer.select_option("1")
    eventually(page, lambda: len(late), 1)
    layer.select_option("2")
    page.locator('#edit [name="value"]').fill("0.5")
    with page.expect_response(late[0].request.url):
        late[0].continue_()
    page.locator("#edit > button.framed").click()
    expect(chips(page)).to_contain_text("decoder layer 2 cross-attention head 0: × 0.5")


def test_what_is_typed_into_the_menu_stays_when_the_answer_to_a_choice_comes(still: Visitor):
    page = still.load("/residual?view=norm")
    late: list[Route] = []
    page.locator(".edit-field summary").click()
    page.locator('#edit [name="what"]').select_option("scale")
    value = page.locator('#edit [name="value"]')
    expect(value).to_be_visible()
    page.route(
        lambda url: "layer=2" in url and "value=" not in url, lambda route: late.append(route)
    )
    page.locator('#edit [name="layer"]').select_option("2")
    value.focus()
    page.keyboard.type("0.")  # which the field reads as 0
    eventually(page, lambda: len(late), 1)
    answer_late(page, late[0])
    expect(value).to_be_focused()
    page.keyboard.type("5")
    expect(value).to_have_value("0.5")
    page.keyboard.press("Enter")
    expect(chips(page)).to_contain_text("decoder layer 2 cross-attention head 0: × 0.5")


def answer_late(page: Page, route: Route) -> None:
    """Lets the answer through, and waits until the menu says what it says."""
    before = page.locator("#edit p").element_handle()
    route.continue_()
    page.wait_for_function("said => !said.isConnected", arg=before)


@pytest.mark.thorough  # also asked of its field
def test_the_focus_stays_where_the_reader_has_gone_when_the_menus_answer_comes(still: Visitor):
    page = still.load("/residual?view=norm")
    late: list[Route] = []
    page.locator(".edit-field summary").click()
    expect(page.locator('#edit [name="what"]')).to_be_focused()
    page.route(lambda url: "what=" in url, lambda route: late.append(route))
    for what, reached in (("scale", "#edit > button"), ("set", '#input [name="source"]')):
        page.locator('#edit [name="what"]').select_option(what)
        eventually(page, lambda: len(late), 1)
        page.locator(reached).focus()
        answer_late(page, late.pop())
        expect(page.locator(reached)).to_be_focused()


def test_the_menu_opens_on_the_head_that_the_page_shows(regular: Visitor):
    page = regular.visit("/attention?kind=self&stack=encoder&layer=1&head=2")
    late: list[Route] = []
    page.route("**/logits/edit?*", lambda route: late.append(route))
    page.locator(".edit-field summary").click()
    eventually(page, lambda: len(late), 1)
    expect(page.locator("#edit")).to_be_hidden()  # it opens filled
    late[0].continue_()
    expect(page.locator("#edit p")).to_have_text("encoder layer 1 self-attention head 2: off")
    # What closes menus is fetched when the first one opens.
    eventually(
        page,
        lambda: (page.keyboard.press("Escape"), page.locator("#edit").is_visible())[1],
        False,
    )


@pytest.mark.parametrize("regular", [PHONE], indirect=True)
@pytest.mark.parametrize("open_menu", [left(False), left(True)])
def test_on_a_phone_all_of_it_has_room(regular: Visitor, open_menu: bool):
    page = visit_edited(regular, "/attention", HEAD, HALF)
    if open_menu:
        page.locator(".edit-field summary").click()
        expect(page.locator("#edit p")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for part in page.locator("#edits button:visible, #edits label, #edit *:visible").all():
        box = part.bounding_box()
        assert box is not None
        assert box["x"] >= 0, part
        assert box["x"] + box["width"] <= 360, part


def test_one_switch_shows_the_run_the_edited_run_and_their_difference(regular: Visitor):
    path = "/attention?kind=cross&layer=2&head=0"
    plain = numbers_of(regular.visit(path))
    early = {**HEAD, "at": "decoder.0.cross_attention.z"}
    page = regular.visit(with_edits(path, early))
    edited = numbers_of(page)
    assert edited != plain
    choose(page, "shows", "run")
    eventually(page, lambda: numbers_of(page) == plain, True)
    assert "shows=run" in page.url
    for key in ("Tab", "Shift+Tab", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    wanted = np.array(edited) - np.array(plain)
    eventually(page, lambda: np.allclose(numbers_of(page), wanted, atol=1e-6), True)
    assert "shows=difference" in page.url
    expect(page.locator("#turn")).to_be_disabled()
    page.go_back()
    page.go_back()
    eventually(page, lambda: numbers_of(page) == plain, True)


def order_of(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("order", [""])[0]


def test_how_the_input_is_read_has_chips_that_travel_and_are_taken_back(regular: Visitor):
    path = "/attention?kind=cross&layer=2&head=0"
    plain = numbers_of(regular.visit(path))
    arranged = "order=0,3,1,2,4&positions=off&pad=right:3&padding_mask=off"
    page = regular.visit(f"{with_edits(path, HEAD)}&{arranged}")
    names = page.locator(".chips li")
    expect(names).to_have_count(4)
    expect(names.nth(0)).to_contain_text("source tokens in the order cold i am")
    expect(names.nth(1)).to_contain_text("positions off")
    expect(names.nth(2)).to_contain_text("3 pads on the right, not masked")
    expect(answer(page)).to_contain_text("without the edit")
    assert len(numbers_of(page)[0]) == len(plain[0]) + 3
    chips(page).nth(2).click()
    expect(names).to_have_count(3)
    assert "pad" not in page.url
    page.locator(".explore summary").click()
    page.locator('.rooms a[href^="/residual"]').click()
    regular.ready()
    expect(names).to_have_count(3)
    expect(answer(page)).to_contain_text("without the edit")
    expect(page.locator("#besides button")).to_have_count(0)
    page.locator("#edits [data-clear]").click()
    expect(page.locator("#edits")).to_be_hidden()
    assert not {"order", "positions", "edits"} & parse_qs(urlsplit(page.url).query).keys()
    page = regular.visit(f"{path}&order=0,3,1,2,4")
    eventually(page, lambda: numbers_of(page) != plain, True)
    choose(page, "shows", "run")
    eventually(page, lambda: numbers_of(page) == plain, True)


@pytest.mark.thorough  # as an edit that has no place
def test_an_order_that_does_not_fit_is_marked_and_taken_back(regular: Visitor):
    page = regular.page
    page.goto(f"{regular.address}/attention?order=0,2,1")
    expect(page.locator(".chips li[data-wrong]")).to_have_count(1)
    expect(answer(page)).to_contain_text("Remove the marked edit.")
    chips(page).click()
    expect(page.locator("#edits")).to_be_hidden()
    regular.ready()
    regular.refused()


def test_how_the_input_is_read_is_chosen_in_the_menu(regular: Visitor):
    page = regular.visit("/attention")
    page.locator(".edit-field summary").click()
    what = page.locator('#edit [name="what"]')
    what.select_option("order")
    expect(page.locator("#edit p")).to_have_text("source tokens in the order cold am i")
    page.locator("#edit > button.framed").click()
    expect(chips(page)).to_contain_text("source tokens in the order cold am i")
    assert order_of(page) == "0,3,2,1,4"
    page.locator(".edit-field summary").click()
    what.select_option("pad")
    page.locator('#edit [name="mask"]').select_option("off")
    expect(page.locator("#edit p")).to_have_text("2 pads on the left, not masked")
    page.keyboard.press("Escape")


def test_tokens_are_put_in_another_order_by_dragging_and_by_keys(regular: Visitor):
    page = regular.visit("/attention")
    page.locator(".edit-field summary").click()
    tokens = page.locator("#edit .chips li")
    expect(tokens).to_have_text(["<s>", "i", "am", "cold", "</s>"])
    tokens.nth(3).drag_to(tokens.nth(1))
    expect(page.locator("#edit")).to_be_hidden()  # it lay over the figure
    page.locator(".edit-field summary").click()
    expect(tokens).to_have_text(["<s>", "cold", "i", "am", "</s>"])
    assert order_of(page) == "0,3,1,2,4"
    expect(chips(page)).to_contain_text("source tokens in the order cold i am")
    expect(tokens.nth(1).locator("button")).to_be_focused()
    page.keyboard.press("Alt+ArrowRight")
    expect(tokens).to_have_text(["<s>", "i", "cold", "am", "</s>"])
    expect(tokens.nth(2).locator("button")).to_be_focused()
    page.keyboard.press("Alt+ArrowRight")
    expect(tokens).to_have_text(["<s>", "i", "am", "cold", "</s>"])
    assert order_of(page) == ""
    expect(page.locator("#edits")).to_be_hidden()


def test_a_frame_says_what_is_edited_and_has_no_controls_for_it(regular: Visitor):
    page = regular.load(with_edits("/attention?embed=1&kind=cross&layer=2&head=0", HEAD))
    (chip,) = page.locator("#edits button:visible").all()
    expect(chip).to_contain_text(CHIP)
    expect(page.locator("#map [data-get]")).to_have_attribute("href", re.compile("edits="))
