"""`Arrangement`: how a run reads its input: the order of the tokens, their positions, and padding
around them. It is read from the fields of a question.

    order=2,0,1         position 0 reads token 2, position 1 token 0, position 2 token 1
    order=shuffle       a random order from `seed`
    positions=off       no position information
    positions=shift:3   the first token has position 3, the next position 4 …
    positions=2,0,1     the first token has position 2, the next position 0 …
    pad=left:2          two padding tokens before the input; pad=right:2 puts them after it
    padding_mask=off    attention includes the padding
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model.errors import InvalidInput

DIGITS = 9
"""The maximum number of digits of a number in an arrangement."""


@dataclass(frozen=True)
class Arrangement:
    """`order` has the token that each position reads, and `shuffle` the seed of a random order.
    `positions` are on, off, shift, or listed: `shift` is the position of the first token, and
    `listed` has a position for each token. `pad` is the side of `pads` padding tokens, and `hidden`
    says whether the padding mask hides them.
    """

    order: tuple[int, ...] | None = None
    shuffle: int | None = None
    positions: str = "on"
    shift: int = 0
    listed: tuple[int, ...] = ()
    pad: str | None = None
    pads: int = 0
    hidden: bool = True

    @property
    def reordered(self) -> bool:
        return self.order is not None or self.shuffle is not None


UNARRANGED = Arrangement()
"""The unchanged input."""

FIELDS = ("order", "seed", "positions", "pad", "padding_mask")
"""The fields of a question that arrange its input."""


def read_arrangement(question: Mapping[str, Any]) -> Arrangement:
    """The arrangement described by the fields of a question. Raises InvalidInput."""
    values = {name: question[name] for name in FIELDS if question.get(name) is not None}
    return Arrangement(
        **read_order(values.get("order"), values.get("seed", 0)),
        **read_positions(str(values.get("positions", "on")).strip()),
        **read_pad(values.get("pad"), values.get("padding_mask", "on")),
    )


def read_order(order_text: str | None, seed: int) -> dict[str, Any]:
    if order_text is None:
        return {}
    if order_text.strip() == "shuffle":
        return {"shuffle": seed}
    order = numbers(order_text)
    if order is None or sorted(order) != list(range(len(order))):
        raise InvalidInput("order-not-read", field="order", order=order_text[:40])
    return {"order": order}


def read_positions(text: str) -> dict[str, Any]:
    if text in ("on", "off"):
        return {"positions": text}
    kind, _, rest = text.partition(":")
    if kind == "shift" and (shift := number(rest)) is not None:
        return {"positions": "shift", "shift": shift}
    listed = numbers(text)
    if listed is None:
        raise InvalidInput("positions-not-read", field="positions", positions=text[:40])
    return {"positions": "listed", "listed": listed}


def read_pad(text: str | None, mask: str) -> dict[str, Any]:
    if mask not in ("on", "off"):
        raise InvalidInput("padding-mask-not-read", field="padding_mask", mask=mask[:40])
    if text is None:
        return {}
    side, _, rest = text.strip().partition(":")
    pads = number(rest)
    if side not in ("left", "right") or pads is None:
        raise InvalidInput("pad-not-read", field="pad", pads=text[:40])
    return {"pad": side, "pads": pads, "hidden": mask == "on"}


def numbers(text: str) -> tuple[int, ...] | None:
    """The comma-separated integers in `text`; None if it contains anything else."""
    found = [number(part) for part in text.split(",")]
    return None if None in found else tuple(n for n in found if n is not None)


def number(text: str) -> int | None:
    """The integer in `text` with at most DIGITS digits, or None."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else None
