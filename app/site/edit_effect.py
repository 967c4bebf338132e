"""What a model says without edits and with them: the text that it writes, from an answer of
/generate, or its class, blanks, next token or objects, from two answers of /logits about one input.
"""

import math
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from app.captions.text import percent
from app.errors import Problem

QUERY = {"top": 1, "names": "top_probability,expected_probability"}
"""What /logits is asked for."""
NOTHING = "nothing"  # what an object query says that has found no object
BLANK = "<mask>"
TEXT = "the text"

Words = list[tuple[str, bool]]
"""Words, each with whether it is another on the other side."""


@dataclass(frozen=True)
class BeforeAfter:
    """Both answers, word by word. `what` names them: a text that the model writes by itself, or
    what it says. `single` are the probabilities of a single answer without and with edits. Where
    one text becomes another, `given` is the target that the run reads and `whole` its probability
    without and with edits; `refusal` says why none is written with them.
    """

    what: str
    without: Words
    with_edits: Words
    single: tuple[float, float] | None = None
    given: str = ""
    whole: tuple[float, float] | None = None
    refusal: str = ""

    @property
    def chances(self) -> tuple[str, str] | None:
        """`single` or `whole` in words."""
        both = self.single or self.whole
        return both and (percent(both[0]), percent(both[1]))


def before_and_after(
    card: dict, plain: dict[str, Any], edited: dict[str, Any], generated: dict | Problem | None
) -> BeforeAfter:
    """The answers at the positions at which the model is asked; of a model that turns one text into
    another, what it has `written` with the edits and without them, or why it has not.
    """
    if generated is not None:
        target, whole = plain["input"]["target"], (of_text(plain), of_text(edited))
        if isinstance(generated, Problem):
            return BeforeAfter(TEXT, [], [], given=target, whole=whole, refusal=generated.detail)
        both = beside(generated["without_edits"]["text"].split(), generated["text"].split())
        return BeforeAfter(TEXT, *both, given=target, whole=whole)
    (what, before), (_, after) = answered_positions(card, plain), answered_positions(card, edited)
    before_tokens = [plain["top_tokens"][at][0] for at in before]
    now = [edited["top_tokens"][at][0] for at in after]
    single = (chance(plain, before[0]), chance(edited, after[0])) if len(before) == 1 else None
    others = [token != other for token, other in zip(before_tokens, now, strict=True)]
    return BeforeAfter(
        what,
        list(zip(before_tokens, others, strict=True)),
        list(zip(now, others, strict=True)),
        single,
    )


def beside(before: list[str], after: list[str]) -> tuple[Words, Words]:
    """Two texts, in each of which the words are marked that the other does not have there."""
    alike = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    same = [[range(block[side], block[side] + block.size) for block in alike] for side in (0, 1)]
    marked = [
        [(word, not any(at in block for block in blocks)) for at, word in enumerate(words)]
        for words, blocks in zip((before, after), same, strict=True)
    ]
    return marked[0], marked[1]


def predictions(
    plain: dict[str, Any], edited: dict[str, Any], generated: dict | Problem | None
) -> dict[str, str]:
    """What stands in the bar as the model's answer, by what figures show: of the run without edits,
    or with them, also where the figures show the difference.
    """
    if generated is None:
        run, now = plain.get("prediction", ""), edited.get("prediction", "")
    elif isinstance(generated, Problem):
        run, now = plain.get("prediction", ""), ""
    else:
        run, now = generated["without_edits"]["text"], generated["text"]
    return {"run": run, "edited": now, "difference": now}


def answered_positions(card: dict, answer: dict[str, Any]) -> tuple[str, list[int]]:
    """What the model answers, and at which positions it does; a pad is asked nothing."""
    pads = (answer.get("aligned") or {}).get("text", ())
    every = [
        at for at in range(len(answer["top_tokens"])) if at >= len(pads) or pads[at] is not None
    ]
    if card["encoding"] == "scene":
        return "the object queries", every
    if card["encoding"] == "blanks" or card.get("head") == "masked word":
        labels = answer["axes"]["text"]["labels"]
        return "the blanks", [at for at in every if labels[at] == BLANK]
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
