"""Checks of the values in a question.

Each check passes, or raises InvalidInput with a message that names the value and the valid range.
"""

import math
from collections.abc import Collection, Sequence
from numbers import Integral, Real

from model.errors import InvalidInput

Number = int | float

KINDS: dict[type, type] = {bool: bool, int: Integral, float: Real}
"""The abstract type that a value of each declared type must have."""


def check_kind(name: str, value: object, kind: type) -> None:
    """Raises InvalidInput unless `value` has the type `kind`, one of KINDS, and is finite if it is
    a number. An int is accepted as a float; a bool is not a number.
    """
    if not isinstance(value, KINDS[kind]) or isinstance(value, bool) != (kind is bool):
        raise InvalidInput(
            "of-another-kind",
            field=name,
            given=str(value)[:80],
            value=repr(value)[:40],
            kind=kind.__name__,
        )
    if isinstance(value, Real) and not math.isfinite(value):
        raise InvalidInput("not-finite", field=name, value=value)


def check_between(name: str, value: Number, low: Number, high: Number) -> None:
    """Raises InvalidInput unless `low` <= `value` <= `high`."""
    if not low <= value <= high:
        raise InvalidInput(
            "out-of-range",
            field=name,
            limit=high if value > high else low,
            given=value,
            low=low,
            high=high,
        )


def check_at_least(name: str, value: Number, low: Number) -> None:
    """Raises InvalidInput if `value` < `low`."""
    if value < low:
        raise InvalidInput("too-small", field=name, limit=low, given=value)


def check_within_length(name: str, value: int, low: int, length: int) -> None:
    """Raises InvalidInput unless `value` is between `low` and the length of a sequence,
    inclusive.
    """
    if not low <= value <= length:
        raise InvalidInput(
            "not-within-the-length",
            field=name,
            limit=length if value > length else low,
            given=value,
            low=low,
            length=length,
        )


def check_one_of(name: str, value: str, known: Collection[str]) -> None:
    """Raises InvalidInput unless `value` is in `known`."""
    if value not in known:
        raise InvalidInput("not-one-of", field=name, given=value[:80], known=known)


def check_stack(model: str, stack: str, stacks: Sequence[str]) -> None:
    """Raises InvalidInput unless `stack` is one of the model's `stacks`."""
    if stack not in stacks:
        raise InvalidInput(
            "no-such-stack", field="stack", given=stack[:80], model=model, stacks=stacks
        )


def check_layer(stack: str, layer: int, n_layers: int) -> None:
    """Raises InvalidInput unless `layer` is a layer of `stack`, counted from 0."""
    check_exists("layer", layer, stack, n_layers)


def check_head(model: str, head: int, n_heads: int) -> None:
    """Raises InvalidInput unless `head` is an attention head of `model`, counted from 0."""
    check_exists("head", head, model, n_heads)


def check_position(text: str, position: int, length: int) -> None:
    """Raises InvalidInput unless `position` is a position of the sequence `text`, counted from
    0.
    """
    check_exists("position", position, text, length)


def check_exists(name: str, value: int, owner: str, size: int) -> None:
    """Raises InvalidInput unless 0 <= `value` < `size`, where `owner` has `size` things of this
    name.
    """
    if not 0 <= value < size:
        raise InvalidInput("no-such-index", field=name, limit=size - 1, given=value, owner=owner)


def interval(name: str, text: str | None, n: int) -> tuple[int, int]:
    """The half-open interval of positions written as "1024:2048", clipped to a sequence of n
    positions; all n if `text` is empty. Raises InvalidInput if it isn't written this way, and as
    `check_interval` does.
    """
    if text is None:
        return 0, n
    ends = text.split(":")
    if len(ends) != 2 or not all(end.isascii() and end.isdigit() for end in ends):
        raise InvalidInput("not-two-positions", field=name, given=text[:40])
    start, stop = int(ends[0]), min(int(ends[1]), n)
    check_interval(name, (start, stop), n)
    return start, stop


def check_interval(
    name: str, ends: tuple[int, int], n: int, most: int | None = None, block: int = 1
) -> None:
    """Raises InvalidInput unless `ends` is a half-open interval within the n positions of a
    sequence, has at most `most` positions, and starts at a multiple of `block`.
    """
    start, stop = ends
    if not 0 <= start < stop <= n:
        raise InvalidInput("not-within-the-text", field=name, limit=n, given=stop, start=start)
    if most is not None and stop - start > most:
        raise InvalidInput("interval-too-long", field=name, limit=most, given=stop - start)
    if start % block:
        raise InvalidInput("no-beginning-of-a-block", field=name, given=start, block=block)
