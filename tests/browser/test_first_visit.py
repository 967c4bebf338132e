"""A first visit, before Plotly comes: it is light, nothing jumps, and the layout holds with any
fonts, on a laptop, for a presenter and on a phone. A page is opened once for each device; the
fonts and the window change while it stands.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from app.site.assets import Assets
from tests.app.serving import Running
from tests.browser.conftest import (
    CLINICS,
    COLLIDING,
    COVERED,
    JUMPED,
    LAPTOP,
    NOTES,
    OF_SUBJECTS,
    PAINTING,
    PHONE,
    PICTURES,
    PLOTLY,
    SHIFTS,
    UNLIKE,
    Visitor,
    eventually,
    pages_about,
)
from tests.fonts.sets import SETS, style
from tests.thorough import mostly

SAMPLED = (*CLINICS, "/training")
FILES = Assets()
LATE = {
    FILES.address(module)
    for folder in ("js/views", "js/figures")
    for script in FILES.table
    if script.startswith(f"{folder}/")
    for imported in re.findall(r'import\("\./([^"]+)"\)', FILES.table[script].content.decode())
    for module in (f"{folder}/{imported}", *FILES.modules(f"{folder}/{imported}"))
}
"""What some pages load only for the view that is asked for, or once a picture stands."""
LIGHT = 68_000
"""Bytes of a first visit without Plotly, headers included, as they come over the wire. The tips of
terms are 1 kB of them, the menu of what if and how edits travel .5 kB.
"""
KINDS = {
    "induction-2": {"input": "text", "light": 68_000},
    "fill-in": {"input": "text", "light": 68_000},
    "penguins-saint": {"input": "row", "light": 68_000},
    "digits": {"input": "image", "light": 68_000},
    "shapes": {"input": "image", "light": 81_500},
}
"""A model of each kind of input, and the bytes of a first visit about it: of `shapes` all heads are
44,000 weights.
"""
HEAVIER = {
    # What arranges, paints and names figures is 25 kB of each; some of these show three figures of
    # all heads or of all writes, or all schemes of positions. The values of all keys, and the
    # stream before and after, are 6 to 14 kB on /attention; the switches of all heads are 0.5 kB.
    ("/attention", "translator"): 91_600,
    ("/attention", "induction-2"): 89_500,
    ("/attention", "fill-in"): 91_800,
    ("/attention", "penguins-saint"): 88_800,
    ("/attention", "shapes"): 126_200,
    ("/attention", "digits"): 98_600,
    ("/attribution", "digits"): 70_000,  # eight methods over 17 patches
    ("/patching", "digits"): 70_000,  # nine sites over 17 patches
    ("/detection", "translator"): 78_400,
    ("/feed-forward", "fill-in"): 75_900,
    ("/feed-forward", "digits"): 71_500,
    ("/images", "translator"): 74_000,
    ("/images", "digits"): 74_000,
    # The vectors of all tokens, and the words of all steps.
    ("/journey", "translator"): 71_000,
    ("/journey", "induction-2"): 69_500,
    ("/journey", "digits"): 73_500,
    ("/masks", "translator"): 69_500,
    ("/masks", "induction-2"): 72_000,
    ("/masks", "digits"): 74_000,
    ("/norms", "translator"): 68_500,  # with a thin line for each seed
    ("/norms", "digits"): 73_500,
    # Four squares of 20 tokens, and what each of their positions says.
    ("/modes", "fill-in"): 80_000,
    ("/modes", "induction-2"): 74_000,
    ("/modes", "digits"): 71_000,
    # A page opens on 128 positions: 16,384 products of two of them.
    ("/positions", "translator"): 135_000,
    ("/positions", "induction-2"): 134_500,
    ("/positions", "fill-in"): 134_500,
    ("/positions", "penguins-saint"): 134_500,
    ("/positions", "digits"): 140_000,
    ("/positions", "shapes"): 134_500,
    ("/residual", "translator"): 82_000,
    ("/residual", "induction-2"): 78_500,
    ("/residual", "fill-in"): 86_000,
    ("/residual", "penguins-saint"): 77_500,
    ("/residual", "digits"): 91_000,
    ("/dependency", "translator"): 68_000,
    # Every step with its candidates; of a model of texts the tree of a search among 40 of them.
    ("/generate", "translator"): 80_800,
    ("/generate", "induction-2"): 149_500,
    ("/recurrence", "translator"): 68_000,
    ("/feed-forward", "translator"): 68_500,
    ("/masks", "fill-in"): 70_000,
    ("/masks", "penguins-saint"): 68_500,
    ("/residual", "shapes"): 84_500,
    ("/norms", "penguins-saint"): 68_000,
    ("/norms", "fill-in"): 68_000,
    ("/warmup", "translator"): 101_500,  # 300 losses of five networks with eight seeds each
}
SILENT = ("fill-in", "digits", "shapes", "penguins-saint")
"""They write nothing, and /generate says so."""
READS_OTHER_ROWS = ("penguins-saint",)
"""Its answer depends on more than the tokens of its input, and /attribution says so."""
OTHERS = [
    (path, model)
    for model in KINDS
    for path in pages_about(model)
    if path not in CLINICS + NOTES
    and not (path == "/generate" and model in SILENT)
    and not (path == "/attribution" and model in READS_OTHER_ROWS)
] + [("/norms", model) for model in KINDS]
"""Pages that a model changes, and a clinic, of which it changes only the bar."""
READS_AS = {"fill-in": "induction-2", "shapes": "digits"}
"""Models that read the same as another one."""
WINDOW, HALL = {"width": 1280, "height": 720}, {"width": 1024, "height": 768}
WIDER_PHONE = {"width": 400, "height": 740}
USUAL = "dejavu"
LAID_OUT = {
    "induction-2": ["/", "/attention", "/residual", "/generate", "/positions", "/masks"],
    "fill-in": ["/", "/attention", "/residual"],
    "penguins-saint": ["/", "/attention", "/residual", "/masks", "/tables"],
    "digits": ["/", "/attention", "/residual", "/positions", "/masks", "/images", "/models"],
    "shapes": ["/", "/attention", "/residual", "/positions", "/masks", "/models", "/detection"],
}
"""Pages that are laid out otherwise about models of these kinds: tried under the widest fonts."""
WIDEST = "wide"
"""The set whose letters take the most room: what fits with it has room with the others, which are
tried on a page of each room.
"""
TITLE_UNDER_THE_WAY_ON = """() => {
  const [title, way] = ['.here', '.along'].map(one => document.querySelector(one));
  return way !== null && title.getBoundingClientRect().right > way.getBoundingClientRect().left;
}"""
"""Whether a title in the header reaches under the link to the next page."""
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
FIRST_PICTURE = """() => Math.min(...[
  ...document.querySelectorAll("main :is(.stage, canvas, svg, table), .js-plotly-plot")
].filter(e => e.checkVisibility({visibilityProperty: true})).map(e => e.getBoundingClientRect())
  .filter(({width, height}) => width > 80 && height > 60).map(({top}) => Math.round(top)))"""
TO_CLICK = """() => [
  ...document.querySelectorAll("a[href], button, input, select, summary, [role=button]")
].filter(e => e.checkVisibility()).map(e => [e, (e.closest("label") ?? e).getBoundingClientRect()])
  .filter(([, {width, height, top, bottom}]) => width > 1 && height > 1 && bottom > 0
    && top < innerHeight).map(([e]) => e.id || e.name || e.textContent.trim())"""
HIGH, HIGH_ON_A_PHONE = 240, 260
"""Pixels from the top of the window within which the first picture begins: a third of it."""
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


STAGES = """() => [...document.querySelectorAll(".stage")]
  .filter(stage => stage.checkVisibility() && stage.clientWidth)
  .map(stage => [stage.closest(".figure").id, stage.clientWidth, stage.clientHeight])"""
PRESENTS = """on => new Promise(done => {
  document.documentElement.toggleAttribute("data-presenter", on);
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
WEAR = """css => {
  document.getElementById("fonts-in-force")?.remove();
  const it = document.createElement("style");
  Object.assign(it, {id: "fonts-in-force", textContent: css});
  document.head.append(it);
}"""


@pytest.fixture
def newcomer(browser: Browser, server: Running) -> Iterator[Visitor]:
    """Somebody on a laptop who comes for the first time, and to whom Plotly does not come."""
    context = browser.new_context(**LAPTOP)
    for script in (SHIFTS, PAINTING):
        context.add_init_script(script)
    it = Visitor(context, server.address)
    it.without(PLOTLY)
    yield it
    context.close()
    assert not it.wrongs


@pytest.fixture(scope="session")
def phones(browser: Browser, server: Running) -> Iterator[Visitor]:
    context = browser.new_context(**PHONE)
    context.add_init_script(PAINTING)
    it = Visitor(context, server.address)
    it.without(PLOTLY)
    yield it
    context.close()


@pytest.fixture
def phone(phones: Visitor) -> Iterator[Visitor]:
    """Somebody with a phone, to whom Plotly does not come."""
    phones.forget()
    yield phones
    assert not phones.wrongs


def wear(page: Page, fonts: str) -> None:
    """Puts a set of fonts in force. Pictures are drawn with it when the window changes next."""
    page.evaluate(WEAR, style(fonts))


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
        fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    except Error:
        fonts = []
    session.detach()
    return {font["familyName"] for font in fonts}


@pytest.mark.parametrize("fonts", mostly(SETS, WIDEST))
def test_a_set_of_fonts_is_in_force(regular: Visitor, fonts: str):
    page = regular.stay("/attention")
    wear(page, fonts)
    these = SETS[fonts]
    eventually(page, lambda: families(page, ".here"), {these.sans})
    assert families(page, ".look-for") == {these.serif}
    page.locator("#map [data-table]").dispatch_event("click")
    expect(page.locator("#map-table tbody th").first).to_be_visible()
    eventually(page, lambda: families(page, "#map-table tbody th"), {these.mono})
    bold = page.evaluate("""() => {
      const width = weight => {
        const it = document.createElement("span");
        it.style.cssText = `font: ${weight} 100px var(--sans); position: absolute`;
        it.textContent = "Transformer";
        document.body.append(it);
        const { width } = it.getBoundingClientRect();
        it.remove();
        return width;
      };
      return width(400) === width(700);
    }""")
    assert bold == (fonts == "wide"), "the wide set has bold faces only"
    page.locator("#map [data-table]").dispatch_event("click")
    wear(page, USUAL)


def sizes(page: Page, *, presenting: bool) -> dict[str, tuple[int, int]]:
    """Width and height of each picture, once they stand still. Nothing is asked again for it."""
    page.evaluate(PRESENTS, presenting)
    return {id: (width, height) for id, width, height in page.evaluate(STAGES)}


def smaller(page: Page) -> dict[str, list[tuple[int, int]]]:
    """The pictures that presenter mode makes smaller, each with its size outside and in it."""
    enlarged, usual = (sizes(page, presenting=on) for on in (True, False))
    assert usual
    return {
        id: [(wide, high), enlarged.get(id, (0, 0))]
        for id, (wide, high) in usual.items()
        if enlarged.get(id, (0, 0))[0] < wide or enlarged[id][1] < high
    }


def it_holds_on_a_laptop(page: Page, path: str, fonts: str, subtests: pytest.Subtests) -> None:
    """And for a presenter. It leaves the page in the hall's window."""
    with subtests.test("a laptop shows it without sideways scroll", fonts=fonts):
        eventually(page, lambda: page.evaluate(SIZE)[0] <= WINDOW["width"], True)
    if path in PICTURES:
        with subtests.test("the figures have three fifths of a laptop's window", fonts=fonts):
            assert page.evaluate(FIGURES) >= 0.6
    page.keyboard.press("f")
    expect(page.locator("html")).to_have_attribute("data-presenter", "")
    if path in CLINICS:
        with subtests.test("a presenter needs no scrolling", fonts=fonts):
            eventually(page, lambda: page.evaluate(SIZE), [WINDOW["width"], WINDOW["height"]])
            assert page.locator("#reading").is_visible()
    page.set_viewport_size(HALL)
    with subtests.test("the title leaves the way on in sight", fonts=fonts):
        eventually(page, lambda: page.evaluate(TITLE_UNDER_THE_WAY_ON), False)
    with subtests.test("a presenter is read from the last row", fonts=fonts):
        eventually(page, lambda: page.evaluate(SMALL_WORDS), [])
    with subtests.test("a projector shows it without sideways scroll", fonts=fonts):
        eventually(page, lambda: page.evaluate(SIZE)[0] <= HALL["width"], True)
    page.keyboard.press("f")
    expect(page.locator("html")).not_to_have_attribute("data-presenter", "")
    with subtests.test("the place of Plotly's buttons covers nothing", fonts=fonts):
        eventually(page, lambda: page.evaluate(COVERED), [])
    with subtests.test("no two labels of a figure collide", fonts=fonts):
        eventually(page, lambda: page.evaluate(COLLIDING), [])


def turn_into_a_phone(page: Page) -> None:
    """A window, a screen and a finger as a phone has them, for the page as it stands: to load it
    again costs as much as all that is asked of it.
    """
    screen = {**PHONE["viewport"], "deviceScaleFactor": PHONE["device_scale_factor"]}
    device = page.context.new_cdp_session(page)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1})
    device.send("Emulation.setDeviceMetricsOverride", {**screen, "mobile": True})


