"""A lecture as it is given: a projector, a presenter's window and a phone in browsers, a hall of
students at one address, and a server that is killed in the middle.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from math import inf
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from app.lecture.records import AFTER, UNCOVERED
from app.lecture.talks import Scene, talk_of
from tests.app.lecture_hall import REAL, Lecturer, Server, give
from tests.chromium import chromium
from tests.storm.ground import Ground
from tests.storm.report import Report, Scenario, quantile

TALK = "attention"
STUDENTS = 200
PAUSE = 4.0  # seconds for each of the 29 steps of a talk of 50 minutes
WATCH = """
if (window === top) {
  window.seen = [];
  let last = "";
  const ready = stage => stage.ariaBusy !== "true" && stage.querySelector("svg");
  const look = () => {
    requestAnimationFrame(look);
    if (!document.body) return;
    const { scene, phase } = document.body.dataset;
    const heading = [...document.querySelectorAll("h1, h2")].find(it => it.checkVisibility());
    const frame = document.querySelector("iframe[data-seen]");
    const visible = frame?.checkVisibility({ visibilityProperty: true });
    const page = visible ? frame.contentDocument : undefined;
    const drawn = page?.body?.dataset.state === "drawn"
      && [...page.querySelectorAll(".stage")].filter(it => it.clientWidth).every(ready);
    const shows = drawn ? frame.contentWindow.location.href : "";
    const now = [+scene, +phase, heading?.innerText ?? "", shows];
    if (`${now}` === last) return;
    last = `${now}`;
    seen.push([Date.now() / 1000 - CLOCK, ...now]);
  };
  requestAnimationFrame(look);
}
"""
"""At each frame that the browser draws, what a window shows: the sentence, and the address of the
page whose figures are drawn. Each change is kept with its time by the clock of the students.
"""
FETCHED = """() => [...document.querySelectorAll("iframe")].some(
  frame => frame.contentDocument?.body?.dataset.state === "drawn")"""
GONE = ("ERR_CONNECTION", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE")
"""What Chromium reports of a server that is not there."""


class InBrowsers(Lecturer):
    """Leads with a clicker's keys in the presenter's window, and votes on a phone. Playwright runs
    in a thread of its own, beside the loop of the students.
    """

    phones = 1

    def __init__(self, port: int, talk: str, address: str):
        super().__init__(port, talk)
        self.address, self.stage = address, (-1, UNCOVERED)
        self.thread, self.stack = ThreadPoolExecutor(1), ExitStack()

    async def there(self, do: Callable[..., Any], *arguments: object) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.thread, do, *arguments)

    async def open(self) -> None:
        await self.there(self.open_windows)

    def open_windows(self) -> None:
        from playwright.sync_api import sync_playwright

        from tests.browser.conftest import LAPTOP, PHONE, Visitor

        playwright = self.stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        self.stack.callback(browser.close)
        clock = time.time() - time.perf_counter()
        hall, pocket = browser.new_context(**LAPTOP), browser.new_context(**PHONE)
        for context in (hall, pocket):
            context.add_init_script(WATCH.replace("CLOCK", f"{clock}"))
        self.windows = [Visitor(context, self.address) for context in (hall, hall, pocket)]
        for window in self.windows:
            window.refused(*GONE)
            window.context.set_default_timeout(60_000)  # ms
        self.projector, self.presenter, self.phone = (window.page for window in self.windows)
        self.projector.goto(f"{self.address}/lecture/{self.talk}")
        self.projector.wait_for_function(f"() => localStorage['lecture {self.talk}']")
        stored = self.projector.evaluate(f"JSON.parse(localStorage['lecture {self.talk}'])")
        self.code, self.token = stored["code"], stored["token"]
        self.presenter.goto(f"{self.address}/lecture/{self.talk}/presenter")
        self.phone.goto(f"{self.address}/room/{self.code}")
        for page in (self.projector, self.phone):
            page.wait_for_function("() => seen.at(-1)?.[3]")
        self.projector.wait_for_function(FETCHED)  # while students come in

    async def step(self) -> dict[str, Any]:
        begun = await self.there(self.press)
        before = self.stage
        while (state := await self.lead()) and before == (state["scene"], state["phase"]):
            await asyncio.sleep(0.02)
        self.stage = state["scene"], state["phase"]
        self.went[self.stage] = begun
        if state["phase"] < UNCOVERED:
            await self.there(self.vote, state["choices"][0])
        return state

    def press(self) -> float:
        begun = time.perf_counter()
        self.presenter.keyboard.press("PageDown")
        return begun

    def vote(self, choice: str) -> None:
        self.phone.get_by_role("button", name=choice, exact=True).tap()
        self.phone.locator("#votes [aria-pressed=true]", has_text=choice).wait_for()

    async def end(self) -> None:
        """Waits until the last figure is drawn in both windows, and reads what was seen."""
        self.frames = await self.there(self.read)

    def read(self) -> list[list]:
        address = urlsplit(talk_of(self.talk).scene[-1].address).path
        both = (self.projector, self.phone)
        for page in both:
            page.wait_for_function(f"() => seen.at(-1)[4].includes('{address}?')")
        return [page.evaluate("seen") for page in both]

    def close(self) -> None:
        self.thread.submit(self.stack.close).result()
        self.thread.shutdown()


def shows(scene: Scene, href: str) -> bool:
    """Whether the page of this address is the one of this scene."""
    wanted, found = urlsplit(scene.address), urlsplit(href)
    has_query = set(parse_qsl(wanted.query)) <= set(parse_qsl(found.query))
    return wanted.path == found.path and has_query


def came(lecturer: Lecturer, frames: list[list]) -> tuple[list[float], list[float]]:
    """For each step the seconds until a window shows its sentence, and for each figure those until
    it is drawn; infinite where it was gone on before, to the next step or the next scene.
    """
    sentences, figures = [], []
    for stage, begun in lecturer.went.items():
        scene = talk_of(lecturer.talk).scene[stage[0]]
        text = scene.claim if stage[1] == UNCOVERED else scene.question
        during = [frame for frame in frames if frame[0] >= begun and frame[1] == stage[0]]
        spoken = (frame[0] - begun for frame in during if frame[2] == stage[1] and frame[3] == text)
        sentences.append(min(spoken, default=inf))
        if stage[1] == (AFTER if scene.question else UNCOVERED):  # else it has been seen already
            waits = (frame[0] - begun for frame in during if shows(scene, frame[4]))
            figures.append(min(waits, default=inf))
    return sentences, figures


def lecture(report: Report, ground: Ground) -> None:
    server = Server(ground.new_folder(), REAL)
    lecturer = InBrowsers(server.port, TALK, server.address)

    async def give_lecture() -> list[float]:
        late = await give(server, lecturer, STUDENTS, PAUSE)
        await lecturer.end()
        return late

    try:
        late = asyncio.run(give_lecture())
    finally:
        lecturer.close()
        server.stop()
    report.note("steps seen by students", len(late))
    report.at_most("95 % of the steps seen by them within", quantile(late, 0.95), 0.5, " s")
    report.note("the latest, over the restart too", f"{late[-1]:.2f} s")
    report.holds("every device has one vote in each round, before and after the restart", True)
    for name, frames in zip(("projector", "phone"), lecturer.frames, strict=True):
        for what, seconds in zip(("sentences", "figures"), came(lecturer, frames), strict=True):
            found = f"half within {quantile(seconds, 0.5):.2f} s, the latest {max(seconds):.2f} s"
            report.holds(f"{name}: all {len(seconds)} {what} shown", max(seconds) < inf, found)
    wrongs = [wrong for window in lecturer.windows for wrong in window.wrongs]
    report.equal("errors, and requests to other machines", len(wrongs), 0)
    for wrong in wrongs[:3]:
        report.note("wrong", wrong[:150])


SCENARIOS = (
    Scenario(
        "lecture",
        "A lecture, and the server killed in the middle of it",
        f"{STUDENTS} students at one address, a projector and a phone follow a talk of 50 minutes"
        " that is given in two, with a clicker in the presenter's window. Half of them and the"
        " phone vote twice on each question, and the server is killed once they are answered.",
        "95 % of the steps are seen within .5 s; every vote counts once; both windows come to the"
        " last scene, without an error, and ask no other machine.",
        lecture,
        most=300,
    ),
)
