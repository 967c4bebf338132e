"""Figures under the hand: what is said at the pointer is the answer's number, zoom and legend work,
keys walk, nothing moves when Plotly comes, and what is taken along is what is shown.
"""

import re
from base64 import b64decode
from functools import partial
from itertools import cycle, pairwise
from pathlib import Path
from urllib.parse import quote

import numpy as np
import plotly.io as pio
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    COLLIDING,
    COVERED,
    LAPTOP,
    PHONE,
    Visitor,
    eventually,
)
from tests.thorough import mostly

PAGES = {
    "/scaling": "weights",
    "/scaling?show=products": "beside",
    "/scores": "patterns",
    "/attention": "map",
    "/attention?head=all": "heads",
    "/norms": "stream",
    "/performer": "maps",
}
CASES = [pytest.param(*it, id=it[0]) for it in PAGES.items()]
UNLIKE = [case for case in CASES if case.id in ("/scaling", "/attention", "/attention?head=all")]
"""Lines; a map with its names; and many small ones."""
every_page = pytest.mark.parametrize(("address", "id"), mostly(CASES, *UNLIKE))

PLACES = """plot => {
  const full = plot._fullLayout, found = [];
  plot.data.forEach((trace, curve) => {
    const key = (axis) => `${axis}axis${(trace[`${axis}axis`] ?? axis).slice(1)}`;
    const [x, y] = [full[key("x")], full[key("y")]];
    const put = (at, row, px, py, value) => {
      const inside = px > 4 && py > 4 && px < x._length - 4 && py < y._length - 4;
      if (inside && Number.isFinite(value)) {
        found.push({curve, at, row, value, x: x._offset + px, y: y._offset + py});
      }
    };
    if (trace.z) Array.from(trace.z).forEach((row, r) => Array.from(row).forEach((value, c) => {
      const middle = (list, i) => !list ? i : list.length > i + 1 && list.length === (
        list === trace.x ? row.length : trace.z.length) + 1 ? (list[i] + list[i + 1]) / 2 : list[i];
      put(c, r, x.d2p(middle(trace.x, c)), y.d2p(middle(trace.y, r)), value);
    }));
    else Array.from(trace.y).forEach((value, i) =>
      put(i, 0, x.d2p(trace.x[i]), y.d2p(value), value));
  });
  return found;
}"""
"""Where the points of a figure lie in its stage, and their numbers."""


def living(page: Page, id: str) -> Locator:
    """The figure, once Plotly has taken the place of its still picture."""
    stage = page.locator(f"#{id} .stage[data-interactive]")
    expect(stage.locator(".plot .main-svg").first).to_be_visible()
    return stage


def numbers_in(text: str) -> list[float]:
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    plain = re.sub(r" × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m[1].translate(raised), text)
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", plain.replace("−", "-"))]


def point_at(page: Page, stage: Locator, place: dict, *parts: str | float) -> Locator:
    """The card at the pointer, once it says these. The pointer keeps moving: a figure that is just
    drawn anew does not see one that rests.
    """
    side = cycle((0, 1))

    def card_is_there() -> bool:
        box = stage.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + place["x"] + next(side), box["y"] + place["y"], steps=3)
        return card_says(stage, *parts)

    eventually(page, card_is_there, True)
    return stage.get_by_role("tooltip")


def card_says(stage: Locator, *parts: str | float) -> bool:
    """Whether there is a card in the stage, and it says these."""
    text = " ".join(" ".join(stage.get_by_role("tooltip").all_inner_texts()).split())
    return bool(text) and all(
        " ".join(part.split()) in text if isinstance(part, str) else is_said(text, part)
        for part in parts
    )


def is_said(text: str, value: float) -> bool:
    return any(n == pytest.approx(value, rel=6e-3) for n in numbers_in(text))


def says(card: Locator, value: float) -> bool:
    return is_said(card.inner_text(), value)


POINTED_AT = [
    case for case in CASES if case.id in ("/scaling", "/scores", "/attention", "/performer")
]


