"""The tokens of `static/css/tokens.css`: colours, fonts and sizes, for each theme."""

import re
from functools import cache

from app.paths import folder

DECLARATION = re.compile(r"--([\w-]+):\s*([^;]+);")


@cache
def tokens(theme: str = "light") -> dict[str, str]:
    """The tokens of a theme by name, without the two hyphens. What a theme does not say is as in
    the light theme.
    """
    css = (folder("static") / "css" / "tokens.css").read_text(encoding="utf-8")
    light = declared(css, ":root {")
    return light if theme == "light" else light | declared(css, f':root[data-theme="{theme}"] {{')


def declared(css: str, selector: str) -> dict[str, str]:
    start = css.index(selector)
    block = css[start : css.index("\n}", start)]
    return {name: " ".join(value.split()) for name, value in DECLARATION.findall(block)}


def stops(scale: str) -> list[str]:
    """The colours of a scale, "cividis" or "signed", at equal distances."""
    return [stop.strip() for stop in tokens()[scale].split(",")]
