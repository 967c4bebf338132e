"""The drawing of the overview: it is asked for once for each room, a theme needs no new one, its
parts are links for the keyboard, and it is taken along with what it shows. The small pictures of
the pages look like their figures.
"""

import re
from base64 import b64encode
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import thumbnails
from tests.app.serving import Running
from tests.browser.conftest import PICTURES, Visitor, eventually
from tests.thorough import mostly

CALLS = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/api/")).length"""
FILLS = """svg => {
  const [box, stage] = [svg, svg.parentElement].map(it => it.getBoundingClientRect());
  return stage.width - 6 <= box.width && box.width <= stage.width && box.height <= stage.height;
}"""
APART = """async pictures => {
  const [one, other] = await Promise.all(pictures.map(async picture => {
    const image = new Image();
    image.src = `data:image/webp;base64,${picture}`;
    await image.decode();
    const paper = new OffscreenCanvas(image.width, image.height).getContext("2d");
    paper.drawImage(image, 0, 0);
    return paper.getImageData(0, 0, image.width, image.height);
  }));
  if (one.width !== other.width || one.height !== other.height) return 1;
  return one.data.reduce((sum, value, i) => sum + Math.abs(value - other.data[i]), 0)
    / one.data.length / 255;
}"""
"""How far two pictures are apart: the mean difference of their channels, from 0 to 1."""
ALIKE = 0.005
"""What lines that lie between two pixels may make of one figure, whose fonts are the same. Figures
of two pages are at least four times as far apart.
"""
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
    expect(page.locator("h1")).to_be_visible()
    page.get_by_role("button", name="exit").click()
    expect(page.locator("html")).not_to_have_attribute("data-presenter", "")
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


def test_the_header_stays_in_sight_and_covers_no_heading_that_is_gone_to(regular: Visitor):
    page = regular.visit("/")
    heading, bar = page.locator(".subjects h2").last, page.locator("header.bar")
    top = heading.evaluate("h2 => (h2.scrollIntoView(), h2.getBoundingClientRect().top)")
    assert page.evaluate("scrollY") > 720
    expect(bar).to_be_in_viewport(ratio=1)
    assert top >= bar.bounding_box()["height"] - 1
    page.locator(".explore summary").click()
    expect(page.locator(".rooms a").first).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")


def test_a_picture_of_it_says_where_it_is_from(regular: Visitor):
    page = regular.visit("/")
    drawing(page, wide=True)
    files = {}
    for kind in ("svg", "png"):
        page.locator("#architecture .export summary").click()
        with page.expect_download() as download:
            page.locator(f"#architecture [data-export={kind}]").click()
        files[kind] = download.value.path().read_bytes()
    words = [node.text for node in ElementTree.fromstring(files["svg"]).iter() if node.text]  # noqa: S314 - our own
    assert "translator (weights sha256 " in words[-2]
    assert words[-1].startswith("GET /api/v1/architecture?model=translator")
    assert files["png"].startswith(b"\x89PNG")
    assert int.from_bytes(files["png"][16:20]) > 2_000, "it is twice as large as on the page"


@pytest.mark.parametrize("path", mostly(PICTURES, "/"))
def test_a_thumbnail_is_the_figure_of_its_page(browser: Browser, server: Running, path: str):
    context = browser.new_context(**thumbnails.WINDOW)
    page = thumbnails.opened(context.new_page(), server.address + path)
    stored = (thumbnails.FOLDER / f"{path[1:] or 'overview'}.webp").read_bytes()
    pictures = [b64encode(image).decode() for image in (stored, thumbnails.thumbnail(page))]
    assert page.evaluate(APART, pictures) <= ALIKE
    context.close()
