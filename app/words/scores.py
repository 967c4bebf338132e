"""What the page of /scores says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.text import decimals, grouped, number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "One of six never looks at the keys"
COLD = "At temperature 0 no weight moves with any key"
LOOK_FOR = (
    "Five bars stand on the right and the sixth is missing: location scores a place, not the key"
    " that stands there. Change T, and see the maps on the left harden or fade."
)
COLD_LOOK_FOR = (
    "All six bars are missing on the right: each query gives all its weight to its best key, and a"
    " small change of a key does not change which one is best. Each row on the left has one cell."
)
BESIDE = {
    "choices": (
        "Soft or hard and global or local are two separate choices: a window leaves keys out and"
        " makes nothing hard. Over each map stands how far its weights move with the keys."
    ),
    "looked_up": (
        "Each row on the right is the sum of the rows in the middle, each multiplied by its weight"
        " on the left. At temperature 0 a row has one weight, so it is a copy of one value."
    ),
    "draws": (
        "The error of the mean of hard draws follows the dotted law 1/√n: a hundred times as many"
        " draws are ten times as near to soft attention."
    ),
}
NAMES = {
    "dot": "dot",
    "scaled_dot": "scaled dot",
    "general": "general",
    "additive": "additive",
    "cosine": "cosine",
    "location": "location",
}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    moving = tuple(f"reach.{name}" for name in NAMES)
    return Claim(CLAIM, moving) if question["temperature"] else Claim(COLD, ("hard_reach", *moving))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the maps, and in the figure that is shown beside them."""
    for shown, sentence in BESIDE.items():
        if shown in question["figures"]:
            return sentence
    return LOOK_FOR if question["temperature"] else COLD_LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off the figure that is shown beside the maps."""
    if "choices" in question["figures"]:
        soft, hard = answer.tensors["choice_reach"].data.max(-1).values.tolist()
        return (
            f"Soft attention moves with the keys, its gradient is {number(soft)}; hard attention"
            f" does not, its gradient is {number(hard)}."
        )
    if "looked_up" in question["figures"]:
        weights = answer.tensors["scaled_dot"].data[0]
        best = int(weights.argmax())
        return (
            f"Query 1 gives {percent(weights[best].item())} of its weight to key {best + 1}; so"
            " much of what it looks up is the value of this key."
        )
    if "draws" in question["figures"]:
        counts, errors = axes.labels(answer, "draws"), answer.tensors["sampling_error"].data
        return (
            f"The mean of {grouped(int(counts[-1]))} hard draws is {number(errors[-1].item())} from"
            " the soft weights; the error falls with the number of draws to the power"
            f" {decimals(measured(answer, 'sampling_slope'))}."
        )
    reach = dict(zip(NAMES, answer.tensors["reach"].data.tolist(), strict=True))
    if not any(reach.values()):
        return "Gradient of the weights to the keys: 0 for all six functions."
    said = ", ".join(f"{NAMES[name]} {number(value)}" for name, value in reach.items())
    return f"Gradient of the weights to the keys: {said}."


TITLES = {
    "general_is_dot": "General with W = I, less dot",
    "scaled_is_temperature": "Scaled, less dot at T √d",
    "cosine_largest": "Cosine, largest weight",
    "cosine_bound": "The bound, less where it is reached",
    **{f"reach.{name}": f"Gradient of a seed, {said}" for name, said in NAMES.items()},
    "hard_reach": "Gradient of hard choices",
    "soft_reach": "Gradient of soft choices",
    "local_outside": "Weight outside the window",
    "cold_is_arg_max": "Cold softmax, less the best value",
    "sampling_over_law": "Error of draws over its law",
    "sampling_slope": "Its exponent in the draws",
}
