"""The part of the menu of edits that is about the input: the order in which its tokens are read,
the positions that they are told, and pads around them.
"""

from random import Random

from app.captions.arrangement import chips, first_field, is_sign, without_frame
from app.captions.sentences import of_edits
from app.site.menu_field import Choices, Field, Menu, one_of, translated
from model.labels import label

Tokens = list[tuple[int, str]]
"""The tokens in the order in which they are read, each after its place in the input as given."""

ORDERS: Choices = [("reversed", "reversed"), ("shuffled", "shuffled")]
POSITIONS: Choices = [("off", "off: no positions"), ("shift", "shifted: start at")]
SIDES: Choices = [("left", "left"), ("right", "right")]
MASKS: Choices = [("on", "on: pads are masked"), ("off", "off: pads are visible")]
MAX_NUMBER = 9999  # the largest number that is taken for a seed, a position or a count


def offered(card: dict) -> Choices:
    """What a model lets become of its input."""
    config, read = card["config"], first_field(card)
    # Of a text in segments the answer has only the last, and an order names all tokens.
    found = [] if config.get("segment") else [("order", of_edits("reorder", read=read))]
    if config["positions"] != "none":
        found.append(("positions", label("change the positions")))
    if read in ("source", "text") and not config.get("segment"):
        found.append(("pad", label("pad the text")))
    return found


def arranging(card: dict, what: str, chosen: dict[str, str], tokens: Tokens) -> Menu:
    """The menu after the choices of a reader, of whom `what` is the first; its `state` are the
    fields of the address that the other choices make.
    """
    state, fields = MENUS[what](card, chosen, tokens)
    read = first_field(card)
    if state is None:
        return Menu(fields, None, label("Type a whole number, 0 or more."))
    labels = dict(tokens)
    places = [int(place) for place in state.get("order", "").split(",") if place]
    texts = chips(state, read, without_frame([(place, labels[place]) for place in places]))
    return Menu(fields, None, texts[0].sentence if texts else label("unchanged"), state)


EditOrMissing = tuple[dict[str, str] | None, list[Field]]
"""The fields of the address that are made, or None where a number is missing, and the controls."""


def order(card: dict, chosen: dict[str, str], tokens: Tokens) -> EditOrMissing:
    fields = [one_of("how", "order", translated(ORDERS), chosen)]
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
    is_in_order = places == sorted(places)
    return {"order": "" if is_in_order else ",".join(map(str, places))}, fields


def movable(tokens: Tokens) -> list[int]:
    """The places of all tokens but those of the frame, such as <s> and [CLS]."""
    return [at for at, (_, label) in enumerate(tokens) if not is_sign(label)]


def positions(card: dict, chosen: dict[str, str], tokens: Tokens) -> EditOrMissing:
    config = card["config"]
    choices = POSITIONS[1:] if config.get("relative") == "rope" else POSITIONS
    # The learned positions of an image are all told.
    choices = POSITIONS[:1] if first_field(card) == "image" else choices
    fields = [one_of("how", "positions", translated(choices), chosen)]
    if fields[0].value == "off":
        return {"positions": "off"}, fields
    fields.append(Field("number", "number", chosen.get("number", "3"), kind="count"))
    first = whole(fields[-1].value)
    return None if first is None else {"positions": f"shift:{first}"}, fields


def pad(card: dict, chosen: dict[str, str], tokens: Tokens) -> EditOrMissing:
    side = one_of("how", "side", translated(SIDES), chosen)
    count = Field("number", "pads", chosen.get("number", "2"), kind="count")
    mask = one_of("mask", "padding mask", translated(MASKS), chosen)
    pads = whole(count.value)
    state = {"pad": f"{side.value}:{pads}", "padding_mask": "" if mask.value == "on" else "off"}
    return None if pads is None else state, [side, count, mask]


MENUS = {"order": order, "positions": positions, "pad": pad}


def whole(typed: str) -> int | None:
    """The whole number that is typed; None for what is none."""
    typed = typed.strip()
    known = typed.isascii() and typed.isdecimal() and len(typed) <= len(str(MAX_NUMBER))
    return int(typed) if known else None
