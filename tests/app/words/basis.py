"""What is so where /basis says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut, found, measured
from tests.app.words.facts import Facts

ROUNDING = 1e-9
HIDDEN = "hidden_logits"


def change(tensor: str):
    def farthest(answer, _) -> float:
        before = cut(answer, "logits" if tensor == HIDDEN else tensor, state="before")
        after = cut(answer, tensor, **({} if tensor == HIDDEN else {"state": "after"}))
        return float(np.abs(after - before).max())

    return farthest


def rounded(name: str):
    return lambda answer, _: measured(answer, name) < ROUNDING


def logits_stay(answer, question) -> bool:
    return change("logits")(answer, question) < ROUNDING


def turned(answer, question) -> str:
    """What became of the stream, where the logits stay."""
    before, after = cut(answer, "stream")
    if not logits_stay(answer, question):
        return "seen"
    if np.abs(after - before).max() < ROUNDING:
        return "stays"
    return "opposite" if np.abs(after + before).max() < ROUNDING else "moves"


def every_channel_moves(answer, _) -> bool:
    before, after = cut(answer, "stream")
    return bool((np.abs(after - before).max(0) > ROUNDING).all())


def is_law(answer, _) -> bool:
    """Whether the law is that no logit changes by more than rounding does."""
    return found(answer, "logit_change").band[1] is not None


ORACLES = {
    **{f"farthest_{name}": change(name) for name in ("probabilities", "stream", "logits", HIDDEN)},
    "turned": turned,
    "logits": lambda answer, _: "rounded" if is_law(answer, _) else "changed",
}
QUESTIONS = ({"rotation": "fixing-ones", "angle": 180},)
FACTS: Facts = {
    "shown": {
        "hidden": {
            "only": lambda answer, _: measured(answer, "hidden_rotation") > ROUNDING,
            "none": rounded("hidden_permutation"),
        }
    },
    "turned": {
        "moves": {"all": every_channel_moves, "none": logits_stay},
        "stays": {"none": rounded("stream_change")},
        "opposite": {"all": every_channel_moves, "none": logits_stay},
    },
    "logits": {"rounded": {"none": is_law, "more": is_law}},
}
RIGHT = ("logit_change",), lambda change: int(change >= 1e-10)
