"""What the page of /circuits-theory says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import finding
from app.figures.text import decimals
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "One head hands on to another, and the two foretell the next letter"
LOOK_FOR = (
    "On the left, one of 25 paths carries the next letter: the path through head 2.0 alone. On the"
    " right, one pair stands out: the virtual weights from head 1.0 to head 2.0. Then expand the"
    " score, where head 1.0 does its part."
)
RANDOM = (
    "On the left, no path leads to the next letter, and the network guesses. On the right, the"
    " virtual weights are as large as chance makes them, or little larger."
)
LEARNED = (
    "On the left, the four paths past layer 1 and through one head of layer 2 carry the letter. On"
    " the right, the virtual weights from head {} to head {} are {} times as large as those of"
    " random pairs. Go back through the steps of the training."
)
LEARNING = (
    "The network is still learning. On the left, the paths past layer 1 do not yet carry the letter"
    " as they will. On the right, the virtual weights from head {} to head {} are {} times as large"
    " as those of random pairs. Choose a later step."
)
OF_LAYER_2 = "Layer 2 reads what head {} wrote, and so it foretells the next letter"
BY = {"q": "queries", "k": "keys", "v": "values"}
HALF = 0.5
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
    if question["weights"] == "constructed":
        return LOOK_FOR
    over, accuracy = finding(answer, "over_baseline"), finding(answer, "accuracy")
    if question["weights"] == "random" or accuracy.number < HALF:
        return RANDOM
    learned = all(finding(answer, name).holds for name in RESTS_ON)
    said = LEARNED if learned else LEARNING
    return said.format(*answer.fields["pair"], decimals(over.number))


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: what the one path gives, and how large the pair's virtual weights
    are.
    """
    position, letters = int(question["position"]), answer.fields["letters"]
    here = len(letters) - 1 - len(axes.labels(answer, "position")) + position
    (first, second), chosen = heads(answer), "qkv".index(question["composition"])
    value = float(answer.tensors["composition"].data[chosen, second, first])
    mean = float(answer.tensors["baseline"].data[chosen, 0])
    one, two = answer.fields["pair"]
    if "score" in question["figures"]:
        ways = answer.tensors["score_paths"].data[position]
        part, what = (
            float(ways[0, 1 + first]),
            f"In the score of {two}, the key’s path through {one}",
        )
    else:
        ways = answer.tensors["logit_paths"].data[position]
        part, what = float(ways[1 + second, 0]), f"For the logit, the path through {two} alone"
    rest = float(ways.sum()) - part
    read, following = letters[here - 1 : here + 1], letters[here + 1]
    by = BY[question["composition"]]
    return (
        f"After “…{read}” comes “{following}”. {what} gives {decimals(part, 1)}; all other paths"
        f" together {decimals(rest, 1)}. Virtual weights from {one} to the {by} of {two}:"
        f" {decimals(value)}; random pairs {decimals(mean)}."
    )


def heads(answer: "Answer") -> tuple[int, int]:
    """The numbers of the two heads in their layers."""
    first, second = (int(name.split(".")[1]) for name in answer.fields["pair"])
    return first, second


TITLES = {
    "out_error": "25 paths less the forward pass",
    "score_error": "25 terms less the score",
    "baseline": "Virtual weights of random pairs",
    "composition.k": "Virtual weights of the pair, by keys",
    "composition.q_and_v": "The same by queries or values",
    "over_baseline": "Virtual weights of the pair by keys, over random pairs",
    "share.logit": "Path through the second head alone, share of the logit",
    "share.layer_2": "Paths through layer 2 alone, share of the logit",
    "share.score": "Key through the first head, share of the score",
    "share.frozen": "All paths through the first head, share of the logit",
    "accuracy": "Right in the repetition",
    "ablated.1.0": "Right without the first head",
    "ablated.2.0": "Right without the second head",
    "ablated.other": "Right without any one other head",
}
