"""A real server with the real model, and a real Chromium that may reach nothing else."""

import json
import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, expect

from app.site.pages import cards, find_pages
from tests.app.serving import Running, running
from tests.chromium import chromium
from tests.fonts import sets as fonts

PATIENCE = 60_000  # ms, on a machine that has much else to do
HERE = {"reduced_motion": "reduce", "locale": "en-US", "timezone_id": "UTC"}
LAPTOP = {"viewport": {"width": 1280, "height": 720}, **HERE}
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
    **HERE,
}
STILL = ".stage[role=application]:not([data-living])"
"""Figures in which Plotly has not yet taken the place of the still picture."""
USUAL = "dejavu"
"""The fonts of the tests that are not about fonts."""

expect.set_options(timeout=PATIENCE)

NOTES = [page.path for page in find_pages() if page.room == "Notes"]
PICTURES = [page.path for page in find_pages() if page.path not in NOTES]
CLINICS = [page.path for page in find_pages() if page.room == "Clinics"]


def pages_about(model: str) -> list[str]:
    """The pages that can show it."""
    card = next(card for card in cards() if card["id"] == model)
    return [page.path for page in find_pages() if page.fits(card)]


@pytest.fixture(scope="session")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """The environment of a browser that sees one set of fonts."""
    if missing := fonts.missing():
        pytest.fail(fonts.what_to_do(missing), pytrace=False)
    return lambda name: fonts.environment(name, tmp_path_factory.mktemp(f"fonts-{name}"))


@pytest.fixture(scope="session")
def browser_type_launch_args(surroundings: Callable[[str], dict[str, str]]) -> dict:
    return {
        "executable_path": chromium(),
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
        ],
        "env": surroundings(USUAL),
    }


@pytest.fixture(scope="session")
def browsers(
    browser: Browser,
    browser_type: BrowserType,
    browser_type_launch_args: dict,
    surroundings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[str], Browser]]:
    """A browser for each set of fonts, begun when it is first asked for."""
    known = {USUAL: browser}

    def with_fonts(name: str) -> Browser:
        if name not in known:
            known[name] = browser_type.launch(
                **{**browser_type_launch_args, "env": surroundings(name)}
            )
        return known[name]

    yield with_fonts
    for name, other in known.items():
        if name != USUAL:
            other.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("browser"), "model.analyses") as it:
        yield it.until_ready()


def eventually(page: Page, ask: Callable[[], object], wanted: object) -> None:
    """Asks again, while the browser goes on, until the answer is the wanted one."""
    end = time.monotonic() + PATIENCE / 1000
    while (answer := ask()) != wanted:
        assert time.monotonic() < end, f"{answer} instead of {wanted}"
        page.evaluate("new Promise(requestAnimationFrame)")


def choose(page: Page, name: str, value: str) -> None:
    """One of a row of choices."""
    page.locator(f'label:has(input[name="{name}"][value="{value}"])').click()


def expect_call(page: Page, figure: str, **fields: object) -> None:
    """The figure's own link asks the API for these."""
    link = page.locator(f"#{figure} [data-get]")
    for name, value in fields.items():
        expect(link).to_have_attribute("href", re.compile(rf"[?&]{name}={value}(&|$)"))


def numbers(text: str) -> list[int]:
    """The whole numbers of a sentence, in its order."""
    return [int(digits) for digits in re.findall(r"\d+", text)]


def number(count: object) -> re.Pattern:
    """A text that holds this number."""
    return re.compile(rf"(?<![\d.]){count}(?![\d.]\d)")


class Visitor:
    """Somebody with a browser; everything that goes wrong in it is written down."""

    def __init__(self, context: BrowserContext, address: str):
        self.context, self.address = context, address
        self.wrongs: list[str] = []
        self.lives = True
        context.set_default_timeout(PATIENCE)  # also of what a test asks the API itself
        self.page: Page = context.new_page()
        self.page.on("console", lambda message: self.said(message.type, message.text))
        self.page.on("pageerror", lambda error: self.wrongs.append(f"error: {error}"))
        self.page.on(
            "dialog",
            lambda dialog: (self.wrongs.append(f"dialog: {dialog.message}"), dialog.dismiss()),
        )
        self.page.on("request", lambda request: self.left(request.url))

    def said(self, kind: str, text: str) -> None:
        """Chromium reports every 503; a busy server's is answered by asking again, which `drawn`
        waits for. It reports what `without` keeps out, too.
        """
        expected = ("status of 503", "net::ERR_BLOCKED_BY_CLIENT")
        if kind in ("error", "warning") and not any(known in text for known in expected):
            self.wrongs.append(f"console: {text}")

    def refused(self) -> None:
        """Forgets that Chromium reported questions which the API refused as they stood, and what
        does not exist.
        """
        known = ("status of 422", "status of 404")
        self.wrongs = [wrong for wrong in self.wrongs if not any(code in wrong for code in known)]

    def left(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.wrongs.append(f"left the machine: {url}")

    def without(self, address: str) -> None:
        """From now on nothing comes from addresses of this form."""
        self.lives = self.lives and "plotly" not in address
        network = self.context.new_cdp_session(self.page)
        network.send("Network.enable")
        network.send("Network.setBlockedURLs", {"urls": [address]})

    def visit(self, path: str) -> Page:
        """Opens the page and waits for its picture. The pointer rests in the corner, wherever the
        test before left it: what it points at would be chosen.
        """
        self.page.mouse.move(1, 1)
        self.page.goto(self.address + path)
        return self.drawn()

    def stay(self, path: str) -> Page:
        """The page as it stands where it is open already, for tests that look and put back what
        they touch.
        """
        return self.drawn() if self.page.url == self.address + path else self.visit(path)

    def forget(self) -> None:
        """What went wrong, and what the browser remembers of how the page was left."""
        self.page.mouse.move(0, 0)
        if self.page.url.startswith(self.address) and self.page.evaluate("localStorage.length"):
            self.page.evaluate("localStorage.clear()")
            self.page.goto("about:blank")
        self.wrongs.clear()  # also what was heard of the page before only by now

    def drawn(self) -> Page:
        """The page when its answer is drawn, and Plotly has taken the place of every still picture:
        whoever reads a figure before that reads one that is about to be replaced.
        """
        expect(self.page.locator("body")).to_have_attribute("data-state", "drawn")
        if self.lives:
            expect(self.page.locator(STILL)).to_have_count(0)
        return self.page


@pytest.fixture(scope="session")
def regulars(browser: Browser, server: Running) -> Iterator[Callable[[dict], Visitor]]:
    known: dict[str, Visitor] = {}

    def regular(device: dict) -> Visitor:
        key = json.dumps(device, sort_keys=True)
        if key not in known:
            known[key] = Visitor(browser.new_context(**device), server.address)
        return known[key]

    yield regular
    for one in known.values():
        one.context.close()


@pytest.fixture
def regular(
    regulars: Callable[[dict], Visitor], request: pytest.FixtureRequest
) -> Iterator[Visitor]:
    """Somebody who was here before: the browser's cache is warm, and the page may still be open."""
    it = regulars(getattr(request, "param", LAPTOP))
    it.forget()
    yield it
    assert not it.wrongs


@pytest.fixture
def visitor(browser: Browser, server: Running, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """Somebody who comes for the first time; on a laptop, unless the test parametrizes it with
    another device.
    """
    context = browser.new_context(**getattr(request, "param", LAPTOP))
    it = Visitor(context, server.address)
    yield it
    context.close()
    assert not it.wrongs
