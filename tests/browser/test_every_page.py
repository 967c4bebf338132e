"""What holds for every page: it draws, keeps to itself, works without a mouse, for everybody; and
Back is back. A page is opened once for its many questions.
"""

import re
from collections.abc import Callable
from functools import partial
from urllib.parse import quote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from app.site.assets import Assets
from app.site.pages import find_pages
from tests.browser.conftest import (
    CLINICS,
    NOTES,
    PICTURES,
    Visitor,
    eventually,
    pages_about,
)

HOSTILE = "</s> <b>bold</b> <img src=x onerror=alert(1)> & \u202eabc\u202c {{7*7}}"
BIG = """() => [
  ...document.querySelectorAll("main canvas, main svg, main table, .js-plotly-plot")
].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width > 80 && box.height > 60;
}).length"""
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
    ("/journey", "digits"): 72_000,
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
    ("/warmup", "translator"): 71_000,
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
WATCH_FOCUS = """() => {
  window.focused = [];
  addEventListener("focusin", ({target: e}) => {
    const label = e.closest("label");
    const ringed = [e, label].some(it => it && getComputedStyle(it).outlineStyle !== "none");
    const name = e.id || e.name || e.textContent.trim().slice(0, 30);
    focused.push([e.tagName.toLowerCase(), ringed || e.matches("canvas"), name]);
  });
}"""


def it_draws_something_to_look_at(visitor: Visitor, path: str):
    page = visitor.page
    assert page.evaluate(BIG) > 0
    expect(page.locator("h1:visible")).to_have_count(1)
    expect(page.locator('nav [aria-current="page"]')).to_have_count(1)
    expect(page.locator(".room.here")).to_have_count(1)


def the_keyboard_reaches_everything(visitor: Visitor, path: str):
    page = visitor.page
    page.evaluate(WATCH_FOCUS)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    reached = []
    for _ in range(8):
        for _ in range(20):
            page.keyboard.press("Tab")
        reached = page.evaluate("focused")
        if "skip" in {name for _, _, name in reached[1:]} or reached.count(reached[0]) > 1:
            break
    assert all(ringed for _, ringed, _ in reached), [it for it in reached if not it[1]]
    fields = {tag for tag in ("input", "select") if page.locator(f"{tag}:visible").count()}
    assert {"a", "button"} | fields <= {tag for tag, _, _ in reached}
    page.evaluate("document.activeElement.blur()")


def every_figure_says_what_it_is_and_how_to_get_it(visitor: Visitor, path: str):
    """Its table stays open for axe, which reads it too: thousands of rows are laid out once."""
    page = visitor.page
    figures = page.locator(".figure:visible").all()
    assert figures
    for figure in figures:
        assert figure.locator("[data-badge]").inner_text() in (
            "trained",
            "random initialisation",
            "analytic",
        )
        call = figure.locator("[data-get]").get_attribute("href")
        assert page.request.get(visitor.address + call).status == 200, call
        figure.locator("[data-table]").click()
        expect(figure.locator("table tbody tr").first).to_be_visible()


def what_is_shown_can_be_taken_home(visitor: Visitor, path: str):
    page = visitor.page
    menu = page.locator(".figure:visible .export").first
    sizes = {}
    for kind in ("svg", "png", "csv", "json"):
        menu.locator("summary").click()
        with page.expect_download() as download:
            menu.locator(f"[data-export={kind}]").click()
        sizes[kind] = download.value.path().stat().st_size
        if kind in ("svg", "csv"):
            assert "/api/v1/" in download.value.path().read_text("utf-8"), (
                "the file says where its numbers come from"
            )
    assert min(sizes.values()) > 100, sizes


def keys_do_what_the_help_says(visitor: Visitor, path: str):
    page = visitor.page
    root = page.locator("html")
    for theme in ("dark", "projector", "light"):
        page.keyboard.press("t")
        expect(root).to_have_attribute("data-theme", theme)
    page.keyboard.press("f")
    expect(root).to_have_attribute("data-presenter", "")
    page.keyboard.press("f")
    expect(root).not_to_have_attribute("data-presenter", "")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    if path in NOTES:
        return  # text alone
    page.keyboard.press("s")
    expect(page.locator(".figure:visible [data-export=svg]").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".figure:visible [data-export=svg]").first).to_be_hidden()


