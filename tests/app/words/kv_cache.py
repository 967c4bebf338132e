"""What is so where /kv-cache says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut, measured
from tests.app.words.facts import Facts, between

WAYS = ("with", "without")


def computed(way: str):
    """How many keys and values each step computes."""
    return lambda answer, _: (cut(answer, f"keys.{way}") == 2).sum(-1)


def all_again(answer, question) -> bool:
    steps = computed("without")(answer, question)
    return steps.tolist() == [*range(1, len(steps) + 1)]


def the_newest(answer, question) -> bool:
    return set(computed("with")(answer, question)) == {1}


def apart(answer, _) -> bool:
    with_cache, without = (cut(answer, "multiplications", way=way) for way in WAYS)
    return bool((np.diff(without - with_cache) > 0).all())


ORACLES = {f"computed_{way}": lambda a, q, way=way: int(computed(way)(a, q).sum()) for way in WAYS}
FACTS: Facts = {
    "shown": {
        "multiplications": {"all": all_again, "only": the_newest, "more": apart},
        "bytes": {
            "same": lambda answer, _: len(set(np.diff(cut(answer, "bytes")))) == 1,
            "all": lambda answer, _: measured(answer, "bytes") == 0,
        },
        "other": {"all": all_again},
    },
    "reading": {"": {"most": lambda answer, _: measured(answer, "logits") < 1e-3}},
}
RIGHT = ("saved",), between(4, 10)
