"""Facts of an answer as they stand beside a figure: what each is called, whether its law holds, and
a sentence with what was expected and what was measured.
"""

import re
from typing import TYPE_CHECKING, Any

from app.captions.text import in_unit, number
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer
    from model.answers.measurements import Measurement

PRINTED = (
    (r"\bsqrt\(([\w.]+)\)", r"√\1"),
    (r"\bsqrt\(", "√("),
    (r"(?<=[\d)]) x (?=[\d(])", " × "),
    (r" - ", " − "),
    (r"(?<![\w)])-(?=[\da-z])", "−"),
    (r"<=", "≤"),
    (r" \. ", " · "),
    (r"\bpi\b", "π"),
    (r"\bepsilon\b", "ε"),
    (r"\bomega\b", "ω"),
    (r"\bsigma\b", "σ"),
    (r"\blambda\b", "λ"),
    (r"\^T\b", "ᵀ"),
    (r"\bd_(?:head|k)\b", "dₖ"),
    (r"(?<=\d)e-0?(\d+)\b", r" × 10^-\1"),
)
"""Patterns of what a law has in ASCII, and the signs of print for them."""
POWER = re.compile(r"\^([-−]?\d+)\b(?!\.\d)|\^([nl])\b")
INDEX = re.compile(r"(?<=\b[A-Za-z])_(\d+|[hijklmnt])(?=\b|ᵀ)|(?<=[|)])_(\d)")
RAISED = str.maketrans("-−0123456789nl", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹ⁿˡ")
LOWERED = str.maketrans("0123456789hijklmnt", "₀₁₂₃₄₅₆₇₈₉ₕᵢⱼₖₗₘₙₜ")


def typeset(law: str) -> str:
    """The law as in print: 12 x 3 - 3 becomes 12 × 3 − 3, and E |x_l|^2 becomes E |xₗ|²."""
    for symbol, printed in PRINTED:
        law = re.sub(symbol, printed, law)
    law = POWER.sub(lambda found: (found[1] or found[2]).translate(RAISED), law)
    return INDEX.sub(lambda found: (found[1] or found[2]).translate(LOWERED), law)


def to_rows(answer: "Answer", titles: dict[str, str]) -> list[dict[str, Any]]:
    """The facts of the answer that have a title, in the answer's order."""
    return [
        {
            "term": label(titles[fact.name]),
            "value": label("as expected" if fact.holds else failed(fact)),
            "law": label(compared(fact)),
            "holds": bool(fact.holds),
        }
        for fact in answer.fields["facts"]
        if fact.name in titles
    ]


WITHOUT_PREDICTION = ("score_spread",)
"""Facts that only some schemes are made to meet: for others, nothing predicts the number."""


def failed(fact: "Measurement") -> str:
    """The verdict on a fact that does not hold."""
    return "no prediction" if fact.name in WITHOUT_PREDICTION else "not met"


def compared(fact: "Measurement") -> str:
    """What was expected and what was measured, in a sentence: Expected 0, measured 2.68: the score
    of two tokens depends on their distance only.
    """
    law, _, reason = typeset(fact.law).partition(": ")
    law = f"more than {law[2:]}" if law.startswith("> ") else law
    measured = in_unit(number(float(fact.value)), fact.unit or "")
    if failed(fact) == "no prediction" and not fact.holds:
        return f"Measured {measured}; {reason}."
    sentence = f"Expected {law}, measured {measured}"
    return f"{sentence}: {reason}." if reason else f"{sentence}."
