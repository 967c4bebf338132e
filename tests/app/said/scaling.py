"""What /scaling says of the weights of scores that are divided by √dₖ and of those that are not."""

from tests.app.said.answered import asked, asks, cut, of
from tests.app.said.sayings import Fields, Says, always, only

FIELDS: Fields = {
    "d_head": asks("d_head"),
    "keys": asks("keys"),
    "largest.unscaled": lambda a, _: cut(a, "pattern", score="unscaled").max().item(),
    "largest.scaled": lambda a, _: cut(a, "pattern", score="scaled").max().item(),
    "entropy.unscaled": of("entropy.unscaled"),
    "entropy.scaled": of("entropy.scaled"),
}
SAYS: list[Says] = [
    *always(
        "dₖ = {d_head}, the largest of {keys} weights is {largest.unscaled:weight} unscaled and"
        " {largest.scaled:weight} scaled",
        "over many queries",
        "unscaled weights is {entropy.unscaled:2} of its largest value, ln {keys}",
        "of the scaled weights is {entropy.scaled:2}",
        "Without division by √dₖ",
        "one key takes nearly all the weight",
    ),
    *only(asked(correlation=0.0), "upper bars", "lower bars"),
]
CLAIMS = {"Without division": ("entropy.unscaled", "entropy.scaled")}
