"""What a page does while it waits: for a clinic that takes long, for a stream that is cut, and
for a server that is gone. Replies are given here, so that a wait lasts as long as a test wants.
"""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from tests.app.serving import Running
from tests.browser.conftest import LAPTOP, PATIENCE, PHONE, PLOTLY
from tests.thorough import mostly

DEPTH = "select[name=depth]"
BAR = "#status progress"
CANCEL = "#status button"
PARTS = "main, header.bar, .input-strip, .controls, .stage"
PLACES = f"""() => [...document.querySelectorAll("{PARTS}")].map(
  e => ["x", "y", "width", "height"].map(side => e.getBoundingClientRect()[side])
)"""
HINT = "Choose a depth below 64."

Reply = Callable[[Route], object]


def real(route: Route) -> None:
    """The server itself answers."""
    route.continue_()


def never(route: Route) -> None:
    """No answer comes unless the test gives one."""


def gone(route: Route) -> None:
    route.abort("connectionrefused")


def problem(status: int, **more: object) -> Reply:
    body = {"title": "", "status": status, "detail": "It cannot be answered.", "errors": [], **more}
    return lambda route: route.fulfill(
        status=status, content_type="application/problem+json", body=json.dumps(body)
    )


def events(*pairs: tuple[str, dict]) -> Reply:
    """A stream of these events, which then breaks off."""
    body = "".join(
        f"event: {name}\nid: {data.get('done', data.get('step', 0))}\ndata: {json.dumps(data)}\n\n"
        for name, data in pairs
    )
    return lambda route: route.fulfill(content_type="text/event-stream", body=body)


def progress(done: int) -> tuple[str, dict]:
    return "progress", {"done": done, "of": 16}


END = ("end", {})


def is_stream(request: Request) -> bool:
    return request.headers.get("accept") == "text/event-stream"


def is_resumed(request: Request) -> bool:
    return "last-event-id" in request.headers


class Waiting:
    """A page, and what its questions get: the n-th of a kind the n-th reply, and real ones after
    that.
    """

    def __init__(self, page: Page, address: str):
        self.page, self.address = page, address
        self.requests: list[Request] = []
        self.plain: list[Route] = []

    def visit(self, path: str = "/norms") -> None:
        self.page.goto(self.address + path)

    def replies(self, plain: list[Reply], stream: list[Reply], word: str = "norms/figures") -> None:
        left = {False: iter(plain), True: iter(stream)}

        def reply(route: Route) -> None:
            self.requests.append(route.request)
            if not is_stream(route.request):
                self.plain.append(route)
            next(left[is_stream(route.request)], real)(route)

        self.page.route(f"**/api/v1/{word}*", reply)

    def state(self, state: str) -> None:
        expect(self.page.locator("body")).to_have_attribute("data-state", state)


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Iterator[Callable[[dict], Page]]:
    """Opens a page on a device. Those of one device share what has been fetched."""
    known: dict[str, BrowserContext] = {}

    def window(device: dict) -> Page:
        if str(device) not in known:
            known[str(device)] = browser.new_context(**device)
            known[str(device)].set_default_timeout(PATIENCE)
        return known[str(device)].new_page()

    yield window
    for context in known.values():
        context.close()


@pytest.fixture
def waiting(
    windows: Callable[[dict], Page], server: Running, request: pytest.FixtureRequest
) -> Iterator[Waiting]:
    page = windows(getattr(request, "param", LAPTOP))
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setBlockedURLs", {"urls": [PLOTLY]})  # nothing here is about it
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield Waiting(page, server.address)
    page.unroute_all(behavior="ignoreErrors")
    page.close()
    assert not errors


ON_A_LAPTOP, ON_A_PHONE = pytest.param(LAPTOP, id="laptop"), pytest.param(PHONE, id="phone")


@pytest.mark.parametrize("waiting", mostly([ON_A_LAPTOP, ON_A_PHONE], ON_A_LAPTOP), indirect=True)
def test_a_long_clinic_says_how_far_it_is_and_moves_nothing(waiting: Waiting):
    page = waiting.page
    waiting.visit()
    waiting.state("drawn")
    waiting.replies([never], [events(progress(3)), never])
    if (settings := page.locator("[popovertarget=controls]")).is_visible():
        settings.click()
    places = page.evaluate(PLACES)
    page.locator(DEPTH).select_option("64")
    expect(page.locator(BAR)).to_have_js_property("value", 3)
    expect(page.locator(BAR)).to_have_js_property("max", 16)
    expect(page.locator("#status")).to_contain_text("18%")
    expect(page.locator(CANCEL)).to_be_in_viewport(ratio=1)
    assert page.evaluate(PLACES) == places
    waiting.plain[0].continue_()
    waiting.state("drawn")
    expect(page.locator(CANCEL)).to_have_count(0)
    expect(page.locator(BAR)).to_be_hidden()
    expect(page.locator(DEPTH)).to_have_value("64")
    expect(page.locator("#stream [data-shape]")).to_contain_text("64")


STILL, MOVING = pytest.param(LAPTOP, id="still"), pytest.param({}, id="moving")


@pytest.mark.parametrize("waiting", mostly([STILL, MOVING], STILL), indirect=True)
def test_nothing_moves_without_an_end_where_motion_is_reduced(waiting: Waiting):
    page = waiting.page
    waiting.replies([never], [never])
    waiting.visit()
    expect(page.locator(CANCEL)).to_be_visible()
    still = page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    expect(page.locator(BAR)).to_be_visible(visible=not still)