# The rows of a table are made alike, and axe takes 40 seconds for 4,096 of them. A table is made
# anew when it is opened again.
SHORTENED = """() => {
  for (const row of document.querySelectorAll(".table-wrap tbody tr:nth-child(n + 10)")) {
    row.remove();
  }
}"""
CONTRAST = {"runOnly": ["color-contrast"]}
"""The dark theme has other colours, and nothing else that is other."""
WITHOUT_INPUT = {page.path for page in find_pages() if page.model}
"""Pages in whose bar nothing can be typed."""

DARK = {page.room: page.path for page in find_pages()}.values()
"""A page of each room: pages of a room are made of the same parts."""


def axe_finds_nothing_serious(visitor: Visitor, path: str):
    page = visitor.page
    root, tables = page.locator("html"), page.locator(".figure:visible [data-table]").all()
    for button in tables:
        if button.get_attribute("aria-expanded") == "false":
            button.click()
    page.evaluate(SHORTENED)
    assert not serious(page)
    if path in DARK:
        page.keyboard.press("t")
        expect(root).to_have_attribute("data-theme", "dark")
        assert not serious(page, CONTRAST)
        for theme in ("projector", "light"):
            page.keyboard.press("t")
            expect(root).to_have_attribute("data-theme", theme)
    for button in tables:
        button.click()


def back_is_back(visitor: Visitor, path: str):
    page = visitor.page
    field = page.locator("#input input[name]").first
    before, first = page.url, field.input_value()
    third = ("three", "I don't speak French.")
    page.keyboard.press("4" if first in third else "3")  # pages open on one of the first three
    expect(field).not_to_have_value(first)
    visitor.drawn()
    after, second = page.url, field.input_value()
    assert after != before
    page.go_back()
    expect(field).to_have_value(first)
    assert page.url == before
    visitor.drawn()
    page.goto(after)
    visitor.drawn()
    expect(field).to_have_value(second)


def typing_draws_again_and_the_input_travels(visitor: Visitor, path: str):
    page = visitor.page
    page.locator('input[name="source"]').fill("you are happy")
    expect(page).to_have_url(re.compile("source=you(\\+|%20)are(\\+|%20)happy"))
    visitor.drawn()
    for link in page.locator("a[data-travels]").all():
        assert "source=you+are+happy" in link.get_attribute("href")


def hostile_tokens_are_shown_as_typed(visitor: Visitor, path: str):
    page = visitor.visit(f"{path}?source={quote(HOSTILE)}")
    assert page.locator('input[name="source"]').input_value() == HOSTILE
    assert page.locator("main :is(img, script)").count() == 0
    own = page.locator("main b").all_text_contents()  # a page may say "Try this:" in bold
    assert "bold" not in "".join(own), own
    for figure in page.locator(".figure:visible").all():
        figure.locator("[data-table]").click()
        expect(figure.locator("table tbody tr").first).to_be_visible()
    shown = page.locator("main").inner_text()
    assert "\u202e" not in shown.replace(HOSTILE, ""), (
        "a bidirectional control took part in the layout"
    )
    assert page.locator("main a[href^='javascript']").count() == 0


def questions(path: str) -> list[Callable[[Visitor, str], None]]:
    """What a page is asked, in an order in which each leaves it to the next as it found it."""
    of_words = [typing_draws_again_and_the_input_travels, hostile_tokens_are_shown_as_typed]
    return [
        *([it_draws_something_to_look_at] if path in PICTURES else []),
        the_keyboard_reaches_everything,
        *([every_figure_says_what_it_is_and_how_to_get_it] if path in PICTURES else []),
        axe_finds_nothing_serious,
        *([what_is_shown_can_be_taken_home] if path in PICTURES else []),
        keys_do_what_the_help_says,
        back_is_back,
        *(of_words if path in pages_about("translator") and path not in WITHOUT_INPUT else []),
    ]


@pytest.mark.parametrize("path", PICTURES + NOTES)
def test_a_page_is_light_at_first_and_then_does_what_every_page_does(
    visitor: Visitor, path: str, subtests: pytest.Subtests
):
    with subtests.test("the first visit is light"):
        first_visit(visitor, path, HEAVIER.get((path, "translator"), LIGHT))
    for question in questions(path):
        with subtests.test(question.__name__):
            question(visitor, path)


