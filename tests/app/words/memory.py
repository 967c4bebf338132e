"""What is so where /memory says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut, found, with_finding
from tests.app.words.facts import Facts, between, of_question

SLOTS = "slots.less_feed_forward"


def lengths(answer) -> list[int]:
    return answer.axes["memory"].values


def falls_then_rises(answer, _) -> bool:
    """Whether held-out text costs least at a length between none and the longest."""
    first, *between, last = cut(answer, "held_out")
    return min(between) < first and min(between) < last


def keys(answer, _) -> int:
    """How many are drawn; one from farther down stands in the place of the last."""
    count = len(answer.fields["keys"])
    return count if answer.fields["chosen"]["rank"] <= count else count - 1


def slots_above(answer, _) -> bool:
    loss = [cut(answer, "slot_loss", member=name, trained=-1) for name in ("slots", "feed-forward")]
    return bool(np.mean(loss[0] - loss[1]) > 0)


def is_loss(answer, _) -> bool:
    return bool((cut(answer, "slot_loss") > 0).all())


ORACLES = {
    "held_out_least": lambda a, _: sorted(cut(a, "held_out"))[0],
    "bits_least": lambda a, _: sorted(cut(a, "bits"))[0],
    "best": lambda a, _: min(zip(cut(a, "held_out"), lengths(a), strict=True))[1],
    "keys": keys,
    "memory_first": lambda a, _: min(lengths(a)),
    "word_names": lambda a, _: ", ".join(a.axes["word"].labels),
}


QUESTIONS = ({"stack": "decoder"}, {"rank": 12})
MADE_UP = [
    lambda answer, verdict=verdict: with_finding(answer, SLOTS, verdict=verdict)
    for verdict in ("holds", "undecided")
]
FACTS: Facts = {
    "stack": {"encoder": {"none": of_question(lambda question: question["stack"] == "encoder")}},
    "replaced": {
        "fails": {"none": slots_above},
        "undecided": {"none": lambda a, _: found(a, SLOTS).verdict == "undecided"},
    },
    "shown": {
        "recurrence": {"more": falls_then_rises, "none": falls_then_rises},
        "slots": {"more": is_loss},
    },
}
RIGHT = ("agreement",), between(0.05, 0.2)
