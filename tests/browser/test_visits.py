"""Going from page to page: what stands there is swapped, and nothing is left behind; an ordinary
load is the way out wherever that cannot be.
"""

import re

import pytest
from playwright.sync_api import CDPSession, Page, Request, Route, expect

from tests.browser.conftest import Visitor, eventually

TOUR = ("/attention", "/training", "/models", "/norms")
"""Pages of three rooms: one input, models and clinics."""
HELD_FIGURES = """async () => {
  const link = document.querySelector('link[href$="js/figures/show.js"]');
  return (await import(link.href)).figures.size;
}"""
HELD = re.compile(r"/api/v1/norms/figures")


def titled(page: Page, path: str) -> str:
    return str(page.locator(f'.rooms a[href^="{path}?"], .rooms a[href="{path}"]').text_content())


def follow(visitor: Visitor, path: str) -> Page:
    """Follows the link to a page and waits for its picture."""
    click(visitor.page, path)
    return arrived(visitor, path)


def click(page: Page, path: str) -> None:
    link = page.locator(f'.rooms a[href^="{path}?"], .rooms a[href="{path}"]')
    link.evaluate("link => link.click()")


def arrived(visitor: Visitor, path: str) -> Page:
    word = path.removeprefix("/") or "overview"
    expect(visitor.page.locator("body")).to_have_attribute("data-page", word)
    return visitor.ready()


def alive(page: Page) -> None:
    """Every figure in sight is Plotly's."""
    for stage in page.locator(".stage:has(> canvas):visible").all():
        expect(stage.locator(".plot .main-svg").first).to_be_visible()


@pytest.fixture
def walker(regular: Visitor) -> Visitor:
    """Somebody on /scaling, where Plotly has come."""
    alive(regular.visit("/scaling"))
    regular.page.evaluate("window.first = Plotly")
    return regular


def same_document(page: Page) -> bool:
    return bool(page.evaluate("window.first !== undefined"))


def measured(cdp: CDPSession) -> dict[str, float]:
    for _ in range(2):
        cdp.send("HeapProfiler.collectGarbage")
    metrics = {it["name"]: it["value"] for it in cdp.send("Performance.getMetrics")["metrics"]}
    return {name: metrics[name] for name in ("Nodes", "JSEventListeners", "JSHeapUsedSize")}


@pytest.mark.thorough  # a tour of all pages
def test_a_tour_evaluates_plotly_once_and_leaves_no_figure_no_listener_and_no_memory_behind(
    walker: Visitor,
):
    scripts: list[str] = []
    walker.page.on("request", lambda request: scripts.append(request.url))
    cdp = walker.context.new_cdp_session(walker.page)
    cdp.send("Performance.enable")
    cdp.send("HeapProfiler.enable")

    def tour() -> dict[str, float]:
        for path in (*TOUR, "/scaling"):
            alive(follow(walker, path))
        assert walker.page.evaluate(HELD_FIGURES) == walker.page.locator(".stage").count()
        return measured(cdp)

    tour()  # modules and answers that are kept come once
    assert walker.page.evaluate("window.first === Plotly")
    assert not [url for url in scripts if "plotly.min" in url]
    base = tour()
    again = tour()
    assert again["Nodes"] == pytest.approx(base["Nodes"], rel=0.1)
    assert again["JSEventListeners"] == pytest.approx(base["JSEventListeners"], rel=0.1)
    assert again["JSHeapUsedSize"] <= 1.1 * base["JSHeapUsedSize"]


def test_address_title_and_focus_are_those_of_the_page(walker: Visitor):
    page = walker.page
    title = titled(page, "/norms")
    follow(walker, "/norms")
    assert same_document(page)
    assert "/norms?" in page.url
    expect(page).to_have_title(f"{title} · Vitrine")
    expect(page.locator("#live")).to_have_text(f"{title} · Vitrine")
    expect(page.locator("main")).to_be_focused()
    expect(page.locator(".rooms a[aria-current=page]")).to_have_text(title)
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("f")
    follow(walker, "/scores")
    expect(page.locator("html")).to_have_attribute("data-presenter", "")
    expect(page.locator("#presenter")).to_have_attribute("aria-pressed", "true")


LATER = """() => {
  const own = setTimeout;
  window.later = [];
  window.setTimeout = (f, wait, ...more) => wait === 150 ? later.push(f) : own(f, wait, ...more);
  window.now = () => { for (const one of later) one(); window.setTimeout = own; };
}"""
"""What a page does 150 ms after it came, it does when the test says so."""


def test_the_title_of_a_page_is_not_said_over_what_was_said_on_it(walker: Visitor):
    page = walker.page
    page.evaluate(LATER)
    follow(walker, "/norms")
    alive(page)
    eventually(page, lambda: page.evaluate("later.length") > 0, True)
    live = page.locator("#live")
    expect(live).to_be_empty()
    walker.ready()  # what is not drawn yet has nothing to say
    page.locator(".stage:visible").first.focus()
    page.keyboard.press("ArrowRight")
    expect(live).not_to_be_empty()
    text = live.inner_text()
    page.evaluate("now()")
    expect(live).to_have_text(text)


