"""What is so where /fine-tuning says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut
from tests.app.words.facts import Facts


def gain(answer, member: str) -> float:
    line = cut(answer, "accuracy", member=member)
    return line[-1] - line[0]


def more_labels_help(answer, _) -> bool:
    """Whether the tuned encoder improves most, the frozen one less, and scratch least."""
    return gain(answer, "tuned") > gain(answer, "frozen") > gain(answer, "scratch")


def like_a_coin(answer, _) -> bool:
    return bool(np.abs(cut(answer, "accuracy")[:, 0] - 0.5).max() < 0.1)


def stays(answer, _) -> bool:
    return bool(np.abs(cut(answer, "accuracy", member="scratch") - 0.5).max() < 0.1)


def labels(answer, _) -> int:
    return int(answer.axes["labelled"].values[-1])


ORACLES = {"labels": labels, "-labels": lambda answer, _: f"{labels(answer, _):,}"}
FACTS: Facts = {
    "look_for": {
        "": {
            "all": like_a_coin,
            **dict.fromkeys(("more", "most", "less"), more_labels_help),
            "same": stays,
        }
    }
}


def learned(frozen: float, tuned: float, scratch: float) -> int | None:
    who = [frozen >= 0.25, tuned >= 0.25, scratch >= 0.25]
    if all(who):
        return 0
    if sum(who) > 1 or who[0]:
        return None
    return 1 if who[1] else 2 if who[2] else 3


RIGHT = tuple(f"{arm}.over_chance" for arm in ("frozen", "tuned", "scratch")), learned
