"""What the page of /circuits-theory says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import finding, measured
from app.figures.text import decimals, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "One head passes on the letter before, and a second head predicts the next letter from it"
ONE_PATH = (
    "Head 2.0 is the first head of layer 2. On the left, one of 25 paths carries the next letter:"
    " the path through head 2.0 alone."
)
BY_KEYS = (
    "On the right, one pair of heads stands out: head 2.0 reads what head 1.0 writes. Choose"
    " “score” to see what head 1.0 is needed for."
)
BY_OTHERS = (
    "On the right, the {} of head 2.0 read nothing of what head 1.0 writes, so their cell is 0."
    " Choose keys, by which it does read it."
)
LOOK_FOR = f"{ONE_PATH} {BY_KEYS}"
RANDOM = (
    "On the left, no path carries the next letter, and the network guesses. On the right, the"
    " virtual weights of all pairs are about as large as those of random matrices."
)
LEARNED = (
    "On the left, the four paths through one head of layer 2 alone carry the letter.{} On the"
    " right, the virtual weights from head {} to the {} of head {} are {} times as large as those"
    " of random pairs. Go back through the steps of the training."
)
SPARE = (
    " Without head {} the network still predicts {} of the letters, because the other heads of"
    " layer 2 do the same."
)
LEARNING = (
    "The network is still learning: it predicts {} of the letters, and without head {} it predicts"
    " {}. On the right, the virtual weights from head {} to the {} of head {} are {} times as large"
    " as those of random pairs. Choose a later step."
)
BEGINNING = (
    "The network has begun to learn: it predicts {} of the letters. On the left, the paths through"
    " layer 2 begin to carry the letter. Choose a later step."
)
OF_LAYER_2 = "Layer 2 predicts the next letter from what head {} wrote"
BY = {"q": "queries", "k": "keys", "v": "values"}
HALF = 0.5
GUESSED = 0.15
"""Twice what a guess among 15 letters would be right for, in round numbers."""
RESTS_ON = ("accuracy", "share.layer_2", "over_baseline", "ablated.1.0")


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds. In the random network its pair
    composes as random pairs do, which is the law there and no part of the claim.
    """
    if question["weights"] == "random":
        return Claim(CLAIM, ("accuracy", "share.score"))
    if question["weights"] == "trained":
        return Claim(OF_LAYER_2.format(answer.fields["pair"][0]), RESTS_ON)
    return Claim(CLAIM, (*RESTS_ON, "ablated.2.0"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures, which depends on the weights and on what was found."""
    by = BY[question["composition"]]
    if question["weights"] == "constructed":
        return LOOK_FOR if by == BY["k"] else f"{ONE_PATH} {BY_OTHERS.format(by)}"
    value, mean = virtual_weights(answer, question)
    over, right = decimals(value / mean), measured(answer, "accuracy")
    if question["weights"] == "random" or right < HALF:
        return RANDOM if right < GUESSED else BEGINNING.format(percent(right))
    first, second = answer.fields["pair"]
    if all(finding(answer, name).holds for name in RESTS_ON):
        without = finding(answer, "ablated.2.0")
        spare = SPARE.format(second, percent(without.number)) if without.number > HALF else ""
        return LEARNED.format(spare, first, by, second, over)
    without = percent(measured(answer, "ablated.1.0"))
    return LEARNING.format(percent(right), first, without, first, by, second, over)


def virtual_weights(answer: "Answer", question: Question) -> tuple[float, float]:
    """The virtual weights of the pair of heads by the chosen composition, and those of random
    pairs.
    """
    (first, second), chosen = heads(answer), "qkv".index(question["composition"])
    return (
        float(answer.tensors["composition"].data[chosen, second, first]),
        float(answer.tensors["baseline"].data[chosen, 0]),
    )


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: what the one path gives, and how large the pair's virtual weights
    are.
    """
    position, letters = int(question["position"]), answer.fields["letters"]
    here = len(letters) - 1 - len(axes.labels(answer, "position")) + position
    first, second = heads(answer)
    value, mean = virtual_weights(answer, question)
    one, two = answer.fields["pair"]
    if "score" in question["figures"]:
        ways = answer.tensors["score_paths"].data[position]
        part = float(ways[0, 1 + first])
        what = f"The key through head {one} adds {decimals(part, 1)} to the score of head {two}"
    else:
        ways = answer.tensors["logit_paths"].data[position]
        part = float(ways[1 + second, 0])
        what = f"The path through head {two} alone adds {decimals(part, 1)} to its logit"
    rest = float(ways.sum()) - part
    read, following = letters[here - 1 : here + 1], letters[here + 1]
    by = BY[question["composition"]]
    return (
        f"After “…{read}” comes “{following}”. {what}, and all other paths together"
        f" add {decimals(rest, 1)}. The virtual weights from head {one} to the {by} of head"
        f" {two} are {decimals(value)}, and those of random pairs {decimals(mean)}."
    )


def heads(answer: "Answer") -> tuple[int, int]:
    """The numbers of the two heads in their layers."""
    first, second = (int(name.split(".")[1]) for name in answer.fields["pair"])
    return first, second


TITLES = {
    "out_error": "Difference between the 25 paths and the forward pass",
    "score_error": "Difference between the 25 terms and the score",
    "baseline": "Virtual weights of random pairs",
    "composition.k": "Virtual weights of the pair, by keys",
    "composition.q_and_v": "Virtual weights of the pair, by queries or values",
    "over_baseline": "Virtual weights of the pair by keys, over random pairs",
    "share.logit": "Logit through the second head alone",
    "share.layer_2": "Logit through layer 2 alone",
    "share.score": "Score with the key through the first head",
    "share.frozen": "Logit through the first head",
    "accuracy": "Accuracy in the repetition",
    "ablated.1.0": "Accuracy without the first head",
    "ablated.2.0": "Accuracy without the second head",
    "ablated.other": "Accuracy without any one other head",
}
