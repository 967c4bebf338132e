"""What holds for every page: it draws, keeps to itself, works without a mouse, for everybody; and
Back is back. A page is opened once for its many questions.
"""

import re
from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from app.site.pages import find_pages
from tests.browser.conftest import (
    CLINICS,
    COVERED,
    JUMPED,
    NOTES,
    OF_SUBJECTS,
    PICTURES,
    UNLIKE,
    Visitor,
    eventually,
    pages_about,
)
from tests.thorough import mostly

AXE = Axe().axe_script
HOSTILE = "<b>bold\u202ea"
"""What is typed on each page about a text. A long one takes a page seconds: /attention has a test
of its own with one, and first visits read the sentence that a page opens with.
"""
BIG = """() => [
  ...document.querySelectorAll("main canvas, main svg, main table, .js-plotly-plot")
].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width > 80 && box.height > 60;
}).length"""
SMALLER = {"/positions": "?length=16&d_model=16"}
"""What is asked of every page does not need tables of 16,384 cells."""
EXPLAINED = ("/", "/attention", "/masks", "/modes", "/journey", "/feed-forward", "/warmup")
"""Pages whose words stand in unlike places: in a column, in a wide line, over the figures."""
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
FROM_THE_WORD = """dfn => {
  const word = dfn.getBoundingClientRect();
  const {left, right, top, bottom} = dfn.querySelector("span").getBoundingClientRect();
  const inside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
  return inside ? [Math.max(left - word.left, word.right - right),
    Math.max(top - word.bottom, word.top - bottom)] : ["outside of the window"];
}"""
"""How far to the side of its word a tip begins, and how far under or over it."""
READABLE = """dfn => {
  const {x, y, width, height} = dfn.querySelector("span").getBoundingClientRect();
  const at = (across, down) => document.elementFromPoint(x + across * width, y + down * height);
  return [[.1, .1], [.9, .1], [.1, .9], [.9, .9]].every(place => dfn.contains(at(...place)));
}"""
FROM_THE_TOP = """() => {
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
}"""
"""Whoever came by a link has the focus in the page already."""
WATCH_FOCUS = """() => {
  window.focused = [];
  document.body.addEventListener("focusin", ({target: e}) => {
    const label = e.closest("label");
    const ringed = [e, label].some(it => it && getComputedStyle(it).outlineStyle !== "none");
    const name = e.id || e.name || e.textContent.trim().slice(0, 30);
    focused.push([e.tagName.toLowerCase(), ringed || e.matches("canvas"), name]);
  });
}"""


def nothing_jumps_when_plotly_comes(visitor: Visitor, path: str):
    assert visitor.page.evaluate(JUMPED) <= 0.02


def plotlys_buttons_cover_nothing(visitor: Visitor, path: str):
    page = visitor.page
    assert page.evaluate(COVERED) == []
    assert (
        page.locator(".zoom .modebar").count() == page.locator(".stage[data-interactive]").count()
    )


def it_draws_something_to_look_at(visitor: Visitor, path: str):
    page = visitor.page
    assert page.evaluate(BIG) > 0
    expect(page.locator("h1:visible")).to_have_count(1)
    expect(page.locator('nav [aria-current="page"]')).to_have_count(1)
    expect(page.locator(".here")).to_have_count(1)


def the_keyboard_reaches_everything(visitor: Visitor, path: str):
    page = visitor.page
    page.evaluate(FROM_THE_TOP)
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
    here = {tag for tag in ("button", "input", "select") if page.locator(f"{tag}:visible").count()}
    assert {"a", "summary"} | here <= {tag for tag, _, _ in reached}
    page.evaluate("document.activeElement.blur()")


