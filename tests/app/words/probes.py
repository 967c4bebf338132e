"""What is so where /probes says it."""

from tests.app.words.answered import cut, found, measured
from tests.app.words.facts import Facts
from tests.rounding import SINGLE, is_same


def worse_than_a_guess(answer, _) -> bool:
    """Whether this is so after every layer."""
    right = cut(answer, "accuracy.off", probe="position", split="held-out")
    return bool((right[1:] < measured(answer, "by_word")).all())


def beyond_controls(answer, _) -> bool:
    """Whether the selectivity of a token is what its probe reads more than a random label."""
    token, control = (
        cut(answer, "accuracy.on", probe=probe, split="held-out") for probe in ("token", "control")
    )
    return is_same(cut(answer, "selectivity.on", part="token"), token - control, SINGLE)


def grown_alike(answer, question) -> bool:
    """Whether nothing was learned, and the tokens did grow alike."""
    return question["weights"] == "fresh" and bool(cut(answer, "cosine.on", point=-1) > 0.9)


def later(answer, _) -> bool:
    """Whether tokens are at no layer more alike with the residual than without it."""
    on, off = (cut(answer, f"cosine.{residual}") for residual in ("on", "off"))
    return bool((on[1:] <= off[1:] + 1e-3).all() and on[1] < off[1])


def pattern(answer, question) -> str:
    if found(answer, "cosine.on").verdict == "fails":
        return "collapsed"
    by_figures = {("stream.on",): "alike", ("selectivity.on",): "selective"}
    return by_figures.get(question["figures"], "read")


ORACLES = {"look": pattern}
FACTS: Facts = {
    "shown": {"other": {"only": lambda a, _: measured(a, "residual.position") > 0}},
    "look": {
        "read": {
            "all word": worse_than_a_guess,
            "less word": worse_than_a_guess,
            "only word": worse_than_a_guess,
        },
        "selective": {"more control": beyond_controls},
        "alike": {
            "same tokens": lambda a, _: measured(a, "cosine.on") < 0.5,
            "same vector": lambda a, _: measured(a, "cosine.off") > 0.9,
        },
        "collapsed": {
            "more tokens": grown_alike,
            "only residual": later,
        },
    },
}
RIGHT = (
    ("position.last", "position.last.off"),
    lambda on, off: (0 if off >= 0.5 else 1) if on >= 0.5 else (2 if off >= 0.5 else 3),
)
