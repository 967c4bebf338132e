"""What is so where /warmup says it, and its own fields once more."""

import numpy as np

from tests.app.words.amplification import TITLES
from tests.app.words.answered import cut, found, measured, with_finding
from tests.app.words.facts import Facts, of_question
from tests.rounding import SINGLE, is_same

APART = "translators.post_less_pre"


def both(tensor: str, answer, question) -> tuple[np.ndarray, np.ndarray]:
    """What a tensor has of the network without warm-up and of the one with it."""
    placement = question["placement"]
    plain, warmed = (cut(answer, tensor, arm=f"{placement}{arm}") for arm in ("", "_warmup"))
    return plain, warmed


def start_alike(answer, question) -> bool:
    """Whether both networks have the same loss before their first step."""
    plain, warmed = both("loss", answer, question)
    return is_same(plain[:, 0], warmed[:, 0], SINGLE)


def alike(answer, question) -> bool:
    return is_same(*both("loss", answer, question), SINGLE)


def differ_at_first(answer, question) -> bool:
    """Whether one rate is below the other until the warm-up is over, and then no more."""
    plain, warmed = both("rate", answer, question)
    steps = np.arange(1, len(plain) + 1) < question["warmup_steps"]
    return bool((warmed < plain * (1 - 1e-6)).tolist() == steps.tolist())


def stays(answer, question) -> bool:
    """Whether the rate is its peak in all steps, but for those of the warm-up."""
    return is_same(both("rate", answer, question)[0], question["peak"], SINGLE)


def falls(answer, question) -> bool:
    """Whether the rate falls after the warm-up."""
    after = both("rate", answer, question)[0][max(question["warmup_steps"], 1) - 1 :]
    return bool((np.diff(after) < 0).all())


def left(arm: str):
    return lambda a, q: measured(a, f"left.{q['placement']}{arm}")


def learning(answer, question) -> str:
    share = left("")(answer, question)
    return "whole" if share < 0.2 else "part" if share <= 0.5 else "hardly"


def names(answer, _) -> list[str]:
    arms = answer.axes["arm"].labels
    return [TITLES[arm.removesuffix("_warmup")] + " with warm-up" * ("_" in arm) for arm in arms]


def so(answer, _) -> int:
    """In how many trainings the translators do what their mean does."""
    mean = measured(answer, APART)
    return sum(value * mean > 0 for value in found(answer, APART).values)


ORACLES = {
    "left": left(""),
    "left_warmup": left("_warmup"),
    "networks": names,
    "apart": lambda a, _: abs(measured(a, APART)),
    "so": so,
    "learning": learning,
}
QUESTIONS = (
    {"warmup_steps": 1},
    {"placement": "none", "steps": 20, "warmup_steps": 2},
    {"placement": "pre"},
    {"stop": 2},
    {"schedule": "constant"},
)
MADE_UP = (
    lambda answer: with_finding(answer, APART, mean=-0.34),
    lambda answer: with_finding(answer, "left.post", mean=0.17),
    lambda answer: with_finding(answer, "left.post", mean=0.46),
)
FACTS: Facts = {
    "warming": {
        "usual": {"same dashed": start_alike, "same": start_alike, "only rate": differ_at_first},
        "none": {
            "none warm-up": of_question(lambda question: question["warmup_steps"] == 0),
            "same": alike,
        },
        "constant": {"same rate": stays},
    },
    "schedule": {"constant": {"same": stays}, "inverse_root": {"less": falls}},
    "learning": {"hardly": {"little": lambda a, q: left("")(a, q) > 0.5}},
    "side": {"higher": {"more post": lambda a, _: measured(a, APART) > 0}},
}
RIGHT = (
    ("left.{placement}", "left.{placement}_warmup"),
    lambda without, with_it: {(True, False): 0, (False, True): 1, (True, True): 2}.get(
        (without >= 0.2, with_it >= 0.2), 3
    ),
)
