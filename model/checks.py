"""Checks of what a question gives.

Each check passes, or raises InvalidInput with a sentence that says what was given and what is
possible.
"""

import math
from collections.abc import Collection, Sequence
from numbers import Integral, Real

from model.errors import InvalidInput

Number = int | float

KINDS: dict[type, tuple[type, str]] = {
    bool: (bool, "it is true or false"),
    int: (Integral, "it is a whole number"),
    float: (Real, "it is a number"),
}
"""What a value of each type has to be, as a class of Python and in a sentence."""


def check_kind(name: str, given: object, kind: type) -> None:
    """Raises InvalidInput unless `given` is of the type `kind`, one of KINDS, and finite if it is a
    number. A whole number is a float as well; true and false are no numbers.
    """
    known, sentence = KINDS[kind]
    if not isinstance(given, known) or isinstance(given, bool) != (kind is bool):
        raise InvalidInput(
            f"{name} is {repr(given)[:40]}; {sentence}.", field=name, given=str(given)[:80]
        )
    if isinstance(given, Real) and not math.isfinite(given):
        raise InvalidInput(f"{name} is {given}; it is a finite number.", field=name)


def check_between(name: str, given: Number, low: Number, high: Number) -> None:
    """Raises InvalidInput unless `given` lies from `low` to `high`, both included."""
    if not low <= given <= high:
        raise InvalidInput(
            f"{name} is {format_number(given)}; it goes from {format_number(low)} to"
            f" {format_number(high)}.",
            field=name,
            limit=high if given > high else low,
            given=given,
        )


def check_at_least(name: str, given: Number, low: Number) -> None:
    """Raises InvalidInput if `given` is smaller than `low`."""
    if given < low:
        raise InvalidInput(
            f"{name} is {format_number(given)}; it is at least {format_number(low)}.",
            field=name,
            limit=low,
            given=given,
        )


def check_within_length(name: str, given: int, low: int, length: int) -> None:
    """Raises InvalidInput unless `given` lies from `low` to the length of a sequence, both
    included.
    """
    if not low <= given <= length:
        raise InvalidInput(
            f"{name} is {given}; it goes from {low} to the length, {length}.",
            field=name,
            limit=length if given > length else low,
            given=given,
        )


def check_one_of(name: str, given: str, known: Collection[str]) -> None:
    """Raises InvalidInput unless `given` is one of the names in `known`."""
    if given not in known:
        raise InvalidInput(
            f"{name} is {given[:40]!r}; it is one of {', '.join(known)}.",
            field=name,
            given=given[:80],
        )


def check_stack(model: str, stack: str, stacks: Sequence[str]) -> None:
    """Raises InvalidInput unless `stack` is one of the `stacks` of the model `model`."""
    if stack not in stacks:
        raise InvalidInput(
            f"{model} has no {stack[:80]}; it has {' and '.join(stacks)}.",
            field="stack",
            given=stack[:80],
        )


def check_layer(stack: str, layer: int, n_layers: int) -> None:
    """Raises InvalidInput unless `layer` is the number of a layer of `stack`, counted from 0."""
    check_exists("layer", layer, f"the {stack}", n_layers)


def check_head(model: str, head: int, n_heads: int) -> None:
    """Raises InvalidInput unless `head` is the number of an attention head of `model`, counted from
    0.
    """
    check_exists("head", head, model, n_heads)


def check_position(text: str, position: int, length: int) -> None:
    """Raises InvalidInput unless `position` is a position of the text `text`, counted from 0."""
    check_exists("position", position, f"the {text}", length)


def check_exists(name: str, given: int, owner: str, size: int) -> None:
    """Raises InvalidInput unless `given` is less than `size`, the number of things with this name
    that `owner` has, and not negative.
    """
    if not 0 <= given < size:
        raise InvalidInput(
            f"{name.capitalize()} {given} does not exist; {owner} has {name}s 0 to {size - 1}.",
            field=name,
            limit=size - 1,
            given=given,
        )


def interval(name: str, said: str | None, n: int) -> tuple[int, int]:
    """The positions from the first number to before the second of "1024:2048"; without a text all
    n. The end of a text of n positions ends them. Raises InvalidInput for another text, and as
    `check_interval` does.
    """
    if said is None:
        return 0, n
    ends = said.split(":")
    if len(ends) != 2 or not all(end.isascii() and end.isdigit() for end in ends):
        wrong = f"`{name}` is {said[:40]!r}; it is two positions, for example 1024:2048."
        raise InvalidInput(wrong, field=name, given=said[:40])
    start, stop = int(ends[0]), min(int(ends[1]), n)
    check_interval(name, (start, stop), n)
    return start, stop


def check_interval(
    name: str, ends: tuple[int, int], n: int, most: int | None = None, block: int = 1
) -> None:
    """Raises InvalidInput unless `ends` are some of the n positions of a text, from the first to
    before the second: no more than `most`, from the beginning of a block of `block` positions on.
    """
    start, stop = ends
    if not 0 <= start < stop <= n:
        said = f"`{name}` is {start}:{stop}; it begins before it ends, from 0 to {n}."
        raise InvalidInput(said, field=name, limit=n, given=stop)
    if most is not None and stop - start > most:
        said = f"`{name}` has {stop - start} positions; it has {most} at most."
        raise InvalidInput(said, field=name, limit=most, given=stop - start)
    if start % block:
        said = f"`{name}` begins at {start}; a block of {block} begins at a multiple of {block}."
        raise InvalidInput(said, field=name, given=start)


def format_number(number: Number) -> str:
    """The number as text: an integer with all its digits, any other number with at most six
    digits.
    """
    return str(number) if isinstance(number, int) else f"{number:g}"
