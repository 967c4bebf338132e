"""Custom masks: a pattern, or a combination of two, with parameters and optionally inverted cells,
or a mask with every cell given.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch
from jaxtyping import Bool
from torch import Tensor

from model.checks import check_between
from model.errors import InvalidInput, UnknownName
from model.layers.masks import JOINS, MASKS, Allowed, Broadcast, Pattern

MAX_LENGTH = 128
STROKE = re.compile(r"(\d{1,3})\.(\d{1,3})(?:-(\d{1,3}))?", re.ASCII)


@dataclass(frozen=True)
class CustomMask:
    """A custom mask: `allowed` is [query, key], or [sequence, query, key] for several lengths.

    `formula` is the number of visible cells with its numbers inserted, and `law` is that number,
    before cells are inverted. `span` takes a number of layers and returns the pattern's reach after
    so many layers, as text and in positions. `opened` and `closed` count the inverted cells.
    """

    pattern: str
    allowed: Allowed
    parameters: dict = field(default_factory=dict)
    formula: str | None = None
    law: int | None = None
    span: Callable[[int], tuple[str, int]] | None = None
    opened: int = 0
    closed: int = 0

    @property
    def whole(self) -> bool:
        """Whether the mask is a pattern without inverted cells."""
        return self.law is not None and not self.opened + self.closed


def custom_mask(
    pattern: str | None,
    n: int,
    values: dict,
    flip: str | None = None,
    cells: list[list[int]] | None = None,
) -> CustomMask:
    """The mask of a pattern of length n with the cells in `flip` inverted, or the mask given by
    `cells`: [query, key], or [sequence, query, key] for several lengths.

    `values` are the parameters by name; a parameter that is None or missing has its default. Raises
    InvalidInput for a parameter that the pattern does not have, and UnknownName for an unknown
    pattern.
    """
    check_between("length", n, 1, MAX_LENGTH)
    if cells is not None:
        check_alone({"pattern": pattern, "flip": flip, **values})
        return CustomMask("cells", grid(cells, n))
    pattern, row = read("causal" if pattern is None else pattern)
    parameters = parameters_of(pattern, row, n, values)
    allowed, flipped = mask_of(row, n, parameters), flipped_cells(flip, n)
    if allowed.ndim == 3 and flipped.any():
        raise InvalidInput("one-sequence-to-paint", field="flip", limit=1, given=len(allowed))
    counted, law = row.count(n, **parameters)
    opened, closed = int((flipped & ~allowed).sum()), int((flipped & allowed).sum())
    span = partial(row.span, n, **parameters) if row.span else None
    return CustomMask(
        pattern,
        allowed ^ flipped,
        parameters,
        f"{row.formula} = {counted} = {law}",
        law,
        span,
        opened,
        closed,
    )


def check_alone(values: dict) -> None:
    """Raises InvalidInput for a pattern, inverted cells, or a parameter in addition to `cells`."""
    for name, value in values.items():
        if value is not None:
            raise InvalidInput("cells-are-a-whole-mask", field=name, given=str(value)[:80])


def parameters_of(pattern: str, row: Pattern, n: int, values: dict) -> dict:
    """The parameters of a pattern of length n by name: those in `values` that are not None, and
    defaults for the others. Raises InvalidInput for one that the pattern does not have.
    """
    values = {name: value for name, value in values.items() if value is not None}
    taken = {parameter.name for parameter in row.parameters}
    for name, value in values.items():
        if name not in taken:
            raise InvalidInput(
                "pattern-takes-no", field=name, given=str(value)[:80], pattern=pattern
            )
    chosen = {}
    for parameter in row.parameters:
        chosen[parameter.name] = values.get(parameter.name, parameter.default(n))
        parameter.check(chosen[parameter.name], n)
    return chosen


def mask_of(row: Pattern, n: int, parameters: dict) -> Allowed:
    """The mask of a pattern, [query, key], or [sequence, query, key] for several lengths."""
    allowed = row(n, **parameters)
    allowed = (
        allowed.expand(-1, n, n).squeeze(0) if allowed.ndim == 3 and len(allowed) == 1 else allowed
    )
    return allowed.expand(-1, n, n) if allowed.ndim == 3 else allowed


def read(pattern: str) -> tuple[str, Pattern]:
    """The normalized name of a pattern, or of a combination such as "causal and block", and the
    pattern. Raises InvalidInput or UnknownName.
    """
    words = pattern.split()
    if len(words) not in (1, 3) or not JOINS.keys() >= set(words[1:2]):
        raise InvalidInput("pattern-is-one-or-two", field="pattern", given=pattern[:80])
    for name in words[::2]:
        if name not in MASKS:
            raise UnknownName("unknown-pattern", name, MASKS)
    return " ".join(words), MASKS[words[0]] if len(words) == 1 else joined(*words)


def joined(first: str, join: str, second: str) -> Pattern:
    """The combination of two patterns; a parameter of both has the same value in both. The number
    of cells follows from |a and b| + |a or b| = |a| + |b|.
    """
    pair, other = [MASKS[first], MASKS[second]], next(name for name in JOINS if name != join)

    def pick(row: Pattern, args: dict) -> dict:
        return {parameter.name: args[parameter.name] for parameter in row.parameters}

    def allowed(n: int, **args) -> Broadcast:
        return JOINS[join](*(row(n, **pick(row, args)) for row in pair))

    def count(n: int, **args) -> tuple[str, int]:
        masks = [row(n, **pick(row, args)) for row in pair]
        joint = JOINS[other](*masks).expand(-1, n, n) if "lengths" in args else JOINS[other](*masks)
        times = [
            math.prod(joint.shape[:-2]) // math.prod(mask.shape[:-2]) for mask in masks
        ]  # one mask per sequence of a batch
        a, b = (
            row.count(n, **pick(row, args))[1] * many for row, many in zip(pair, times, strict=True)
        )
        return f"{a} + {b} - {int(joint.sum())}", a + b - int(joint.sum())

    parameters = tuple(dict.fromkeys(pair[0].parameters + pair[1].parameters))
    return Pattern(
        allowed, f"|{first}| + |{second}| - |{first} {other} {second}|", count, parameters
    )


def grid(cells: list[list[int]], n: int) -> Bool[Tensor, "query key"]:
    widths = {len(row) for row in cells}
    if len(cells) != n or widths != {n}:
        rows_text = f"{len(cells)} rows of {', '.join(map(str, sorted(widths)[:4]))}"
        raise InvalidInput("cells-no-square", field="cells", limit=n, given=rows_text)
    if any(cell not in (0, 1) for row in cells for cell in row):
        raise InvalidInput("cell-not-0-or-1", field="cells", limit=1)
    return torch.tensor(cells, dtype=torch.bool)


def flipped_cells(flip: str | None, n: int) -> Bool[Tensor, "query key"]:
    """The cells [query, key] to invert: for "2.5,3.4-9", key 5 of query 2 and keys 4 to 9 of query
    3. A cell named twice is not inverted. Raises InvalidInput for other text and for a cell outside
    the mask.
    """
    flipped = torch.zeros(n, n, dtype=torch.bool)
    for stroke in flip.split(",") if flip else []:
        match = STROKE.fullmatch(stroke)
        if match is None:
            raise InvalidInput("flip-not-read", field="flip", given=stroke[:80])
        query, first = int(match[1]), int(match[2])
        last = first if match[3] is None else int(match[3])
        if not (query < n and first <= last < n):
            raise InvalidInput("stroke-leaves-the-mask", field="flip", limit=n - 1, given=stroke)
        flipped[query, first : last + 1] ^= True
    return flipped
