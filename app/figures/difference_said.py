"""What a difference says of each of its numbers: what it was with the edits, and what without."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from app.figures.difference_names import Numbers, Side, numbers

FIELD = re.compile(r"%\{(\w+)(?:\[(\d+)\])?(?::\.(\d+)([gf]))?\}")
"""A field of a hover text: its name, an index, digits, and how they are counted."""


def said(side: Side, template: str, **values: Any) -> str:
    """A hover text with its fields filled in, as lines."""

    def filled(match: re.Match) -> str:
        name, index, digits, kind = match.groups()
        value = values.get(name, "")
        if index is not None:
            value = value[int(index)]
        if isinstance(value, str):
            return value
        names = side.names(name) if name in "xy" else None
        if names is not None and float(value).is_integer() and 0 <= value < len(names):
            return names[int(value)]
        return signed(float(value), f".{digits or 3}{kind or 'g'}")

    return FIELD.sub(filled, template.split("<extra>")[0])


def texts(side: Side, drawn: Numbers, old: np.ndarray) -> list[list[str]] | None:
    """What is written in the cells of a map: the difference, after the word where there is one, or
    the word and the `old` one that it is not.
    """
    if side.trace.get("text") is None:
        return None
    worded = side.meta.get("worded")

    def written(text: str, value: float, was: str) -> str:
        if was:
            return f"{word(text)}<br>was {was}"
        if not text or np.isnan(value):
            return ""
        return f"{word(text)}<br>{signed(value, '+.3g')}" if worded else signed(value, "+.3g")

    return [
        [written(*cell) for cell in zip(*row, strict=True)]
        for row in zip(side.trace["text"], drawn, old, strict=True)
    ]


def cells_said(now: Side, z: Numbers, before: Numbers) -> list[list[str]]:
    """What each cell was with the edits and without them; empty where there is no cell."""
    own, template = now.trace.get("customdata"), now.trace["hovertemplate"]
    say = namer(now)
    xs, ys = (range(n) for n in z.shape[::-1])
    return [
        [
            ""
            if np.isnan(z[r, c]) and (own is None or own[r][c] == "")
            else beside(
                say(r, c)
                + said(
                    now, template, x=c, y=r, z=z[r, c], customdata="" if own is None else own[r][c]
                ),
                before[r, c],
            )
            for c in xs
        ]
        for r in ys
    ]


def namer(side: Side) -> Callable[[int, int], str]:
    """What a cell of small maps is called, whose rows and columns have the same names in each."""
    tiles, names = side.meta.get("tiles"), side.meta.get("names")
    if not (tiles and names):
        return lambda r, c: ""
    height, width = side.meta["size"]
    called = {
        (top + r, left + c): f"{title}: {names[0][r]} → {names[1][c]}<br>"
        for title, top, left, *_ in tiles
        for r in range(height)
        for c in range(width)
    }
    return lambda r, c: called.get((r, c), "")


def points_said(now: Side, axis: str, before: Numbers) -> list[str]:
    """What each point was with the edits and without them."""
    own, template = now.trace.get("customdata"), now.trace["hovertemplate"]
    xs, ys = numbers(now.trace["x"]), numbers(now.trace["y"])
    return [
        beside(said(now, template, x=x, y=y, customdata="" if own is None else own[i]), before[i])
        for i, (x, y) in enumerate(zip(xs, ys, strict=True))
    ]


def beside(said: str, before: float) -> str:
    """What a number is with the edits, and what it is without."""
    return f"{said}, with the edits<br>{signed(before)} without them"


def signed(value: float, how: str = ".3g") -> str:
    """A number to read, with a minus as long as a plus."""
    return "no number" if np.isnan(value) else f"{value:{how}}".replace("-", "−")


def word(text: Any) -> str:
    """The word in a cell that also has a number."""
    return str(text or "").split("<br>")[0]
