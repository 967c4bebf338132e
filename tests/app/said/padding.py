"""What /padding says of a sentence that is padded."""

import numpy as np

from tests.app.said.answered import cut, number
from tests.app.said.sayings import Fields, Says, always, results
from tests.rounding import SINGLE, is_same

FIELDS: Fields = {
    "drawn": lambda a, _: cut(a, "shortest.by_seed", seed=0, mask="without it").item(),
    "with": number("with"),
}


def four_equal(answer, _) -> bool:
    ours = cut(answer, "pattern.ours")
    others = [cut(answer, f"pattern.{name}") for name in ("sdpa", "multihead", "additive")]
    return all(is_same(ours, one, SINGLE) for one in others)


def all_on_the_padding(answer, _) -> bool:
    mistaken = cut(answer, "pattern.mistaken")
    return is_same(mistaken[:, answer.fields["real"] :].sum(-1), 1, SINGLE)


def every_key_hidden(answer, _) -> bool:
    return bool(np.isneginf(cut(answer, "pattern.mistaken")).all())


QUESTIONS = ({"pads": 0},)
RESULTS: list[Says] = [
    *results(
        four_equal,
        "The first four are equal: True means “takes part” in one library function and “is hidden”"
        " in another, and each was given the mask that it expects",
    ),
    *results(
        all_on_the_padding,
        "The fifth map is of a function that was given the mask of the other: all weight lies on"
        " the padding",
    ),
    *results(
        every_key_hidden,
        "The fifth map is of a function that was given the mask of the other: every key is hidden,"
        " so that there are no weights",
        "All maps show one sentence, which has no padding",
    ),
]
SAYS: list[Says] = RESULTS + always(
    "With its mask, a padded sentence comes out like the sentence alone",
    "All maps show one padded sentence",
    "Without the mask, padding changes the encoder’s output vectors of the shortest sentence by"
    " {drawn:%} of their length",
    "With the mask no sentence changes by more than {with:number}",
)
CLAIMS = {"With its mask": ("with", "bits")}
