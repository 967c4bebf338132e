"""What the page of /several-heads says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Four heads learn sooner than one to look at four places at once"
LOOK_FOR = (
    "Each token puts a value into a box: B1 puts 1 into box B. After each token a model says what"
    " all four boxes hold. Both models have the same number of weights and read the same texts."
    " Compare their losses at the last step; each thin line is one training."
)
FIND = (
    "Each token puts a value into a box: B1 puts 1 into box B. A model has to find the last token"
    " of each of the four boxes."
)
LOOKS = {
    "looks.1": f"{FIND} One head has one row of weights for all four: see how it shares them.",
    "looks.4": f"{FIND} Each map is one of the four heads: see which boxes it looks for.",
}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("ratio", "gain"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    return next((said for name, said in LOOKS.items() if name in question["figures"]), LOOK_FOR)


def reading(answer: "Answer", question: Question) -> str:
    """How often one head and four heads are right, and the ratio of their losses."""
    one, four = (percent(measured(answer, f"right.{heads}")) for heads in (1, 4))
    return (
        f"After {question['steps']} steps the model with one head says all boxes right at {one} of"
        f" the positions, and the model with four heads at {four}. The loss with one head is"
        f" {number(measured(answer, 'ratio'))} times the loss with four."
    )


TITLES = {
    "parameters": "Number of weights: most minus fewest",
    "ratio": "Loss at the end: one head divided by four",
    "gain": "Right at the end: four heads minus one",
    "right.1": "Right at the end, 1 head",
    "right.4": "Right at the end, 4 heads",
}
