"""Figures of /detection: the attention of a query in every head of every layer."""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import label
from app.figures import theme
from app.figures.patched import chosen, each_head, framed, pictures, square
from app.figures.plot import Panel, Plot, figure, with_meta
from app.figures.traces import heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

GAP = 0.9  # between small maps, in patches


def heads(answer: "Answer", question: Question) -> Plot:
    """A small map of every head in every layer, with the query's box after the layer."""
    layer, head = chosen(answer, question)
    query = answer.fields["query"]
    grid = answer.axes["image"].grid
    assert grid, "an axis of patches has a grid"
    rows, columns = grid
    patches = labels(answer, "image")
    weights = answer.tensors["weights"].data.numpy()
    down, across, _ = weights.shape
    ends = (0.0, float(weights.max()))
    step = rows + GAP, columns + GAP
    z = np.full((down * (rows + 1), across * (columns + 1)), np.nan, np.float32)
    names = np.full(z.shape, "", dtype=object)
    picked = {name: [[None] * z.shape[1] for _ in z] for name in ("layer", "head")}
    tiles = []
    for d in range(down):
        for a in range(across):
            top, left = d * (rows + 1), a * (columns + 1)
            tiles.append([f"layer {d}, head {a}", top, left])
            for i, value in enumerate(weights[d, a]):
                at = top + i // columns, left + i % columns
                z[at] = value
                names[at] = label(f"layer {d}, head {a}: query {query} → {patches[i]}")
                picked["layer"][at[0]][at[1]], picked["head"][at[0]][at[1]] = d, a
    maps = heat_map(
        z[:-1, :-1],
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        ends=ends,
        unit="weight",
        x=[round(a * step[1] + c, 4) for a in range(across) for c in range(columns + 1)],
        y=[round(d * step[0] + r, 4) for d in range(down) for r in range(rows + 1)],
        customdata=names[:-1, :-1].tolist(),
    )
    maps["meta"] |= {
        "pick": picked,
        "tiles": tiles,
        "size": [rows, columns],
        "tokens": [[i // columns, i % columns] for i in range(rows * columns)],
        "token_names": patches,
    }
    path = ""
    for d, box in enumerate(answer.tensors["boxes"].data.numpy()[:, query]):
        (x, y), (width, height) = box[:2] - box[2:] / 2, box[2:]
        for a in range(across):
            left, top = a * step[1] + x * columns, d * step[0] + y * rows
            path += square(
                round(float(left), 3), round(float(top), 3), width * columns, height * rows
            )
    box_outlines = [
        {
            "path": path,
            "type": "path",
            "layer": "above",
            "name": f"line {role}",
            "line": {"color": theme.colour(role), "width": width},
        }
        for role, width in (("paper", 3), ("ink", 1))
    ]
    mark = (step[1] * head - GAP / 2, step[0] * layer - GAP / 2, step[1], step[0])
    panel = Panel(
        pictures("head", across, step[1], GAP, side="top"),
        pictures("layer", down, step[0], GAP),
        [each_head(weights, step, GAP, f"query {query}", patches, ends), maps],
        shapes=[
            *box_outlines,
            framed(f"head:{head}", *mark, 3),
        ],
        even=True,
    )
    description = (
        f"What query {query} attends to in {down * across} heads. Rows are layers, columns are"
        " heads; brighter patches have larger weights."
    )
    return with_meta(
        figure(panel, description=description),
        title=f"What query {query} attends to",
        captioned=True,
    )
