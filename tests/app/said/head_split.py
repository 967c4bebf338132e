"""What /head-split says of heads that get pieces of other tokens."""

import numpy as np

from tests.app.said.answered import cut, hides, measured, number, shows
from tests.app.said.sayings import Fields, Says, always, only, results


def few(answer) -> bool:
    """Whether a head gets pieces of fewer tokens than there are."""
    origin = cut(answer, "origin.wrong")
    return all(len(set(row)) < origin.shape[1] for row in origin.tolist())


FIELDS: Fields = {"foreign": number("foreign"), "moved": number("moved")}
SAYS: list[Says] = [
    *always(
        "Without the transpose, a head gets pieces of the wrong tokens",
        "Without the transpose {foreign:%} of the rows hold another token than their position says",
        "and {moved:%} of the attention weight goes to other tokens",
        "No number is lost and no error is raised",
    ),
    *only(
        hides("pattern.right"),
        "Every colour is one token",
        "Choose “attention” to see what follows",
    ),
    *results(
        lambda a, q: (
            hides("pattern.right")(a, q) and (np.ptp(cut(a, "origin.right"), 0) == 0).all()
        ),
        "On the left each column has one colour, because every head gets a piece of every token",
    ),
    *results(
        lambda a, q: hides("pattern.right")(a, q) and few(a),
        "On the right the colours run along the rows: each head gets pieces of only a few tokens",
    ),
    *only(shows("pattern.right"), "Both maps are computed from the same queries and keys"),
    *results(
        lambda a, q: shows("pattern.right")(a, q) and measured(a, "foreign") > 0.5,
        "On the right the split is wrong: most rows and columns hold another token than the one"
        " that their label names",
    ),
]
CLAIMS = {"Without the transpose": ("model", "foreign")}
