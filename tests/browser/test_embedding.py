"""Pages and figures in frames of other sites: shown where the server allows it, only there."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import httpx2
import pytest
from playwright.sync_api import Browser, Frame, Page, Route, expect

from app.experiments import experiments
from tests.app.serving import PLAIN, Running, running, wait_for
from tests.browser.conftest import FIGURES_READY, LAPTOP, PATIENCE, Visitor, eventually
from tests.thorough import mostly

FIGURE = "/api/v1/scaling/figures/entropy?d_head=16"
TITLE = experiments()["scaling"].with_words("entropy").title
WHOLE = "document.documentElement.scrollHeight <= innerHeight"
"""The frame needs no scrolling."""


class Lecture(BaseHTTPRequestHandler):
    """Any page of another site: its address says what stands in it."""

    def do_GET(self) -> None:
        content = unquote(self.path[2:]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Another site of this machine: a browser lets no page of another machine in here."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Lecture) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory, site: str) -> Iterator[Running]:
    """A server that this site may embed."""
    folder: Path = tmp_path_factory.mktemp("embedding")
    with running(folder, "model.analyses", embed=site) as it:
        wait_for(lambda: httpx2.get(f"{it.address}/readyz", verify=PLAIN).status_code == 200, 120)
        yield it


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(**LAPTOP)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def framed(page: Page, site: str, address: str) -> Frame:
    """The frame in a page of that site that shows this address."""
    frame = f'<iframe src="{escape(address)}" width="960" height="400"></iframe>'
    page.goto(f"{site}/?{quote(frame)}")
    return page.frames[1]


def answer_as_a_lecture(route: Route) -> None:
    content = unquote(urlsplit(route.request.url).query)
    route.fulfill(content_type="text/html", body=content)


def elsewhere(site: str) -> str:
    """The same site under another name, which is another origin."""
    return site.replace("127.0.0.1", "localhost")


@pytest.mark.thorough  # a second server; the header is tested without one
def test_a_figure_is_shown_in_a_frame_of_a_site_that_is_named(
    allowing: Running, site: str, page: Page
):
    wrongs: list[str] = []
    page.on("console", lambda message: wrongs.append(message.text))
    frame = framed(page, site, f"{allowing.address}{FIGURE}&theme=dark")
    expect(frame.locator(".stage[data-interactive] .plot .main-svg").first).to_be_visible()
    expect(frame.locator("h1")).to_have_text(TITLE)
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    link = frame.get_by_role("link")
    expect(link).to_have_attribute("href", "/scaling?d_head=16&show=entropy")
    eventually(page, lambda: frame.evaluate(WHOLE), True)
    assert not wrongs


@pytest.mark.parametrize("local", mostly([True, False], True), ids=["its own site", "another site"])
def test_a_page_in_a_frame_shows_its_figures_alone(
    request: pytest.FixtureRequest, page: Page, local: bool
):
    server: Running = request.getfixturevalue("server" if local else "allowing")
    site = server.address if local else request.getfixturevalue("site")
    if local:
        page.route(lambda url: url.startswith(f"{site}/?"), answer_as_a_lecture)
    frame = framed(page, site, f"{server.address}/scaling?embed=true&d_head=16&show=entropy")
    expect(frame.locator(FIGURES_READY)).to_have_count(1)
    for chrome in (".bar", "#input", ".controls", ".beside", ".reading", "[data-get]"):
        expect(frame.locator(chrome).first).to_be_hidden()
    for figure in ("#weights", "#beside"):
        expect(frame.locator(f"{figure} .stage")).to_be_visible()
    expect(frame.locator("#beside h2")).to_have_text(TITLE)
    link = frame.locator("a.whole")
    expect(link).to_have_text("Vitrine: /scaling")
    expect(link).to_have_attribute("href", re.compile(r"/scaling\?d_head=16&show=entropy$"))
    eventually(page, lambda: frame.evaluate(WHOLE), True)


@pytest.mark.parametrize("path", [FIGURE, "/scaling?embed=1"])
def test_where_nobody_is_named_no_site_frames_anything(
    server: Running, site: str, page: Page, path: str
):
    nothing_is_framed(page, site, server.address + path)


@pytest.mark.thorough  # a second server; its header differs by a name, and is tested without one
@pytest.mark.parametrize("path", [FIGURE, "/scaling?embed=1"])
def test_a_site_that_is_not_named_frames_nothing(
    allowing: Running, site: str, page: Page, path: str
):
    nothing_is_framed(page, elsewhere(site), allowing.address + path)


def nothing_is_framed(page: Page, asking: str, address: str) -> None:
    frame = framed(page, asking, address)
    page.wait_for_load_state()
    expect(frame.locator(".stage")).to_have_count(0)


@pytest.mark.thorough  # a second server; the header is tested without one
def test_a_page_of_a_site_that_is_named_reads_figures_and_another_does_not(
    allowing: Running, site: str, page: Page
):
    ask = """address => fetch(address).then(
      async response => (await response.json()).layout.meta.title, () => "nothing")"""
    for asking, title in ((site, TITLE), (elsewhere(site), "nothing")):
        page.goto(asking)
        assert page.evaluate(ask, allowing.address + FIGURE) == title


CHOSEN = """() => Object.fromEntries([...new FormData(document.querySelector("#controls"))]
  .filter(([name, value]) => value))"""


def test_a_menu_copies_a_link_lines_that_read_the_numbers_and_a_frame(regular: Visitor):
    """A link says all that is chosen, the lines run without a package, a frame says who may show
    it.
    """
    regular.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = regular.visit("/scaling?d_head=16")
    page.locator("#beside .export summary").click()
    page.locator('#beside [data-copy="link"]').click()
    expect(page.locator("#copied p")).to_contain_text("Copied")
    expect(page.locator("#live")).to_contain_text("Copied")
    link = urlsplit(page.evaluate("navigator.clipboard.readText()"))
    query, chosen = dict(parse_qsl(link.query)), page.evaluate(CHOSEN)
    assert len(chosen) > 3
    assert query.items() >= chosen.items()
    assert {"model", "source"} <= query.keys()
    page.locator('#beside [data-copy="python"]').click()
    expect(page.locator("#copied textarea")).to_have_value(re.compile("^import json"))
    lines = page.evaluate("navigator.clipboard.readText()")
    answer = page.request.get(re.search(r'urlopen\("([^"]+)"', lines)[1]).json()
    printed = subprocess.run(
        [sys.executable, "-I", "-c", lines], check=True, capture_output=True, text=True
    ).stdout
    assert printed.split("\n")[:-1] == [*answer, *answer["tensors"]]
    page.locator('#beside [data-copy="iframe"]').click()
    expect(page.locator("#copied p")).to_contain_text("VITRINE_EMBED")
    copied = page.evaluate("navigator.clipboard.readText()")
    src, size, title = re.search(r'src="(.*?)" (.*?) title="(.*?)"', copied).groups()
    assert src.replace("&amp;", "&").startswith(
        f"{regular.address}/api/v1/scaling/figures/entropy?"
    )
    assert "&" not in src.replace("&amp;", "")
    assert re.fullmatch(r'width="\d+" height="\d+"', size)
    assert title == TITLE
    page.goto(src.replace("&amp;", "&"))
    expect(page.locator("h1")).to_have_text(title)
