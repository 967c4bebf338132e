"""What is so where /head-split says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut, measured
from tests.app.words.facts import Facts, between


def one_colour(answer, _) -> bool:
    """Whether every head has at each position a piece of the token there."""
    return bool((np.ptp(cut(answer, "origin.right"), 0) == 0).all())


def of_few(answer, _) -> bool:
    """Whether every head gets pieces of fewer tokens than there are."""
    origin = cut(answer, "origin.wrong")
    return all(len(set(row)) < origin.shape[1] for row in origin.tolist())


def foreign(split: str):
    def count(answer, _) -> int:
        origin = cut(answer, f"origin.{split}")
        return int((origin != np.arange(origin.shape[1])).sum())

    return count


ORACLES = {
    "foreign_right": foreign("right"),
    "foreign_wrong": foreign("wrong"),
    "head_drawn": lambda answer, question: sorted(
        (0, question["head"], len(answer.tensors["origin.right"].data) - 1)
    )[1],
}
QUESTIONS = ({"layer": 1, "head": 2},)
FACTS: Facts = {
    "shown": {
        "other": {"all colour": lambda *_: True, "all left": one_colour, "only": of_few},
        "pattern_right": {
            "same": lambda *_: True,
            "most": lambda answer, _: measured(answer, "foreign") > 0.5,
        },
    },
}
RIGHT = ("moved",), between(1 / 3, 2 / 3)
