"""What queries say of a picture, as boxes over it."""

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
"""The corners of a box and the middles of its sides, from its centre, in halves of its size."""


@dataclass(frozen=True)
class Prediction:
    """What a query says after a layer: the most probable class and a box, which is its centre x, y,
    its width and its height as shares of the picture's side.
    """

    query: int
    kind: str
    probability: float
    nothing: bool
    box: np.ndarray


def predictions(answer: "Answer", layer: int) -> list[Prediction]:
    """What each query says after a layer."""
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
    """Boxes in one colour, each a closed line, over a picture of `side` pixels. Pointed at, a box
    says its name and what is in `more`, or its width and height.
    """
    points = [
        np.vstack([(box[:2] + CLOSED * box[2:] / 2) * side + 0.5, [[np.nan, np.nan]]])
        for box in rectangles
    ]
    own = more or [[rounded(box[2]), rounded(box[3])] for box in rectangles]
    customdata = [
        [label(name), *values]
        for name, values in zip(names, own, strict=True)
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
    """The boxes of queries; a click on one chooses its query."""
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
    """A wider line of paper, so that a box is seen on every ground."""
    trace = boxes(queries, side, "", "paper", width)
    trace["hoverinfo"] = "skip"
    return trace


def every_box(answer: "Answer", queries: list[Prediction], side: int) -> Trace:
    """The centre of every query's box, unseen: what the figure's table says."""
    objects, pairs = labels(answer, "object"), answer.fields["found"]
    rows = [
        [
            str(one.query),
            one.kind,
            rounded(one.probability),
            *map(rounded, one.box),
            "" if pair["object"] is None else objects[pair["object"]],
            "" if pair["iou"] is None else rounded(pair["iou"]),
        ]
        for one, pair in zip(queries, pairs, strict=True)
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
            "columns": ["query", "class", "probability", *sides, "matched with", "IoU in the end"],
            "subtracted": False,
        },
    )


def rounded(value: float) -> float:
    """As many digits as a number of 32 bits has below 1."""
    return round(float(value), 7)
