"""What /basis expects of each number that it measures."""

from dataclasses import replace

from model.answers.laws import Law, by_name

ZERO = 1e-10
MIN_CHANGE = 0.01
"""What a rotation changes at least where the norm does not let it pass."""

LAWS = by_name(
    Law("logit_change", "Largest change of a logit", "logits do not change", (0, ZERO)),
    Law(
        "stream_change",
        "Distance the stream moves, over its length",
        "|x R - x| / |x| = 2 sin(angle / 2)",
    ),
    Law(
        "stream_less_rotated",
        "Difference of the rotated stream from x R",
        "the new stream is x R",
        (0, ZERO),
    ),
    Law(
        "norm_change",
        "Difference of norm(x R) from norm(x) R",
        "norm(x R) = norm(x) R",
        (0, ZERO),
    ),
    Law(
        "hidden_rotation",
        "Change of a logit, hidden units rotated",
        "a rotation of the hidden units changes the logits",
        (0.1, None),
    ),
    Law(
        "hidden_permutation",
        "Change of a logit, hidden units reordered",
        "another order of the hidden units changes no logit",
        (0, ZERO),
    ),
)
PRIVILEGED = {
    name: replace(LAWS[name], text=text, band=(MIN_CHANGE, None))
    for name, text in (
        ("logit_change", "norm(x R) is not norm(x) R, so the logits change"),
        ("stream_less_rotated", "the new stream is not x R"),
        ("norm_change", "norm(x R) is not norm(x) R"),
    )
}
"""The laws of a network whose norm prefers a basis."""
