"""The drawing of the overview: it is asked for once for each room, a theme needs no new one, its
parts are links for the keyboard, and it is taken along with what it shows.
"""

import re
from xml.etree import ElementTree

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor, eventually

CALLS = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/api/")).length"""
FILLS = """svg => {
  const [box, stage] = [svg, svg.parentElement].map(it => it.getBoundingClientRect());
  return stage.width - 6 <= box.width && box.width <= stage.width && box.height <= stage.height;
}"""
SCALE = "svg => svg.getCTM().a"


def drawing(page: Page, *, wide: bool):
    svg = page.locator("#architecture .stage > svg")
    expect(svg.get_by_text("encoder output ↓")).to_have_count(0 if wide else 3)
    return svg


def test_a_drawing_is_asked_for_once_for_each_room_and_not_for_a_theme(regular: Visitor):
    page = regular.load("/")
    svg = drawing(page, wide=True)
    eventually(page, lambda: page.evaluate(CALLS), 1)  # noted once its last byte has come
    before = svg.evaluate("svg => getComputedStyle(svg.querySelector('text')).fill")
    page.keyboard.press("t")
    eventually(
        page,
        lambda: svg.evaluate("svg => getComputedStyle(svg.querySelector('text')).fill") != before,
        True,
    )
    assert page.evaluate(CALLS) == 1
    page.set_viewport_size({"width": 360, "height": 740})
    narrow = drawing(page, wide=False)
    eventually(page, lambda: narrow.evaluate(FILLS), True)


def test_a_presenters_drawing_is_larger_in_every_part(regular: Visitor):
    page = regular.visit("/")
    usual = drawing(page, wide=True).evaluate(SCALE)
    page.keyboard.press("f")
    eventually(page, lambda: drawing(page, wide=True).evaluate(SCALE) > 1.2 * usual, True)
    page.keyboard.press("f")
    regular.forget()


def test_the_keyboard_goes_from_part_to_part_and_opens_one(regular: Visitor):
    page = regular.visit("/?source=you+are+happy")
    first = drawing(page, wide=True).locator("a").first
    first.focus()
    page.keyboard.press("Tab")
    expect(page.locator("#architecture a:focus")).to_have_attribute(
        "aria-label", "encoder.embedding.position: added to the token vectors"
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/attention\?.*source=you\+are\+happy.*layer=0"))


def test_a_picture_of_it_says_where_it_is_from(regular: Visitor):
    page = regular.visit("/")
    drawing(page, wide=True)
    files = {}
    for kind in ("svg", "png"):
        page.locator("#architecture .export summary").click()
        with page.expect_download() as download:
            page.locator(f"#architecture [data-export={kind}]").click()
        files[kind] = download.value.path().read_bytes()
    words = [one.text for one in ElementTree.fromstring(files["svg"]).iter() if one.text]  # noqa: S314 - our own
    assert "translator (weights sha256 " in words[-2]
    assert words[-1].startswith("GET /api/v1/architecture?model=translator")
    assert files["png"].startswith(b"\x89PNG")
    assert int.from_bytes(files["png"][16:20]) > 2_000, "it is twice as large as on the page"
