"""The residual page: five views of one stream, chosen by pointer, by keys and by address, and sums
that can be seen to be sums.
"""

import json
import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor, as_float, eventually, table_of
from tests.thorough import mostly

VIEWS = ["contributions", "norm", "writes", "dependency", "lens"]


def table(page: Page) -> list[list[str]]:
    """The first figure's table, opened."""
    return table_of(page.locator("#stream"), rows="table tr", cells="th, td")


def has_number(text: str) -> bool:
    """A part that is not written yet has none."""
    return any(sign.isdigit() for sign in text)


def stream_state(page: Page) -> str:
    """The figure as it stands, when it lives."""
    expect(page.locator("#stream .stage[data-interactive]")).to_be_visible()
    return page.evaluate(
        """() => {
            const { data, layout } = document.querySelector('#stream .js-plotly-plot');
            return JSON.stringify([data.map(({ x, y, z }) => [x, y, z]), layout.shapes]);
        }"""
    )


def says(page: Page, part: str, text: str) -> bool:
    """Whether this is said at the middle of the last bar of a part, where the pointer moves."""
    x, y = page.evaluate(
        """title => {
            const plot = document.querySelector('#stream .js-plotly-plot');
            const { data, _fullLayout: { xaxis, yaxis } } = plot;
            const { x, y, base } = data.find(({ meta }) => meta.column === title);
            const last = x.length - 1;
            const { left, top } = plot.getBoundingClientRect();
            return [
                left + xaxis._offset + xaxis.d2p(x[last]),
                top + yaxis._offset + yaxis.d2p(base[last] + y[last] / 2),
            ];
        }""",
        part,
    )
    page.mouse.move(x, y)
    page.mouse.move(x + 1, y)
    card = page.locator("#stream .hover-card").inner_text()
    return part in card and text in card


def test_of_a_long_text_a_part_is_shown(regular: Visitor):
    page = regular.visit(
        "/residual?model=shakespeare&window=4:9&show=norm&text=ROMEO%3A+but+soft+what+light"
    )
    whole = {"model": "shakespeare", "text": "ROMEO: but soft what light", "names": "norm"}
    answer = page.request.get(f"{regular.address}/api/v1/residual", params=whole).json()
    traces = json.loads(stream_state(page))[0]
    expected = [step[5] for step in answer["tensors"]["norm"]["data"]]
    assert any([*y.values()] == pytest.approx(expected, rel=1e-4) for _, y, _ in traces)


def test_it_opens_on_the_logit_lens(regular: Visitor):
    page = regular.visit("/residual")
    expect(page.locator("input[name=view][value=lens]")).to_be_checked()
    expect(page.locator("[data-view]:visible")).to_have_count(1)


def test_contributions_sum_to_the_stream(regular: Visitor):
    page = regular.visit("/residual?view=contributions")
    head, *steps = table(page)
    assert "|x|" in head[-1]
    assert len(steps) == 10
    for _, *parts, length in steps:
        assert sum(as_float(cell) for cell in parts if has_number(cell)) == pytest.approx(
            as_float(length), abs=3e-3 * len(parts)
        )
    expect(page.locator("#readout")).to_have_text(re.compile(r"\d"))


@pytest.mark.parametrize("stack", mostly(["encoder", "decoder"], "decoder"))
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_a_picture_of_its_own_and_its_words(regular: Visitor, view: str, stack: str):
    page = regular.visit(f"/residual?view={view}&stack={stack}")
    expect(page.locator(f'input[name=view][value="{view}"]')).to_be_checked()
    expect(page.locator("[data-view]:visible")).to_have_count(1)
    assert len(page.locator(".beside").inner_text().split()) <= 70
    lens = page.locator("input[name=view][value=lens]")
    assert (lens.locator("..").get_attribute("title") != "") == (stack == "encoder"), (
        "nothing is read from the encoder's stream as words"
    )