def it_holds_on_a_phone(page: Page, fonts: str, subtests: pytest.Subtests) -> None:
    with subtests.test("a phone shows it without sideways scroll", fonts=fonts):
        eventually(page, lambda: page.evaluate(SIZE)[0] <= PHONE["viewport"]["width"], True)
        assert page.evaluate(BIG) > 0
    with subtests.test("a finger hits every target", fonts=fonts):
        eventually(page, lambda: page.evaluate(LOW_TARGETS), [])
    with subtests.test("the place of Plotly's buttons covers nothing", fonts=fonts):
        eventually(page, lambda: page.evaluate(COVERED), [])
    with subtests.test("no two labels of a figure collide", fonts=fonts):
        eventually(page, lambda: page.evaluate(COLLIDING), [])


@pytest.mark.parametrize("path", mostly(PICTURES + NOTES, *UNLIKE))
def test_a_first_visit_is_light_and_its_layout_holds_with_any_fonts(
    newcomer: Visitor, path: str, subtests: pytest.Subtests
):
    with subtests.test("the first visit is light"):
        first_visit(newcomer, path, HEAVIER.get((path, "translator"), LIGHT))
    page = newcomer.ready()
    with subtests.test("nothing is painted before the page has come whole"):
        assert page.evaluate(AWAITED)
    with subtests.test("nothing jumps"):
        assert page.evaluate(JUMPED) <= 0.02
    if path in PICTURES:
        with subtests.test("the first picture begins in the first third of a laptop"):
            assert page.evaluate(FIRST_PICTURE) <= HIGH
    if path == "/attention":
        with subtests.test("few things can be clicked in the first screen"):
            assert len(found := page.evaluate(TO_CLICK)) <= 25, found
        for window in (HALL, WINDOW) if path in OF_SUBJECTS else (WINDOW,):
            page.set_viewport_size(window)
            with subtests.test("no picture gets smaller for a presenter", window=window):
                # A drawing is asked for again in its new size, and then stands still.
                eventually(page, lambda: smaller(page), {})
    sets = SETS if path in OF_SUBJECTS else (WIDEST,)
    for fonts in sets:
        if fonts != USUAL:
            wear(page, fonts)
            page.set_viewport_size(WINDOW)
        it_holds_on_a_laptop(page, path, fonts, subtests)
    turn_into_a_phone(page)
    it_holds_on_a_phone(page, fonts, subtests)
    if path in PICTURES:
        wear(page, USUAL)
        with subtests.test("the first picture begins in the first third of a phone"):
            eventually(page, lambda: page.evaluate(FIRST_PICTURE) <= HIGH_ON_A_PHONE, True)


