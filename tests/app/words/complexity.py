"""What is so where /complexity says it, and its conditions once more."""

import numpy as np

from tests.app.words.answered import cut
from tests.app.words.facts import Facts, between


def line(answer, path: str) -> np.ndarray:
    return cut(answer, "gradient_by_distance", path=path)


def level(path: str, otherwise: str):
    return lambda a, _: "level" if np.ptp(np.log(line(a, path))) <= np.log(1.25) else otherwise


def vanished(path: str):
    return lambda a, _: bool(line(a, path)[-1] < 1 / 100)


def left(path: str):
    return lambda a, q: "vanished" if vanished(path)(a, q) else "left"


def near_its_share(answer, _) -> bool:
    """Whether the line of attention is level within a third of 1/n."""
    shares = line(answer, "attention") * (len(line(answer, "attention")) + 1)
    return bool(shares.min() > 2 / 3 and shares.max() < 3 / 2)


def uneven(answer, question) -> bool:
    return not near_its_share(answer, question)


def strong(answer, _=None) -> str:
    """Where the line of the largest gain has its largest number."""
    largest = line(answer, "RNN, gain 1.2")
    if largest[1:].max() < largest[0]:
        return "falls"
    return "climbs" if largest[:-1].max() < largest[-1] else "turns"


def edge_moves(answer, _) -> bool:
    """Whether of the largest inputs fewer gains let a change grow than of the smallest."""
    grows = (cut(answer, "growth") > 0).sum(0)
    return bool(grows[-1] < grows[0])


ORACLES = {
    "attention": level("attention", "uneven"),
    "recurrent": level("RNN, gain 1", "steep"),
    "strong": strong,
    "kept": left("LSTM"),
}
QUESTIONS = (
    {"input_size": 10.0, "d_model": 16, "seeds": 1},
    {"input_size": 0.0, "d_model": 4, "seeds": 1},
)
FACTS: Facts = {
    "shown": {"growth": {"more": edge_moves}},
    "attention": {
        "uneven": {"none": uneven},
    },
    "strong": {
        "climbs": {"more": lambda answer, _: strong(answer) == "climbs"},
        "turns": {"more": lambda answer, _: strong(answer) == "turns"},
    },
    "kept": {"vanished": {"less": vanished("LSTM")}},
}
RIGHT = ("gradient.1.2",), between(0.1, 10)
