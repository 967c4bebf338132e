"""Makes the thumbnails of the menu of subjects again: for each page its first figure as it opens,
small and without its letters, so that no number stands in it; of a page without a figure its
beginning.

`python -m tests.thumbnails http://127.0.0.1:8000 [WORD ...]` asks a server that runs, with the
fonts of the tests. `tests/browser/test_overview.py` compares what `static/thumbnails` holds with
the pages.
"""

import sys
import tempfile
from base64 import b64decode
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from app.paths import folder
from app.site.pages import DOCS, LECTURE, MANUAL, SEARCH, find_pages
from tests.chromium import chromium
from tests.fonts.sets import environment

FOLDER = folder("static") / "thumbnails"
WINDOW = {"viewport": {"width": 560, "height": 640}, "reduced_motion": "reduce"}
ARGUMENTS = ("--no-sandbox", "--disable-gpu")
WIDE, HIGH = 144, 90
"""The most that a thumbnail has, in pixels."""
QUALITY = 50
PATIENCE = 120_000
FIGURES_READY = 'body[data-state="drawn"]'
STILL = ".stage[role=application]:not([data-interactive])"
FIGURE = ".figure .stage:visible"
NO_LETTERS = """
.stage text { visibility: hidden !important }
.stage, .stage * { color: transparent !important }
"""


def pages() -> dict[str, str]:
    """The address of every page of the menu, by its word."""
    return {page.word: page.path for page in [*find_pages(), LECTURE, MANUAL, DOCS, SEARCH]}


def thumbnail(page: Page) -> bytes:
    """The first figure of a page that stands drawn, or where it has none the page's upper part, as
    WebP. The page is changed for it.
    """
    figures = page.locator(FIGURE)
    page.add_style_tag(content=NO_LETTERS)
    box = (figures.first if figures.count() else page.locator("main")).bounding_box()
    assert box is not None, f"{page.url} shows nothing"
    high = min(box["height"], box["width"] * HIGH / WIDE * 1.4)
    scale = min(WIDE / box["width"], HIGH / high)
    session = page.context.new_cdp_session(page)
    clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": high, "scale": scale}
    shot = session.send(
        "Page.captureScreenshot",
        {"format": "webp", "quality": QUALITY, "clip": clip, "captureBeyondViewport": True},
    )
    session.detach()
    return b64decode(shot["data"])


def opened(page: Page, url: str) -> Page:
    """Opens a page and waits until its figures are drawn and live."""
    page.goto(url)
    if page.locator(".figure").count():
        page.locator(FIGURES_READY).wait_for(state="attached", timeout=PATIENCE)
        page.locator(STILL).first.wait_for(state="detached", timeout=PATIENCE)
    return page


def main(address: str, words: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as fonts:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=ARGUMENTS, env=environment(Path(fonts))
        )
        page = browser.new_context(**WINDOW).new_page()
        for word, path in pages().items():
            if not words or word in words:
                (FOLDER / f"{word}.webp").write_bytes(thumbnail(opened(page, address + path)))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2:])