@pytest.mark.parametrize("path", mostly(PICTURES + NOTES, UNLIKE[1]))
def test_a_phone_has_room_for_the_page_that_it_opens(
    phone: Visitor, path: str, subtests: pytest.Subtests
):
    page = phone.load(path)
    for fonts in SETS:
        if fonts != USUAL:
            page.set_viewport_size(WIDER_PHONE)
            wear(page, fonts)
            page.set_viewport_size(PHONE["viewport"])
        it_holds_on_a_phone(page, fonts, subtests)


def is_seen(path: str, model: str) -> bool:
    """Whether a page about a model is opened: where the two differ in weight or in layout, and
    once for each kind of input.
    """
    covered = (path, READS_AS.get(model)) in OTHERS
    return not covered or (path, model) in HEAVIER or path in LAID_OUT[model]


VISITS = [pytest.param(*it) for it in OTHERS if is_seen(*it)]
DISTINCT = [("/generate", "induction-2"), ("/attention", "digits"), ("/tables", "penguins-saint")]
"""One of each kind of input: where it weighs most, where it is laid out most unlike a sentence, and
a page whose pictures no other kind has.
"""


@pytest.mark.parametrize(
    ("path", "model"),
    mostly(VISITS, *(it for it in VISITS if it.values in DISTINCT)),
)
def test_a_page_about_a_model_of_another_kind_is_light_and_every_figure_has_its_call(
    newcomer: Visitor, path: str, model: str, subtests: pytest.Subtests
):
    address = f"{path}?model={model}"
    first_visit(newcomer, address, HEAVIER.get((path, model), KINDS[model]["light"]))
    page = newcomer.ready()
    field = page.locator(f'#input input[name="{KINDS[model]["input"]}"]')
    expect(field).not_to_have_value("")
    assert page.locator('#input input[name="source"]').count() == 0
    for figure in page.locator(".figure:visible").all():
        call = figure.locator("[data-get]").get_attribute("href")
        assert page.request.get(newcomer.address + call).status == 200, call
    if path in LAID_OUT.get(model, ()):
        with subtests.test("nothing jumps"):
            assert page.evaluate(JUMPED) <= 0.02
        wear(page, WIDEST)
        it_holds_on_a_laptop(page, path, WIDEST, subtests)
        turn_into_a_phone(page)
        it_holds_on_a_phone(page, WIDEST, subtests)


