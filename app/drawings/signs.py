"""The signs that the drawings of models share: a norm, a sum, an arrow, and what they say."""

from collections.abc import Iterator

from app.drawings.svg import EM, element, encode, ink, link, path, rect, text
from model.labels import label

N = (
    "Layer normalization: each token’s vector is shifted and scaled to mean 0 and variance 1, then"
    " scaled by learned gains and shifted by learned biases."
)
PLUS = "Addition: the part’s output is added to the token’s vector in the residual stream."
LINE, THICK = 1.5, 3


def norm_sign(x: float, y: float) -> str:
    """An N in a frame around a point."""
    side = EM * 1.24
    box = rect(x - side / 2, y - side / 2, side, side, fill="paper", stroke="stream")
    letter = text(x, y + 0.5, "N", "stream", font="serif", anchor="middle", italic=True)
    return tip(box + letter, label(N))


def plus_sign(x: float, y: float) -> str:
    """A plus in a circle around a point."""
    circle = element(
        "circle",
        cx=float(x),
        cy=float(y),
        r=7,
        fill=ink("paper"),
        stroke=ink("stream"),
        stroke_width=LINE,
    )
    across = path([(x - 4, y), (x + 4, y)], "stream", LINE)
    sign = circle + across + path([(x, y - 4), (x, y + 4)], "stream", LINE)
    return tip(sign, label(PLUS))


def door(href: str, title: str, *inside: str) -> str:
    """A link on a sign. A sign at each sub-layer would be many stops of the tab key, so it is none:
    the page that it leads to is a stop at the embedding.
    """
    return link(href, title, *inside, tabindex=-1)


def tip(shapes: str, sentence: str) -> str:
    """Shapes with a sentence that a pointer over them shows."""
    return element("g", element("title", encode(sentence)) + shapes, pointer_events="all")


def arrow(start: tuple[float, float], end: tuple[float, float], colour: str) -> Iterator[str]:
    """An upright line with its head at the end."""
    yield path([start, end], colour, LINE)
    x, y = end
    back = 5 if y < start[1] else -5
    yield path([(x - 4, y + back), (x, y), (x + 4, y + back)], colour, LINE)
