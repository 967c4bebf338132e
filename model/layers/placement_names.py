"""What each placement of the norm is called, where norms stand, and over what they average.

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
