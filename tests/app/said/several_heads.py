"""What /several-heads says of one head and of four."""

from tests.app.said.answered import asks, hides, number, shows
from tests.app.said.sayings import Fields, Says, always, only

FIELDS: Fields = {
    "steps": asks("steps"),
    "right.1": number("right.1"),
    "right.4": number("right.4"),
}
SAYS: list[Says] = [
    *always(
        "Four heads learn sooner than one to look at four places at once",
        "Each token puts a value into a box: B1 puts 1 into box B",
        "After {steps} steps the model with one head says all boxes right at {right.1:%} of the"
        " positions, and the model with four heads at {right.4:%}",
    ),
    *only(
        hides("looks.1", "looks.4"),
        "After each token a model says what all four boxes hold",
        "Both models have the same number of weights and read the same texts",
        "losses at the last step; each thin line is one training",
    ),
    *only(shows("looks.1", "looks.4"), "find the last token of each of the four boxes"),
    *only(
        shows("looks.1"),
        "One head has one row of weights for all four: see how it shares them",
    ),
    *only(shows("looks.4"), "Each map is one of the four heads: see which boxes it looks for"),
]
NAMES = ("one head", "four heads", "four", "one")
CLAIMS = {"Four heads": ("ratio", "gain")}
