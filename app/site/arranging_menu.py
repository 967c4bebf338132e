"""The part of the menu of edits that is about the input: the order in which its tokens are read,
the positions that they are told, and pads around them.
"""

from random import Random

from app.captions.arrangement import TOKENS, chips, first_field, is_sign, without_frame
from app.site.menu_field import Choices, Field, Menu, one_of

Tokens = list[tuple[int, str]]
"""The tokens in the order in which they are read, each after its place in the input as given."""

ORDERS: Choices = [("reversed", "reversed"), ("shuffled", "shuffled")]
POSITIONS: Choices = [("off", "off: no position is told"), ("shift", "later: all go on from")]
SIDES: Choices = [("left", "left"), ("right", "right")]
MASKS: Choices = [("on", "hides them"), ("off", "does not hide them")]
MAX_NUMBER = 9999  # the largest number that is taken for a seed, a position or a count


def offered(card: dict) -> Choices:
    """What a model lets become of its input."""
    config, read = card["config"], first_field(card)
    # Of a text in segments the answer has only the last, and an order names all tokens.
    found = (
        [] if config.get("segment") else [("order", f"read the {TOKENS[read]} in another order")]
    )
    if config["positions"] != "none":
        found.append(("positions", "tell other positions"))
    if read in ("source", "text") and not config.get("segment"):
        found.append(("pad", "put pads around the text"))
    return found


def arranging(card: dict, what: str, chosen: dict[str, str], tokens: Tokens) -> Menu:
    """The menu after the choices of a reader, of whom `what` is the first; its `state` are the
    fields of the address that the other choices make.
    """
    state, fields = MENUS[what](card, chosen, tokens)
    read = first_field(card)
    if state is None:
        return Menu(fields, None, "Type a whole number from 0 on.")
    labels = dict(tokens)
    places = [int(place) for place in state.get("order", "").split(",") if place]
    told = chips(state, read, without_frame([(place, labels[place]) for place in places]))
    return Menu(fields, None, told[0].sentence if told else "as it is given", state)


Made = tuple[dict[str, str] | None, list[Field]]
"""The fields of the address that are made, or None where a number is missing, and the controls."""


def order(card: dict, chosen: dict[str, str], tokens: Tokens) -> Made:
    fields = [one_of("how", "order", ORDERS, chosen)]
    places = [place for place, _ in tokens]
    free = movable(tokens)
    moved = [places[at] for at in reversed(free)]
    if fields[0].value == "shuffled":
        fields.append(Field("number", "seed", chosen.get("number", "0"), kind="count"))
        seed = whole(fields[-1].value)
        if seed is None:
            return None, fields
        moved = sorted(moved)
        Random(seed).shuffle(moved)
    for at, place in zip(free, moved, strict=True):
        places[at] = place
    given = places == sorted(places)
    return {"order": "" if given else ",".join(map(str, places))}, fields


def movable(tokens: Tokens) -> list[int]:
    """The places of all tokens but those of the frame, such as <s> and [CLS]."""
    return [at for at, (_, label) in enumerate(tokens) if not is_sign(label)]


def positions(card: dict, chosen: dict[str, str], tokens: Tokens) -> Made:
    config = card["config"]
    choices = POSITIONS[1:] if config.get("relative") == "rope" else POSITIONS
    # The learned positions of an image are all told.
    choices = POSITIONS[:1] if first_field(card) == "image" else choices
    fields = [one_of("how", "positions", choices, chosen)]
    if fields[0].value == "off":
        return {"positions": "off"}, fields
    fields.append(Field("number", "number", chosen.get("number", "3"), kind="count"))
    first = whole(fields[-1].value)
    return None if first is None else {"positions": f"shift:{first}"}, fields


def pad(card: dict, chosen: dict[str, str], tokens: Tokens) -> Made:
    side = one_of("how", "side", SIDES, chosen)
    count = Field("number", "pads", chosen.get("number", "2"), kind="count")
    mask = one_of("mask", "padding mask", MASKS, chosen)
    pads = whole(count.value)
    made = {"pad": f"{side.value}:{pads}", "padding_mask": "" if mask.value == "on" else "off"}
    return None if pads is None else made, [side, count, mask]


MENUS = {"order": order, "positions": positions, "pad": pad}


def whole(typed: str) -> int | None:
    """The whole number that is typed; None for what is none."""
    typed = typed.strip()
    known = typed.isascii() and typed.isdecimal() and len(typed) <= len(str(MAX_NUMBER))
    return int(typed) if known else None
