"""SVG as text. Colours and fonts are tokens, `var(--ink)`, so that a page's theme needs no new
drawing; a file has those of one theme.

All lengths are in units of which an EM is the size of the type.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from io import BytesIO

import numpy as np
from PIL import Image

from app.figures.theme import stops, tokens

EM = 13
NOTE = 16
SHADES = 101
TOKEN = re.compile(r'="var\(--([\w-]+)\)"')
# Not allowed in XML 1.0, even escaped.
FORBIDDEN = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]")

Point = tuple[float, float]


def element(name: str, content: str = "", **attributes: object) -> str:
    """An element whose `content` is written already. An attribute that is None is left out; `_` at
    the end of a name is not written, and `_` in it is a hyphen.
    """
    markup = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{encode(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{markup}>{content}</{name}>" if content else f"<{name}{markup}/>"


def encode(value: object) -> str:
    """The value of an attribute, or a text: numbers with two decimals, signs of markup escaped."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(FORBIDDEN.sub("\ufffd", str(value)))


def ink(token: str | None) -> str | None:
    """The colour or the font of this name."""
    return token and f"var(--{token})"


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str | None = None,
    stroke: str | None = None,
    line: float | None = None,
    kind: str | None = None,
) -> str:
    return element(
        "rect",
        x=x,
        y=y,
        width=float(width),
        height=float(height),
        fill=ink(fill),
        stroke=ink(stroke),
        stroke_width=line,
        class_=kind,
    )


def path(
    points: Iterable[Point],
    stroke: str | None = None,
    line: float | None = None,
    *,
    fill: str | None = None,
    opacity: float | None = None,
) -> str:
    """A line through the points, or with `fill` the area within them."""
    through = "L".join(f"{encode(float(x))} {encode(float(y))}" for x, y in points)
    return element(
        "path",
        d=f"M{through}{'Z' if fill else ''}",
        fill=ink(fill),
        stroke=ink(stroke),
        stroke_width=line,
        opacity=opacity,
    )


def broken(name: str) -> list[str]:
    """A name in lines, after its hyphens and between its words."""
    return re.split(r"(?<=-)| ", name)


def text(
    x: float,
    y: float,
    content: str,
    fill: str,
    *,
    font: str | None = None,
    anchor: str | None = None,
    size: float | None = None,
    italic: bool = False,
    bold: bool = False,
) -> str:
    """Words, in the middle of the height `y`."""
    return element(
        "text",
        encode(content),
        x=float(x),
        y=float(y + 0.35 * (size or EM)),
        fill=ink(fill),
        font_family=ink(font),
        font_size=size,
        font_style="italic" if italic else None,
        font_weight="bold" if bold else None,
        text_anchor=anchor,
    )


def link(href: str, label: str, *inside: str, **attributes: object) -> str:
    """What leads to another page, with a name for those who do not see it."""
    return element("a", "".join(inside), href=href, aria_label=label, class_="part", **attributes)


def cells(x: float, y: float, width: float, height: float, values: np.ndarray) -> str:
    """Shares from 0 to 1 as a picture of equal cells, [row, column], on the scale cividis."""
    return element(
        "image",
        x=float(x),
        y=float(y),
        width=float(width),
        height=float(height),
        preserveAspectRatio="none",
        image_rendering="pixelated",
        href=f"data:image/png;base64,{b64encode(png(values)).decode()}",
    )


def png(values: np.ndarray) -> bytes:
    """Shares from 0 to 1, to two decimals, as a PNG with a palette of the shades that occur."""
    shades = (np.clip(values, 0, 1) * (SHADES - 1)).round().astype(int)
    used, places = np.unique(shades, return_inverse=True)
    picture = Image.fromarray(places.reshape(values.shape).astype(np.uint8))
    picture.putpalette(ramp()[used].tobytes())
    file = BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


@cache
def ramp() -> np.ndarray:
    """Cividis in as many shades, [shade, channel]."""
    colours = stops("cividis")
    rgb = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours])
    at = np.linspace(0, len(colours) - 1, SHADES)
    channels = [np.interp(at, range(len(colours)), rgb[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)


@dataclass(frozen=True)
class Svg:
    """A whole drawing: its parts, written already, and its size."""

    width: float
    height: float
    label: str
    inside: str

    def __str__(self) -> str:
        """For a page, in which it is as large as its type."""
        em = f"{encode(self.width / EM)}em", f"{encode(self.height / EM)}em"
        return self.root(*em, self.height, group(self.inside))

    __html__ = __str__
    """A template takes it as it is: every text in it is escaped."""

    def root(self, width: object, height: object, tall: float, content: str) -> str:
        return element(
            "svg",
            content,
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=height,
            viewBox=f"0 0 {encode(float(self.width))} {encode(float(tall))}",
            role="group",
            aria_label=self.label,
        )

    def as_file(self, theme: str, notes: Sequence[str]) -> str:
        """For a file: with the colours and fonts of a theme, on its paper, and with notes below.
        Only whole values of attributes are tokens: in a text a quotation mark is escaped.
        """
        tall = self.height + NOTE * len(notes)
        paper = rect(0, 0, self.width, tall, fill="paper")
        below = "".join(
            text(4, self.height + NOTE * (i + 0.5), note, "ink-soft", size=11)
            for i, note in enumerate(notes)
        )
        whole = self.root(self.width, tall, tall, group(paper + self.inside + below))
        values = tokens(theme)
        return TOKEN.sub(lambda match: f'="{encode(values[match[1]])}"', whole)


def group(content: str) -> str:
    """Parts that share the type and the lines of a drawing."""
    return element("g", content, font_size=EM, font_family=ink("sans"), fill="none", stroke_width=1)
