"""A real server with the real model, and a real Chromium that may reach nothing else."""

import json
import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from app.site.pages import cards, find_pages
from tests.app.serving import Running
from tests.chromium import chromium
from tests.fonts import sets as fonts

PATIENCE = 240_000
"""ms: nothing here is about time. The machine may have much else to do, the one server's worker
answers one page after another, and a training gets a tenth of a busy core.
"""
HERE = {"reduced_motion": "reduce", "locale": "en-US", "timezone_id": "UTC"}
LAPTOP = {"viewport": {"width": 1280, "height": 720}, **HERE}
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
    **HERE,
}
FIGURES_READY = 'body[data-state="drawn"]'
"""A count of these is waited for: to wait for an attribute, Playwright describes the whole page at
each look, for the message that it might need.
"""
PLOTLY = "*/plotly.min*.js"
"""Without it a page shows its still pictures, which stand where the living ones do."""
STILL = ".stage[role=application]:not([data-interactive])"
"""Figures in which Plotly has not yet taken the place of the still picture."""
GO = """url => {
  const to = new URL(url), page = [...document.querySelectorAll(".rooms a")]
    .some(link => link.pathname === to.pathname);
  const framed = document.documentElement.hasAttribute("data-embed");
  if (!page || to.hash || framed || !globalThis.Plotly || !globalThis.navigation) return false;
  const { committed, finished } = navigation.navigate(url);
  for (const one of [committed, finished]) one.catch(() => {});
  return true;
}"""
"""Goes on as a link does: what stands here is swapped, and Plotly's script, which takes seconds, is
not evaluated again. False where the product itself would load the page.
"""
AS_AT_FIRST = """() => {
  if (!localStorage.length) return false;
  localStorage.clear();
  document.documentElement.dataset.theme = "light";
  return true;
}"""
SHIFTS = """
window.shifts = new PerformanceObserver(() => {});
window.jumped = 0;
window.addUp = list => {
  for (const entry of list) if (!entry.hadRecentInput) jumped += entry.value;
};
shifts = new PerformanceObserver(list => addUp(list.getEntries()));
shifts.observe({type: "layout-shift", buffered: true});
"""
JUMPED = """() => new Promise(done => {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    addUp(shifts.takeRecords());
    done(jumped);
  }));
})"""
COVERED = """() => {
  const boxes = of => [...document.querySelectorAll(of)].map(e => [e, e.getBoundingClientRect()])
    .filter(([e, {width, height}]) => e.checkVisibility() && width && height);
  const words = boxes(".stage, .figure-head > *, .figure-foot :is(.badge, .shape, a, summary, "
    + "select, [data-table])");
  return boxes(".zoom, .modebar-btn").flatMap(([control, a]) => words.filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    .map(([e]) => `${control.className} over ${e.className || e.textContent} of `
      + control.closest(".figure")?.id));
}"""
"""What Plotly's buttons, or the place that is kept for them, lie over. A stage clips its picture:
what lies beside it covers none of its titles, labels, legends and notes.
"""
PAINTING = """
window.painted = new WeakMap();
const ink = CanvasRenderingContext2D.prototype, { fillText } = ink;
const canvas = HTMLCanvasElement.prototype;
const width = Object.getOwnPropertyDescriptor(canvas, "width");
Object.defineProperty(canvas, "width", {...width, set(value) {
  painted.delete(this);
  width.set.call(this, value);
}});
ink.fillText = function (said, x, y) {
  fillText.call(this, said, x, y);
  const known = painted.get(this.canvas) ?? [], box = this.measureText(said);
  known.push({said, at: this.getTransform(), left: x - box.actualBoundingBoxLeft,
    right: x + box.actualBoundingBoxRight, top: y - box.actualBoundingBoxAscent,
    low: y + box.actualBoundingBoxDescent});
  painted.set(this.canvas, known);
};
"""
"""Writes down what still pictures say, and where: canvases keep no words."""
COLLIDING = r"""() => {
  const placed = ({left, right, top, low, at}) =>
    [[left + 1, top], [right - 1, top], [right - 1, low], [left + 1, low]].map(([x, y]) =>
      [at.a * x + at.c * y + at.e, at.b * x + at.d * y + at.f]);
  const corners = (text) => {
    const said = text.textContent, whole = text.getBBox();
    const [first, last] = /^\s|\s$/.test(said)
      ? [said.search(/\S/), said.trimEnd().length - 1].map(i => text.getExtentOfChar(i))
      : [whole, whole];
    const spare = 0.2 * parseFloat(getComputedStyle(text).fontSize);
    return placed({left: first.x, right: last.x + last.width, top: whole.y + spare,
      low: whole.y + whole.height - spare, at: text.getScreenCTM()});
  };
  const along = ([[a, b], [c, d], [e, f]]) => [[c - a, d - b], [e - c, f - d]].map(([x, y]) =>
    [x / (Math.hypot(x, y) || 1), y / (Math.hypot(x, y) || 1)]);
  const reach = (all, [x, y]) => all.map(at => at[0] * x + at[1] * y);
  const apart = (one, other) => [...along(one), ...along(other)].some(way => {
    const [a, b] = [reach(one, way), reach(other, way)];
    return Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b)) <= 1;
  });
  return [...document.querySelectorAll(".stage")].flatMap(stage => {
    const words = [...stage.querySelectorAll("text")].filter(text => text.textContent.trim()
      && text.checkVisibility() && !text.closest(".hoverlayer"))
      .map(text => [text.textContent, corners(text)]);
    const still = [...stage.querySelectorAll("canvas")].filter(canvas => globalThis.painted
      && canvas.checkVisibility({visibilityProperty: true})).flatMap(canvas =>
        (painted.get(canvas) ?? []).filter(({said, at}) => said.trim() && at.b === 0)
          .map(word => [word.said, placed(word)]));
    return [words, still].flatMap(all => all.flatMap(([one, box], i) => all.slice(i + 1)
      .filter(([, other]) => !apart(box, other))
      .map(([other]) => `${one} | ${other} in ${stage.closest(".figure")?.id}`)));
  });
}"""
"""Words of a figure that lie over each other: those of its still picture that are not slanted, and
all of the living one. Signs keep clear of the edges of their line, and spaces at the ends cover
nothing.
"""
AS_TYPED = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
"""Signs of written numbers."""
CELLS = """(figure, [row, cell]) => [...figure.querySelectorAll(row)].map(
  one => [...one.querySelectorAll(cell)].map(it => it.innerText))"""

