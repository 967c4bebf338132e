"""What /scores expects of each number that it measures."""

from dataclasses import replace

from model.answers.laws import Law, by_name, each
from model.layers.attention_scores import KEY, SCORES
from model.layers.choice_names import SCORE_NAMES

MIN_GRADIENT = 1e-300  # a gradient that is smaller is 0 in float64
ZERO = 1e-10
MOVES = "more than 0 in every seed: the weights move with the keys"

LAWS = by_name(
    Law(
        "general_is_dot",
        "General with W = I, difference from dot",
        "q W k^T = q k^T where W = I",
        (0, ZERO),
    ),
    Law(
        "scaled_is_temperature",
        "Scaled dot, difference from dot at T √dₖ",
        "scaled = dot at temperature T sqrt(d_head)",
        (0, ZERO),
    ),
    Law("cosine_largest", "Cosine, largest weight", "at most e^(2/T) / (e^(2/T) + n - 1)"),
    Law(
        "cosine_bound",
        "Cosine, bound less the weight that reaches it",
        "reached where one key is q and all others are -q",
        (0, ZERO),
    ),
    *each(
        SCORE_NAMES,
        Law("reach.{}", "Gradient by the keys, {}", MOVES, (MIN_GRADIENT, None)),
        {
            name: (f"0: {called} does not read the keys", (0, 0))
            for name, called in SCORE_NAMES.items()
            if KEY not in SCORES[name].operands
        },
    ),
    Law(
        "hard_reach",
        "Gradient by the keys, hard attention",
        "the choice of the best key has gradient 0, global or local",
        (0, 0),
    ),
    Law("soft_reach", "Gradient by the keys, soft attention", MOVES, (MIN_GRADIENT, None)),
    Law(
        "local_outside",
        "Weight outside the window",
        "a local map has weight 0 outside its window, soft or hard",
        (0, 0),
    ),
    Law(
        "cold_is_arg_max",
        "Softmax as T goes to 0, difference from the best value",
        "as T goes to 0, attention returns the value of the best key",
        (0, ZERO),
    ),
    Law(
        "sampling_over_law",
        "Error of draws over its law",
        "the mean of n hard draws is sqrt(p (1 - p) / n) away from soft",
        (0.8, 1.2),
    ),
    Law(
        "sampling_slope",
        "Exponent of the error in the number of draws",
        "the error falls like 1 / sqrt(n)",
        (-0.56, -0.44),
    ),
)
STILL = {
    name: replace(law, text="an arg max does not move, in any seed", band=(0, 0))
    for name, law in LAWS.items()
    if law.text == MOVES
}
"""The laws of what moves with the keys at a temperature of 0."""
