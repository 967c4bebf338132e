"""Figures of /detection: the picture with the boxes of all queries and the attention of one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import counted, decimals, label, percent
from app.figures.axis_scales import AxisScale
from app.figures.detection_boxes import (
    Prediction,
    behind,
    boxes,
    every_box,
    outlines,
    predictions,
    rounded,
)
from app.figures.detection_tags import tags
from app.figures.patched import chosen, framed
from app.figures.plot import Panel, Plot, figure, image, with_meta
from app.figures.traces import heat_map
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

FRAME = 0.09  # as a fraction of a patch's side
SIZE = 0.28  # of one more shape, as a fraction of the picture's side
SPOTS = [(x, y) for y in (0.2, 0.4, 0.6, 0.8) for x in (0.2, 0.4, 0.6, 0.8)]


def found(answer: "Answer", question: Question) -> Plot:
    """The picture, a frame around each patch for the selected query's attention, and the boxes."""
    layer, head = chosen(answer, question)
    query, side = answer.fields["query"], answer.axes["row"].size
    queries = predictions(answer, layer)
    mine = queries[query]
    others = [query for query in queries if not query.nothing and query is not mine]
    truth = outlines(
        [*true_boxes(answer)],
        [f"true box: {name}" for name in labels(answer, "object")],
        "%{customdata[0]}<br>width <b>%{customdata[1]:.3g}</b>, height"
        " <b>%{customdata[2]:.3g}</b> of the image’s side",
        side,
        "ink-soft",
        1.5,
        "3px,4px",
    )
    trail = [
        boxes([predictions(answer, i)[query]], side, f" after layer {i}", "query", 1.5, dash)
        for i in range(answer.axes["layer"].size)
        for dash in ["7px,4px" if i < layer else "2px,3px"]
        if i != layer
    ]
    traces = [
        *attended(answer, layer, head, queries),
        truth,
        *trail,
        *([behind(others, side, 3.5), boxes(others, side, "", "ink", 1.5)] if others else []),
        behind([mine], side, 5),
        boxes([mine], side, "", "query", 3),
        every_box(answer, queries, side),
    ]
    ends = (0.5, side + 0.5)
    panel = Panel(
        AxisScale("column (pixel)", ends, [], [], side="top", frameless=True),
        AxisScale("row (pixel)", ends[::-1], [], [], frameless=True),
        traces,
        tags(mine, others, side),
        [framed("rule", 0.5, 0.5, side, side, 1)],
        even=True,
    )
    predicting = len(others) + (not mine.nothing)
    shapes, right = labels(answer, "object"), right_ones(answer)
    description = (
        f"The image has {counted(len(shapes), 'shape')}. After layer {layer}, {predicting} of"
        f" {len(queries)} queries predict a shape; after the last layer, {right} of the shapes have"
        f" the correct class. Query {query} predicts “{mine.kind}” with probability"
        f" {percent(mine.probability)}."
    )
    return with_meta(
        figure(panel, description=description),
        title=f"Detected boxes after layer {layer}",
        captioned=True,
        said=sentence(answer, mine),
        beside={
            "count": f"{right}{in_words(' of ')}{len(shapes)}",
            "mean": decimals(answer.fields["mean_iou"]),
            "cost": decimals(answer.fields["loss"]["total"]),
        },
        shapes=len(shapes),
        scene=[
            {"colour": colour, "kind": kind, **place(box)}
            for (colour, kind), box in zip(map(str.split, shapes), true_boxes(answer), strict=True)
        ],
        room=room(true_boxes(answer)),
    )


def true_boxes(answer: "Answer") -> np.ndarray:
    """The center and size of each shape's box, as fractions of the picture's side."""
    return answer.tensors["truth"].data.numpy()


def place(box: Sequence[float]) -> dict[str, float]:
    return dict(zip(("x", "y", "width", "height"), map(rounded, box), strict=True))


def room(boxes: np.ndarray) -> dict[str, float]:
    """A box for one more shape, whose center is farthest from the other centers."""
    far = [np.linalg.norm(boxes[:, :2] - spot, axis=1).min() for spot in SPOTS]
    return place((*SPOTS[int(np.argmax(far))], SIZE, SIZE))


