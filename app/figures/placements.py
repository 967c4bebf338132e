"""Where the norm stands: what each placement is called, and its colour in every figure."""

import plotly.graph_objects as go

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


def choosing(trace: go.Scatter, control: str, value: str) -> go.Scatter:
    """A click on any point of the line sets a control of the page to `value`."""
    trace.meta = {**trace.meta, "pick": {control: [value] * len(trace.x)}}
    return trace
