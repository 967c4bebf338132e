"""What the page of /learned-positions says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import decimals
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Learned and sinusoidal positions give nearly identical results"
LOOK_FOR = (
    "On the left, the losses of two translators fall together. On the right, the perplexity with"
    " learned positions is divided by the one with sinusoidal positions. The law allows this line"
    " to end between 0.98 and 1.02."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the finding that says whether it holds."""
    return Claim(CLAIM, ("learned_over_sinusoidal",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: the perplexities at the end of the training."""
    learned, sinusoidal = (
        decimals(measured(answer, f"perplexity.{name}")) for name in ("learned", "sinusoidal")
    )
    return (
        f"At the end of the training the perplexity is {learned} with learned positions and"
        f" {sinusoidal} with sinusoidal ones."
    )


TITLES = {
    "learned_over_sinusoidal": "Perplexity, learned over sinusoidal",
    "perplexity.sinusoidal": "Perplexity with sinusoidal positions",
    "perplexity.learned": "Perplexity with learned positions",
}
