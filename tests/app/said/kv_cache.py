"""What /kv-cache says of work that is saved and of answers that stay."""

import numpy as np

from tests.app.said.answered import cut, hides, number, shows
from tests.app.said.sayings import Fields, Says, always, only, results


def saved(answer) -> np.ndarray:
    """How many more multiplications each step takes without the cache."""
    return np.subtract(*(cut(answer, "multiplications", way=way) for way in ("without", "with")))


FIELDS: Fields = {name: number(name) for name in ("saved", "logits")}
SAYS: list[Says] = [
    *always(
        "The KV cache saves work and changes no answer",
        "Without the cache the text takes {saved:number} times as many multiplications",
        "The logits of the two ways differ by {logits:number} at most",
    ),
    *only(
        hides("bytes", "multiplications"),
        "Each row is one step of writing, and each column is a token",
        "C marks keys and values that the step computes, and R those that it reads from the cache",
        "Without the cache every step computes all of them again",
    ),
    *only(
        shows("bytes"),
        "The cache saves work and costs memory",
    ),
    *results(
        lambda a, q: shows("bytes")(a, q) and len(set(np.diff(cut(a, "bytes")))) == 1,
        "Each step adds the same number of bytes: a key and a value of the new token in every"
        " layer",
    ),
    *only(
        shows("multiplications"),
        "Each point on the right is one step",
        "Without the cache a step computes every token that was read so far, and with the cache"
        " only the newest one",
    ),
    *results(
        lambda a, q: shows("multiplications")(a, q) and (np.diff(saved(a)) > 0).all(),
        "Choose more tokens, and the distance of the lines grows",
    ),
]
CLAIMS = {"The KV cache saves": ("logits", "choices")}