def every_figure_says_what_it_is_and_how_to_get_it(visitor: Visitor, path: str):
    """Its table stays open for axe, which reads it too: thousands of rows are laid out once."""
    page = visitor.page
    figures = page.locator(".figure:visible")
    badges = figures.locator("[data-badge]").all_inner_texts()
    assert len(badges) == figures.count() > 0
    assert set(badges) <= {"trained", "random initialization", "analytic"}
    calls = figures.locator("[data-get]").evaluate_all("all => all.map(it => it.href)")
    assert len(calls) == len(badges)
    for call in calls:
        assert page.request.get(call).status == 200, call
    open_the_tables(page)


def open_the_tables(page: Page) -> None:
    """One question for all figures of a page: a click that waits for each takes a second a page."""
    figures = page.locator(".figure:visible")
    figures.locator("[data-table]").evaluate_all("all => all.forEach(it => it.click())")
    expect(figures.filter(has=page.locator("table tbody tr"))).to_have_count(figures.count())


def what_is_shown_can_be_taken_home(visitor: Visitor, path: str):
    page = visitor.page
    figure = page.locator(".figure:visible").first
    menu = figure.locator(".export")
    for times in (1, 0):
        menu.locator("summary").click()
        menu.locator("[data-table]").click()
        expect(figure.locator("table")).to_have_count(times)
    sizes = {}
    for kind in ("svg", "png", "csv", "json") if path in OF_SUBJECTS else ("svg", "csv"):
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
    page.keyboard.press("t")
    expect(root).to_have_attribute("data-theme", "dark")
    assert not serious(page, CONTRAST)
    for theme in ("projector", "light"):
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
    page.keyboard.press("/")
    expect(page.locator("[name=find]").first).to_be_focused()
    page.keyboard.press("Escape")
    if path in NOTES:
        return  # text alone
    page.keyboard.press("s")
    expect(page.locator(".figure:visible [data-export=svg]").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".figure:visible [data-export=svg]").first).to_be_hidden()


# The rows of a table are made alike, and so are its columns of numbers; axe takes 40 seconds for
# 4,096 rows. A table is made anew when it is opened again.
SHORTENED = """() => {
  const alike = ["tbody tr:nth-child(n + 4)", ":is(th, td):nth-child(n + 6)"];
  for (const it of document.querySelectorAll(alike.map(one => `.table-wrap ${one}`))) it.remove();
}"""
CONTRAST = {"runOnly": ["color-contrast"]}
"""The dark theme has other colours, and nothing else that is other."""
MAIN = {"include": ["main"]}
"""What a page does not share with all the others: the bar and the help are the same everywhere."""
WITHOUT_INPUT = {page.path for page in find_pages() if page.model}
"""Pages in whose bar nothing can be typed."""

OWN_CONTROLS = (
    *(
        "/attention",
        "/circuit",
        "/detection",
        "/generate",
        "/images",
        "/masks",
        "/modes",
        "/tables",
    ),
)
"""Pages with controls, figures or drawings of their own under the keys."""


def axe_finds_nothing_serious(visitor: Visitor, path: str):
    page = visitor.page
    page.evaluate(SHORTENED)
    assert not serious(page, part=None if path in OF_SUBJECTS else MAIN)


def back_is_back(visitor: Visitor, path: str):
    page = visitor.page
    field = page.locator("#input input[name]").first
    before, first = page.url, field.input_value()
    third = ("three", "I don't speak French.")
    page.keyboard.press("4" if first in third else "3")  # pages open on one of the first three
    expect(field).not_to_have_value(first)
    visitor.ready()
    after, second = page.url, field.input_value()
    assert after != before
    page.go_back()
    expect(field).to_have_value(first)
    assert page.url == before
    visitor.ready()
    visitor.visit(after.removeprefix(visitor.address))
    expect(field).to_have_value(second)


def typing_draws_again_and_the_input_travels(visitor: Visitor, path: str):
    page = visitor.page
    page.locator('input[name="source"]').fill("you are happy")
    expect(page).to_have_url(re.compile("source=you(\\+|%20)are(\\+|%20)happy"))
    visitor.ready()
    for link in page.locator("a[data-travels]").all():
        assert "source=you+are+happy" in link.get_attribute("href")


