"""What /norms expects of each number that it measures."""

from dataclasses import replace

from model.answers.laws import OPEN, Law, by_name, each

ROUNDING = 1e-12
"""How far double precision may round the length of a normalised token, as a share of it."""
LEVEL = Law(
    "stream_exponent",
    "Exponent of the length",
    "0: the last norm fixes the length",
    (-0.01, 0.01),
)
EXPONENTS = {
    **dict.fromkeys(("post", "admin", "b2t"), LEVEL),
    "pre": replace(LEVEL, text="1/2 or a little more, as a power of n + 1", band=(0.5, 0.75)),
    "branch": replace(LEVEL, text="1/2, as a power of n + 1", band=(0.45, 0.55)),
    "none": replace(
        LEVEL,
        text="no exponent: each sub-layer multiplies the length by a factor",
        band=OPEN,
    ),
}
"""The law of the exponent of the length under each placement of which one speaks."""
MEASURED = replace(LEVEL, text="no theorem speaks of it", band=OPEN)

LAWS = by_name(
    LEVEL,
    Law(
        "lemma_2",
        "Lemma 2, Pre-LN and its nearest bound",
        "Pre-LN: at 1, E |x_l|^2 is on a bound, above 1 outside; 5 % are allowed",
        (None, 1.05),
    ),
    Law(
        "lemma_2.post",
        "Lemma 2, Post-LN before its norm",
        "Post-LN: E |x + FFN(x)|^2 / d is 3/2 before the norm",
        (1.35, 1.65),
    ),
    Law(
        "stream.post",
        "Post-LN, largest difference from √d",
        "every Post-LN token has length sqrt(d), up to the epsilon of the norm",
        (0, ROUNDING),
    ),
    Law(
        "stream.branch",
        "x + LN(f), largest difference from √((n + 1) d)",
        "x + LN(f) has length sqrt((n + 1) d), within 8 %",
        (None, 0.08),
    ),
    Law(
        "jacobian_times_sigma",
        "|J|₂ σ",
        "the largest singular value of the Jacobian is 1 / sigma",
        (1 - 1e-9, 1 + 1e-9),
    ),
    Law(
        "jacobian_rank",
        "Rank of the Jacobian",
        "d - 2: a change along y, or of all channels alike, changes nothing",
    ),
    Law("y_dot_ones", "y · 1", "y . 1 = 0: the mean is taken away", (None, 1e-9)),
    Law("y_dot_y", "y · y", "y . y = d = {d}, not sqrt(d)"),
    *each(
        {"0.9": "0.9", "1.1": "1.1"},
        Law("path.{}", "Length after 48 shortcuts, λ = {}"),
        {
            "0.9": ("0.9^48 of the length of the input is left", (0.00635, 0.00645)),
            "1.1": ("1.1^48 of the length of the input is left", (96.5, 97.5)),
        },
    ),
    Law(
        "leak.layer", "Leak, LayerNorm", "LayerNorm: nothing from elsewhere reaches a token", (0, 0)
    ),
    Law("leak.batch", "Leak, BatchNorm", "BatchNorm: another sample changes a token", (1e-3, None)),
    Law(
        "leak.instance",
        "Leak, InstanceNorm",
        "InstanceNorm over time: a later token changes an earlier one",
        (1e-3, None),
    ),
)
UNCENTRED = replace(LAWS["jacobian_rank"], text="d - 1: a change along y changes nothing")
"""The law of a norm that does not take the mean away."""
