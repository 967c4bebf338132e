"""What /amplification expects of each number that it measures."""

from model.answers.laws import Law, by_name, each
from model.layers.choice_names import PLACEMENT_NAMES

LAWS = by_name(
    Law(
        "constant_spread",
        "C, largest over smallest",
        "C is nearly one constant: its largest value is below twice its smallest",
        (1, 2),
    ),
    Law(
        "proportional",
        "Exponent of the change in the sum of dependencies",
        "1: the change grows like the sum of the dependencies",
        (0.8, 1.25),
    ),
    Law(
        "sum_spread",
        "Sum of dependencies, largest over smallest",
        "the sum of the dependencies grows more than tenfold",
        (10, None),
    ),
    *each(
        PLACEMENT_NAMES,
        Law("slope.{}", "Slope of the change, {}", "the paper says nothing of it"),
        {
            "post": ("about 1: linear in the depth", (0.9, 1.25)),
            "pre": ("well below 1: a + b log N", (0.4, 0.7)),
            "admin": ("as under Pre-LN: a + b log N", (0.4, 0.7)),
        },
    ),
    Law(
        "post_over_pre",
        "Change, Post-LN over Pre-LN",
        "above 3 after {depth} sub-layers",
        (3, None),
    ),
    *each(
        PLACEMENT_NAMES,
        Law(
            "share.{}",
            "Mean share, {}",
            "what a sub-layer supplies on average over {depth} sub-layers",
        ),
    ),
)
