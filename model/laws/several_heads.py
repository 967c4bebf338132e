"""What /several-heads expects of each number that it measures."""

from model.laws import Law, by_name, each

LAWS = by_name(
    Law(
        "parameters",
        "Number of weights: most minus fewest",
        "the same number for any split",
        (0, 0),
    ),
    Law(
        "ratio",
        "Loss at the end: one head divided by four",
        "above 1: one head ends with the larger loss",
        (1, None),
    ),
    Law(
        "gain",
        "Right at the end: four heads minus one",
        "above 0: four heads are right more often than one",
        (0, None),
        "of the positions",
    ),
    *each(
        {"1": "1 head", "4": "4 heads"},
        Law(
            "right.{}",
            "Right at the end, {}",
            "share of positions with all boxes right",
            unit="of the positions",
        ),
    ),
)
