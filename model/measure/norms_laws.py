"""The predictions for the numbers measured by /norms."""

from dataclasses import replace

from model.answers.laws import OPEN, Law, by_name, each

ROUNDING = 1e-12
"""The relative rounding error of a normalized token's norm in float64."""
LEVEL = Law(
    "stream_exponent",
    "Vector length: exponent in depth",
    "0: the last norm fixes the length",
    (-0.01, 0.01),
)
EXPONENTS = {
    **dict.fromkeys(("post", "admin", "b2t"), LEVEL),
    "pre": replace(
        LEVEL,
        text="1/2 or slightly more: the length grows like √(n + 1) or slightly faster",
        band=(0.5, 0.75),
    ),
    "branch": replace(LEVEL, text="1/2: the length grows like √(n + 1)", band=(0.45, 0.55)),
    "none": replace(
        LEVEL,
        text="no power law: each sub-layer multiplies the length",
        band=OPEN,
    ),
}
"""The prediction for the exponent of the stream's norm under each placement that has one."""
MEASURED = replace(LEVEL, text="no theorem predicts it", band=OPEN)

LAWS = by_name(
    LEVEL,
    Law(
        "lemma_2",
        "Pre-LN: E |xₗ|² against both bounds of Lemma 2",
        "the larger of lower bound / E |x_l|^2 and E |x_l|^2 / upper bound is at most 1, within 5%",
        (None, 1.05),
    ),
    Law(
        "lemma_2.post",
        "Post-LN: E |x + FFN(x)|² / d before the norm",
        "3/2, by Lemma 2",
        (1.35, 1.65),
    ),
    Law(
        "stream.post",
        "Post-LN: largest relative difference from √d",
        "0, apart from the effect of the small epsilon in the norm’s divisor",
        (0, ROUNDING),
    ),
    Law(
        "stream.branch",
        "x + LN(f): largest relative difference from √((n + 1) d)",
        "0: after n sub-layers, the length is sqrt((n + 1) d), within 8%",
        (None, 0.08),
    ),
    Law(
        "jacobian_times_sigma",
        "Largest singular value of the norm’s Jacobian, times σ",
        "1: the Jacobian’s largest singular value is 1 / sigma",
        (1 - 1e-9, 1 + 1e-9),
    ),
    Law(
        "jacobian_rank",
        "Rank of the norm’s Jacobian",
        "d - 2: changes along the output y and changes equal in all channels are lost",
    ),
    Law(
        "y_dot_ones",
        "Sum of the output’s channels",
        "0: the norm subtracts the mean, so the channels of its output y sum to 0",
        (None, 1e-9),
    ),
    Law("y_dot_y", "Squared length of the output, y · y", "y · y = d = {d}"),
    *each(
        {"0.9": "0.9", "1.1": "1.1"},
        Law("path.{}", "Length after 48 residual connections, λ = {}"),
        {
            "0.9": ("0.9^48 times the input’s length", (0.00635, 0.00645)),
            "1.1": ("1.1^48 times the input’s length", (96.5, 97.5)),
        },
    ),
    Law("leak.layer", "Leak: LayerNorm", "0: nothing else affects a token", (0, 0)),
    Law("leak.batch", "Leak: BatchNorm", "above 0: other samples affect a token", (1e-3, None)),
    Law(
        "leak.instance",
        "Leak: InstanceNorm",
        "above 0: later tokens affect earlier ones",
        (1e-3, None),
    ),
)
UNCENTRED = replace(LAWS["jacobian_rank"], text="d - 1: changes along the output y are lost")
"""The prediction for a norm that does not subtract the mean."""
