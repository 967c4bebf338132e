"""Where the norm stands, as a block diagram: one layer of an encoder under one placement. The
stream is the thick line; each sub-layer reads from it and adds to it, and every sign is a door.

The norms stand where the table of placements says, and the letter L stands for the number of
layers.
"""

from collections.abc import Callable, Iterator

from app.drawings.signs import LINE, THICK, arrow, door, norm_sign, plus_sign
from app.drawings.svg import EM, Svg, broken, link, path, rect, text
from model.config import WITH_FINAL_NORM
from model.labels import label
from model.layers.choice_names import (
    NORMS_AT,
    ON_STREAM,
    ON_WAY_IN,
    ON_WAY_OUT,
    PLACEMENT_NAMES,
)

WIDTH, HEIGHT = 24 * EM, 11 * EM
ENTER, COLUMN = 1.5 * EM, 9 * EM
STREAM, BOTTOM, TOP = 8.6 * EM, 6 * EM, 3 * EM
"""How far down the stream lies, and the plate of a sub-layer ends and begins."""
READS, WRITES, BEHIND = 1.4 * EM, 5.2 * EM, 6.9 * EM
"""How far into its column a sub-layer reads and writes, and a norm stands behind the sum."""
SUB_LAYERS = {"attention": "self-attention", "feed-forward": "feed-forward"}

Address = Callable[[str], str]


def diagram(placement: str, model: str, url: Address) -> Svg:
    """The diagram of a placement. Its doors lead to pages about `model`; `url` says how an address
    of the product is written.
    """
    end = ENTER + COLUMN * len(SUB_LAYERS)
    shapes = [
        text(0, STREAM, "x", "stream", font="serif", italic=True, size=EM * 1.25),
        path([(ENTER - EM * 0.4, STREAM), (WIDTH - 2, STREAM)], "stream", THICK),
        path([(WIDTH - 8, STREAM - 5), (WIDTH - 1, STREAM), (WIDTH - 8, STREAM + 5)], "stream", 2),
        path([(ENTER, EM * 2), (ENTER, EM * 1.6), (end, EM * 1.6), (end, EM * 2)], "rule-strong"),
        text((ENTER + end) / 2, EM * 0.8, label("one layer, L times"), "ink-soft", anchor="middle"),
    ]
    norms = url(f"/norms?placement={placement}")
    for i, (page, name) in enumerate(SUB_LAYERS.items()):
        x = ENTER + i * COLUMN
        shapes += sub_layer(x, label(name), page, url(f"/{page}?model={model}"))
        added = url(f"/residual?model={model}&view=contributions")
        shapes.append(door(added, label(f"the sum after {page}"), plus_sign(x + WRITES, STREAM)))
        places = {
            ON_STREAM: (x + BEHIND, STREAM),
            ON_WAY_IN: (x + READS, (STREAM + BOTTOM) / 2),
            ON_WAY_OUT: (x + WRITES, (STREAM + BOTTOM) / 2),
        }
        for where in NORMS_AT[placement]:
            shapes.append(door(norms, label(f"the norm of {page}"), norm_sign(*places[where])))
    if placement in WITH_FINAL_NORM:
        x = end + EM * 2.2
        shapes.append(door(norms, label("the norm after the last layer"), norm_sign(x, STREAM)))
        shapes.append(text(x, STREAM + EM * 1.5, label("once"), "ink-soft", anchor="middle"))
    title = f"{PLACEMENT_NAMES[placement]}: one layer as a block diagram"
    return Svg(WIDTH, HEIGHT, label(title), "".join(shapes))


def sub_layer(x: float, name: str, colour: str, href: str) -> Iterator[str]:
    """A sub-layer over the stream: it reads at its left and writes at its right."""
    words = broken(name)
    left, width = x + EM * 0.6, EM * 5.6
    yield from arrow((x + READS, STREAM), (x + READS, BOTTOM), colour)
    yield from arrow((x + WRITES, BOTTOM), (x + WRITES, STREAM - 7), colour)
    box = rect(left, TOP, width, BOTTOM - TOP, fill="paper", stroke=colour, line=LINE, kind="plate")
    middle = (TOP + BOTTOM) / 2 - EM * 0.6 * (len(words) - 1)
    lines = (
        text(left + width / 2, middle + i * EM * 1.2, word, colour, anchor="middle")
        for i, word in enumerate(words)
    )
    yield link(href, name, box, *lines)
