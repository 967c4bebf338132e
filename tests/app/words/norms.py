"""What is so where /norms says it, and its own fields once more."""

import numpy as np

from tests.app.words.amplification import TITLES
from tests.app.words.answered import cut, with_finding
from tests.app.words.facts import Facts, of_question
from tests.rounding import SINGLE, is_same


def ratios(answer) -> list[float]:
    return [last / first for first, last in cut(answer, "stream.by_seed")[:, [0, -1]].tolist()]


def flat(answer, _) -> bool:
    """Whether the lines of what ends with a norm lie level at √d."""
    ends = [cut(answer, "stream.all", placement=name) for name in ("post", "admin", "b2t")]
    root = np.sqrt(answer.axes["channel"].size)
    return all(abs(end / root - 1).max() < 1e-3 for end in ends)


def grow_like_roots(answer, _) -> bool:
    """Whether Pre-LN and x + LN(f) grow as much as the root of the depth, within a third."""
    root = np.sqrt((answer.axes["sublayer"].size + 1) / 2)
    ends = [cut(answer, "stream.all", placement=name)[[0, -1]] for name in ("pre", "branch")]
    return all(2 / 3 < last / first / root < 3 / 2 for first, last in ends)


def grows(answer, question) -> bool:
    """Whether λⁿ grows, on the path of the shortcuts alone."""
    return bool((np.diff(cut(answer, "path", scale=f"{question['shortcut']:g}")) > 0).all())


def of_shortcuts(answer, _) -> bool:
    """Whether a length of which nothing is written is a power of each scale."""
    powers = np.array(answer.axes["scale"].values)[:, None] ** answer.axes["sublayer"].values
    return is_same(cut(answer, "path"), powers, SINGLE)


ORACLES = {
    "times": lambda a, _: (cut(a, "stream", sublayer=-1) / cut(a, "stream", sublayer=0)).item(),
    "lowest": lambda a, _: sorted(ratios(a))[0],
    "highest": lambda a, _: sorted(ratios(a))[-1],
    "placements": lambda _, q: [
        title for name, title in TITLES.items() if name != "none" or q["placement"] == "none"
    ],
    "scales": lambda a, _: ", ".join(f"{scale:g}" for scale in a.axes["scale"].values),
    "near_one": lambda a, q: a.axes["channel"].size - (2 if q["norm"] == "layer" else 1),
}
QUESTIONS = (
    {"placement": "post"},
    {"placement": "branch", "depth": 12},
    {"depth": 48},
    {"stack": "decoder", "placement": "none", "seeds": 4},
    {"norm": "rms", "seeds": 2},
    {"shortcut": 1.5, "depth": 12},
    {"placement": "none", "shortcut": 0.5},
    {"stack": "decoder"},
)
MADE_UP = (lambda answer: with_finding(answer, "stream_exponent", mean=-0.0312, verdict="holds"),)
FACTS: Facts = {
    "shown": {
        "leak": {"only layer-norm": lambda a, _: cut(a, "leak", averages="layer").max() == 0}
    },
    "growth": {
        "level": {"more branch": lambda a, q: flat(a, q) and grow_like_roots(a, q)},
        "fades": {"same b2t": flat},
        "grows": {"more pre": grows, "same b2t": flat},
        "free": {"none": of_question(lambda question: question["placement"] == "none")},
    },
    "centred": {"yes": {"all": lambda a, _: (cut(a, "singular") < 1e-3).sum() == 2}},
    "path": {"": {"only": of_shortcuts}},
}