@pytest.mark.parametrize(("address", "id"), mostly(POINTED_AT, POINTED_AT[0]))
def test_the_pointer_is_told_the_number_that_stands_there(regular: Visitor, address: str, id: str):
    page = regular.visit(address)
    stage = living(page, id)
    places = stage.locator(".plot").evaluate(PLACES)
    assert len(places) >= 3
    for place in places[:: max(1, len(places) // 5)]:
        point_at(page, stage, place, place["value"])


def test_what_is_said_on_a_map_is_what_the_api_has_there(regular: Visitor):
    page = regular.visit("/attention?layer=1&head=2&source=i+am+cold")
    stage = living(page, "map")
    call = page.locator("#map [data-get]").get_attribute("href")
    answer = page.request.get(regular.address + str(call)).json()
    (pattern,) = (t["data"][0] for name, t in answer["tensors"].items() if name.endswith("pattern"))
    for place in stage.locator(".plot").evaluate(PLACES)[::3]:
        label = answer["axes"]["source"]["labels"][place["at"]]
        point_at(page, stage, place, label, pattern[place["row"]][place["at"]])


@every_page
def test_nothing_moves_when_plotly_takes_the_place_of_the_still_picture(
    regular: Visitor, address: str, id: str
):
    page = regular.visit(address)
    moved = living(page, id).evaluate(
        """async stage => {
          const link = document.querySelector('link[href$="js/figures/show.js"]');
          const {figures} = await import(link.href);
          const {arranged} = figures.get(stage), full = stage.querySelector(".plot")._fullLayout;
          return arranged.panels.flatMap(({x, y, box}) => [
            full[x]._offset - box.x, full[y]._offset - box.y,
            full[x]._length - box.width, full[y]._length - box.height,
          ]);
        }"""
    )
    assert np.abs(moved).max() <= 2


DOUBLE_CLICK = """area => {
  const {left, top, width, height} = area.getBoundingClientRect();
  const at = {clientX: left + width / 2, clientY: top + height / 2, bubbles: true};
  for (const detail of [1, 2])
    for (const kind of ["mousemove", "pointerdown", "mousedown", "mouseup"]) {
      const under = document.elementFromPoint(at.clientX, at.clientY);
      const its = kind === "pointerdown" ? PointerEvent : MouseEvent;
      under.dispatchEvent(new its(kind, {...at, detail, pointerType: "mouse"}));
    }
}"""
"""In one go: two clicks of a busy machine may be too far from each other to be one double click."""


def test_a_drag_zooms_at_every_size_and_a_double_click_resets(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    ranges = "plot => [...plot._fullLayout.xaxis.range, ...plot._fullLayout.yaxis.range]"
    plot = stage.locator(".plot")
    before = plot.evaluate(ranges)
    box = stage.locator(".nsewdrag").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.8, steps=5)
    page.mouse.up()
    expect(stage.locator(".zoombox")).to_have_count(0)
    eventually(page, lambda: plot.evaluate(ranges) != before, True)
    zoomed = plot.evaluate(ranges)
    assert before[0] < zoomed[0] < zoomed[1] < before[1]
    wide = "plot => plot._fullLayout.width"
    at_first = plot.evaluate(wide)
    page.set_viewport_size({"width": 1000, "height": 700})
    eventually(page, lambda: plot.evaluate(wide) < at_first, True)
    eventually(page, lambda: plot.evaluate(ranges) == pytest.approx(zoomed), True)
    stage.locator(".nsewdrag").evaluate(DOUBLE_CLICK)
    expect(stage.locator(".xtick text").last).to_have_text("1024")
    eventually(page, lambda: plot.evaluate(ranges) == pytest.approx(before), True)


EARLIER_TIMERS_HAVE_RUN = "() => new Promise(done => setTimeout(done, 300))"
"""Timers of one length run in the order in which they were set: a click waits as long for a second
one, and a pointer that rests before the address says on what.
"""


def test_a_double_click_fits_a_map_and_a_single_one_opens_its_cell(regular: Visitor):
    page = regular.visit("/attention")
    stage = living(page, "map")
    plot, area = stage.locator(".plot"), stage.locator(".nsewdrag")
    ranges = "plot => [...plot._fullLayout.xaxis.range, ...plot._fullLayout.yaxis.range]"
    before = plot.evaluate(ranges)
    plot.evaluate("plot => Plotly.relayout(plot, {'xaxis.range': [1, 3], 'yaxis.range': [2, 1]})")
    for _ in ("zoomed", "fitted"):
        area.hover()
        area.evaluate(DOUBLE_CLICK)
        eventually(page, lambda: plot.evaluate(ranges) == pytest.approx(before), True)
        page.evaluate(EARLIER_TIMERS_HAVE_RUN)
        expect(page.locator("#derivation")).to_be_hidden()
    area.click()
    expect(page.locator("#derivation")).to_be_visible()
    page.evaluate(EARLIER_TIMERS_HAVE_RUN)  # the address says what the pointer rests on


@pytest.mark.parametrize("regular", [PHONE], indirect=True)
def test_a_drag_chooses_nothing_where_plotly_sees_no_pointer_that_hovers(regular: Visitor):
    """There the browser adds a click to it."""
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    plot, area = stage.locator(".plot"), stage.locator(".nsewdrag")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    before, ranges = page.url, "plot => plot._fullLayout.xaxis.range"
    at_first = plot.evaluate(ranges)
    clicks = "area => { window.clicked = 0; area.addEventListener('click', () => clicked += 1); }"
    area.evaluate(clicks)
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.4)
    expect(stage.get_by_role("tooltip")).to_be_visible()
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5, steps=3)
    page.mouse.up()
    eventually(page, lambda: plot.evaluate(ranges) != at_first, True)
    assert page.evaluate("clicked") == 1
    page.evaluate(EARLIER_TIMERS_HAVE_RUN)
    assert page.url == before


