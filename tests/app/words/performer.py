"""What is so where /performer says it, and its own fields once more."""

import numpy as np

from tests.app.words.answered import cut, measured, with_tensor
from tests.app.words.facts import Facts, between


def off_scale(answer) -> np.ndarray:
    exact, estimated = cut(answer, "exact"), cut(answer, "approximate")
    return estimated[np.abs(estimated) > exact.max()]


def farthest(answer, _) -> float:
    beyond = off_scale(answer)
    return beyond[np.argmax(np.abs(beyond))].item() if beyond.size else 0.0


def error(answer, question) -> float:
    """Of the curve that is drawn, where it has a point there, and of the finding elsewhere."""
    features, norm = str(question["features"]), f"{question['norm']:g}"
    if features in answer.axes["features"].labels:
        return cut(answer, "error", norm=norm, features=features).item()
    return measured(answer, "relative_error")


def falls(answer, _) -> bool:
    curves = cut(answer, "error")
    return bool((curves[:, 0] > curves[:, -1]).all())


def larger_for_long_vectors(answer, _) -> bool:
    return bool((np.diff(cut(answer, "error"), axis=0) > 0).all())


def grow_so(answer, _) -> bool:
    """Whether four times the length takes more than 12 times the multiplications of attention, and
    those of the Performer four times.
    """
    attention, performer = cut(answer, "operations")
    lengths = answer.axes["length"].values
    times = lengths[-1] / lengths[0]
    near = np.log((attention[-1] / attention[0], performer[-1] / performer[0])) / np.log(times)
    return bool((abs(near - (2, 1)) < 0.2).all())


def two_digits(value: float) -> float:
    power = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(round(value / power) * power)


ORACLES = {
    "norm_asked": lambda _, q: q["norm"],
    "waves": lambda _, q: q["features"] + q["features"],
    "share_beyond": lambda a, _: off_scale(a).size / cut(a, "approximate").size,
    "farthest": farthest,
    "wrong": error,
    "more": lambda a, _: two_digits(measured(a, "times_as_many.2")),
    "at_right_angles": lambda _, q: "no" if q["features"] == 1 or not q["orthogonal"] else "yes",
    "scale": lambda a, _: "beyond" if off_scale(a).size else "within",
    "ordered": lambda *both: "yes" if falls(*both) and larger_for_long_vectors(*both) else "no",
}
QUESTIONS = (
    {"features": 1, "orthogonal": True},
    {"features": 512, "norm": 0.5},
    {"features": 16, "norm": 3.0, "kernel": "trigonometric", "orthogonal": True},
    {"features": 20},
)
MADE_UP = (lambda answer: with_tensor(answer, "error", answer.tensors["error"].data.flip(0)),)
FACTS: Facts = {
    "ordered": {"yes": {"less error": falls, "more vectors": larger_for_long_vectors}},
    "shown": {"operations": {"more multiplications": grow_so}},
}
RIGHT = ("error_over_uniform",), between(0.5, 1)
