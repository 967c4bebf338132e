"""A lecture is given: a projector, a presenter and a phone in one room; once with a restart of the
server in the middle.
"""

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.app.lecture_hall import REAL, Server
from tests.app.serving import PATIENT, TALKS, Running
from tests.browser.conftest import LAPTOP, PATIENCE, PHONE, PLOTLY, Visitor, eventually
from tests.thorough import mostly

HALL = LAPTOP | {"viewport": {"width": 1024, "height": 768}}
FIGURES_READY = """() => {
  const page = document.querySelector("iframe[data-seen]")?.contentDocument;
  const stages = [...page?.querySelectorAll(".stage[role=application]") ?? []];
  return page?.body?.dataset.state === "drawn"
    && stages.filter(it => it.clientWidth).every(it => "interactive" in it.dataset);
}"""
RANGE = "() => document.querySelector('#map .plot')._fullLayout.xaxis.range.map(Math.round)"
SMALL = """() => [...document.querySelectorAll("main *")].filter(it => it.checkVisibility()
  && [...it.childNodes].some(one => one.nodeType === 3 && one.data.trim())
  && parseFloat(getComputedStyle(it).fontSize) < 24).map(it => it.outerHTML)"""
WIDE = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def own_house(tmp_path: Path) -> Iterator[Server]:
    below = {"root_path": "/vitrine"}  # as behind a proxy
    it = Server(tmp_path, REAL, **PATIENT, **below, talks=TALKS)
    yield it
    it.stop()


@pytest.fixture
def open_window(browser: Browser) -> Iterator:
    contexts = {}

    def open_window(how: dict, address: str, still: bool = False) -> Page:
        kind = str(how)
        contexts.setdefault(kind, browser.new_context(**how))
        page = contexts[kind].new_page()
        page.set_default_timeout(PATIENCE)
        if still:
            page.route(PLOTLY, lambda route: route.abort())
        page.goto(address)
        return page

    yield open_window
    for context in contexts.values():
        context.close()


def frame_of(page: Page) -> Frame:
    """The frame whose page is seen, once its figures are under the hand."""
    eventually(page, lambda: page.evaluate(FIGURES_READY), True)
    return page.query_selector("iframe[data-seen]").content_frame()


@pytest.mark.parametrize("proxy", mostly([True, False], False), ids=["own house", "the one house"])
def test_a_lecture_is_given(request: pytest.FixtureRequest, open_window, proxy: bool):
    """In a house of its own, behind a proxy, the server is killed in the middle."""
    house: Server | Running = request.getfixturevalue("own_house" if proxy else "server")
    projector = open_window(HALL, f"{house.address}/lecture/two")
    code = projector.locator("[data-told=code]")
    expect(code).to_have_text(re.compile(r"^[A-Z2-9]{5}$"))
    expect(projector.locator("#qr")).to_be_visible()
    presenter = open_window(HALL, f"{house.address}/lecture/two/presenter", still=True)
    expect(presenter.locator(".code [data-told=code]")).to_have_text(code.inner_text())
    phone = open_window(PHONE, f"{house.address}/room?code={code.inner_text().lower()}")
    expect(phone.get_by_role("heading")).to_have_text("Three scenes")
    no_server = {"status": 502, "content_type": "text/html", "body": "<h1>Bad Gateway</h1>"}
    if isinstance(house, Server):
        phone.route("**/questions?*", lambda route: route.fulfill(**no_server), times=1)
    expect(presenter.locator("[data-told=followers]")).to_have_text("1")

    projector.keyboard.press("PageDown")
    for page in (projector, phone):
        expect(page.get_by_role("heading", name="Where does “ai” look?")).to_be_visible()
        expect(page.locator("#windows")).to_be_hidden()
    assert not projector.evaluate(SMALL)
    number = projector.get_by_text("Weight of “cold”: 0.953")
    expect(number).to_be_hidden()
    phone.get_by_role("button", name="cold").click()
    phone.get_by_role("button", name="I’m lost").click()
    expect(presenter.locator("[data-told=lost]")).to_have_text("1")
    before = presenter.locator(".votes:visible li").nth(1).locator(".bar").first
    expect(before).to_have_text("1")
    phone.get_by_role("button", name="am", exact=True).click()
    expect(before).to_have_text("0")
    expect(projector.locator("[data-told=voted]:visible")).to_have_text("1")
    expect(projector.locator(".bar:visible")).to_have_count(0)

    presenter.keyboard.press("ArrowRight")
    for page in (projector, phone):
        expect(page.locator("#windows")).to_be_visible()
    projected, mine = frame_of(projector), frame_of(phone)
    assert not projected.evaluate(SMALL), "in the figure too"
    assert not phone.evaluate(WIDE)
    follow_the_hand(projector, projected, mine)

    phone.get_by_role("button", name="cold").click()
    expect(phone.locator("[aria-pressed=true]", has_text="cold")).to_be_visible()
    if isinstance(house, Server):
        house.stop(signal.SIGKILL)
        house.start()
    expect(presenter.locator("[data-told=followers]")).to_have_text("1")
    projector.keyboard.press("PageDown")
    for page in (projector, phone):
        expect(page.get_by_role("heading", name="“ai” looks at “cold”.")).to_be_visible()
        counts = [row.locator(".bar").all_inner_texts() for row in rows(page)]
        assert counts == [["1", "0"], ["0", "1"]], "before and after, and the votes are kept"
    expect(number).to_be_visible()
    expect(phone.locator(".right")).to_have_text(re.compile("cold"))

    expect(phone.get_by_text("Weight of “cold”: 0.953")).to_be_visible()

    phone.get_by_role("button", name="Follow").click()
    projector.keyboard.press("ArrowRight")
    eventually(projector, lambda: "/questions" in projector.evaluate(HREF), True)
    expect(presenter.get_by_role("heading")).to_have_text("A cache saves work.")
    expect(phone.get_by_role("heading")).to_have_text("“ai” looks at “cold”.")
    expect(phone.locator("#votes")).to_be_hidden()
    assert "/attention" in phone.evaluate(HREF)
    phone.evaluate(FAIL)
    eventually(phone, lambda: come_back(phone), "questions")
    expect(phone.get_by_role("heading")).to_have_text("A cache saves work.")
    for key, sentence in (
        ("ArrowRight", "A query sees what came before it."),
        ("ArrowLeft", "A cache saves work."),
        ("ArrowLeft", "“ai” looks at “cold”."),
    ):
        projector.keyboard.press(key)
        expect(projector.get_by_role("heading", name=sentence)).to_be_visible()
        frame_of(projector)


