"""Where the norm stands: what each placement is called, and its colour in every figure."""

NAMES = {
    "post": "Post-LN",
    "pre": "Pre-LN",
    "admin": "Admin",
    "b2t": "B2T",
    "branch": "x + LN(f)",
    "none": "no norm",
}
ROLES = {
    "post": "stream",
    "pre": "attention",
    "admin": "cross",
    "b2t": "query",
    "branch": "feed-forward",
    "none": "value",
}
DASHED = "6px,4px"  # Admin lies on other placements; its dashes let them show through


def dash(placement: str) -> str:
    """The dashes of the line of a placement, "" for a full line."""
    return DASHED if placement == "admin" else ""
