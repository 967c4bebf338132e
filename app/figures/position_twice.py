"""Twice the length: a scheme at positions that never occur in training."""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question, axes, text
from app.captions.facts import to_rows
from app.captions.text import number
from app.figures.axis_scales import counted, linear
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, figure
from app.figures.position_marks import dotted, finite, with_tensor_meta
from app.figures.traces import at_end, line

if TYPE_CHECKING:
    from model.answers.answer import Answer


def twice(answer: "Answer", question: Question) -> Plot:
    """The norms of the identifiers up to twice the length, and the similarity of the last query
    with the keys before it.
    """
    sizes = finite(answer.tensors["identifier_norm"].data.numpy())
    profile = finite(answer.tensors["profile"].data.numpy())
    length = len(sizes) // 2
    places = np.arange(2 * length)
    relative = answer.fields["how"] != "added to the token"
    across = "positions behind" if relative else "position"
    hover = f"{across} %{{x}}<br>norm of the encoding <b>%{{y:.3g}}</b>"
    size = line(places, sizes, "norm", "position", hover, dots=False, legend=False)
    missing = int(np.isnan(sizes).sum())
    most = float(np.nanmax(sizes)) or 1.0
    note = {
        "y": 0,
        "yanchor": "bottom",
        "yshift": 6,
        "look": NoteLook(kind="title", role="ink-soft"),
    }
    notes = [
        {**note, "x": length, "xanchor": "right", "xshift": -6, "text": "sequence length"},
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
        linear("norm of the encoding", sizes, low=0, high=most * 1.04, wanted=4),
        [size],
        notes,
        [dotted(length)],
    )
    traces, ends = [], []
    queries = axes.labels(answer, "query")
    for i, (query, values) in enumerate(zip(queries, profile, strict=True)):
        known = np.flatnonzero(np.isfinite(values))
        hover = f"query p = {query}, key %{{x}} behind<br>similarity <b>%{{y:.3g}}</b>"
        dash = "6px,4px" if i else ""
        role, name = f"head:{i}", f"p = {query}"
        traces.append(line(places, values, name, role, hover, dots=False, legend=False, dash=dash))
        if known.size:
            ends.append(at_end(float(places[-1]), float(values[known[-1]]), name, role))
    similarities = profile[np.isfinite(profile)]
    low = min(0.0, float(similarities.min(initial=0)))
    high = max(0.0, float(similarities.max(initial=0)))
    up = linear(
        "similarity to earlier keys",
        [],
        low=low,
        high=high if low < high else 1.0,
        wanted=4,
    )
    below = Panel(
        counted("positions behind the query", 0, 2 * length), up, traces, ends, [dotted(length)]
    )
    norms = sizes[np.isfinite(sizes)]
    description = (
        f"Norm of the encoding up to twice the length: {number(float(norms[0]))} at first,"
        f" {number(float(norms[-1]))} at last"
        + (f"; {text.counted(missing, 'position has', 'positions have')} none" if missing else "")
        + "; below, the similarity of the last query to earlier keys."
    )
    drawing = figure(above, below, description=description)
    return with_tensor_meta(
        drawing,
        answer,
        "profile",
        caption="dotted line: sequence length",
        facts=to_rows(answer, TWICE_FACTS),
        aligned=True,
    )


TWICE_FACTS = {
    "change_with_length": "Change with length",
    "weight": "Norm relative to tokens",
    "missing": "Positions without a vector",
    "unseen": "Distance from trained values",
    "far_share": "Weight beyond the length",
}
"""The names of the facts next to the figure."""
