"""Display names of a model's choices, in the order in which they are listed, and the places of its
norms. The tables in the layers hold everything else about each choice.

The web process imports this module and must never load torch, so this module doesn't import it.
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
    "scaled_dot": "qkᵀ/√dₖ",
    "general": "qWkᵀ",
    "additive": "tanh(qW+kU)v",
    "cosine": "qkᵀ/(|q||k|)",
    "location": "qW",
}
OF_PLACES = ("location",)
"""The scores that do not depend on the content of the key."""
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
    "normalised": "normalized",
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
"""Where a sub-layer's norm is applied: to the stream after it, or to its branch before or after it.
"""
AVERAGES_OVER: dict[str, tuple[int, ...]] = {"layer": (2,), "batch": (0, 1), "instance": (1,)}
"""The axes of [sample, position, channel] that each norm averages over (Wu and He 2018, figure 2).
"""
