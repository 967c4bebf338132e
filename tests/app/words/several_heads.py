"""What is so where /several-heads says it, and its own fields once more."""

from tests.app.words.answered import cut
from tests.app.words.facts import Facts, between


def final(heads: str):
    """The mean of the last 20 steps."""
    return lambda a, _: cut(a, "loss", heads=heads)[-20:].mean()


def four_boxes(answer, _) -> bool:
    return len({token[0] for token in answer.axes["key"].labels}) == 4


ORACLES = {
    "loss_1": final("1"),
    "loss_4": final("4"),
    "tokens": lambda a, _: " ".join(a.axes["key"].labels),
}


FACTS: Facts = {
    "shown": {"other": {"all": four_boxes}, "looks_1": {"all": four_boxes}},
    "reading": {"": {"all": four_boxes}},
    "right": {"": {"all": four_boxes}},
    "right.description": {"": {"all": four_boxes}},
}
RIGHT = ("ratio",), between(0.8, 1.25)
