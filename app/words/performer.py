"""What the page of /performer says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.performer import off_scale
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The longer the vectors, the more random features attention needs"
MAPS = (
    "On the left is the exact attention map and beside it the map that random features estimate:"
    " each row is a query, each column a key. Both have the colours of the exact map, so equal"
    " colours are equal weights."
)
PRICES = {
    "error": (
        "On the right the error falls as features are added, and it is larger for long vectors."
    ),
    "operations": (
        "On the right, attention’s multiplications grow with the square of the length, those of the"
        " Performer in proportion to it."
    ),
    "time": "On the right are the seconds that one head took on this machine just now.",
}
LOOK_FOR = f"{MAPS} {PRICES['error']}"
TIMES = ("times_as_many.1", "times_as_many.2")


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, TIMES)


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown."""
    shown = [PRICES[name] for name in PRICES if name in question["figures"]]
    return " ".join([MAPS, beyond(answer), *shown])


def beyond(answer: "Answer") -> str:
    """How much of the estimated map the scale of the exact one does not reach."""
    exact, estimated = (answer.tensors[name].data.numpy() for name in ("exact", "approximate"))
    share, farthest = off_scale(exact, estimated)
    if not share:
        return "Every estimated weight is on this scale."
    return (
        f"{percent(share, 1)} of the estimated weights are off this scale, the farthest at"
        f" {number(farthest)}; they have its last colour."
    )


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: the error as the curve has it, and how many more features twice the
    length needs.
    """
    features, norm = question["features"], question["norm"]
    said = f"{features} features"
    if question["kernel"] == "trigonometric":
        said = f"{features} projections, {2 * features} features with sine and cosine,"
    error = answer.tensors["error"].data
    counts = axes.values(answer, "features")
    if features in counts:
        row = axes.values(answer, "norm").index(norm)
        wrong = percent(float(error[row, counts.index(features)]), 1)
    else:
        wrong = percent(measured(answer, "relative_error"), 1)
    first, second = (number(float(f"{measured(answer, name):.2g}")) for name in TIMES)
    return (
        f"At norm {number(norm)}, {said} miss the exact map by {wrong} of its length. The same"
        f" error takes {first} times as many at norm 1 as at norm 0.5, and {second} times as many"
        " again at norm 2."
    )


TITLES = {
    "relative_error": "Error of the estimated map, one draw for each seed",
    "error_over_uniform": "That error over the error of equal weights",
    "uniform_error": "Error of a map of equal weights",
    "times_as_many.1": "Features for the same error, norm 1 over norm 0.5",
    "times_as_many.2": "Features for the same error, norm 2 over norm 1",
    "slope": "Slope of the squared error in the number of features",
    "mse_over_law": "Mean square error over its law",
    "error_at_norm_2": "Error at norm 2 with 512 features",
    "causal_difference": "Prefix sums against the masked map",
    "cheaper_from": "Length from which the Performer multiplies less",
}
