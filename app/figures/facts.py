"""Facts of an answer as they stand beside a figure: what each is called, whether its law holds, and
a sentence with what was expected and what was measured.
"""

from typing import TYPE_CHECKING, Any

from app.figures.text import number

if TYPE_CHECKING:
    from model.answers.answer import Answer
    from model.answers.measurements import Measurement

PRINTED = {
    " x ": " × ",
    " - ": " − ",
    "^2": "²",
    "<=": "≤",
    " pi ": " π ",
    " . ": " · ",
    "M_k": "Mₖ",
    "^T": "ᵀ",
}
"""The signs of print for what a law has in ASCII."""


def typeset(law: str) -> str:
    """The law as in print: 12 x 3 - 3 becomes 12 × 3 − 3."""
    for written, printed in PRINTED.items():
        law = law.replace(written, printed)
    return law


def told(answer: "Answer", titles: dict[str, str]) -> list[dict[str, Any]]:
    """The facts of the answer that have a title, in the answer's order."""
    return [
        {
            "term": titles[fact.name],
            "value": "as expected" if fact.holds else "not met",
            "law": compared(fact),
            "holds": bool(fact.holds),
        }
        for fact in answer.fields["facts"]
        if fact.name in titles
    ]


def compared(fact: "Measurement") -> str:
    """What was expected and what was measured, in a sentence: Expected 0, measured 2.68: two tokens
    meet alike wherever they stand, k apart.
    """
    law, _, reason = typeset(fact.law).partition(": ")
    law = f"more than {law[2:]}" if law.startswith("> ") else law
    unit = f" {fact.unit}" if fact.unit else ""
    told = f"Expected {law}, measured {number(float(fact.value))}{unit}"
    return f"{told}: {reason}." if reason else f"{told}."
