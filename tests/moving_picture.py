"""Films the moving picture of README.md: a sentence is typed, a cell of an attention map is
clicked, and the head is turned off, which changes the translation.

`python -m tests.moving_picture http://127.0.0.1:8000` drives the page of a server that runs, with
the fonts of the tests, and writes `.github/vitrine.webp`. Nothing is drawn into it but a pointer.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.chromium import chromium
from tests.fonts.sets import environment

PICTURE = Path(__file__).resolve().parents[1] / ".github" / "vitrine.webp"
WINDOW = {"viewport": {"width": 1120, "height": 700}, "reduced_motion": "reduce"}
ARGUMENTS = ("--no-sandbox", "--disable-gpu")
PATIENCE = 120_000
OPENS = "/attention?model=translator&source=i+am+cold&kind=cross&layer=2&head=1"
SENTENCE = "She is my sister."
TRANSLATED, WITHOUT = "c' est ma sœur .", "c' est mon sœur ."
QUERY, KEY = (2, 6), (4, 7)
"""The cell “est → ma”, “sister”: its row and its column, and how many of them the map has."""
ASIDE = (900.0, 290.0)
"""Where the pointer covers no words."""
TYPED, MOVED, WAIT = 70, 50, 1_500  # milliseconds of a frame, and until pictures stand still
STEPS = 9  # frames of a way of the pointer
QUALITY = 82
POINTER = """() => {
  const pointer = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  pointer.id = "pointer";
  pointer.setAttribute("viewBox", "0 0 16 22");
  pointer.style = "position: fixed; z-index: 99; width: 20px; pointer-events: none; left: -40px";
  pointer.innerHTML = `<path d="M1 1v16l4-3.6 2.6 6 2.6-1.1L7.6 12.5H13z" fill="#000"
    stroke="#fff" stroke-width="1.2"/>`;
  document.body.append(pointer);
}"""
TO = """([x, y]) => {
  const { style } = document.getElementById("pointer");
  style.left = `${x}px`; style.top = `${y}px`;
}"""


class Film:
    """Frames with their durations, of a page whose pointer is seen."""

    def __init__(self, page: Page):
        self.page, self.at = page, (480.0, 360.0)
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []

    def take(self, milliseconds: int) -> None:
        shot = Image.open(io.BytesIO(self.page.screenshot(caret="initial"))).convert("RGB")
        self.frames.append(shot)
        self.milliseconds.append(milliseconds)

    def type(self, sentence: str) -> None:
        self.page.locator("input[name=source]").select_text()
        self.take(600)
        for letter in sentence:
            self.page.keyboard.type(letter)
            self.take(TYPED)
        self.page.keyboard.press("Enter")

    def move(self, x: float, y: float) -> None:
        """Moves the pointer there, slower towards the end."""
        from_x, from_y = self.at
        for step in range(1, STEPS + 1):
            way = 1 - (1 - step / STEPS) ** 2
            here = from_x + way * (x - from_x), from_y + way * (y - from_y)
            self.page.evaluate(TO, here)
            self.page.mouse.move(*here)
            self.take(MOVED)
        self.at = x, y

    def save(self, path: Path) -> None:
        first, *others = self.frames
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=self.milliseconds,
            loop=0,
            quality=QUALITY,
            method=6,
            minimize_size=True,
        )


def settled(page: Page, text: str) -> None:
    """Waits until the page says something and all is drawn."""
    page.wait_for_function("told => document.body.innerText.includes(told)", arg=text)
    page.locator('body[data-state="drawn"]').wait_for(state="attached")
    page.wait_for_timeout(WAIT)


def cell(page: Page) -> tuple[float, float]:
    """The middle of the cell on the screen."""
    area = page.locator("#map .nsewdrag").bounding_box()
    assert area, "the map is drawn"
    down, across = ((at + 0.5) / many for at, many in (QUERY, KEY))
    return area["x"] + across * area["width"], area["y"] + down * area["height"]


def film(page: Page, address: str) -> Film:
    page.set_default_timeout(PATIENCE)
    page.goto(address + OPENS)
    settled(page, "froid")
    page.evaluate(POINTER)
    recording = Film(page)
    recording.type(SENTENCE)
    settled(page, TRANSLATED)
    recording.take(1_100)
    recording.move(*cell(page))
    page.mouse.click(*recording.at)
    settled(page, "Where this number comes from")
    recording.take(2_000)
    page.keyboard.press("Escape")
    settled(page, "All heads")
    box = page.get_by_role("button", name="turn off").first.bounding_box()
    assert box, "a head can be turned off"
    recording.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*recording.at)
    settled(page, WITHOUT)
    recording.take(MOVED)
    recording.move(*ASIDE)
    recording.take(1_700)
    return recording


def main(address: str) -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as fonts:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=ARGUMENTS, env=environment(Path(fonts))
        )
        recording = film(browser.new_context(**WINDOW).new_page(), address)
        browser.close()
    recording.save(PICTURE)
    seconds = sum(recording.milliseconds) / 1_000
    print(f"{PICTURE.name}: {seconds:.1f} s, {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