expect.set_options(timeout=PATIENCE)

NOTES = [page.path for page in find_pages() if page.subject == "Reference"]
PICTURES = [page.path for page in find_pages() if page.path not in NOTES]
CLINICS = [page.path for page in find_pages() if page.has_claim]
OF_SUBJECTS = list({page.subject: page.path for page in find_pages()}.values())
"""A page of each subject: pages of a subject are made of the same parts, and what a key or a menu
does is the same code on all of them.
"""
UNLIKE = ("/models", "/memory", "/glossary")
"""Of these the most unlike: models, a clinic about a sentence, and notes."""


def pages_about(model: str) -> list[str]:
    """The pages that can show it."""
    card = next(card for card in cards() if card["id"] == model)
    return [page.path for page in find_pages() if page.fits(card)]


@pytest.fixture(scope="session")
def browser_type_launch_args(tmp_path_factory: pytest.TempPathFactory) -> dict:
    if missing := fonts.missing():
        pytest.fail(fonts.what_to_do(missing), pytrace=False)
    return {
        "executable_path": chromium(),
        "args": [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
        ],
        "env": fonts.environment(tmp_path_factory.mktemp("fonts")),
    }


@pytest.fixture(scope="session")
def server(house: Running) -> Running:
    """That of the tests of the app: what one has asked, the other need not compute."""
    return house


def eventually(page: Page, ask: Callable[[], object], wanted: object) -> None:
    """Asks again, while the browser goes on, until the answer is the wanted one."""
    end = time.monotonic() + PATIENCE / 1000
    while (answer := ask()) != wanted:
        assert time.monotonic() < end, f"{answer} instead of {wanted}"
        page.wait_for_function("new Promise(requestAnimationFrame)")  # outlives a navigation


def choose(page: Page, name: str, value: str) -> None:
    """One of a row of choices."""
    page.locator(f'label:has(input[name="{name}"][value="{value}"])').click()


def expect_call(page: Page, figure: str, **fields: object) -> None:
    """The figure's own link asks the API for these."""
    link = page.locator(f"#{figure} [data-get]")
    for name, value in fields.items():
        expect(link).to_have_attribute("href", re.compile(rf"[?&]{name}={value}(&|$)"))


def table_of(figure: Locator, rows: str = "tbody tr", cells: str = "td") -> list[list[str]]:
    """The text table of a figure, which is opened for it without its menu; one question for all
    its cells.
    """
    figure.locator("[data-table]").dispatch_event("click")
    expect(figure.locator("tbody tr").first).to_be_visible()
    found = figure.evaluate(CELLS, [rows, cells])
    figure.locator("[data-table]").dispatch_event("click")
    return found


def numbers(text: str) -> list[int]:
    """The whole numbers of a sentence, in its order."""
    return [int(digits) for digits in re.findall(r"\d+", text)]


def as_float(text: str) -> float:
    """The number that is written in a cell of a table."""
    return float(text.replace(" × 10", "e").translate(AS_TYPED))


def number(count: object) -> re.Pattern:
    """A text that holds this number."""
    return re.compile(rf"(?<![\d.]){count}(?![\d.]\d)")


