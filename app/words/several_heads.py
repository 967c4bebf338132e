"""What the page of /several-heads says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Four heads learn to look four ways at once sooner than one"
LOOK_FOR = (
    "Both models have the same number of weights and read the same texts. Thin lines are single"
    " trainings. See how far apart the lines of one head and of four heads"
    " are at the end."
)
LOOKS = (
    "Each token puts a value into a box: B1 puts 1 into box B. A model has to find the last token"
    " of each of four boxes. One head spreads its weight over all of them; see which boxes each of"
    " the four heads looks for."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("ratio", "gain"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    return LOOKS if "looks.4" in question["figures"] else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How often one head and four heads are right, and the ratio of their losses."""
    one, four = (percent(measured(answer, f"right.{heads}")) for heads in (1, 4))
    return (
        f"After {question['steps']} steps one head says all boxes right at {one} of the positions,"
        f" four heads at {four}. The loss of one head is {number(measured(answer, 'ratio'))} times"
        " that of four."
    )


TITLES = {
    "parameters": "Weights, most less fewest",
    "ratio": "Loss at the end, one head over four",
    "gain": "Right at the end, four heads less one",
    "right.1": "Right at the end, 1 head",
    "right.4": "Right at the end, 4 heads",
}
