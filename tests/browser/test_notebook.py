"""Figures of a notebook, in an export of it: the page's, alive, without a server and a network."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, FrameLocator, Page, expect
from vitrine_lab import Case
from vitrine_lab.notebook import bundle
from vitrine_lab.notebook import frame as notebook_frame

from tests.app.serving import Running
from tests.browser.conftest import LAPTOP, PATIENCE
from tests.thorough import mostly


@pytest.fixture(scope="module")
def case(house: Running) -> Iterator[Case]:
    with Case(house.address) as case:
        yield case


@pytest.fixture(scope="module")
def outputs(case: Case) -> list[dict[str, str]]:
    """What the cells of a notebook hold: the script, and ten figures."""
    attention = case.attention("i am cold", kind="cross", layer=2, head=1)
    scaling = case.scaling().figures
    others = [case.masks(), case.norms(), case.generate("i am cold"), case.heads()]
    figures = [attention, *attention.figures.values(), *scaling.values(), *others]
    return [bundle(case), *(figure._repr_mimebundle_() for figure in figures[:10])]


def export(folder: Path, outputs: list[dict[str, str]], theme: str) -> str:
    """The address of a notebook that was written as HTML. What nbconvert itself would fetch, for
    formulas, is taken out.
    """
    notebook = nbformat.v4.new_notebook()
    for output in outputs:
        cell = nbformat.v4.new_code_cell(
            "case", outputs=[nbformat.v4.new_output("display_data", output)]
        )
        notebook.cells.append(cell)
    content, _ = HTMLExporter(theme=theme).from_notebook_node(notebook)
    file = folder / f"{theme}.html"
    file.write_text(re.sub(r'<script src="https://[^"]+">\s*</script>', "", content))
    return file.as_uri()


@pytest.fixture(params=mostly(["light", "dark"], "dark"))
def page(
    request: pytest.FixtureRequest,
    browser: Browser,
    outputs: list[dict[str, str]],
    tmp_path: Path,
) -> Iterator[Page]:
    """Three figures of the export, in a browser without a network."""
    context = browser.new_context(**LAPTOP, offline=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.wrongs = []
    page.on("pageerror", lambda error: page.wrongs.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.wrongs.append(message.text))
    page.goto(export(tmp_path, [outputs[0], *outputs[1:4]], request.param))
    page.theme = request.param
    yield page
    context.close()


def frame(page: Page, number: int) -> FrameLocator:
    return page.frame_locator("vitrine-figure iframe").nth(number)


def test_an_export_shows_them_alive_in_its_colours(page: Page):
    figure = frame(page, 0)
    expect(figure.locator(".stage[data-interactive]")).to_have_count(1)
    expect(figure.locator("html")).to_have_attribute("data-theme", page.theme)
    expect(figure.locator("h1")).to_have_text("cross-attention, layer 2, head 1")
    expect(figure.locator(".figure-foot")).to_contain_text("trained · source “i am cold”")
    # The arrow keys walk the cells, and the card says the number.
    stage = figure.locator(".stage")
    stage.focus()
    stage.press("ArrowRight")
    expect(figure.locator(".hover-card")).to_contain_text("0.952")
    expect(frame(page, 2).locator(".stage[data-interactive]")).to_have_count(1)
    assert page.wrongs == []


ZOOM = """async () => {
    await Plotly.relayout(document.querySelector(".plot"), {"xaxis.range": [0.5, 2.5]})
}"""
RANGE = "document.querySelector('.plot')._fullLayout.xaxis.range"


@pytest.mark.thorough
def test_figures_follow_the_notebook_when_it_turns_light_or_dark(page: Page):
    """As JupyterLab does it, by attributes; and as pages do that ask the system."""
    other = {"light": "dark", "dark": "light"}[page.theme]
    figure = frame(page, 0)
    expect(figure.locator(".stage[data-interactive]")).to_have_count(1)
    inside = page.query_selector("vitrine-figure").evaluate_handle("one => one.frame")
    content = inside.as_element().content_frame()
    content.evaluate(ZOOM)
    turned = "white" if other == "dark" else "black"
    page.add_style_tag(
        content=f"[data-turned] vitrine-figure {{ color: {turned} }}"
        "@media (prefers-color-scheme: dark) { [data-turned] vitrine-figure { color: #fedcba } }"
    )
    page.evaluate("document.body.dataset.turned = ''")
    for number in range(3):
        expect(frame(page, number).locator("html")).to_have_attribute("data-theme", other)
    expect(figure.locator(".xtick text").first).to_have_css(
        "fill", figure.locator("body").evaluate("one => getComputedStyle(one).color")
    )
    assert content.evaluate(RANGE) == [0.5, 2.5]
    page.emulate_media(color_scheme="dark")
    expect(figure.locator("html")).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(figure.locator("html")).to_have_attribute("data-theme", other)
    assert page.wrongs == []


def test_a_drawing_is_in_the_colours_of_the_notebook_and_follows_them(
    browser: Browser, case: Case, outputs: list[dict[str, str]], tmp_path: Path
):
    drawing = case.architecture("i am cold")._repr_mimebundle_()
    context = browser.new_context(**LAPTOP, offline=True)
    page = context.new_page()
    page.goto(export(tmp_path, [outputs[0], drawing], "dark"))
    picture = page.locator("vitrine-drawing img")
    expect(picture).to_have_attribute("alt", "architecture of translator")
    expect(picture).to_have_js_property("complete", value=True)
    assert picture.evaluate("one => one.naturalWidth") > 500
    dark = picture.get_attribute("src")
    page.evaluate("document.documentElement.style.color = 'black'")
    page.add_style_tag(content="vitrine-drawing { color: black }")
    page.evaluate("document.body.className += ' turned'")
    expect(picture).not_to_have_attribute("src", dark)
    assert picture.get_attribute("src").startswith("data:image/svg+xml,")
    assert len(drawing["text/html"]) < 30_000
    context.close()


HERE = "http://127.0.0.1:8888"
SERVER = "http://127.0.0.1:7777"
OPEN = "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("policy", "runs", "message"),
    [
        (OPEN, True, None),
        (OPEN, False, "No server is running there now. Run this notebook again to see the page."),
        ("frame-ancestors 'self'", True, f"Start it with --embed {HERE}"),
        ("frame-ancestors 'self' https://a.example", True, f"doesn’t allow frames on {HERE}"),
    ],
)
def test_a_page_is_shown_in_a_frame_or_a_sentence_says_why_not(
    browser: Browser,
    outputs: list[dict[str, str]],
    tmp_path: Path,
    policy: str,
    runs: bool,
    message: str,
):
    fake_case = SimpleNamespace(address=f"{SERVER}/", server=object())
    cell = notebook_frame(fake_case, f"{SERVER}/attention?layer=1", policy, 480)
    file = export(tmp_path, [outputs[0], cell], "light")
    context = browser.new_context(**LAPTOP)
    page = context.new_page()
    context.route(
        f"{HERE}/**", lambda route: route.fulfill(path=Path(unquote(urlsplit(file).path)))
    )
    answer = {"body": "<h1>Attention</h1>", "content_type": "text/html"}
    headers = {"content-security-policy": policy}
    context.route(
        f"{SERVER}/**",
        lambda route: route.fulfill(**answer, headers=headers) if runs else route.abort(),
    )
    page.goto(f"{HERE}/notebook.html")
    place = page.locator("vitrine-page")
    if message is None:
        expect(place.frame_locator("iframe").locator("h1")).to_have_text("Attention")
        expect(place.locator("iframe")).to_have_attribute("src", f"{SERVER}/attention?layer=1")
    else:
        expect(place).to_contain_text(message)
        expect(place.locator("iframe")).to_have_count(0)
        expect(place.get_by_role("link")).to_have_attribute("href", f"{SERVER}/attention?layer=1")
    # In a file there is no frame, and nothing is asked for.
    page.goto(file)
    expect(place).to_contain_text("While this kernel runs")
    expect(place.locator("iframe")).to_have_count(0)
    context.close()


def test_ten_figures_are_small_and_hold_data_alone(outputs: list[dict[str, str]]):
    figures = [output["text/html"] for output in outputs[1:]]
    assert len(figures) == 10
    assert sum(map(len, figures)) < 200_000
    assert not any("<script" in html for html in figures)
    assert len(outputs[0]["text/html"]) < 2_500_000
    for figure in figures:
        packed = re.search(r'data-figure="([^"]+)"', figure)[1]
        held = json.loads(gzip.decompress(b64decode(packed)))
        assert json.loads(held["figure"])["layout"]["meta"]["title"]


def test_where_no_script_runs_the_words_stay(browser: Browser, outputs, tmp_path: Path):
    """As in a notebook that nobody has trusted yet."""
    context = browser.new_context(**LAPTOP, java_script_enabled=False)
    page = context.new_page()
    page.goto(export(tmp_path, outputs[:2], "light"))
    text = page.locator("vitrine-figure").inner_text()
    assert "cross-attention, layer 2, head 1" in text
    assert "trained" in text
    assert "run that cell, or trust this notebook" in text
    context.close()