PRESS_WHILE_PLOTLY_LOOKS = """async (area, {x, y}) => {
  const at = {clientX: x, clientY: y, bubbles: true, detail: 1};
  const stage = area.closest(".stage"), plot = stage.querySelector(".plot");
  const send = (kind, to = area) => to.dispatchEvent(new MouseEvent(kind, at));
  const once = kind => new Promise(done => plot.once(kind, done));
  const looked = once("plotly_hover");
  send("mousemove");
  await looked;
  send("mousemove"); // at which Plotly looks 50 ms after the one before
  const lost = once("plotly_unhover");
  area.dispatchEvent(new PointerEvent("pointerdown", {...at, pointerType: "mouse"}));
  send("mousedown");
  await lost;
  send("mouseup", document.elementFromPoint(x, y));
}"""
"""Plotly looks in the middle of a click, sees a drag, and says nothing of the click."""


def test_a_click_while_plotly_looks_at_the_pointer_opens_what_it_is_on(regular: Visitor):
    page = regular.visit("/generate?source=i+am+cold&strategy=greedy&show=text&step=end")
    stage = living(page, "writing")
    x, y = stage.locator(".plot").evaluate(
        """plot => {
          const {xaxis, yaxis} = plot._fullLayout, {left, top} = plot.getBoundingClientRect();
          return [left + xaxis._offset + xaxis.d2p(1), top + yaxis._offset + yaxis._length - 4];
        }"""
    )
    stage.locator(".nsewdrag").first.evaluate(PRESS_WHILE_PLOTLY_LOOKS, {"x": x, "y": y})
    expect(page).to_have_url(re.compile("step=2"))