def test_plotly_comes_once_and_packed(visitor: Visitor):
    """At most 1.54 MB over the wire."""
    traffic = Traffic(visitor)
    visitor.visit("/attention")
    expect(visitor.page.locator("#map .plot")).to_be_visible()
    (plotly,) = [size for url, size in traffic.settled().items() if "plotly.min" in url]
    assert plotly <= 1_540_000


class Traffic:
    """What a visitor's page fetches: bytes over the wire, headers included, by address."""

    def __init__(self, visitor: Visitor):
        network = visitor.context.new_cdp_session(visitor.page)
        network.send("Network.enable")
        self.page, self.urls, self.sizes = visitor.page, {}, {}
        network.on(
            "Network.requestWillBeSent",
            lambda event: self.urls.update({event["requestId"]: event["request"]["url"]}),
        )
        network.on(
            "Network.loadingFinished",
            lambda event: self.sizes.update({event["requestId"]: event["encodedDataLength"]}),
        )
        network.on("Network.loadingFailed", lambda event: self.urls.pop(event["requestId"], None))

    def settled(self, leave: str = "data:") -> dict[str, int]:
        """All that was asked for, once it has come, but addresses that hold `leave`."""

        def under_way() -> list[str]:
            requests = {
                request
                for request, url in self.urls.items()
                if leave not in url and not url.endswith("/readyz")  # its body is never read
            }
            return sorted(self.urls[request] for request in requests - set(self.sizes))

        eventually(self.page, under_way, [])
        return {self.urls[request]: size for request, size in self.sizes.items()}


def with_plotly(url: str) -> bool:
    """Whether a file is Plotly's script, or comes after the first picture to make it live,
    and to keep Plotly when the reader goes on.
    """
    late = ("figures/interactive.js", "figures/hover.js", "figures/walk.js", "visit.js")
    return "plotly" in url or any(f"js/{name}" in url for name in late)


def first_visit(visitor: Visitor, address: str, most: int) -> None:
    path = urlsplit(address).path
    traffic = Traffic(visitor)
    page = visitor.load(address)
    sizes = {url: size for url, size in traffic.settled("plotly").items() if not with_plotly(url)}
    answers = {f"/api/v1{path}", f"/api/v1{path}/figures"}
    samples = (
        sum(size for url, size in sizes.items() if urlsplit(url).path in answers)
        if path in SAMPLED
        else 0
    )
    assert sum(sizes.values()) - samples <= most, sorted(
        ((size, url) for url, size in sizes.items()), reverse=True
    )[:8]
    assert samples <= 120_000
    named = set(re.findall(r'"(/static/[^"]+\.js)"', page.content()))
    fetched = {urlsplit(url).path for url in sizes if url.endswith(".js")}
    assert fetched <= named | LATE, (
        "a page names its scripts, so that none is found only when another has come"
    )
