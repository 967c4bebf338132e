"""What each placement of the norm is called.

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