@pytest.mark.parametrize(("path", "model"), OTHERS)
def test_a_page_about_a_model_of_another_kind_is_light_and_every_figure_has_its_call(
    visitor: Visitor, path: str, model: str
):
    first_visit(visitor, f"{path}?model={model}", HEAVIER.get((path, model), KINDS[model]["light"]))
    field = visitor.page.locator(f'#input input[name="{KINDS[model]["input"]}"]')
    expect(field).not_to_have_value("")
    assert visitor.page.locator('#input input[name="source"]').count() == 0
    for figure in visitor.page.locator(".figure:visible").all():
        call = figure.locator("[data-get]").get_attribute("href")
        assert visitor.page.request.get(visitor.address + call).status == 200, call


def test_plotly_comes_once_and_packed(visitor: Visitor):
    """At most 1.54 MB over the wire."""
    traffic = Traffic(visitor)
    visitor.visit("/attention")
    expect(visitor.page.locator("#map .plot")).to_be_visible()
    (plotly,) = [size for url, size in traffic.settled().items() if "plotly.min" in url]
    assert plotly <= 1_540_000


def test_axe_finds_nothing_serious_in_the_help_and_in_the_menus(regular: Visitor):
    page = regular.visit("/")
    page.keyboard.press("?")
    assert not serious(page)
    page.keyboard.press("Escape")
    for menu in page.locator(".room > summary").all():
        menu.click()
        assert not serious(page)


def test_a_room_opens_leads_on_and_closes(regular: Visitor):
    page = regular.visit("/?source=you+are+happy")
    clinics = page.locator(".room", has_text="Clinics")
    link = clinics.get_by_role("link", name="Amplification of changes")
    clinics.locator("summary").click()
    expect(link).to_be_visible()
    page.locator(".room", has_text="Building blocks").locator("summary").click()
    expect(link).to_be_hidden()
    clinics.locator("summary").press("Enter")
    link.focus()
    escape = partial(page.keyboard.press, "Escape")  # its code comes when a menu is first opened
    eventually(page, lambda: (escape(), link.is_visible())[1], False)
    expect(clinics.locator("summary")).to_be_focused()
    clinics.locator("summary").press("Enter")
    page.locator("body").click(position={"x": 1270, "y": 700})
    expect(link).to_be_hidden()
    clinics.locator("summary").click()
    link.click()
    expect(page).to_have_url(re.compile(r"/amplification\?.*source=you\+are\+happy"))
    regular.drawn()
    expect(page.locator('.room.here a[aria-current="page"]')).to_have_attribute(
        "href", re.compile("^/amplification")
    )


def serious(page: Page, options: dict | None = None) -> list[str]:
    asked = {"resultTypes": ["violations"], **(options or {})}
    found = Axe().run(page, options=asked).response["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary'][:300]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


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
            asked = {
                request
                for request, url in self.urls.items()
                if leave not in url and not url.endswith("/readyz")  # its body is never read
            }
            return sorted(self.urls[request] for request in asked - set(self.sizes))

        eventually(self.page, under_way, [])
        return {self.urls[request]: size for request, size in self.sizes.items()}


def with_plotly(url: str) -> bool:
    """Whether a file is Plotly's script, or comes after the first picture to make it live,
    and to keep Plotly when the reader goes on.
    """
    late = ("figures/living.js", "figures/hover.js", "figures/walk.js", "visit.js")
    return "plotly" in url or any(f"js/{name}" in url for name in late)


def first_visit(visitor: Visitor, address: str, most: int) -> None:
    path = urlsplit(address).path
    traffic = Traffic(visitor)
    page = visitor.visit(address)
    own = {url: size for url, size in traffic.settled("plotly").items() if not with_plotly(url)}
    answers = {f"/api/v1{path}", f"/api/v1{path}/figures"}
    samples = (
        sum(size for url, size in own.items() if urlsplit(url).path in answers)
        if path in SAMPLED
        else 0
    )
    assert sum(own.values()) - samples <= most, sorted(
        ((size, url) for url, size in own.items()), reverse=True
    )[:8]
    assert samples <= 120_000
    named = set(re.findall(r'"(/static/[^"]+\.js)"', page.content()))
    fetched = {urlsplit(url).path for url in own if url.endswith(".js")}
    assert fetched <= named | LATE, (
        "a page names its scripts, so that none is found only when another has come"
    )