def hostile_tokens_are_shown_as_typed(visitor: Visitor, path: str):
    page = visitor.page
    assert page.locator('input[name="source"]').input_value() == HOSTILE
    assert page.locator('main :is(img:not([src^="/static/"]), script)').count() == 0
    bold = page.locator("main b").all_text_contents()  # a page may say "Try this:" in bold
    assert "bold" not in "".join(bold), bold
    text = page.locator("main").inner_text()
    assert "\u202e" not in text.replace(HOSTILE, ""), (
        "a bidirectional control took part in the layout"
    )
    assert page.locator("main a[href^='javascript']").count() == 0


def r_draws_the_curtain_over_the_measurement_and_takes_it_away(visitor: Visitor, path: str):
    page = visitor.page
    curtain = page.locator("#curtain")
    expect(curtain).to_be_hidden()
    page.keyboard.press("r")
    expect(curtain).to_be_visible()
    assert curtain.inner_text().count("?") >= 1, "a curtain asks"
    expect(page.locator("#reason")).to_be_hidden()
    for covered in (page.locator("#measured .stage canvas").first, page.locator("#reading")):
        box = covered.bounding_box()
        on_top = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('#curtain') !== null",
            [box["x"] + 9, box["y"] + 9],
        )
        assert on_top, "the answer shows through the curtain"
    assert "curtain=1" in page.url, "a link to the covered page is a link"
    page.keyboard.press("r")
    expect(page.locator("#reading")).to_be_visible()
    expect(page.locator("#reason")).to_be_visible()
    right = page.locator("#choices").get_attribute("data-right")
    reason = re.match(
        "Correct at these settings: “(.*?)”|Inconclusive|", page.locator("#reason").inner_text()
    )
    choices = [text.split("\n")[0] for text in page.locator("#choices button").all_inner_texts()]
    assert reason[0], "the answer is told with its reason"
    assert reason[1] == (choices[int(right)] if right.isdigit() else None)
    assert "curtain" not in page.url


def the_number_to_read_off_and_the_findings_are_words(visitor: Visitor, path: str):
    page = visitor.page
    assert any(letter.isdigit() for letter in page.locator("#reading").inner_text())
    summary = page.locator("#counts")
    expect(summary).to_have_text(re.compile(r"\d"))
    summary.click()
    signs = page.locator("#findings tbody tr").evaluate_all(
        "rows => rows.map(row => row.querySelector('td').innerText[0])"
    )
    assert set(signs) <= {"✓", "✗", "?", "·"}
    counts = summary.inner_text()
    for sign, words in (
        ("✓", r"of \d+ checks? as expected"),
        ("✗", "not reproduced"),
        ("?", "inconclusive"),
        ("·", "(?:not applicable|without a prediction)"),
    ):
        counted = sum(map(int, re.findall(rf"(\d+) {words}", counts)))
        assert counted == signs.count(sign)
    judged = re.search(r"of (\d+) check", counts)
    assert int(judged[1] if judged else 0) == len(signs) - signs.count("·")
    summary.click()


def every_tip_stands_at_its_word_and_can_be_read(visitor: Visitor, path: str):
    page = visitor.page
    explained = page.locator(":is(.beside, .reading) dfn").locator("visible=true").all()
    assert explained
    for dfn in explained:
        dfn.focus()
        dfn.locator("> span").scroll_into_view_if_needed()
        aside, away = dfn.evaluate(FROM_THE_WORD)
        assert aside <= 8
        assert away <= 4
        assert dfn.evaluate(READABLE)
        assert page.evaluate(SIDEWAYS) <= 0


