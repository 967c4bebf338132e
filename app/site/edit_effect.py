"""What a model answers without edits and with them, from two answers of /logits about one input."""

import math
from dataclasses import dataclass
from typing import Any

from app.captions.text import percent

QUERY = {"top": 1, "names": "top_probability,expected_probability"}
"""What /logits is asked for."""
NOTHING = "nothing"  # what an object query says that has found no object
BLANKS = ("<mask>", "[MASK]")


@dataclass(frozen=True)
class BeforeAfter:
    """Both answers, token by token. `what` names them. `single` are the probabilities of a single
    answer without and with edits. Of a text that is given, `whole` is the same for the whole text.
    """

    what: str
    without: list[str]
    with_edits: list[str]
    single: tuple[float, float] | None
    whole: tuple[float, float] | None

    @property
    def chances(self) -> tuple[str, str] | None:
        """`single` in words."""
        return in_words(self.single)

    @property
    def text(self) -> tuple[str, str] | None:
        """`whole` in words."""
        return in_words(self.whole)


def before_and_after(card: dict, plain: dict[str, Any], edited: dict[str, Any]) -> BeforeAfter:
    """The answers at the positions at which the model is asked."""
    (what, before), (_, after) = answered_positions(card, plain), answered_positions(card, edited)
    return BeforeAfter(
        what,
        [plain["top_tokens"][at][0] for at in before],
        [edited["top_tokens"][at][0] for at in after],
        (chance(plain, before[0]), chance(edited, after[0])) if len(before) == 1 else None,
        (of_text(plain), of_text(edited)) if writes_after_reading(card, plain) else None,
    )


def answered_positions(card: dict, answer: dict[str, Any]) -> tuple[str, list[int]]:
    """What the model answers, and at which positions it does; a pad is asked nothing."""
    pads = (answer.get("aligned") or {}).get("text", ())
    every = [
        at for at in range(len(answer["top_tokens"])) if at >= len(pads) or pads[at] is not None
    ]
    if card["encoding"] == "scene":
        return "the object queries", every
    if writes_after_reading(card, answer):
        return "the next tokens", [at for at in every if at >= answer["expected_from"]]
    if card["encoding"] == "blanks" or card.get("head") == "masked word":
        labels = answer["axes"]["text"]["labels"]
        return "the blanks", [at for at in every if labels[at] in BLANKS]
    if card["family"] == "encoder-only":
        return "the class", every[:1]
    return "the next token", every[-1:]


def writes_after_reading(card: dict, answer: dict[str, Any]) -> bool:
    """Whether one text becomes another, so that there is a given target."""
    return "target" in (answer.get("input") or {}) and card["encoding"] != "scene"


def chance(answer: dict[str, Any], at: int) -> float:
    return answer["tensors"]["top_probability"]["data"][at][0]


def of_text(answer: dict[str, Any]) -> float:
    """The probability of the text that is given: the product over its tokens."""
    return math.prod(answer["tensors"]["expected_probability"]["data"])


def in_words(both: tuple[float, float] | None) -> tuple[str, str] | None:
    return both and (percent(both[0]), percent(both[1]))
