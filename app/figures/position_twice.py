"""Twice the length: what a scheme tells of positions that no training has shown."""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question, axes, text
from app.captions.facts import to_rows
from app.captions.text import number
from app.figures.annotations import at_end
from app.figures.axis_scales import counted, linear
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.position_marks import dotted, finite, with_tensor_meta
from app.figures.traces import line

if TYPE_CHECKING:
    from model.answers.answer import Answer


def twice(answer: "Answer", question: Question) -> Plot:
    """How large the identifiers become up to twice the length, and what the last query sees of the
    keys behind it.
    """
    sizes = finite(answer.tensors["identifier_norm"].data.numpy())
    profile = finite(answer.tensors["profile"].data.numpy())
    length = len(sizes) // 2
    places = np.arange(2 * length)
    relative = answer.fields["how"] != "added to the token"
    across = "positions behind" if relative else "position"
    hover = f"{across} %{{x}}<br>size of the identifier <b>%{{y:.3g}}</b>"
    size = line(places, sizes, "size", "position", hover, dots=False, legend=False)
    missing = int(np.isnan(sizes).sum())
    most = float(np.nanmax(sizes)) or 1.0
    note = {
        "y": 0,
        "yanchor": "bottom",
        "yshift": 6,
        "look": NoteLook(kind="title", role="ink-soft"),
    }
    notes = [
        {**note, "x": length, "xanchor": "right", "xshift": -6, "text": "the length"},
        {
            **note,
            "x": length,
            "xanchor": "left",
            "xshift": 6,
            "text": "nothing beyond" if missing else "beyond",
        },
    ]
    above = Panel(
        counted(across, 0, 2 * length),
        linear("size of the identifier", sizes, low=0, high=most * 1.04, wanted=4),
        [size],
        notes,
        [dotted(length)],
    )
    traces, ends = [], []
    queries = axes.labels(answer, "query")
    for i, (query, values) in enumerate(zip(queries, profile, strict=True)):
        known = np.flatnonzero(np.isfinite(values))
        hover = f"query p = {query}, key %{{x}} behind<br>it sees <b>%{{y:.3g}}</b>"
        dash = "6px,4px" if i else ""
        role, name = f"head:{i}", f"p = {query}"
        traces.append(line(places, values, name, role, hover, dots=False, legend=False, dash=dash))
        if known.size:
            ends.append(at_end(float(places[-1]), float(values[known[-1]]), name, role))
    seen = profile[np.isfinite(profile)]
    low, high = min(0.0, float(seen.min(initial=0))), max(0.0, float(seen.max(initial=0)))
    up = linear(
        "what a query sees of the keys behind it",
        [],
        low=low,
        high=high if low < high else 1.0,
        wanted=4,
    )
    below = Panel(
        counted("positions behind the query", 0, 2 * length), up, traces, ends, [dotted(length)]
    )
    shown = sizes[np.isfinite(sizes)]
    said = (
        f"Size of the identifiers up to twice the length, {number(float(shown[0]))} at first and"
        f" {number(float(shown[-1]))} at last"
        + (f"; {text.counted(missing, 'position has', 'positions have')} none" if missing else "")
        + "; below, what the last query sees behind it."
    )
    drawn = figure(above, below, description=said)
    return with_tensor_meta(
        drawn,
        answer,
        "profile",
        caption="dashes: where the length ends",
        facts=to_rows(answer, TWICE_FACTS),
        aligned=True,
    )


TWICE_FACTS = {
    "change_with_length": "Change with length",
    "weight": "Largest identifier",
    "missing": "Without one",
    "unseen": "Farthest from any",
    "far_share": "Weight beyond",
}
"""What the facts beside the figure are called."""
