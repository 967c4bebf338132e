"""What /basis says of a stream that is rotated."""

from tests.app.said.answered import both, found, hides, number, shows, with_number
from tests.app.said.sayings import Fields, Pages, Says, When, always, only

FIELDS: Fields = {
    "angle": lambda _, q: q["angle"],
    **{name: number(name) for name in ("stream_change", "logit_change", "hidden_rotation")},
}
CHANGED = 1e-9
"""A logit that changes by less has changed by rounding alone."""


def is_law(answer, _) -> bool:
    """Whether the law is that no logit changes."""
    return found(answer, "logit_change").kind == "exact"


def not_law(answer, question) -> bool:
    return not is_law(answer, question)


def still(degrees: int) -> When:
    """Whether a rotation by this angle passes every norm."""
    return lambda a, q: (
        is_law(a, q) and q["angle"] == degrees and (degrees == 0 or q["rotation"] == "any")
    )


def moves(answer, question) -> bool:
    return is_law(answer, question) and not any(still(one)(answer, question) for one in (0, 180))


def folded(is_so: bool) -> When:
    return lambda a, q: not_law(a, q) and q["folded"] is is_so


stands: When = lambda a, q: number("logit_change")(a, q) < CHANGED  # noqa: E731
changes: When = lambda a, q: not stands(a, q)  # noqa: E731
beside = hides("logits", "hidden")
SAYS: list[Says] = [
    *only(moves, "No channel of the residual stream is special"),
    *only(still(0), "A rotation by 0° is none, and changes no logit"),
    *only(still(180), "A rotation by 180° turns every x into −x, and changes no logit"),
    *only(
        folded(False),
        "Every channel of the residual stream is special: each gain belongs to one",
    ),
    *only(
        folded(True),
        "One direction of the residual stream is special: LayerNorm singles it out",
    ),
    *only(
        both(moves, beside),
        "On the left each row is the vector of one token, with a colour for each channel",
        "On the right are the probabilities of the next token",
        "every channel changes, and no probability does",
    ),
    *only(
        lambda a, q: moves(a, q) and q["rotation"] == "any",
        "Then choose LayerNorm, and the probabilities move too",
    ),
    *only(
        lambda a, q: moves(a, q) and q["rotation"] == "fixing-ones",
        "Then choose LayerNorm and any rotation, and the probabilities move too",
    ),
    *only(
        shows("logits"),
        "Each point on the right is one logit, before the rotation (across) and after it (up)",
        "On the diagonal, the two are equal",
        "compare the points with the diagonal",
    ),
    *only(
        shows("hidden"),
        "Each point on the right is one logit, before and after the hidden units of the"
        " feed-forward are rotated by random rotations",
        "because ReLU acts on each unit alone",
        "changes a logit by up to {hidden_rotation:number}",
        "another order of them changes none",
    ),
    *only(
        not_law,
        "the channels on the left change, and now the probabilities on the right change as well",
        "Then the probabilities stand still",
    ),
    *only(folded(False), "Fold the gains into the matrices after the norms, with RMSNorm"),
    *only(folded(True), "Choose the rotation that keeps the direction 1, 1, …, 1"),
    *only(still(0), "An angle of 0° rotates nothing", "watch the two figures"),
    *only(
        still(180),
        "At 180° every vector x becomes −x",
        "so nothing that is read from the stream changes",
        "Choose 90°",
    ),
    *always("rotation by {angle:g}° moves the stream by {stream_change:number} times its length"),
    *only(stands, "changes no logit by more than rounding does"),
    *only(changes, "changes a logit by up to {logit_change:number}"),
]
CLAIMS = {
    "No channel": ("logit_change", "stream_less_rotated"),
    "A rotation by": ("logit_change", "stream_less_rotated"),
    "of the residual stream is special: ": ("logit_change",),
}
QUESTIONS = (
    {"norm": "rms"},
    {"norm": "rms", "rotation": "fixing-ones"},
    {"norm": "rms", "folded": False},
    {"norm": "rms", "angle": 0},
    {"norm": "rms", "angle": 180},
    {"norm": "rms", "rotation": "fixing-ones", "angle": 180},
    {"folded": False},
    {"rotation": "fixing-ones"},
)


def forced(pages: Pages) -> Pages:
    """Logits that change by less than rounding does, and by more."""
    for question, answer in pages:
        for change in (2e-16, 0.31):
            yield question, with_number(answer, "logit_change", change)