@pytest.mark.parametrize("how", mostly(["key", "button"], "key"))
def test_a_cancelled_question_leaves_the_page_as_it_was(waiting: Waiting, how: str):
    page = waiting.page
    waiting.visit()
    waiting.state("drawn")
    depth = page.locator(DEPTH).input_value()
    reading = page.locator("#reading").inner_text()
    waiting.replies([never], [events(progress(1)), never])
    with page.expect_request(is_resumed) as resumed:
        page.locator(DEPTH).select_option("64")
    assert "depth=64" in page.url
    plain, stream = waiting.plain[0].request, resumed.value
    with (
        page.expect_event("requestfailed", lambda request: request == plain),
        page.expect_event("requestfailed", lambda request: request == stream),
    ):
        if how == "key":
            page.keyboard.press("Escape")
        else:
            page.locator(CANCEL).click()
    waiting.state("drawn")
    assert "depth" not in page.url
    expect(page.locator(DEPTH)).to_have_value(depth)
    expect(page.locator("#reading")).to_have_text(reading, use_inner_text=True)  # without tips
    expect(page.locator("#stream .stage")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#status")).not_to_be_empty()
    expect(page.locator(CANCEL)).to_have_count(0)
    page.locator(DEPTH).select_option("24")
    waiting.state("drawn")
    expect(page.locator("#stream [data-shape]")).to_contain_text("24")


def test_who_cancels_the_first_question_can_ask_it_again(waiting: Waiting):
    page = waiting.page
    waiting.replies([never], [never])
    waiting.visit()
    page.locator(CANCEL).click()
    waiting.state("failed")
    page.get_by_role("button", name="Try again").click()
    waiting.state("drawn")


def test_another_choice_ends_what_was_asked_before(waiting: Waiting):
    page = waiting.page
    waiting.visit()
    waiting.state("drawn")
    waiting.replies([never], [events(progress(1)), never])
    with page.expect_request(is_resumed) as resumed:
        page.locator(DEPTH).select_option("64")
    plain, stream = waiting.plain[0].request, resumed.value
    with (
        page.expect_event("requestfailed", lambda request: request == plain),
        page.expect_event("requestfailed", lambda request: request == stream),
    ):
        page.locator(DEPTH).select_option("24")
    waiting.state("drawn")
    expect(page.locator("#stream [data-shape]")).to_contain_text("24")
    expect(page.locator(CANCEL)).to_have_count(0)


def test_what_is_too_slow_is_followed_to_its_end_and_asked_once_more(waiting: Waiting):
    waiting.replies([problem(504)], [events(progress(7)), events(progress(16), END)])
    waiting.visit()
    waiting.state("drawn")
    assert [is_stream(request) for request in waiting.requests] == [False, True, True, False]


def test_what_is_too_slow_and_cannot_be_followed_says_what_to_lower(waiting: Waiting):
    page = waiting.page
    errors = [{"pointer": "#/depth", "hint": HINT}]
    waiting.replies([problem(504, errors=errors)], [problem(429)])
    waiting.visit()
    waiting.state("failed")
    expect(page.locator(".failure")).to_contain_text(HINT)
    expect(page.locator(DEPTH)).to_have_attribute("aria-invalid", "true")
    assert [is_stream(request) for request in waiting.requests] == [False, True]
    page.get_by_role("button", name="Try again").click()
    waiting.state("drawn")


def test_a_refused_stream_is_no_failure(waiting: Waiting):
    waiting.replies([never], [problem(429)])
    with waiting.page.expect_response(lambda response: response.status == 429):
        waiting.visit()
    waiting.state("busy")
    waiting.plain[0].continue_()
    waiting.state("drawn")


def test_a_server_that_is_gone_is_not_said_to_warm_up(waiting: Waiting):
    page = waiting.page
    waiting.visit()
    waiting.state("drawn")
    page.route("**/readyz", gone)
    waiting.replies([problem(503)], [gone])
    page.locator(DEPTH).select_option("64")
    waiting.state("failed")
    expect(page.locator(".failure")).to_contain_text("Start it again")
    page.unroute("**/readyz")
    page.locator(DEPTH).select_option("24")
    waiting.state("drawn")
    expect(page.locator(".failure")).to_have_count(0)


def test_a_training_is_begun_by_post_with_numbers_and_resumed_by_get(waiting: Waiting):
    page = waiting.page
    waiting.visit("/warmup?layers=2&peak=0.01&warmup_steps=10")
    waiting.state("drawn")
    steps = [("step", {"step": step}) for step in range(6)]
    waiting.replies([], [events(*steps[:3]), events(*steps[3:], END)], "warmup")
    with page.expect_request(is_resumed) as resumed:
        page.locator("#train").click()
    begun = waiting.requests[0]
    assert begun.method == "POST"
    assert begun.headers["content-type"] == "application/json"
    assert begun.post_data_json == {
        "warmup_steps": 10,
        "peak": 0.01,
        "layers": 2,
        "steps": 300,
        "placement": "post",
        "stack": "encoder",
        "schedule": "inverse_root",
        "seed": 0,
        "seeds": 4,
    }
    assert resumed.value.method == "GET"
    assert resumed.value.headers["last-event-id"] == "2"
    expect(page.locator("#trained")).to_contain_text("5")
    expect(page.locator("#status")).to_have_text("")
    assert len(waiting.requests) == 2
