"""A sub-layer as a drawing: it stands over the stream, reads from it and writes back to it."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from app.captions.sentences import of_drawings
from app.drawings.architecture_groups import FoldedPart
from app.drawings.architecture_plan import Plan, times
from app.drawings.signs import LINE, THICK, arrow, door, norm_sign, plus_sign, tip
from app.drawings.svg import EM, broken, cells, link, path, rect, text
from model.labels import label
from model.layers.choice_names import NORMS_AT, ON_STREAM, ON_WAY_IN, ON_WAY_OUT

NAMES = {
    "attention": "self-attention",
    "cross_attention": "cross-attention",
    "feed_forward": "feed-forward",
    "row_attention": "between-rows",
    "row_feed_forward": "feed-forward",
}
COLOURS = {
    "attention": "attention",
    "cross_attention": "cross",
    "feed_forward": "feed-forward",
    "row_attention": "cross",
    "row_feed_forward": "feed-forward",
}

PARALLEL = (
    "The sub-layers of a layer are parallel: each receives the layer’s input, and their outputs are"
    " added to it."
)
MEANS = "Attention map of each layer in order, averaged over its heads."


def sub_layer(plan: Plan, part: Any, x: float, stream: float) -> Iterator[str]:
    """It reads on the left of its column and writes on the right; the norm has its placement."""
    colour, name = COLOURS[part.kind], label(NAMES[part.kind])
    bottom, middle = stream - plan.under, x + plan.column / 2 - 2
    side = min(plan.plate, plan.column - EM * 1.3)
    left, top = middle - side / 2, bottom - plan.plate
    reads, writes = left + EM * 0.7, left + side - EM * 1.1
    relative = plan.relative if part.kind == "attention" else None
    start = stream
    if plan.parallel:
        start = stream - EM * 1.25
        yield from reading(plan, part, reads, start, stream)
    yield from arrow((reads, start), (reads, bottom), colour)
    yield from arrow((writes, bottom), (writes, stream - 7), colour)
    words = broken(name) if plan.narrow else [name]
    over = top - EM * (0.75 + 1.1 * (relative is not None))
    yield link(
        *where_to(plan, part, name),
        rect(left, top, side, plan.plate, fill="paper", stroke=colour, line=LINE, kind="plate"),
        *inside(plan, part, left, top, side),
        *(
            text(middle, over - EM * 1.1 * i, word, colour, anchor="middle")
            for i, word in enumerate(reversed(words))
        ),
    )
    if relative:
        label_link = text(middle, top - EM * 0.75, label(relative), "position", anchor="middle")
        positions = label(f"{part.name}: its positions, {relative}")
        yield link(plan.doors.to("position"), positions, label_link)
    yield from plus(plan, part.name, writes, stream)
    beside = (start + bottom) / 2
    places = {
        ON_STREAM: (writes + EM * 1.7, stream),
        ON_WAY_IN: (reads, beside),
        ON_WAY_OUT: (writes, beside),
    }
    for where in NORMS_AT[plan.answer.fields["placement"]]:
        yield from norm(plan, part.name, *places[where])
    end = x + plan.column
    yield text(end, stream + EM * 1.1, times(part.after), "ink-soft", anchor="end")


def reading(plan: Plan, part: Any, x: float, y: float, stream: float) -> Iterator[str]:
    """Where the sub-layers of a block all read its input: the first reads it from the stream, and
    the others from the line of the one to their left.
    """
    if part.kind == "attention":
        yield path([(x, stream), (x, y)], COLOURS[part.kind], LINE)
    else:
        yield tip(path([(x - plan.column, y), (x, y)], COLOURS[part.kind], LINE), label(PARALLEL))


def where_to(plan: Plan, part: Any, name: str) -> tuple[str, str]:
    """The door of a sub-layer, and what it says. A group of them leads to its blocks."""
    if not isinstance(part, FoldedPart):
        title = of_drawings("part", part=part.name, name=name, shape=times(part.inner))
        return plan.doors.to(part.name), title
    first, *_, last = part.names
    title = of_drawings("parts", first=first, last=last, name=name, shape=times(part.inner))
    return plan.doors.opening(block_of(part.name)), title


def norm(plan: Plan, part: str, x: float, y: float) -> Iterator[str]:
    """A norm: a door to the lengths of the stream before and after it."""
    yield door(
        plan.doors.to(f"{block_of(part)}.norm"), label(f"the norm of {part}"), norm_sign(x, y)
    )


def plus(plan: Plan, part: str, x: float, y: float) -> Iterator[str]:
    """Where something is added to the stream: a door to what each part adds."""
    yield door(
        plan.doors.to(f"{block_of(part)}.sum"), label(f"the sum after {part}"), plus_sign(x, y)
    )


def block_of(part: str) -> str:
    """The block that a sub-layer is in: encoder.0 of encoder.0.attention."""
    return part.rpartition(".")[0]


def inside(plan: Plan, part: Any, left: float, top: float, side: float) -> Iterator[str]:
    """Attention shows its heads' patterns in this run, and a group of blocks the mean pattern of
    each; a feed-forward network shows its widths.
    """
    wide, high = side - 10, plan.plate - EM * 1.3 - 8
    if part.widths:
        yield from widening(left + 5, top + 5, wide, high, part.widths)
    elif isinstance(part, FoldedPart):
        means = [patterns(plan, name).mean(axis=0) for name in part.names]
        pictures = mosaic(means, left, top, wide, high)
        yield tip("".join(pictures), label(MEANS))
    else:
        yield from mosaic(patterns(plan, part.name), left, top, wide, high)
    at = left + side / 2, top + plan.plate - EM * 0.7
    yield text(*at, times(part.inner), "ink", anchor="middle")


def patterns(plan: Plan, name: str) -> np.ndarray:
    """The patterns of an attention, [head, query, key]."""
    return plan.answer.tensors[f"{name}.pattern"].data.detach().numpy()


def mosaic(
    pictures: Sequence[np.ndarray] | np.ndarray, left: float, top: float, wide: float, high: float
) -> Iterator[str]:
    """Patterns beside and under one another, in a plate whose corner is at `left` and `top`."""
    across = len(pictures) if len(pictures) <= 3 else math.ceil(math.sqrt(len(pictures)))
    width, height = wide / across, high / -(-len(pictures) // across)
    for i, pattern in enumerate(pictures):
        x, y = left + 6 + i % across * width, top + 6 + i // across * height
        yield cells(x, y, width - 2, height - 2, pattern)


def widening(
    x: float, y: float, width: float, height: float, widths: Sequence[int]
) -> Iterator[str]:
    """d_model, d_ff and d_model as lengths in proportion."""
    middle, most = y + height / 2, max(widths)
    across = [x + 3 + (width - 6) * i / (len(widths) - 1) for i in range(len(widths))]
    half = [height * value / most / 2 for value in widths]
    bars = list(zip(across, half, strict=True))
    upper = [(at, middle - reach) for at, reach in bars]
    lower = [(at, middle + reach) for at, reach in reversed(bars)]
    yield path([*upper, *lower], fill="feed-forward", opacity=0.14)
    for at, reach in bars:
        yield path([(at, middle - reach), (at, middle + reach)], "feed-forward", THICK)


def plate(
    href: str,
    title: str,
    x: float,
    y: float,
    word: str,
    colour: str,
    *,
    width: float = EM * 4.6,
    height: float = EM * 2.6,
) -> str:
    """A word in a frame with its left side at `x` and its middle at `y`, as wide as the word."""
    width = max(width, EM * (0.48 * len(word) + 0.5))
    box = rect(
        x, y - height / 2, width, height, fill="paper", stroke=colour, line=LINE, kind="plate"
    )
    return link(href, title, box, text(x + width / 2, y, word, colour, anchor="middle"))
