"""Figures under the hand: what is said at the pointer is the answer's number, zoom and legend work,
keys walk, nothing moves when Plotly comes, and what is taken along is what is shown.
"""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitor, eventually

PAGES = {
    "/scaling": "weights",
    "/scaling?show=products": "beside",
    "/scores": "patterns",
    "/attention": "map",
    "/attention?head=all": "heads",
    "/norms": "stream",
    "/performer": "maps",
}
every_page = pytest.mark.parametrize(("address", "id"), PAGES.items(), ids=PAGES.keys())

PLACES = """plot => {
  const full = plot._fullLayout, found = [];
  plot.data.forEach((trace, curve) => {
    const key = (axis) => `${axis}axis${(trace[`${axis}axis`] ?? axis).slice(1)}`;
    const [x, y] = [full[key("x")], full[key("y")]];
    const put = (at, row, px, py, value) => {
      const inside = px > 4 && py > 4 && px < x._length - 4 && py < y._length - 4;
      if (inside && Number.isFinite(value)) {
        found.push({curve, at, row, value, x: x._offset + px, y: y._offset + py});
      }
    };
    if (trace.z) Array.from(trace.z).forEach((row, r) => Array.from(row).forEach((value, c) => {
      const middle = (list, i) => !list ? i : list.length > i + 1 && list.length === (
        list === trace.x ? row.length : trace.z.length) + 1 ? (list[i] + list[i + 1]) / 2 : list[i];
      put(c, r, x.d2p(middle(trace.x, c)), y.d2p(middle(trace.y, r)), value);
    }));
    else Array.from(trace.y).forEach((value, i) =>
      put(i, 0, x.d2p(trace.x[i]), y.d2p(value), value));
  });
  return found;
}"""
"""Where the points of a figure lie in its stage, and their numbers."""


def living(page: Page, id: str) -> Locator:
    """The figure, once Plotly has taken the place of its still picture."""
    stage = page.locator(f"#{id} .stage[data-living]")
    expect(stage.locator(".plot .main-svg").first).to_be_visible()
    return stage


def numbers_in(text: str) -> list[float]:
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    plain = re.sub(r" × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m[1].translate(raised), text)
    return [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", plain.replace("−", "-"))]


def point_at(page: Page, stage: Locator, place: dict) -> Locator:
    """The card at the pointer."""
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + place["x"], box["y"] + place["y"], steps=3)
    card = stage.get_by_role("tooltip")
    expect(card).to_be_visible()
    return card


def says(card: Locator, value: float) -> bool:
    return any(n == pytest.approx(value, rel=6e-3) for n in numbers_in(card.inner_text()))


@pytest.mark.parametrize(
    ("address", "id"),
    [(address, PAGES[address]) for address in ("/scaling", "/scores", "/attention", "/performer")],
)
def test_the_pointer_is_told_the_number_that_stands_there(regular: Visitor, address: str, id: str):
    page = regular.visit(address)
    stage = living(page, id)
    places = stage.locator(".plot").evaluate(PLACES)
    assert len(places) > 3
    for place in places[:: max(1, len(places) // 5)]:
        card = point_at(page, stage, place)
        eventually(page, partial(says, card, place["value"]), True)


def test_what_is_said_on_a_map_is_what_the_api_has_there(regular: Visitor):
    page = regular.visit("/attention?layer=1&head=2&source=i+am+cold")
    stage = living(page, "map")
    call = page.locator("#map [data-get]").get_attribute("href")
    answer = page.request.get(regular.address + str(call)).json()
    (pattern,) = (t["data"][0] for name, t in answer["tensors"].items() if name.endswith("pattern"))
    for place in stage.locator(".plot").evaluate(PLACES)[::3]:
        card = point_at(page, stage, place)
        expect(card).to_contain_text(answer["axes"]["source"]["labels"][place["at"]])
        eventually(page, partial(says, card, pattern[place["row"]][place["at"]]), True)


@every_page
def test_nothing_moves_when_plotly_takes_the_place_of_the_still_picture(
    regular: Visitor, address: str, id: str
):
    page = regular.visit(address)
    moved = living(page, id).evaluate(
        """async stage => {
          const link = document.querySelector('link[href$="js/figures/show.js"]');
          const {figures} = await import(link.href);
          const {arranged} = figures.get(stage), full = stage.querySelector(".plot")._fullLayout;
          return arranged.panels.flatMap(({x, y, box}) => [
            full[x]._offset - box.x, full[y]._offset - box.y,
            full[x]._length - box.width, full[y]._length - box.height,
          ]);
        }"""
    )
    assert np.abs(moved).max() <= 2


def test_a_drag_zooms_and_a_double_click_resets(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    ranges = "plot => [...plot._fullLayout.xaxis.range, ...plot._fullLayout.yaxis.range]"
    plot = stage.locator(".plot")
    before = plot.evaluate(ranges)
    box = stage.locator(".nsewdrag").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.8, steps=5)
    page.mouse.up()
    expect(stage.locator(".zoombox")).to_have_count(0)
    zoomed = plot.evaluate(ranges)
    assert before[0] < zoomed[0] < zoomed[1] < before[1]
    page.mouse.dblclick(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    expect(stage.locator(".xtick text").last).to_have_text("1024")
    assert plot.evaluate(ranges) == pytest.approx(before)


def test_a_click_on_the_legend_hides_a_line_and_shows_it_again(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    shown = stage.locator(".scatterlayer .trace")
    expect(shown).to_have_count(2)
    stage.locator(".legendtoggle").first.click()
    expect(shown).to_have_count(1)
    stage.locator(".legendtoggle").first.click()
    expect(shown).to_have_count(2)


def test_the_arrows_walk_the_points_and_enter_chooses(regular: Visitor):
    page = regular.visit("/scaling")
    stage = living(page, "beside")
    figure = page.request.get(f"{regular.address}/api/v1/scaling/figures/entropy").json()
    stage.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    live = page.locator("#live")
    expect(live).to_contain_text("entropy")
    said = live.inner_text()
    assert any(n in numbers_in(said) for n in (1, 4, 16))
    assert numbers_in(said)[1] == pytest.approx(
        dict(zip(figure["data"][0]["x"], figure["data"][0]["y"], strict=True))[numbers_in(said)[0]],
        rel=6e-3,
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"d_head={numbers_in(said)[0]:.0f}"))


def test_the_exported_figure_is_the_one_that_is_shown(regular: Visitor, tmp_path: Path):
    page = regular.visit("/scaling")
    living(page, "beside")
    menu = page.locator("#beside .export")
    for kind in ("json", "svg", "png"):
        menu.locator("summary").click()
        with page.expect_download() as download:
            menu.locator(f'[data-export="{kind}"]').click()
        path = tmp_path / download.value.suggested_filename
        assert path.name == f"vitrine-scaling-beside.{kind}"
        download.value.save_as(path)
        if kind == "json":
            exported = go.Figure(json.loads(path.read_text()))
            served = page.request.get(
                f"{regular.address}/api/v1/scaling/figures/entropy?encoding=base64"
                "&d_head=1024&correlation=0&seed=0&seeds=4"
            ).json()
            assert exported == go.Figure(served)
        elif kind == "svg":
            text = path.read_text()
            assert "random initialisation" in text
            assert "/api/v1/scaling" in text
        else:
            assert path.read_bytes()[:4] == b"\x89PNG"