def test_a_table_that_is_open_is_not_made_anew_for_another_size(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    page.locator("#beside [data-table]").dispatch_event("click")
    table = page.locator("#beside table").element_handle()
    before = stage.evaluate("stage => stage.clientWidth")
    page.set_viewport_size({"width": 1400, "height": 720})
    width = "stage => stage.querySelector('.plot')._fullLayout.width"
    eventually(page, lambda: stage.evaluate(width) > before, True)
    assert table.evaluate("table => table.isConnected")


def test_plotlys_buttons_stand_in_the_menu_of_their_figure_and_cover_nothing(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    for width in (360, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        fits = "stage => stage.querySelector('.plot')._fullLayout.width === stage.clientWidth"
        eventually(page, partial(stage.evaluate, fits), True)
        stage.hover()
        assert page.evaluate(COVERED) == []
        page.locator("#beside .export summary").click()
        buttons = page.locator("#beside .modebar-btn")
        buttons.last.hover()
        for button in buttons.all():
            expect(button).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")


@pytest.mark.thorough  # a first visit to this page asks it
def test_no_word_is_printed_over_another_at_any_size(still: Visitor):
    """First visits ask it of every page; here it is the page whose rows are made of words."""
    page = still.visit("/memory")
    assert page.evaluate(
        "[...document.querySelectorAll('.stage canvas')].every(painted.has, painted)"
    )
    for window in (LAPTOP["viewport"], {"width": 1024, "height": 768}, PHONE["viewport"]):
        page.set_viewport_size(window)
        eventually(page, lambda: page.evaluate(COLLIDING), [])


def test_a_click_on_the_legend_hides_a_line_and_shows_it_again(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    lines = stage.locator(".scatterlayer .trace")
    expect(lines).to_have_count(2)
    stage.locator(".legendtoggle").first.click()
    expect(lines).to_have_count(1)
    stage.locator(".legendtoggle").first.click()
    expect(lines).to_have_count(2)


def test_the_arrows_walk_the_points_and_enter_chooses(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    high = "stage => stage.clientHeight"
    before = stage.evaluate(high)
    figure = page.request.get(f"{regular.address}/api/v1/scaling/figures/entropy").json()
    stage.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    live = page.locator("#live")
    expect(live).to_contain_text("entropy")
    text = live.inner_text()
    assert any(n in numbers_in(text) for n in (1, 4, 16))
    assert numbers_in(text)[1] == pytest.approx(
        dict(zip(figure["data"][0]["x"], figure["data"][0]["y"], strict=True))[numbers_in(text)[0]],
        rel=6e-3,
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"d_head={numbers_in(text)[0]:.0f}"))
    regular.ready()
    expect(page.locator("#standing")).to_be_visible()
    assert stage.evaluate(high) == before, "what fails takes nothing of its height"


EXPORTED = {
    "/scaling": ("beside", "scaling-beside", ("random initialization", "seed 0")),
    "/attention?source=you+%3Cb%3Eare%3C%2Fb%3E+very+cold+today": (
        "map",
        "attention-translator-you-b-are-b-very-cold-today",
        ("translator (weights sha256", "trained", "source “you <b>are</b> very cold today”"),
    ),
    "/residual?view=contributions": (
        "stream",
        "residual-translator-i-am-cold",
        ("source “i am cold”",),
    ),
}
"""Unlike figures: lines, a matrix, stacks. What names of files begin with, and what is said."""


def as_floats(numbers: object) -> np.ndarray:
    """A list of numbers, or a typed array in base64."""
    if not isinstance(numbers, dict):
        return np.array(numbers, dtype=float)
    flat = np.frombuffer(b64decode(numbers["bdata"]), f"<{numbers['dtype']}").astype(float)
    return flat.reshape([int(n) for n in numbers.get("shape", str(flat.size)).split(",")])


WORDS = """text => [...new DOMParser().parseFromString(text, "image/svg+xml")
  .querySelectorAll("text")].map(e => e.textContent).join(" ")"""


@pytest.mark.parametrize("address", mostly(EXPORTED, list(EXPORTED)[1]))
def test_what_is_taken_along_is_what_is_shown(regular: Visitor, address: str, tmp_path: Path):
    id, begins, labels = EXPORTED[address]
    page = regular.visit(address)
    stage = living(page, id)
    menu = page.locator(f"#{id} .export")
    taken = {}
    for kind in ("json", "svg", "png", "csv"):
        menu.locator("summary").click()
        with page.expect_download() as download:
            menu.locator(f'[data-export="{kind}"]').click()
        name = download.value.suggested_filename
        assert name.startswith(f"vitrine-{begins}")
        assert name.endswith(f"{id}.{kind}")
        taken[kind] = tmp_path / name
        download.value.save_as(taken[kind])
    figure = pio.from_json(taken["json"].read_text())
    plotted = stage.locator(".plot").evaluate(
        """plot => plot.data.map(({x, y, z}) => [x, y, z].map(
          part => part && Array.from(part, one => one?.length ? Array.from(one) : one)))"""
    )
    assert len(plotted) == len(figure.data)
    for trace, parts in zip(figure.data, plotted, strict=True):
        for name, part in zip("xyz", parts, strict=True):
            if part is not None and name in trace:
                expected = np.array(part, dtype=float)
                np.testing.assert_array_equal(as_floats(trace[name]), expected)
    words = re.sub(r"\s+", " ", page.evaluate(WORDS, taken["svg"].read_text()))
    assert page.locator(f"#{id} h2").inner_text() in words or figure.layout.meta["title"] in words
    for part in (*labels, "GET /api/v1/"):
        assert part in words
        assert part in taken["csv"].read_text()
    assert taken["png"].read_bytes()[:4] == b"\x89PNG"
    width = int.from_bytes(taken["png"].read_bytes()[16:20])
    assert width == 2 * stage.evaluate("stage => stage.clientWidth")


def test_the_values_go_over_to_logarithms_and_back_and_the_address_says_so(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    switch = page.get_by_label("Scale of the values")
    expect(switch.locator("option:checked")).to_have_text("values: linear")
    page.locator("#beside .export summary").click()
    switch.focus()
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile(r"beside\.values=log"))
    kind = "plot => plot._fullLayout.yaxis.type"
    plot = stage.locator(".plot")
    eventually(page, partial(plot.evaluate, kind), "log")
    page.reload()
    stage = living(page, "beside")
    eventually(page, partial(stage.locator(".plot").evaluate, kind), "log")
    for place in stage.locator(".plot").evaluate(PLACES)[::4]:
        point_at(page, stage, place, place["value"])
    page.go_back()
    living(page, "beside")
    expect(switch.locator("option:checked")).to_have_text("values: linear")


def test_the_colours_of_a_map_fit_its_numbers_where_asked(regular: Visitor):
    page = regular.visit("/attention?head=2")
    living(page, "map")
    page.locator("#map .export summary").click()
    page.locator("#map").get_by_label("Colors", exact=True).select_option(
        label="colors: data range"
    )
    ends = "() => (({zmin, zmax}) => [zmin, zmax])(document.querySelector('#map .plot').data[0])"
    served = page.request.get(
        f"{regular.address}/api/v1/attention/figures/map?model=translator&source=i+am+cold"
        "&kind=cross&layer=2&head=2"
    ).json()
    z = np.array(served["data"][0]["z"], float)
    eventually(page, lambda: page.evaluate(ends) != [0, 1], True)
    assert page.evaluate(ends) == pytest.approx([np.nanmin(z), np.nanmax(z)])
    page.locator("#map").get_by_label("Colors", exact=True).select_option(label="colors: 0 to 1")
    eventually(page, lambda: page.evaluate(ends), [0, 1])


LONG = ("the fire and the sea and the wind of the night " * 9).strip() + " the fire"
"""111 words: with the start 112 tokens of shakespeare's."""

LABELS = """plot => [...plot.querySelectorAll(WHICH)].map(text => {
  const {left, right, top, bottom} = text.getBoundingClientRect();
  return {left, right, top, bottom, size: parseFloat(getComputedStyle(text).fontSize),
    said: text.textContent, bold: text.querySelector("[style*=bold]") !== null};
})"""
"""Labels of a figure as they stand on the screen."""


def assert_readable(labels: list[dict], along: tuple[str, str]):
    """No label is smaller than others are, and none covers another."""
    assert len(labels) > 1
    assert {label["size"] for label in labels} == {13}
    first, last = along
    ordered = sorted(labels, key=lambda label: label[first])
    for label, other in pairwise(ordered):
        assert label[last] <= other[first] + 4, (label["said"], other["said"])


def test_the_names_of_the_chosen_row_and_column_are_told_however_long_the_text(regular: Visitor):
    page = regular.visit(f"/attention?model=shakespeare&query=70&key=30&text={quote(LONG)}")
    stage = living(page, "map")
    plot, area = stage.locator(".plot"), stage.locator(".nsewdrag")
    expect(area).to_have_count(1)
    box = area.bounding_box()
    assert box is not None
    at = {"x": box["x"] + box["width"] * 0.27, "y": box["y"] + box["height"] * 0.63}

    def chosen() -> int:
        count = 0
        for which, along in (
            (".xtick text", ("left", "right")),
            (".ytick text", ("top", "bottom")),
        ):
            labels = plot.evaluate(LABELS.replace("WHICH", repr(which)))
            assert_readable(labels, along)
            count += sum(label["bold"] for label in labels)
        return count

    eventually(page, chosen, 2)
    ranges = "plot => [...plot._fullLayout.xaxis.range, ...plot._fullLayout.yaxis.range]"
    before = plot.evaluate(ranges)
    page.mouse.move(at["x"] - 60, at["y"] - 60)
    page.mouse.down()
    page.mouse.move(at["x"] + 60, at["y"] + 60, steps=5)
    page.mouse.up()
    expect(stage.locator(".zoombox")).to_have_count(0)
    eventually(page, lambda: plot.evaluate(ranges) != before, True)
    # What the pointer passed on its way is chosen, and may lie at the edge. A figure that is just
    # drawn anew does not see a pointer that rests.
    side = cycle((-3, 3))

    def chosen_amid() -> int:
        page.mouse.move(box["x"] + box["width"] / 2 + next(side), box["y"] + box["height"] / 2)
        return chosen()

    eventually(page, chosen_amid, 2)
    # A double click does the same, if the machine is not too busy to make two clicks one.
    page.locator("#map .export summary").click()
    page.locator('#map .modebar-btn[data-title="Reset axes"]').click()
    page.keyboard.press("Escape")
    eventually(page, lambda: plot.evaluate(ranges) == pytest.approx(before), True)
    eventually(page, chosen, 2)


TEXT_PAGES = [
    pytest.param("/generate?model=shakespeare&show=text", "writing", "x"),
    pytest.param("/residual?model=shakespeare&view=lens", "stream", "x"),
]


@pytest.mark.parametrize(("address", "id", "axes"), mostly(TEXT_PAGES, TEXT_PAGES[0]))
def test_labels_are_readable_however_long_the_text(
    regular: Visitor, address: str, id: str, axes: str
):
    page = regular.visit(f"{address}&text={quote(LONG)}")
    plot = living(page, id).locator(".plot")
    for which in (".xtick text", ".x2tick text"):
        labels = plot.evaluate(LABELS.replace("WHICH", repr(which)))
        if labels:
            assert_readable(labels, ("left", "right"))
