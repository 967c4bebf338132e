"""Facts of an answer as they stand beside a figure: what each is called, the number that was
measured, its law, and whether the law holds.
"""

from typing import TYPE_CHECKING, Any

from app.figures.text import number

if TYPE_CHECKING:
    from model.answers.answer import Answer

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
            "value": f"{'✓' if fact.holds else '✗'} {number(float(fact.value))}"
            + (f" {fact.unit}" if fact.unit else ""),
            "law": typeset(fact.law),
            "holds": bool(fact.holds),
        }
        for fact in answer.fields["facts"]
        if fact.name in titles
    ]
