"""What /performer says of random features: maps, errors and prices."""

import numpy as np

from tests.app.said.answered import asked, cut, measured, number, shows
from tests.app.said.sayings import Fields, Says, When, always, only, results


def off_scale(answer) -> np.ndarray:
    exact, estimated = cut(answer, "exact"), cut(answer, "approximate")
    return estimated[np.abs(estimated) > exact.max()]


def farthest(answer, _) -> float:
    beyond = off_scale(answer)
    return beyond[np.argmax(np.abs(beyond))].item()


def has_beyond(is_so: bool) -> When:
    return lambda a, _: (off_scale(a).size > 0) is is_so


def error(answer, question) -> float:
    """Of the curve that is drawn, where it has a point there, and of the finding elsewhere."""
    features, norm = str(question["features"]), f"{question['norm']:g}"
    if features in answer.axes["features"].labels:
        return cut(answer, "error", norm=norm, features=features).item()
    return measured(answer, "relative_error")


def falls(answer) -> bool:
    """Whether every curve of the error falls, and longer vectors have a larger error."""
    curves = cut(answer, "error")
    return bool((curves[:, 0] > curves[:, -1]).all() and (np.diff(curves, axis=0) > 0).all())


FIELDS: Fields = {
    "share_beyond": lambda a, _: off_scale(a).size / cut(a, "approximate").size,
    "farthest": farthest,
    "norm": lambda _, q: q["norm"],
    "features": lambda _, q: q["features"],
    "with_sine_and_cosine": lambda _, q: 2 * q["features"],
    "error": error,
    "times.1": number("times_as_many.1"),
    "times.2": number("times_as_many.2"),
}
projected = asked(kernel="trigonometric")
SAYS: list[Says] = [
    *always(
        "The longer the vectors, the more random features attention needs",
        "On the left is the exact attention map and beside it the map that random features"
        " estimate: each row is a query, each column a key",
        "Both have the colours of the exact map, so equal colours are equal weights",
        "At norm {norm:number}",
        "misses the exact map by {error:%} of its length",
        "For one product e^(q · k), the same relative error takes {times.2:two digits} times as"
        " many independent projections at norm 2 as at norm 1",
    ),
    *only(has_beyond(False), "Every estimated weight is on this scale"),
    *only(
        has_beyond(True),
        "{share_beyond:%} of the estimated weights are off this scale, the farthest at"
        " {farthest:number}; they have its last colour",
    ),
    *only(
        projected,
        "a map of {with_sine_and_cosine} features, a sine and a cosine for each projection,",
    ),
    *only(
        lambda _, q: q["kernel"] != "trigonometric" and q["features"] > 1,
        "a map of {features} features misses",
    ),
    *only(
        lambda _, q: q["kernel"] != "trigonometric" and q["features"] == 1,
        "a map of {features} feature misses",
    ),
    *results(
        lambda a, q: shows("error")(a, q) and falls(a),
        "On the right the error falls as features are added, and it is larger for long vectors",
    ),
    *results(
        lambda a, q: shows("error")(a, q) and not falls(a),
        "On the right, compare the error of short and of long vectors as features are added",
    ),
    *only(
        shows("operations"),
        "On the right, attention’s multiplications grow with the square of the length, those of"
        " the Performer in proportion to it",
    ),
    *only(shows("time"), "On the right are the seconds that one head took on this machine"),
]
CLAIMS = {"The longer the vectors": ("times_as_many.1", "times_as_many.2")}
QUESTIONS = (
    {"kernel": "trigonometric"},
    {"features": 20},
    {"features": 1},
    {"norm": 2.0},
    {"norm": 0.5},
    {"features": 512, "norm": 0.5},
    {"features": 16, "norm": 3.0, "kernel": "trigonometric"},
)
FIGURES = (("maps", "error", "operations"), ("maps", "time"))
