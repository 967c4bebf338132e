"""How a run reads its input, in words: what the chips in the bar say of the order of the tokens, of
the positions that they are told, and of the pads. `model/arrangement/arrangement.py` says what the
fields do.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from app.captions import edited
from app.captions.edited import label, shortened
from app.captions.sentences import of_edits

FIELDS = ("order", "positions", "pad", "padding_mask")
"""The fields of a question that say how its input is read."""

READ = ("source", "text", "image", "row")
"""The first fields of inputs, each of which is read in an order."""


class Chip(NamedTuple):
    """A sentence of a few words, and the fields of the address that are taken back with it."""

    fields: str
    sentence: str


def first_field(card: dict) -> str:
    """The first field of what a model reads: source, text, image or row."""
    return next(iter(card["examples"][0]["input"]))


def arrangement_fields(question: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a question or of an address that say how its input is read."""
    return {name: str(question[name]) for name in FIELDS if question.get(name)}


def chips(question: Mapping[str, Any], read: str, tokens: list[str] | None = None) -> list[Chip]:
    """A chip for each thing that is read in another way. `read` is the first field of the input,
    and `tokens` are those of the input in their new order where they are known.
    """
    fields, found = arrangement_fields(question), []
    if order := fields.get("order"):
        found.append(Chip("order", ordered(order, read if read in READ else "text", tokens)))
    if positions := fields.get("positions"):
        found.append(Chip("positions", format_positions(positions)))
    if pad := fields.get("pad"):
        found.append(Chip("pad padding_mask", padded(pad, fields.get("padding_mask", "on"))))
    return found


def changes(question: Mapping[str, Any], read: str) -> list[str]:
    """What is otherwise in a run than in the one as given, each in a few words: its edits, and how
    its input is read, whose first field is `read`.
    """
    edits = question.get("edits") or []
    sentences = map(label, edits) if isinstance(edits, list) else edited.chips(edits)
    return [*sentences, *(chip.sentence for chip in chips(question, read))]


def ordered(order: str, read: str, tokens: list[str] | None) -> str:
    """source tokens in the order am i cold; before the tokens are known, their numbers."""
    if order == "shuffle" and not tokens:
        return of_edits("shuffled", read=read)
    sequence = " ".join(tokens) if tokens else order.replace(",", " ")
    return of_edits("order", read=read, order=shortened(sequence))


def format_positions(positions: str) -> str:
    """positions off; positions from 3 on"""
    kind, _, first = positions.partition(":")
    if kind == "shift":
        return of_edits("positions-from", first=shortened(first))
    if kind in ("on", "off"):
        return of_edits("positions-are", told=kind)
    return of_edits("positions", positions=shortened(positions.replace(",", " ")))


def padded(pad: str, mask: str) -> str:
    """3 pads on the right, not masked"""
    side, _, count = pad.partition(":")
    return of_edits(
        "pads",
        count=shortened(count),
        several="no" if count == "1" else "yes",
        side=side if side in ("left", "right") else "other",
        given=shortened(side),
        masked="yes" if mask == "on" else "no",
    )


def in_order(answer: dict[str, Any], read: str) -> list[tuple[int, str]]:
    """The tokens that `order` may put elsewhere, in the order in which they are read and without
    pads, each after its place in the input as it is given. In a prefix model they are those before
    the target, which stands behind the source.
    """
    axis = read if read in answer["axes"] else "text"
    labels = answer["axes"][axis]["labels"]
    end = len(labels) if axis == read else answer["expected_from"]
    places = (answer.get("aligned") or {}).get(axis) or range(len(labels))
    both = list(zip(places, labels, strict=True))[:end]
    return [(place, label) for place, label in both if place is not None]


def without_frame(tokens: list[tuple[int, str]]) -> list[str]:
    """The tokens, but for those that are in front and behind in every order, such as <s>."""
    last = len(tokens) - 1
    return [
        label
        for at, (place, label) in enumerate(tokens)
        if not (at == place and at in (0, last) and is_sign(label))
    ]


def is_sign(label: str) -> bool:
    """Whether a label is that of a sign of a frame: <s>, </s>, [CLS], [SEP], <|endoftext|>. A byte
    and a blank are none.
    """
    return bool(SIGN.fullmatch(label))


SIGN = re.compile(r"<(?!0x|mask>)[^<>]+>|\[(CLS|SEP)\]")
