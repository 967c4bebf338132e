"""`Arrangement`: how a run reads its input: the order of the tokens, the positions that they are
told, and pads around them. It is read from the fields of a question.

    order=2,0,1         position 0 reads token 2, position 1 token 0, position 2 token 1
    order=shuffle       an order that `seed` draws
    positions=off       no position is told
    positions=shift:3   the first token is told position 3, the next position 4 …
    positions=2,0,1     the first token is told position 2, the next position 0 …
    pad=left:2          two pads stand in front; pad=right:2 puts them behind
    padding_mask=off    attention sees the pads
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model.errors import InvalidInput

DIGITS = 9
"""How many digits a number of an arrangement has at most."""


@dataclass(frozen=True)
class Arrangement:
    """`order` has for each position the token that it reads, and `shuffle` the seed that an order
    is drawn from. `positions` are on, off, shift or listed: `shift` is the position of the first
    token, and `listed` has a position for each token. `pad` is the side of `pads` pads, and
    `hidden` says whether the padding mask hides them.
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


AS_GIVEN = Arrangement()
"""The input as it is given: nothing is arranged."""

FIELDS = ("order", "seed", "positions", "pad", "padding_mask")
"""The fields of a question that arrange its input."""


def read_arrangement(question: Mapping[str, Any]) -> Arrangement:
    """The arrangement that the fields of a question describe. Raises InvalidInput."""
    given = {name: question[name] for name in FIELDS if question.get(name) is not None}
    return Arrangement(
        **read_order(given.get("order"), given.get("seed", 0)),
        **read_positions(str(given.get("positions", "on")).strip()),
        **read_pad(given.get("pad"), given.get("padding_mask", "on")),
    )


def read_order(given: str | None, seed: int) -> dict[str, Any]:
    if given is None:
        return {}
    if given.strip() == "shuffle":
        return {"shuffle": seed}
    order = numbers(given)
    if order is None or sorted(order) != list(range(len(order))):
        raise InvalidInput("order-not-read", field="order", order=given[:40])
    return {"order": order}


def read_positions(given: str) -> dict[str, Any]:
    if given in ("on", "off"):
        return {"positions": given}
    kind, _, rest = given.partition(":")
    if kind == "shift" and (shift := number(rest)) is not None:
        return {"positions": "shift", "shift": shift}
    listed = numbers(given)
    if listed is None:
        raise InvalidInput("positions-not-read", field="positions", positions=given[:40])
    return {"positions": "listed", "listed": listed}


def read_pad(given: str | None, mask: str) -> dict[str, Any]:
    if mask not in ("on", "off"):
        raise InvalidInput("padding-mask-not-read", field="padding_mask", mask=mask[:40])
    if given is None:
        return {}
    side, _, rest = given.strip().partition(":")
    pads = number(rest)
    if side not in ("left", "right") or pads is None:
        raise InvalidInput("pad-not-read", field="pad", pads=given[:40])
    return {"pad": side, "pads": pads, "hidden": mask == "on"}


def numbers(text: str) -> tuple[int, ...] | None:
    """The whole numbers of `text`, with commas between them; None where it has anything else."""
    found = [number(part) for part in text.split(",")]
    return None if None in found else tuple(one for one in found if one is not None)


def number(text: str) -> int | None:
    """The whole number that `text` writes in at most DIGITS digits, or None."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS else None
