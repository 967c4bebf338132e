"""The predictions of queries, as boxes over the picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions.axes import labels
from app.captions.text import label
from app.figures.plot import Trace, scatter
from app.figures.traces import line

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLOSED = np.array([[-1, -1], [0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]])
"""The corners of a box and the midpoints of its sides, from its center, in half sizes."""


@dataclass(frozen=True)
class Prediction:
    """A query's prediction after a layer: the most probable class and a box, with center x, y,
    width, and height as fractions of the picture's side.
    """

    query: int
    kind: str
    probability: float
    nothing: bool
    box: np.ndarray


def predictions(answer: "Answer", layer: int) -> list[Prediction]:
    """The prediction of each query after a layer."""
    classes = labels(answer, "vocabulary")
    chances = answer.tensors["chances"].data.numpy()[layer]
    boxes = answer.tensors["boxes"].data.numpy()[layer]
    best = chances.argmax(1).tolist()
    return [
        Prediction(q, classes[kind], float(chances[q, kind]), kind == len(classes) - 1, boxes[q])
        for q, kind in enumerate(best)
    ]


def outlines(
    rectangles: Sequence[np.ndarray],
    names: Sequence[str],
    hover: str,
    side: int,
    role: str,
    width: float,
    dash: str = "",
    more: Sequence[Sequence[Any]] = (),
) -> Trace:
    """Boxes in one color, each a closed line, over a picture of `side` pixels. The hover text has
    the name and `more`, or width and height.
    """
    points = [
        np.vstack([(box[:2] + CLOSED * box[2:] / 2) * side + 0.5, [[np.nan, np.nan]]])
        for box in rectangles
    ]
    details = more or [[rounded(box[2]), rounded(box[3])] for box in rectangles]
    customdata = [
        [label(name), *values]
        for name, values in zip(names, details, strict=True)
        for _ in range(len(CLOSED) + 1)
    ]
    x, y = np.vstack(points).T
    trace = line(
        x, y, names[0], role, hover, dots=False, legend=False, dash=dash, customdata=customdata
    )
    trace["line"]["width"] = width
    trace["meta"] |= {"tabled": False, "subtracted": False}
    return trace


def boxes(
    queries: Sequence[Prediction], side: int, when: str, role: str, width: float, dash: str = ""
) -> Trace:
    """The boxes of queries; clicking one selects its query."""
    trace = outlines(
        [query.box for query in queries],
        [f"query {query.query}{when}: {query.kind}" for query in queries],
        "%{customdata[0]}<br>probability <b>%{customdata[1]:.3g}</b>",
        side,
        role,
        width,
        dash,
        [[rounded(query.probability)] for query in queries],
    )
    picked = [query.query for query in queries for _ in range(len(CLOSED) + 1)]
    trace["meta"] |= {"pick": {"query": picked}}
    return trace


def behind(queries: Sequence[Prediction], side: int, width: float) -> Trace:
    """A wider white line, so that a box is visible on every background."""
    trace = boxes(queries, side, "", "paper", width)
    trace["hoverinfo"] = "skip"
    return trace


def every_box(answer: "Answer", queries: list[Prediction], side: int) -> Trace:
    """The invisible center of every query's box, for the figure's table."""
    objects, pairs = labels(answer, "object"), answer.fields["found"]
    rows = [
        [
            str(query.query),
            query.kind,
            rounded(query.probability),
            *map(rounded, query.box),
            "" if pair["object"] is None else objects[pair["object"]],
            "" if pair["iou"] is None else rounded(pair["iou"]),
        ]
        for query, pair in zip(queries, pairs, strict=True)
    ]
    centres = np.array([query.box[:2] for query in queries]) * side + 0.5
    sides = labels(answer, "side")
    return scatter(
        x=centres[:, 0],
        y=centres[:, 1],
        mode="markers",
        marker={"opacity": 0},
        hoverinfo="skip",
        hovertemplate="query %{customdata[0]}: %{customdata[1]}<extra></extra>",
        customdata=rows,
        showlegend=False,
        meta={
            "columns": ["query", "class", "probability", *sides, "matched to", "final IoU"],
            "subtracted": False,
        },
    )


def rounded(value: float) -> float:
    """As many digits as a float32 below 1 has."""
    return round(float(value), 7)
