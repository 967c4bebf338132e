"""The colours of what is drawn: a role has its colour and its hue, and a scale its direction."""

import colorsys
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import plotly.graph_objects as go
import pytest

from tests.app.drawn.answers import each_word, figures_with_lines

CSS = (Path(__file__).parents[3] / "static" / "css" / "tokens.css").read_text(encoding="utf-8")
LIGHT = dict(re.findall(r"--([\w-]+): ([^;]+);", CSS.partition("\n}")[0]))
THEMES = re.findall(r"\n:root(?:\[[^\]]*\])? \{(.*?)\n\}", "\n" + CSS, re.DOTALL)
HUES = {
    "query": (250, 300),
    "key": (30, 50),
    "value": (165, 185),
    "position": (185, 200),
    "attention": (200, 225),
    "embedding": (212, 225),
    "cross": (315, 345),
    "feed-forward": (12, 28),
}
"""The hue of each quantity in degrees, in every theme: violet, ochre, teal, petrol, blue, slate,
pink, brick.
"""


def rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour.strip()[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def light(colour: str) -> float:
    """The luminance of a colour, as WCAG has it."""
    parts = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in rgb(colour))
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def warm(colour: str) -> float:
    """How much more red than blue there is in a colour."""
    red, _, blue = rgb(colour)
    return red - blue


def of_role(role: str) -> str:
    name, _, number = role.partition(":")
    heads = [colour.strip() for colour in LIGHT["heads"].split(",")]
    return heads[int(number) % len(heads)] if name == "head" else LIGHT[name].strip()


def assert_brighter_with_the_number(colours: list[str], what: str) -> None:
    lights = [light(colour) for colour in colours]
    assert all(a < b for a, b in pairwise(lights)), f"{what} does not run from dark to bright."


def assert_blue_below_and_orange_above(colours: list[str], what: str) -> None:
    half = len(colours) // 2
    below, above = colours[:half], colours[half + 1 :]
    assert all(warm(colour) < 0 for colour in below), f"{what} is not blue below 0."
    assert all(warm(colour) > 0 for colour in above), f"{what} is not orange above 0."
    assert abs(warm(colours[half])) < 0.05, f"{what} has a colour at 0."


def traces(word: str) -> Iterator[tuple[str, go.Figure, go.Scatter]]:
    for name, (figure, _) in figures_with_lines(word).items():
        for trace in figure.data:
            yield f"/{word}, {name}, {trace.name or trace.type}", figure, trace


@each_word
def test_a_scale_runs_in_its_direction_between_its_ends(word: str):
    for what, _, trace in traces(word):
        scale = (trace.meta or {}).get("scale")
        if trace.type != "heatmap" or scale is None:
            continue
        places, colours = zip(*trace.colorscale, strict=True)
        assert list(places) == sorted(places), f"{what}: the stops of the scale are not in order."
        assert trace.zmin < trace.zmax, f"{what}: the scale runs from {trace.zmin} to {trace.zmax}."
        assert not trace.reversescale, f"{what}: the scale is reversed."
        if scale == "cividis":
            assert_brighter_with_the_number(list(colours), f"{what}: its scale")
        elif scale == "signed":
            assert_blue_below_and_orange_above(list(colours), f"{what}: its scale")
        elif not isinstance(scale, str):
            wanted = [of_role(role.removeprefix("clear ")) for role in scale]
            got = [in_hexadecimal(colour) for colour in colours]
            assert got == wanted, f"{what}: the scale through {scale} has the colours {got}."


def in_hexadecimal(colour: str) -> str:
    """A colour without its transparency."""
    if numbers := re.match(r"rgba?\((\d+), ?(\d+), ?(\d+)", colour):
        return "#" + "".join(f"{int(number):02x}" for number in numbers.groups())
    return colour


@each_word
def test_a_trace_has_the_colour_of_its_role(word: str):
    for what, _, trace in traces(word):
        role = (trace.meta or {}).get("role")
        if role is None:
            continue
        hollow = (trace.meta or {}).get("hollow")
        colours = {
            "line": getattr(getattr(trace, "line", None), "color", None),
            "marker": getattr(getattr(trace, "marker", None), "color", None),
        }
        for part, colour in colours.items():
            if colour is None or hollow:
                continue
            wanted = [of_role(each) for each in role] if isinstance(role, list) else of_role(role)
            if isinstance(role, str) and not isinstance(colour, str):
                wanted = [wanted] * len(colour)
            if isinstance(role, list) and isinstance(colour, str):
                continue
            got = colour if isinstance(colour, str) else list(colour)
            assert got == wanted, f"{what}: the {part} of role {role} is {got}, not {wanted}."


@each_word
def test_a_note_has_the_colour_of_the_role_that_it_names(word: str):
    for name, (figure, _) in figures_with_lines(word).items():
        styles = figure.layout.meta.get("notes", ())
        for note, style in zip(figure.layout.annotations or (), styles, strict=True):
            if style is None or note.font.color is None:
                continue
            role = style["role"]
            wanted = of_role(role)
            label = f"/{word}, {name}: the note {note.text!r} of {role}"
            assert note.font.color == wanted, f"{label} is {note.font.color}, not {wanted}."


@pytest.mark.parametrize("theme", THEMES)
def test_the_scales_and_hues_of_a_theme_mean_what_they_mean_in_all(theme: str):
    tokens = dict(re.findall(r"--([\w-]+): ([^;]+);", theme))
    if "cividis" in tokens:
        assert_brighter_with_the_number(tokens["cividis"].split(","), "cividis")
    if "signed" in tokens:
        assert_blue_below_and_orange_above(tokens["signed"].split(","), "the signed scale")
    if "below" in tokens:
        assert warm(tokens["below"]) < 0 < warm(tokens["above"]), "below 0 is blue, above orange."
    for role, (low, high) in HUES.items():
        if role in tokens:
            hue = 360 * colorsys.rgb_to_hsv(*rgb(tokens[role]))[0]
            assert low <= hue <= high, f"{role} has the hue {hue:.0f}, not {low} to {high}."