class Visitor:
    """Somebody with a browser; everything that goes wrong in it is written down."""

    def __init__(self, context: BrowserContext, address: str):
        self.context, self.address = context, address
        self.heard: list[str] = []
        self.known: tuple[str, ...] = ()
        self.lives = True
        self.as_left = False
        context.set_default_timeout(PATIENCE)  # also of what a test asks the API itself
        self.page: Page = context.new_page()
        self.window = self.page.viewport_size
        self.page.on("console", lambda message: self.on_console(message.type, message.text))
        self.page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        self.page.on(
            "dialog",
            lambda dialog: (self.heard.append(f"dialog: {dialog.message}"), dialog.dismiss()),
        )
        self.page.on("request", lambda request: self.left(request.url))

    def on_console(self, kind: str, text: str) -> None:
        """Chromium reports every 503; a busy server's is answered by asking again, which `ready`
        waits for. It reports what `without` keeps out, too.
        """
        expected = ("status of 503", "net::ERR_BLOCKED_BY_CLIENT")
        if kind in ("error", "warning") and not any(known in text for known in expected):
            self.heard.append(f"console: {text}")

    def refused(self, *known: str) -> None:
        """That Chromium reports questions which the API refuses as they stand, and what does not
        exist, or what is `known`, is not wrong in this test: it may report it at any time.
        """
        self.known += known or ("status of 422", "status of 404")

    @property
    def wrongs(self) -> list[str]:
        return [wrong for wrong in self.heard if not any(part in wrong for part in self.known)]

    def left(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.heard.append(f"left the machine: {url}")

    def without(self, address: str) -> None:
        """From now on nothing comes from addresses of this form."""
        self.lives = self.lives and "plotly" not in address
        network = self.context.new_cdp_session(self.page)
        network.send("Network.enable")
        network.send("Network.setBlockedURLs", {"urls": [address]})

    def visit(self, path: str) -> Page:
        """Goes on to the page, as by a link, and waits for its picture. The pointer rests in the
        corner, wherever the test before left it: what it points at would be chosen.
        """
        self.page.mouse.move(1, 1)
        url = self.address + path
        if not (self.page.url.startswith(self.address) and self.page.evaluate(GO, url)):
            self.page.goto(url)
        self.as_left = True
        return self.ready()

    def load(self, path: str) -> Page:
        """Opens the page as from a bookmark: all is loaded, evaluated and asked for again."""
        self.page.mouse.move(1, 1)
        self.page.goto(self.address + path)
        self.as_left = True
        return self.ready()

    def stay(self, path: str) -> Page:
        """The page as it stands where it is open already, for tests that look and put back what
        they touch.
        """
        here = self.as_left and self.page.url == self.address + path
        return self.ready() if here else self.visit(path)

    def forget(self) -> None:
        """What went wrong, what the browser remembers of how the page was left, and its size."""
        self.page.mouse.move(0, 0)
        if self.page.viewport_size != self.window:
            self.page.set_viewport_size(self.window)
        if self.page.url.startswith(self.address) and self.page.evaluate(AS_AT_FIRST):
            self.as_left = False  # it is drawn in another theme
        self.heard.clear()  # also what was heard of the page before only by now
        self.known = ()

    def announced(self) -> Page:
        """The page once its name has been said for ears, which would take the place of what else
        is said.
        """
        expect(self.page.locator("#live")).to_have_text(self.page.title())
        return self.page

    def ready(self) -> Page:
        """The page when its answer is drawn, and Plotly has taken the place of every still picture:
        whoever reads a figure before that reads one that is about to be replaced.
        """
        expect(self.page.locator(FIGURES_READY)).to_have_count(1)
        if self.lives:
            expect(self.page.locator(STILL)).to_have_count(0)
        return self.page


@pytest.fixture(scope="session")
def regulars(browser: Browser, server: Running) -> Iterator[Callable[..., Visitor]]:
    known: dict[str, Visitor] = {}

    def regular(device: dict, *, plotly: bool = True) -> Visitor:
        key = json.dumps([device, plotly], sort_keys=True)
        if key not in known:
            context = browser.new_context(**device)
            for script in (SHIFTS, PAINTING):
                context.add_init_script(script)
            known[key] = Visitor(context, server.address)
            if not plotly:
                known[key].without(PLOTLY)
        return known[key]

    yield regular
    for visitor in known.values():
        visitor.context.close()


@pytest.fixture
def regular(regulars: Callable[..., Visitor], request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """Somebody who was here before: the browser's cache is warm, and the page may still be open."""
    yield from again(regulars(getattr(request, "param", LAPTOP)))


@pytest.fixture
def still(regulars: Callable[..., Visitor], request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """Somebody who was here before, and to whom Plotly does not come: for what is not in a figure,
    on pages whose figures take longer to come alive than everything else.
    """
    yield from again(regulars(getattr(request, "param", LAPTOP), plotly=False))


def again(it: Visitor) -> Iterator[Visitor]:
    it.forget()
    yield it
    it.page.unroute_all(behavior="ignoreErrors")
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
