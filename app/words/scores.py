"""What the page of /scores says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.text import decimals, grouped, number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Five of six score functions read the keys, and location does not"
COLD = "At temperature 0 no weight moves with any key"
LOOK_FOR = (
    "The bars on the right say how far the weights move when a key changes. Five bars stand there;"
    " location has none, because it scores a place and not the key in this place. Lower T: the"
    " weight"
    " in each row on the left gathers on one key. Raise T: it spreads."
)
COLD_LOOK_FOR = (
    "All six bars are missing on the right: each query gives all its weight to its best key, and a"
    " small change of a key does not change which one is best. Each row on the left has one cell."
)
COLD_CHOICES = (
    "At temperature 0 soft attention is hard: each row gives all its weight to one key, and no"
    " weight"
    " moves when a key changes a little. Raise T, and compare the soft maps with the hard ones."
)
BESIDE = {
    "choices": (
        "Soft or hard is one choice, global or local is another. A window leaves keys out, and the"
        " weights inside it stay soft. The number over each map says how far its weights move when"
        " a key changes."
    ),
    "looked_up": (
        "In the right figure, each row of the last map is the sum of the rows of the middle map,"
        " each multiplied by its weight in the first map. At temperature 0 a row has one weight, so"
        " it is a copy of one value."
    ),
    "draws": (
        "Each draw chooses one key at random, with the soft weights as probabilities. The mean of n"
        " draws comes nearer to the soft weights along the dotted line 1/√n: with a hundred"
        " times as"
        " many draws the error is a tenth."
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
    if "choices" in question["figures"] and not question["temperature"]:
        return COLD_CHOICES
    for shown, sentence in BESIDE.items():
        if shown in question["figures"]:
            return sentence
    return LOOK_FOR if question["temperature"] else COLD_LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off the figure that is shown beside the maps."""
    if "choices" in question["figures"]:
        soft, hard = answer.tensors["choice_reach"].data.max(-1).values.tolist()
        return (
            f"The gradient of the weights with respect to the keys is {number(soft)} for soft"
            f" attention and {number(hard)} for hard attention."
        )
    if "looked_up" in question["figures"]:
        weights = answer.tensors["scaled_dot"].data[0]
        best = int(weights.argmax())
        return (
            f"Query 1 gives {percent(weights[best].item())} of its weight to key {best + 1}; the"
            " value of this key has the same share in what the query looks up."
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
        return "The gradient of the weights with respect to the keys is 0 for all six functions."
    said = ", ".join(f"{NAMES[name]} {number(value)}" for name, value in reach.items())
    return f"The gradient of the weights with respect to the keys is: {said}."


TITLES = {
    "general_is_dot": "General with W = I, difference from dot",
    "scaled_is_temperature": "Scaled dot, difference from dot at T √dₖ",
    "cosine_largest": "Cosine, largest weight",
    "cosine_bound": "Cosine, bound less the weight that reaches it",
    **{f"reach.{name}": f"Gradient by the keys, {said}" for name, said in NAMES.items()},
    "hard_reach": "Gradient by the keys, hard attention",
    "soft_reach": "Gradient by the keys, soft attention",
    "local_outside": "Weight outside the window",
    "cold_is_arg_max": "Softmax as T goes to 0, difference from the best value",
    "sampling_over_law": "Error of draws over its law",
    "sampling_slope": "Exponent of the error in the number of draws",
}
