"""What is so where /padding says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut
from tests.app.words.facts import Facts, between
from tests.app.words.printed import number
from tests.rounding import SINGLE, is_same


def four_equal(answer, _) -> bool:
    ours = cut(answer, "pattern.ours")
    others = [cut(answer, f"pattern.{name}") for name in ("sdpa", "multihead", "additive")]
    return all(is_same(ours, other, SINGLE) for other in others)


def all_on_the_padding(answer, _) -> bool:
    mistaken = cut(answer, "pattern.mistaken")
    return is_same(mistaken[:, answer.fields["real"] :].sum(-1), 1, SINGLE)


def none_changes(answer, _) -> bool:
    return bool((cut(answer, "change", mask="with the mask") < 1e-5).all())


def every_key_hidden(answer, _) -> bool:
    return bool(np.isneginf(cut(answer, "pattern.mistaken")).all())


def changes(answer, _) -> str:
    with_mask, without = ([number(each) for each in row.tolist()] for row in cut(answer, "change"))
    sentences = answer.axes["sentence"].labels
    return "; ".join(
        f"{sentences[i]}: {with_mask[i]} with, {without[i]} without" for i in range(len(sentences))
    )


ORACLES = {"changes": changes}
FACTS: Facts = {
    "padding": {
        "some": {"all": all_on_the_padding},
        "none": {"all": every_key_hidden, "none": every_key_hidden},
    },
    "reading": {"": {"none": none_changes}},
    "conventions": {"": {"same": four_equal}},
    "conventions.description": {"": {"same": four_equal}},
}
RIGHT = ("mistaken",), between(0.01, 0.99)
