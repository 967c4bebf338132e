"""The layout holds with any fonts: on a laptop, for a presenter and on a phone, under three sets of
fonts that the tests bring with them. A page is opened once for each device and set.
"""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.app.serving import Running
from tests.browser.conftest import (
    CLINICS,
    LAPTOP,
    NOTES,
    PHONE,
    PICTURES,
    Visitor,
    eventually,
)
from tests.fonts.sets import SETS

DEVICES = {"laptop": LAPTOP, "phone": PHONE}
WINDOW, HALL = {"width": 1280, "height": 720}, {"width": 1024, "height": 768}
ABOUT = {
    "induction-2": ["/", "/attention", "/residual", "/generate", "/positions", "/masks"],
    "fill-in": ["/", "/attention", "/residual"],
    "penguins-saint": ["/", "/attention", "/residual", "/masks", "/tables"],
    "digits": ["/", "/attention", "/residual", "/positions", "/masks", "/images", "/models"],
    "shapes": ["/", "/attention", "/residual", "/positions", "/masks", "/models", "/detection"],
}
WIDEST = "wide"
"""The set whose letters take the most room. Pages about other models are tried under it alone."""
ALIVE = {(WIDEST, "laptop")}
"""Who waits for Plotly, so that its arrival is seen to move nothing; the others look at the still
pictures, which stand where the living ones do. Plotly's script takes seconds to evaluate, and here
it would be 200 times.
"""
ADDRESSES = [
    *((path, fonts) for fonts in SETS for path in (*PICTURES, *NOTES)),
    *((f"{path}?model={model}", WIDEST) for model, paths in ABOUT.items() for path in paths),
]
SHIFTS = """
window.shifts = new PerformanceObserver(() => {});
window.jumped = 0;
window.addUp = list => {
  for (const entry of list) if (!entry.hadRecentInput) jumped += entry.value;
};
shifts = new PerformanceObserver(list => addUp(list.getEntries()));
shifts.observe({type: "layout-shift", buffered: true});
"""
JUMPED = """() => new Promise(done => {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    addUp(shifts.takeRecords());
    done(jumped);
  }));
})"""
AWAITED = """() => {
  const link = document.querySelector('link[rel="expect"][blocking="render"]');
  const awaited = document.querySelector(link.getAttribute("href"));
  return ["nav", "main", "#live", "#help"].every(
    part => document.querySelector(part).compareDocumentPosition(awaited)
      === Node.DOCUMENT_POSITION_FOLLOWING);
}"""
SIZE = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
FIGURES = """() => {
  const box = document.querySelector(".figures").getBoundingClientRect();
  return box.width * Math.min(box.height, innerHeight - box.y) / innerWidth / innerHeight;
}"""
BIG = """() => [
  ...document.querySelectorAll("main canvas, main svg, main table, .js-plotly-plot, .entry")
].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width > 80 && box.height > 60;
}).length"""
LOW_TARGETS = """() => [
  ...document.querySelectorAll("button, select, input, .rooms a, .choice label, summary")
]
  .filter(e => e.checkVisibility() && !e.matches("[type=radio], [type=checkbox]"))
  .filter(e => e.getBoundingClientRect().width > 0)
  .filter(e => e.getBoundingClientRect().height < 43.5)
  .map(e => [e.tagName, e.id || e.name || e.textContent.trim(), e.getBoundingClientRect().height])
  .map(low => low.join(" "))"""