def test_the_views_differ_and_back_leads_through_them(regular: Visitor):
    page = regular.visit("/residual?view=contributions")
    states = [stream_state(page)]
    for view in VIEWS[1:]:
        page.locator("label", has=page.locator(f'input[value="{view}"]')).click()
        # The page opens on the lens, which then is not in the address.
        expect(page).to_have_url(
            re.compile(f"view={view}" if view != "lens" else r"^((?!view=).)*$")
        )
        regular.ready()
        eventually(page, lambda: stream_state(page) not in states, True)
        states.append(stream_state(page))
    page.go_back()
    expect(page).to_have_url(re.compile("view=dependency"))
    regular.ready()
    eventually(page, lambda: stream_state(page), states[3])


def test_arrows_walk_the_steps_and_the_tokens(regular: Visitor):
    page = regular.visit("/residual?view=contributions")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("step=8"))
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("position=2"))
    page.keyboard.press("ArrowRight")
    expect(page).not_to_have_url(re.compile("step="))
    expect(page.locator("select[name=step]")).to_have_value("end")
    expect(page.locator("select[name=position]")).to_have_value("2")


def test_a_click_on_a_bar_selects_its_step_and_one_on_a_token_the_token(regular: Visitor):
    page = regular.visit("/residual?view=contributions")
    expect(page.locator("#stream .stage[data-interactive]")).to_be_visible()
    box = page.locator("#stream .nsewdrag").bounding_box()
    page.mouse.click(box["x"] + 0.445 * box["width"], box["y"] + 0.8 * box["height"])
    expect(page).to_have_url(re.compile("step=4"))
    page.locator("#tokens button").first.click()
    expect(page).to_have_url(re.compile("position=0"))
    expect(page.locator("#tokens button").first).to_have_attribute("aria-pressed", "true")


def test_a_stacked_bar_says_the_number_that_the_answer_has_for_its_part(regular: Visitor):
    page = regular.visit("/residual?view=contributions&position=1")
    answer = page.request.get(
        f"{regular.address}/api/v1/residual?model=translator&source=i+am+cold&position=1"
    ).json()
    names = [part["name"] for part in answer["parts"]]
    values = answer["tensors"]["projections"]["data"][-1]
    (length,) = answer["tensors"]["norm"]["data"][-1]
    for layer in (1, 2):
        value = values[names.index(f"decoder.{layer}.feed_forward")][0]
        part, text = f"layer {layer} feed-forward", f"{value:.2f} of |x| = {length:.1f}"
        eventually(page, partial(says, page, part, text), True)


def test_what_would_be_said_stands_under_each_column(regular: Visitor):
    page = regular.visit("/residual?view=contributions&position=1")
    answer = page.request.get(
        f"{regular.address}/api/v1/logits?model=translator&source=i+am+cold&lens=true&top=1"
    ).json()
    guesses = page.locator("#says .guess > :first-child").all_inner_texts()
    assert guesses == [tokens[1][0] for tokens in answer["lens_tokens"]]


def test_a_token_or_a_step_beyond_the_end_is_the_last_one(regular: Visitor):
    page = regular.visit("/residual?view=contributions&position=99&step=99")
    for name in ("position", "step"):
        last = page.locator(f"select[name={name}] option").last.get_attribute("value")
        expect(page.locator(f"select[name={name}]")).to_have_value(last)


def test_the_lens_table_ends_with_what_the_model_says(regular: Visitor):
    page = regular.visit("/residual?view=lens")
    _, *rows = table(page)
    answer = page.request.get(
        f"{regular.address}{page.locator('#stream [data-get]').get_attribute('href')}"
    ).json()
    assert [row[-1].split()[0] for row in rows] == [tokens[0] for tokens in answer["top_tokens"]]
    notes = page.locator("#stream .plot .annotation").all_text_contents()
    assert [note[2:] for note in notes if note.startswith("→ ")] == answer["expected"]


def test_where_nothing_is_read_the_reason_stands_in_the_figure(regular: Visitor):
    page = regular.visit("/residual?view=lens&stack=encoder")
    expect(page.locator("#stream .stage[data-interactive]")).to_be_visible()
    expect(page.locator("#stream .plot .annotation")).to_have_count(1)
    expect(page.locator("#says")).to_be_hidden()
