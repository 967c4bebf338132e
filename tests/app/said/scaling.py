"""What /scaling says of the weights of scores that are divided by √dₖ and of those that are not."""

import numpy as np

from tests.app.said.answered import asked, asks, both, cut, measured, not_asked, number
from tests.app.said.sayings import Fields, Says, When, always, only, results

FIELDS: Fields = {
    "d_head": asks("d_head"),
    "keys": asks("keys"),
    "largest.unscaled": lambda a, _: cut(a, "pattern", score="unscaled").max().item(),
    "largest.scaled": lambda a, _: cut(a, "pattern", score="scaled").max().item(),
    "entropy.unscaled": number("entropy.unscaled"),
    "entropy.scaled": number("entropy.scaled"),
}


def raised(answer) -> float:
    """How much evener the division makes the weights, as a share of the largest entropy."""
    return measured(answer, "entropy.scaled") - measured(answer, "entropy.unscaled")


def upper_change(answer, _) -> bool:
    """Whether the unscaled weights are less even the wider a head is, up to nearly all on one."""
    line = cut(answer, "entropy", score="unscaled")
    return bool((np.diff(line) < 0).all() and line[-1] < 0.1)


def lower_stay(answer, _) -> bool:
    return np.ptp(cut(answer, "entropy", score="scaled")) < 0.15


def independent(little: bool) -> When:
    return lambda a, q: not q["correlation"] and (raised(a) < 0.1) is little


SAYS: list[Says] = [
    *always(
        "Without division by √dₖ, one key takes nearly all the weight",
        "With dₖ = {d_head}, the largest of {keys} weights is {largest.unscaled:%} unscaled"
        " and {largest.scaled:%} scaled",
    ),
    *only(
        independent(False),
        "The upper bars are the softmax weights of the scores q·k, the lower bars those of the"
        " scores divided by √dₖ",
        "The keys are random, so none deserves more weight than another",
    ),
    *results(
        both(independent(False), upper_change),
        "Lower dₖ: the upper bars become more equal",
    ),
    *results(
        both(asked(correlation=0), lower_stay), "the lower bars stay about as equal as they are"
    ),
    *only(
        not_asked(correlation=0),
        "Key 1 is correlated with the query",
        "Its score grows like dₖ, the others only like √dₖ, so key 1 takes nearly all the weight"
        " when dₖ is large, even after the division by √dₖ",
    ),
    *only(
        independent(True),
        "With few components the scores are small, so the division by √dₖ changes little",
    ),
    *results(
        both(independent(True), upper_change),
        "Raise dₖ: one upper bar takes nearly all the weight",
    ),
]
CLAIMS = {"Without division": ("largest.unscaled", "entropy.unscaled", "entropy.scaled")}
QUESTIONS = ({"d_head": 1}, {"d_head": 16}, {"correlation": 0.5})
