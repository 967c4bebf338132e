"""What /performer expects of each number that it measures."""

from dataclasses import replace

from model.answers.laws import Law, by_name

LAWS = by_name(
    Law(
        "relative_error",
        "Error of the estimated map, one draw for each seed",
        "how far the estimated map is from the exact one",
    ),
    Law(
        "error_over_uniform",
        "That error over the error of equal weights",
        "below 1: nearer than a map of equal weights",
        (None, 1),
    ),
    Law("uniform_error", "Error of a map of equal weights", "every weight is 1 / n"),
    Law(
        "times_as_many.1",
        "Features for the same error of one product, norm 1 over norm 0.5",
        "above 1: variance of one projection at norm 1 over that at norm 0.5",
        (1, None),
    ),
    Law(
        "times_as_many.2",
        "Features for the same error of one product, norm 2 over norm 1",
        "above 1: variance of one projection at norm 2 over that at norm 1",
        (1, None),
    ),
    Law(
        "slope",
        "Slope of the squared error in the number of features",
        "about -0.9 at norm 1: nearly 1 / m",
        (-1.1, -0.7),
    ),
    Law(
        "mse_over_law",
        "Mean square error over its law",
        "1 for norms up to 1, where the draws meet the tail that makes the mean",
        (0.85, 1.15),
    ),
    Law(
        "error_at_norm_2",
        "Error at norm 2 with 512 features",
        "above 0.8 with 512 features",
        (0.8, None),
    ),
    Law(
        "causal_difference",
        "Prefix sums against the masked map",
        "prefix sums = masked form",
        (0, 1e-9),
    ),
    Law(
        "cheaper_from",
        "Length from which the Performer multiplies less",
        "2 n^2 d = n (operations of one position)",
        unit="positions",
    ),
)
ORTHOGONAL = replace(
    LAWS["mse_over_law"],
    text="at most 1: orthogonal projections err no more than independent ones",
    band=(None, 1.15),
)
"""The law of the mean square error of orthogonal projections."""
