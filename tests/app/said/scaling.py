"""What /scaling says of the weights of scores that are divided by √dₖ and of those that are not."""

from tests.app.said.answered import asked, asks, both, cut, not_asked, number
from tests.app.said.sayings import Fields, Says, always, only

FIELDS: Fields = {
    "d_head": asks("d_head"),
    "keys": asks("keys"),
    "largest.unscaled": lambda a, _: cut(a, "pattern", score="unscaled").max().item(),
    "largest.scaled": lambda a, _: cut(a, "pattern", score="scaled").max().item(),
    "entropy.unscaled": number("entropy.unscaled"),
    "entropy.scaled": number("entropy.scaled"),
}
SAYS: list[Says] = [
    *always(
        "Without division by √dₖ, one key takes nearly all the weight",
        "With dₖ = {d_head}, the largest of {keys} weights is {largest.unscaled:weight} unscaled"
        " and {largest.scaled:weight} scaled",
        "On average over many queries, the entropy of the unscaled weights is"
        " {entropy.unscaled:2} of its largest value, ln {keys}",
        "of the scaled weights is {entropy.scaled:2}",
    ),
    *only(
        both(asked(correlation=0), lambda _, q: q["d_head"] >= 16),
        "The upper bars are the softmax weights of the scores q·k, the lower bars those of the"
        " scores divided by √dₖ",
        "The keys are random, so none deserves more weight than another",
        "Lower dₖ: the upper bars become more equal",
        "the lower bars stay about as equal as they are",
    ),
    *only(
        not_asked(correlation=0),
        "Key 1 is correlated with the query",
        "Its score grows like dₖ, the others only like √dₖ, so key 1 takes nearly all the weight"
        " when dₖ is large, even after the division by √dₖ",
    ),
    *only(
        both(asked(correlation=0), lambda _, q: q["d_head"] < 16),
        "With few components the scores are small, so the division by √dₖ changes little",
        "Raise dₖ: one upper bar takes nearly all the weight, and the lower bars stay nearly equal",
    ),
]
CLAIMS = {"Without division": ("entropy.unscaled", "entropy.scaled")}
QUESTIONS = ({"d_head": 16}, {"correlation": 0.5})
