"""Colors, fonts, and sizes: the tokens in `static/css/tokens.css`, and their use in figures: the
light theme, which a notebook uses directly. On a page, the runtime substitutes those of the
reader's theme.
"""

import re
from functools import cache
from typing import Any

from app.paths import folder

ROOT_PIXELS = 16
DECLARATION = re.compile(r"--([\w-]+):\s*([^;]+);")
Scale = str | tuple[str, ...]
"""A scale by name, or the color roles that it interpolates."""


@cache
def tokens(theme: str = "light") -> dict[str, str]:
    """The tokens of a theme by name, without hyphens. Missing ones are the light theme's."""
    css = (folder("static") / "css" / "tokens.css").read_text(encoding="utf-8")
    light = declared(css, ":root {")
    return light if theme == "light" else light | declared(css, f':root[data-theme="{theme}"] {{')


def declared(css: str, selector: str) -> dict[str, str]:
    start = css.index(selector)
    block = css[start : css.index("\n}", start)]
    return {name: " ".join(value.split()) for name, value in DECLARATION.findall(block)}


def colour(role: str) -> str:
    """The color of a quantity, for instance "query", or of head number i, "head:i"; "clear query"
    is its transparent version.
    """
    if role.startswith("clear "):
        red, green, blue = (int(colour(role[6:])[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red}, {green}, {blue}, 0)"
    name, _, number = role.partition(":")
    if name == "head":
        heads = stops("heads")
        return heads[int(number) % len(heads)]
    return tokens()[name]


def stops(scale: Scale) -> list[str]:
    """The colors of a scale at equal distances: "cividis", "signed", or from role to role."""
    if isinstance(scale, str):
        return [stop.strip() for stop in tokens()[scale].split(",")]
    return [colour(role) for role in scale]


def colorscale(scale: Scale) -> list[list]:
    """The scale in Plotly's format."""
    colours = stops(scale)
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def pixels(size: str) -> float:
    """A font size in pixels."""
    return float(tokens()[size].removesuffix("rem")) * ROOT_PIXELS


@cache
def template() -> dict[str, Any]:
    """Black on white, in a sans serif font."""
    ink, soft, rule = colour("ink"), colour("ink-soft"), colour("rule")
    size = pixels("size-tick")
    axis = {
        "automargin": True,
        "gridcolor": rule,
        "linecolor": colour("rule-strong"),
        "showline": True,
        "tickcolor": colour("rule-strong"),
        "tickfont": {"size": size, "color": soft},
        "title": {"font": {"size": size, "color": soft}},
        "zeroline": False,
    }
    return {
        "layout": {
            "annotationdefaults": {
                "font": {"size": size},
                "showarrow": False,
            },
            "barmode": "overlay",
            "font": {"family": tokens()["sans"], "size": size, "color": ink},
            "hoverlabel": {
                "align": "left",
                "bgcolor": colour("paper"),
                "bordercolor": colour("rule-strong"),
                "font": {"size": size, "color": ink},
            },
            "paper_bgcolor": colour("paper"),
            "plot_bgcolor": colour("paper"),
            "xaxis": axis,
            "yaxis": axis,
        }
    }
