"""What /scaling expects of each number that it measures."""

from dataclasses import replace

from model.answers.laws import Law, by_name

LAWS = by_name(
    Law(
        "variance_over_d_head",
        "Variance of q·k over d",
        "1 if q and k are independent",
        (0.95, 1.05),
    ),
    Law(
        "variance_over_law",
        "Variance over (1 + c²) d",
        "Var(q . k) = (1 + c^2) d_head: doubled where q = k",
        (0.95, 1.05),
    ),
    Law(
        "mean_over_sqrt_d_head",
        "Mean of q·k over √d",
        "0 if q and k are independent; else c sqrt(d_head)",
        (-0.1, 0.1),
    ),
    Law(
        "largest.unscaled",
        "Largest weight, unscaled",
        "nearly all the weight: at least 0.8, on average over the queries",
        (0.8, 1),
    ),
    Law(
        "entropy.unscaled",
        "Entropy, unscaled",
        "at most the entropy of the scaled scores",
        unit="of ln keys",
    ),
    Law(
        "entropy.scaled",
        "Entropy, scaled",
        "at least 1 - (1 - 1/n) / (2 ln n), at every d_head",
        unit="of ln keys",
    ),
    Law(
        "entropy_slope.unscaled",
        "Exponent of the entropy in d, unscaled",
        "falls like 1 / sqrt(d_head)",
        (-0.65, -0.45),
    ),
    Law(
        "entropy_spread.scaled",
        "Range of the entropy over d, scaled",
        "the entropy is the same at every d_head from {few} on",
        (0, 0.05),
        "of ln keys",
    ),
    Law(
        "jacobian_median.unscaled",
        "Median gradient, unscaled",
        "vanishes: at most a fifth of the scaled median",
    ),
    Law(
        "jacobian_median.scaled",
        "Median gradient, scaled",
        "sqrt(n - 1) / n, as for equal weights, within a factor of two",
    ),
    Law(
        "jacobian_mean.unscaled",
        "Mean gradient, unscaled",
        "more than five times the median where the median vanishes",
    ),
)
NARROW = replace(LAWS["jacobian_median.unscaled"], text="vanishes from d_head = {vanished} on")
"""The law of heads in which it has not vanished yet."""
