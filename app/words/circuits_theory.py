"""What the page of /circuits-theory says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.text import decimals
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "A forward pass is a sum of paths"
LOOK_FOR = (
    "Left, one path of 25 carries the letter: 2.0. Right, one pair stands out: 2.0 reads 1.0. "
    "Now expand the score."
)


BY = {"q": "queries", "k": "keys", "v": "values"}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("out_error",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: what the one path gives, and what the one pair composes."""
    position, letters = int(question["position"]), answer.fields["letters"]
    here = len(letters) - 1 - len(axes.labels(answer, "position")) + position
    chosen = axes.labels(answer, "composition").index(question["composition"])
    value = float(answer.tensors["composition"].data[chosen, 0, 0])
    mean = float(answer.tensors["baseline"].data[chosen, 0])
    if "score" in question["figures"]:
        ways = answer.tensors["score_paths"].data[position]
        one, what = ways[0, 1], "the key’s path through 1.0"
    else:
        ways = answer.tensors["logit_paths"].data[position]
        one, what = ways[1, 0], "path 2.0"
    path = f"{what} gives {decimals(float(one), 1)} of {decimals(float(ways.sum()), 1)}"
    pair = f"2.0 reads 1.0 by {BY[question['composition']]}: {decimals(value)}"
    read, following = letters[here - 1 : here + 1], letters[here + 1]
    return f"“…{read}”, then “{following}”: {path}. {pair}; random pairs {decimals(mean)}."


TITLES = {
    "out_error": "25 paths less the forward pass",
    "score_error": "25 terms less the score",
    "baseline": "Composition of random pairs",
    "composition.k": "2.0 reads 1.0 by keys",
    "composition.q_and_v": "By queries or values",
    "over_baseline": "By keys, over random pairs",
    "share.logit": "Path 2.0, share of the logit",
    "share.score": "Key through 1.0, share of the score",
    "share.frozen": "All paths through 1.0, share of the logit",
    "accuracy": "Right in the repetition",
    "ablated.1.0": "Right without 1.0",
    "ablated.2.0": "Right without 2.0",
    "ablated.other": "Right without any one other head",
}
