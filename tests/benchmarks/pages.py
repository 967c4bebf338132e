"""What a visitor waits for: bytes over the wire, and the time from the page's HTML to its first
picture.
"""

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from tests.app.serving import running
from tests.benchmarks.timing import Row
from tests.chromium import chromium

VIEWS = 5
PAGES = ("/", "/attention", "/positions", "/masks", "/residual", "/generate")
PATIENCE = 60  # seconds
FIGURES_READY = "performance.getEntriesByName('drawn').length"
PICTURE = (
    "(performance.getEntriesByName('drawn')[0].startTime -"
    " performance.getEntriesByType('navigation')[0].responseEnd) / 1000"
)


def visit(browser: Browser, address: str, *, plotly: bool) -> tuple[int, float]:
    """Bytes received and seconds to the first picture, in a browser that has seen nothing yet."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    if not plotly:
        page.route("**/plotly.min.js", lambda route: route.abort())
    received = 0

    def add(event: dict) -> None:
        nonlocal received
        received += event["encodedDataLength"]

    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", add)
    page.goto(address, wait_until="load")
    for _ in range(PATIENCE * 20):
        if page.evaluate(FIGURES_READY):
            break
        page.wait_for_timeout(50)
    seconds = page.evaluate(PICTURE)
    page.wait_for_load_state("networkidle")
    context.close()
    return received, seconds


def rows() -> list[Row]:
    found = []
    with (
        TemporaryDirectory() as folder,
        running(Path(folder), "model.analyses") as server,
        sync_playwright() as playwright,
    ):
        server.until_ready(120)
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        for path in PAGES:
            visit(browser, server.address + path, plotly=True)  # the server's own first time
            with_plotly = visit(browser, server.address + path, plotly=True)[0]
            without = [visit(browser, server.address + path, plotly=False) for _ in range(VIEWS)]
            found += [
                Row(f"{path}: first visit", with_plotly / 1e6, 1.6, unit=" MB"),
                Row(
                    f"{path}: first visit without Plotly",
                    statistics.median(size for size, _ in without) / 1e3,
                    60,
                    unit=" kB",
                ),
                Row(
                    f"{path}: HTML to first picture, without Plotly",
                    statistics.median(seconds for _, seconds in without),
                    0.5,
                    unit=" s",
                ),
            ]
        browser.close()
    return found