def attended(answer: "Answer", layer: int, head: int, queries: list[Prediction]) -> list[Any]:
    """The weights of the selected query, invisible, for keyboard navigation; the picture; and the
    weights as frames around the patches.
    """
    grid = answer.axes["image"].grid
    assert grid, "an axis of patches has a grid"
    rows, columns = grid
    side, query = answer.axes["row"].size, answer.fields["query"]
    weights = answer.tensors["weights"].data.numpy()
    mine = weights[layer, head].reshape(rows, columns)
    ends = (0.0, float(weights.max()))
    high, wide = side / rows, side / columns
    hover = "%{customdata}<br><b>%{z:.3g}</b> of the weight"
    patches = np.array(labels(answer, "image")).reshape(rows, columns)
    names = [[f"query {query} → {label(name)}" for name in row] for row in patches]
    chosen_in = [
        [around(queries, (c + 0.5) / columns, (r + 0.5) / rows, query) for c in range(columns)]
        for r in range(rows)
    ]
    unseen = heat_map(
        mine,
        hover,
        ends=ends,
        x=np.arange(columns + 1) * wide + 0.5,
        y=np.arange(rows + 1) * high + 0.5,
        showscale=False,
        opacity=0,
        customdata=names,
    )
    unseen["meta"] |= {"tabled": False, "pick": {"query": chosen_in}}
    picture = image(
        z=answer.tensors["picture"].data.permute(1, 2, 0).contiguous().numpy(),
        zmin=[0, 0, 0, 0],
        zmax=[1, 1, 1, 1],
        x0=1,
        y0=1,
        hovertemplate="row %{y}, column %{x}<br>red <b>%{z[0]:.3g}</b>, green <b>%{z[1]:.3g}</b>,"
        " blue <b>%{z[2]:.3g}</b><extra></extra>",
    )
    at = [(i + 0.5) / side for i in range(side)]
    picked = [[around(queries, x, y, query) for x in at] for y in at]
    picture["meta"] = {"tabled": False, "pick": {"query": picked}}
    strips = np.repeat(np.repeat(mine, 3, 0), 3, 1)
    strips[1::3, 1::3] = np.nan
    frames = heat_map(
        strips,
        hover,
        ("clear cross", "cross"),
        ends,
        "weight",
        x=strip_edges(columns, wide),
        y=strip_edges(rows, high),
        customdata=np.repeat(np.repeat(np.array(names), 3, 0), 3, 1).tolist(),
    )
    frames["meta"] |= {"tabled": False, "pick": {"query": tripled(chosen_in)}}
    return [unseen, picture, frames]


def strip_edges(count: int, size: float) -> np.ndarray:
    """The edges of the frames of `count` patches in a row."""
    starts = np.arange(count)[:, None] + np.array([0, FRAME, 1 - FRAME])
    return np.append(starts.ravel(), count) * size + 0.5


def tripled(rows: list[list[int]]) -> list[list[int]]:
    return np.repeat(np.repeat(np.array(rows), 3, 0), 3, 1).tolist()


def around(queries: list[Prediction], x: float, y: float, otherwise: int) -> int:
    """The query of the smallest box around a point; `otherwise` if there is none."""
    inside = [
        (float(query.box[2] * query.box[3]), query.query)
        for query in queries
        if not query.nothing and (np.abs(query.box[:2] - (x, y)) <= query.box[2:] / 2).all()
    ]
    return min(inside)[1] if inside else otherwise


def sentence(answer: "Answer", mine: Prediction) -> str:
    """The selected query's prediction and matched object."""
    pair = answer.fields["found"][mine.query]
    objects, matched = labels(answer, "object"), "no shape"
    if pair["object"] is not None:
        matched = f"the {objects[pair['object']]}, with an IoU of {decimals(pair['iou'])}"
    return (
        f"Query {mine.query} predicts “{mine.kind}” with probability {percent(mine.probability)}."
        f" After the last layer, it is matched to {matched}."
    )


def right_ones(answer: "Answer") -> int:
    """How many queries predict the class of their matched shape."""
    objects = labels(answer, "object")
    return sum(
        pair["object"] is not None and pair["class"] == objects[pair["object"]]
        for pair in answer.fields["found"]
    )