def test_back_and_forward_are_right_between_pages_and_within_one(walker: Visitor):
    page = walker.page
    first = page.url
    page.keyboard.press("2")
    eventually(page, lambda: page.url != first, True)
    walker.ready()
    second = page.url
    follow(walker, "/glossary")
    page.evaluate("scrollTo(0, 700)")
    third = page.url
    follow(walker, "/norms")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    arrived(walker, "/glossary")
    assert page.url == third
    eventually(page, lambda: page.evaluate("scrollY"), 700)
    page.go_back()
    arrived(walker, "/scaling")
    assert page.url == second
    page.go_back()
    eventually(page, lambda: page.url, first)
    alive(walker.ready())
    assert page.locator("body").get_attribute("data-page") == "scaling"
    for _ in range(3):
        page.go_forward()
    arrived(walker, "/norms")
    assert same_document(page)


def test_back_is_right_where_a_page_was_loaded_again_after_it_was_swapped(walker: Visitor):
    page = walker.page
    follow(walker, "/glossary")
    page.reload()
    arrived(walker, "/glossary")
    page.go_back()
    alive(arrived(walker, "/scaling"))
    page.go_forward()
    arrived(walker, "/glossary")


@pytest.mark.thorough  # test_models.py goes there and back, with the focus
def test_another_model_is_another_page_and_keeps_the_focus(walker: Visitor):
    page = walker.page
    alive(follow(walker, "/residual"))
    model = page.locator('[name="model"]')
    model.select_option("induction-2")
    expect(page.locator('#input [name="text"]')).not_to_have_value("")
    alive(walker.ready())
    assert same_document(page)
    assert "model=induction-2" in page.url
    expect(model).to_be_focused()
    page.go_back()
    expect(page.locator('#input [name="source"]')).not_to_have_value("")
    walker.ready()
    assert same_document(page)


@pytest.mark.thorough  # test_images.py opens such a page
def test_a_page_that_cannot_show_the_model_says_so_in_its_address(regular: Visitor):
    regular.visit("/scaling?model=translator")
    page = follow(regular, "/images")
    assert "model=translator" not in page.url
    expect(page.locator('[name="model"]')).to_have_value("digits")


def test_a_page_that_does_not_come_is_loaded_as_ever(walker: Visitor):
    page = walker.page

    def broken(route: Route, request: Request) -> None:
        if request.resource_type == "fetch":
            route.fulfill(status=500, body="")
        else:
            route.continue_()

    page.route(re.compile(r":\d+/norms"), broken)
    follow(walker, "/norms")
    assert not same_document(page)
    assert "/norms?" in page.url
    page.go_back()
    arrived(walker, "/scaling")
    walker.refused("status of 500")


def test_what_is_no_page_is_no_visit(walker: Visitor):
    page = walker.page
    call = page.locator(".figure:visible [data-get]").first
    page.goto(walker.address + str(call.get_attribute("href")))
    expect(page).to_have_url(re.compile("/api/v1/"))
    assert not same_document(page)


@pytest.mark.thorough  # of browsers that get rarer
def test_without_the_means_every_page_is_loaded(visitor: Visitor):
    visitor.page.add_init_script("delete window.navigation")
    visitor.visit("/scaling")
    visitor.page.evaluate("window.first = 1")
    page = follow(visitor, "/residual")
    assert not same_document(page)
    page.evaluate("window.first = 1")
    page.locator('[name="model"]').select_option("induction-2")
    expect(page.locator('#input [name="text"]')).not_to_have_value("")
    visitor.ready()
    expect(page.locator('[name="model"]')).to_be_focused()
    assert not same_document(page)


def test_leaving_in_the_middle_of_a_computation_ends_its_questions(walker: Visitor):
    page = walker.page
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.route(HELD, lambda route: None)
    with page.expect_request(HELD):
        click(page, "/norms")
    follow(walker, "/scores")
    assert same_document(page)
    eventually(page, lambda: any(HELD.search(url) for url in failed), True)
    expect(page.locator("#status span")).to_have_text("")
    page.unroute(HELD)
    follow(walker, "/norms")


def test_a_figure_that_trains_stops_when_its_page_is_left(walker: Visitor):
    page = walker.page
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    alive(follow(walker, "/warmup"))
    page.locator("#train").click()
    expect(page.locator("#trained")).to_have_text(re.compile(r"step \d+"))
    follow(walker, "/training")
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    follow(walker, "/norms")
    assert "step=" not in page.url
    alive(page)


def test_a_language_is_chosen_in_the_menu_and_stays(visitor: Visitor):
    page = visitor.visit("/scaling")
    script: list[Route] = []  # of the menus, which comes when the first one opens
    page.route("**/js/menus.js*", lambda route: script.append(route))
    with page.expect_request("**/js/menus.js*"):
        page.locator(".view summary").click()
    page.locator("#language").select_option("fr")
    script.pop().continue_()
    page.unroute("**/js/menus.js*")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.locator(".view summary")).to_have_text("Affichage")
    follow(visitor, "/norms")
    expect(page.locator(".view summary")).to_have_text("Affichage")
    visitor.visit("/scaling").locator(".view summary").click()
    page.locator("#language").select_option("en")
    expect(page.locator(".view summary")).to_have_text("View")