def questions(path: str) -> list[Callable[[Visitor, str], None]]:
    """What a page is asked, in an order in which each leaves it to the next as it found it: only
    the tables stay open once they are.
    """
    candidates = [
        (nothing_jumps_when_plotly_comes, True),
        (plotlys_buttons_cover_nothing, path in PICTURES),
        (it_draws_something_to_look_at, path in PICTURES),
        (every_tip_stands_at_its_word_and_can_be_read, path in EXPLAINED),
        (the_keyboard_reaches_everything, path in OWN_CONTROLS or path in OF_SUBJECTS),
        (the_number_to_read_off_and_the_findings_are_words, path in CLINICS),
        (every_figure_says_what_it_is_and_how_to_get_it, path in PICTURES),
        (axe_finds_nothing_serious, path not in CLINICS or path in OF_SUBJECTS),
        (hostile_tokens_are_shown_as_typed, about_a_text(path)),
    ]
    return [question for question, here in candidates if here]


def questions_of_the_frame(path: str) -> list[Callable[[Visitor, str], None]]:
    """What the code that all pages share does on a page."""
    candidates = [
        (what_is_shown_can_be_taken_home, path in PICTURES),
        (keys_do_what_the_help_says, True),
        (r_draws_the_curtain_over_the_measurement_and_takes_it_away, path in CLINICS),
        (back_is_back, True),
        (typing_draws_again_and_the_input_travels, about_a_text(path)),
    ]
    return [question for question, here in candidates if here]


def about_a_text(path: str) -> bool:
    """Whether a sentence can be typed there."""
    return path in pages_about("translator") and path not in WITHOUT_INPUT


@pytest.mark.parametrize("path", mostly(PICTURES + NOTES, *UNLIKE))
def test_a_page_does_what_every_page_does(regular: Visitor, path: str, subtests: pytest.Subtests):
    regular.page.evaluate("globalThis.jumped = 0")
    typed = f"&source={quote(HOSTILE)}" if about_a_text(path) else ""
    regular.visit(path + SMALLER.get(path, "?") + typed)
    for question in questions(path):
        with subtests.test(question.__name__):
            question(regular, path)


@pytest.mark.parametrize("path", mostly(PICTURES + NOTES, *UNLIKE[1:]))
def test_the_frame_of_a_page_does_what_that_of_every_page_does(
    regular: Visitor, path: str, subtests: pytest.Subtests
):
    regular.visit(path + SMALLER.get(path, ""))
    for question in questions_of_the_frame(path):
        with subtests.test(question.__name__):
            question(regular, path)


def test_axe_finds_nothing_serious_in_the_help_and_in_the_menu(regular: Visitor):
    page = regular.visit("/")
    page.keyboard.press("?")
    assert not serious(page, part={"include": ["#help"]})
    page.keyboard.press("Escape")
    page.locator(".explore > summary").click()
    assert not serious(page, part={"include": [".rooms"]})


def test_explore_opens_leads_on_and_closes(regular: Visitor):
    page = regular.visit("/?source=you+are+happy")
    explore = page.locator(".explore > summary")
    link = page.locator(".rooms").get_by_role("link", name="Amplification of changes")
    explore.click()
    expect(link).to_be_visible()
    link.focus()
    escape = partial(page.keyboard.press, "Escape")  # its code comes when a menu is first opened
    eventually(page, lambda: (escape(), link.is_visible())[1], False)
    expect(explore).to_be_focused()
    explore.press("Enter")
    page.locator("body").click(position={"x": 1270, "y": 700})
    expect(link).to_be_hidden()
    explore.click()
    link.click()
    expect(page).to_have_url(re.compile(r"/amplification\?.*source=you\+are\+happy"))
    regular.ready()
    expect(page.locator('.rooms a[aria-current="page"]')).to_have_attribute(
        "href", re.compile("^/amplification")
    )


def serious(page: Page, options: dict | None = None, part: dict | None = None) -> list[str]:
    settings = {"resultTypes": ["violations"], **(options or {})}
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE)
    run = "([part, options]) => axe.run(part ?? document, options)"
    found = page.evaluate(run, [part, settings])["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary'][:300]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
