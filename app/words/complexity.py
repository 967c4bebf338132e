"""What the page of /complexity says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Attention pays in length for being one step from everywhere"
LOOK_FOR = (
    "Left, attention and recurrence cross where n = d. Right, the recurrent gradients fade or "
    "grow with distance; that of attention is flat."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("crossover_length",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    crossing, least, most = (
        number(measured(answer, name))
        for name in ("crossover_length", "gradient.0.8", "gradient.1.2")
    )
    return (
        f"Beyond n = {crossing} attention costs more. 64 steps on, a recurrent gradient is {least}"
        f" at gain 0.8, {most} at gain 1.2."
    )


TITLES = {
    "crossover_length": "Attention costs as much as recurrence at n",
    "gradient.0.8": "Recurrent gradient after 64 steps, gain 0.8",
    "gradient.1.2": "Recurrent gradient after 64 steps, gain 1.2",
    "gradient.attention": "Attention, farther half over nearer half",
    "bound": "Recurrent gradient over its bound, at most",
}
