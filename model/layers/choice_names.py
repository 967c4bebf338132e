"""What the choices of a model are called where they are shown, in the order in which they are
listed, and where norms stand. The tables of the layers have the rest of each.

The web process reads it too. It never loads torch, and so this module imports none.
"""

PLACEMENT_NAMES = {
    "post": "Post-LN",
    "pre": "Pre-LN",
    "admin": "Admin",
    "b2t": "B2T",
    "branch": "x + LN(f)",
    "none": "no norm",
}
NORM_NAMES = {"layer": "LayerNorm", "rms": "RMSNorm", "scale": "ScaleNorm"}
SCORE_NAMES = {
    "dot": "dot",
    "scaled_dot": "scaled dot",
    "general": "general",
    "additive": "additive",
    "cosine": "cosine",
    "location": "location",
}
SCORE_FORMULAS = {
    "dot": "qkᵀ",
    "scaled_dot": "qkᵀ/√d",
    "general": "qWkᵀ",
    "additive": "tanh(qW+kU)v",
    "cosine": "qkᵀ/|q||k|",
    "location": "qW",
}
OF_PLACES = ("location",)
"""The scores that read no key."""
MASK_NAMES = {
    "full": "full",
    "causal": "causal",
    "prefix": "prefix",
    "padding": "padding",
    "window": "window",
    "dilated": "dilated",
    "block": "block",
    "window_2d": "2-D window",
}
SCHEME_NAMES = {
    "none": "none",
    "integer": "integer",
    "normalised": "normalised",
    "sigmoid": "sigmoid",
    "sine": "single sine",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
    "shaw": "Shaw",
    "t5": "T5 buckets",
    "rope": "RoPE",
    "alibi": "ALiBi",
}
ON_STREAM, ON_WAY_IN, ON_WAY_OUT = "on the stream", "on the way in", "on the way out"
NORMS_AT: dict[str, tuple[str, ...]] = {
    "post": (ON_STREAM,),
    "pre": (ON_WAY_IN,),
    "admin": (ON_STREAM,),
    "b2t": (ON_STREAM,),
    "branch": (ON_WAY_OUT,),
    "none": (),
}
"""Where norms of a sub-layer stand: behind it on the stream, before it on its branch, or after it
on its branch.
"""
AVERAGES_OVER: dict[str, tuple[int, ...]] = {"layer": (2,), "batch": (0, 1), "instance": (1,)}
"""The axes of [sample, position, channel] over which each norm averages (Wu and He 2018, figure
2).
"""