# Both frames have failed when another page is asked for: loading them again must not end its load.
FAIL = """() => document.querySelectorAll('iframe').forEach(
    ({ contentDocument: { body } }) => (body.dataset.state = 'failed'))"""
PAGE = "() => document.querySelector('iframe[data-seen]').contentDocument?.body?.dataset.page"
HREF = "() => document.querySelector('iframe[data-seen]').contentWindow.location.href"


def rows(page: Page) -> list:
    expect(page.locator(".votes li:visible .bar:visible")).to_have_count(4)
    return page.locator(".votes li:visible").all()


def come_back(phone: Page) -> str | None:
    """The page that is seen by a student who follows again. What a proxy says in place of a server
    that starts is no page, and is not kept.
    """
    follow = phone.get_by_role("button", name="Follow")
    if follow.get_attribute("aria-pressed") == "true":
        follow.click()
    follow.click()
    return phone.evaluate(PAGE)


def follow_the_hand(projector: Page, projected: Frame, mine: Frame) -> None:
    """What is pointed at, zoomed in and chosen on the projector is seen on the phone."""
    box = projected.locator("#map .nsewdrag").bounding_box()
    at = lambda x, y: (box["x"] + x * box["width"], box["y"] + y * box["height"])  # noqa: E731
    projector.mouse.move(*at(0.5, 0.36))
    projector.mouse.move(*at(0.5, 0.37))
    card = mine.locator("#map .hover-card")
    expect(card).to_contain_text("key am")
    assert card.inner_text() == projected.locator("#map .hover-card").inner_text()
    eventually(projector, lambda: "key=2" in mine.evaluate("location.search"), True)
    projector.mouse.move(*at(0.3, 0.3))
    projector.mouse.down()
    projector.mouse.move(*at(0.9, 0.9), steps=5)
    projector.mouse.up()
    eventually(projector, lambda: mine.evaluate(RANGE), [1, 4])
    assert projected.evaluate(RANGE) == [1, 4]
    projector.mouse.dblclick(*at(0.5, 0.5))
    eventually(projector, lambda: mine.evaluate(RANGE), [0, 5])


def test_a_room_that_is_not_there_says_so(regular: Visitor):
    regular.refused()
    regular.page.goto(f"{regular.address}/room/NOBOD")
    expect(regular.page.locator("main")).to_contain_text("No room has the code NOBOD")


@pytest.mark.thorough
def test_a_page_that_no_server_answered_is_fetched_again_when_the_room_tells_more(
    regular: Visitor, server: Running
):
    regular.refused("net::ERR_FAILED")
    page, figures = regular.page, "**/api/v1/*/figures?*"
    with server.client() as lecturer:
        opened = lecturer.post("/api/v1/rooms", json={"talk": "attention"}).json()
        room = {"code": opened["room"]["code"], "token": opened["token"]}
        page.route(figures, lambda route: route.abort())
        page.goto(f"{regular.address}/room/{room['code']}")
        lecturer.post("/api/v1/rooms", json={**room, "step": 1})
        body = page.frame_locator("iframe[data-seen]").locator("body")
        expect(body).to_have_attribute("data-state", "failed")
        page.unroute(figures)
        lecturer.post("/api/v1/rooms", json={**room, "pointer": None})
        frame_of(page)
        lecturer.post("/api/v1/rooms", json={**room, "close": True})


@pytest.mark.thorough
def test_the_projector_of_another_computer_follows(own_house: Server, open_window):
    presenter = open_window(LAPTOP, f"{own_house.address}/lecture/two/presenter", still=True)
    address = presenter.locator("#link")
    expect(address).to_have_text(re.compile(r"/vitrine/room/[A-Z2-9]{5}$"))
    other = open_window(HALL, f"http://{address.inner_text()}/projector")
    faults = []
    other.on("pageerror", lambda fault: faults.append(fault))
    expect(other.get_by_role("heading", name="Three scenes")).to_be_visible()
    expect(other.locator("#link")).to_have_text(address.inner_text())
    presenter.keyboard.press("PageDown")
    expect(other.get_by_role("heading", name="Where does “ai” look?")).to_be_visible()
    expect(other.locator("#windows")).to_be_hidden()
    other.keyboard.press("PageDown")  # leads nothing
    presenter.keyboard.press("PageDown")
    frame_of(other)
    presenter.keyboard.press("PageDown")
    expect(other.get_by_role("heading", name="“ai” looks at “cold”.")).to_be_visible()
    expect(other.get_by_text("Weight of “cold”: 0.953")).to_be_visible()
    assert [row.locator(".bar").all_inner_texts() for row in rows(other)] == [["0", "0"]] * 2
    assert not faults
