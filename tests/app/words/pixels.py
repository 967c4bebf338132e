"""What is so where /pixels says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut
from tests.app.words.facts import Facts, between
from tests.rounding import SINGLE, is_same

MODELS = {
    "independent": "independent",
    "markov": "Markov chain",
    "line": "line of 13",
    "block": "block of 13",
    "all": "all pixels",
}
"""How the page calls the models."""


def begins_alike(answer, question) -> bool:
    """Whether the rows that are given are those of the held-out image."""
    rows = slice(question["given"])
    return bool((cut(answer, "completed")[:, rows] == cut(answer, "held_out")[rows]).all())


def better_below(answer, _) -> bool:
    """Whether what sees its neighbours costs less than what sees none."""
    return bool(cut(answer, "bits", model="block") < cut(answer, "bits", model="independent"))


def at_strokes(answer, _) -> bool:
    """Whether pixels differ in what they cost, and corners, which are empty, cost little."""
    costs = cut(answer, "by_pixel", model="block")
    return bool(costs[0, 0] < costs.mean() < costs.max())


def of_two_windows(answer, question) -> bool:
    """Whether no pixel has an influence that lies farther than two windows of 13 reach."""
    row, column = divmod(question["pixel"], 8)
    moving = np.flatnonzero(cut(answer, "influence")[1:])
    rows, columns = np.divmod(moving, 8)
    if question["network"] == "line":
        return bool((question["pixel"] - moving <= 26).all())
    near = (row - rows <= 4) & (abs(columns - column) <= 4)
    return question["network"] == "all" or bool(near.all())


def sees_all(answer, question) -> bool:
    return cut(answer, "sees")[1:].sum() == question["pixel"]


ORACLES = {
    "row": lambda _, q: 1 + q["pixel"] // 8,
    "column": lambda _, q: 1 + q["pixel"] % 8,
    "seen_count": lambda a, _: np.count_nonzero(cut(a, "sees")[1:]),
    "moving_count": lambda a, _: np.count_nonzero(cut(a, "influence")[1:]),
    "chance": lambda a, _: cut(a, "next", level=str(a.fields["written"])).item(),
    "images": lambda a, _: a.axes["seed"].size * a.axes["digit"].size,
    "costs": lambda a, _: ", ".join(
        f"{title} {cut(a, 'bits', model=name).item():.2f}" for name, title in MODELS.items()
    ),
}
QUESTIONS = ({"pixel": 1, "given": 1}, {"pixel": 21, "network": "line"})
FACTS: Facts = {
    "left": {
        "completed": {"same": begins_alike},
    },
    "right": {
        "bits": {"more": better_below},
        "by_pixel": {"none": at_strokes},
        "influence": {"none": of_two_windows},
    },
    "network": {"all": {"all": sees_all}},
    "looks.description": {"": {"all": lambda a, _: is_same(cut(a, "looks").sum(-1), 1, SINGLE)}},
}
RIGHT = ("{network}",), between(-0.05, 0.05)