SMALL_WORDS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), small = [];
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement, {a, b} = e.getCTM?.() ?? {a: 1, b: 0};
    const size = parseFloat(getComputedStyle(e).fontSize) * Math.hypot(a, b);
    const least = e.closest("svg, sub, sup, math") ? 14.9 : 19.9;
    const counts = walker.currentNode.textContent.trim() && e.checkVisibility()
      && !e.closest("script, style, .unseen, option, dialog");
    if (counts && size < least) small.push(`${size} ${e.outerHTML.slice(0, 90)}`);
  }
  return small.slice(0, 5);
}"""


@pytest.fixture(scope="session")
def readers(
    browsers: Callable[[str], Browser], server: Running
) -> Iterator[Callable[[str, str], Visitor]]:
    """Somebody with this set of fonts on this device, who stays for all tests."""
    known: dict[tuple[str, str], Visitor] = {}

    def reader(fonts: str, device: str) -> Visitor:
        if (fonts, device) not in known:
            context = browsers(fonts).new_context(**DEVICES[device])
            context.add_init_script(SHIFTS)
            known[fonts, device] = one = Visitor(context, server.address)
            if (fonts, device) not in ALIVE:
                one.without("*/plotly.min*.js")
        known[fonts, device].forget()
        return known[fonts, device]

    yield reader
    for one in known.values():
        one.context.close()


def families(page: Page, selector: str) -> set[str]:
    """The fonts that a node's own letters are drawn with; none where the page puts another node in
    its place meanwhile.
    """
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    try:
        node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
        drawn = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    except Error:
        drawn = []
    session.detach()
    return {font["familyName"] for font in drawn}


@pytest.mark.parametrize("fonts", SETS)
def test_a_set_of_fonts_is_in_force(readers: Callable[[str, str], Visitor], fonts: str):
    page = readers(fonts, "laptop").visit("/attention")
    these = SETS[fonts]
    assert families(page, ".room.here summary span") == {these.sans}
    assert families(page, ".look-for") == {these.serif}
    page.locator("#map [data-table]").click()
    expect(page.locator("#map-table td").first).to_be_visible()
    eventually(page, lambda: families(page, "#map-table td"), {these.mono})
    bold = page.evaluate("""() => {
      const width = weight => {
        const it = document.createElement("span");
        it.style.cssText = `font: ${weight} 100px sans-serif; position: absolute`;
        it.textContent = "Transformer";
        document.body.append(it);
        const { width } = it.getBoundingClientRect();
        it.remove();
        return width;
      };
      return width(400) === width(700);
    }""")
    assert bold == (fonts == "wide"), "the wide set has bold faces only"


@pytest.mark.parametrize(("address", "fonts"), ADDRESSES)
def test_the_layout_holds_with_any_fonts(
    readers: Callable[[str, str], Visitor],
    subtests: pytest.Subtests,
    address: str,
    fonts: str,
):
    laptop, path = readers(fonts, "laptop"), address.partition("?")[0]
    page = laptop.visit(address)
    with subtests.test("nothing is painted before the page has come whole"):
        assert page.evaluate(AWAITED)
    with subtests.test("nothing jumps on a laptop"):
        assert page.evaluate(JUMPED) <= 0.02
    with subtests.test("a laptop shows it without sideways scroll"):
        assert page.evaluate(SIZE)[0] <= WINDOW["width"]
    if path in PICTURES:
        with subtests.test("the figures have three fifths of a laptop's window"):
            assert page.evaluate(FIGURES) >= 0.6

    page.keyboard.press("f")
    if path in CLINICS:
        with subtests.test("a presenter needs no scrolling"):
            eventually(page, lambda: page.evaluate(SIZE), [WINDOW["width"], WINDOW["height"]])
            assert page.locator("#reading").is_visible()
    page.set_viewport_size(HALL)
    with subtests.test("a presenter is read from the last row"):
        eventually(page, lambda: page.evaluate(SMALL_WORDS), [])
    with subtests.test("a projector shows it without sideways scroll"):
        eventually(page, lambda: page.evaluate(SIZE)[0] <= HALL["width"], True)
    page.set_viewport_size(WINDOW)
    assert not laptop.wrongs

    phone = readers(fonts, "phone")
    page = phone.visit(address)
    with subtests.test("a phone shows it without sideways scroll"):
        eventually(page, lambda: page.evaluate(SIZE)[0] <= PHONE["viewport"]["width"], True)
        assert page.evaluate(BIG) > 0
    with subtests.test("a finger hits every target"):
        eventually(page, lambda: page.evaluate(LOW_TARGETS), [])
    assert not phone.wrongs
