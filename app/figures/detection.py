"""Figures of /detection: the picture with the boxes of all queries and where one of them looks, the
same in every head, and what every query says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import label, weight
from app.figures import theme
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.patched import chosen, each_head, framed, pictures, square
from app.figures.plot import Plot, Trace, image, scatter, with_meta
from app.figures.traces import bars, heat_map, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

FRAME = 0.09  # of a patch's side
GAP = 0.9  # between two small maps, in patches
SIGNS = {"ellipse": "●", "rectangle": "■", "triangle": "▲"}
NOTHING = "∅"
LETTER, LINE = 1.0, 2.5  # of a text on a phone, in pixels of the picture, where they are largest
LOSS_ROLES = ("query", "attention", "cross")
PRINTED = 0.05  # what is less is not printed in a cell
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


def found(answer: "Answer", question: Question) -> Plot:
    """The picture, a frame around each patch as strong as the chosen query looks at it, and boxes
    over both.
    """
    layer, head = chosen(answer, question)
    query, side = answer.fields["query"], answer.axes["row"].size
    queries = predictions(answer, layer)
    mine = queries[query]
    others = [one for one in queries if not one.nothing and one is not mine]
    truth = outlines(
        answer.tensors["truth"].data.numpy(),
        [f"the {name} itself" for name in labels(answer, "object")],
        "%{customdata[0]}<br>width <b>%{customdata[1]:.3g}</b>, height"
        " <b>%{customdata[2]:.3g}</b> of the picture's side",
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
    told = len(others) + (not mine.nothing)
    shapes, right = labels(answer, "object"), right_ones(answer)
    description = (
        f"The picture has {len(shapes)} shapes. After layer {layer}, {told} of {len(queries)}"
        f" queries say that something is there; in the end {right} of the shapes get the right"
        f" class. Query {query} says {mine.kind} with probability {weight(mine.probability)}."
    )
    return with_meta(
        figure(panel, description=description),
        title=f"After layer {layer}",
        captioned=True,
        said=sentence(answer, mine),
        beside={
            "count": f"{right} of {len(shapes)}",
            "mean": weight(answer.fields["mean_iou"]),
            "cost": weight(answer.fields["loss"]["total"]),
        },
        shapes=len(shapes),
    )


def attended(answer: "Answer", layer: int, head: int, queries: list[Prediction]) -> list[Any]:
    """The weights of the chosen query, unseen, for the keys to walk; the picture; and the weights
    again, as frames around the patches.
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
    """Where the frames of so many patches in a row begin and end."""
    starts = np.arange(count)[:, None] + np.array([0, FRAME, 1 - FRAME])
    return np.append(starts.ravel(), count) * size + 0.5


def tripled(rows: list[list[int]]) -> list[list[int]]:
    return np.repeat(np.repeat(np.array(rows), 3, 0), 3, 1).tolist()


def around(queries: list[Prediction], x: float, y: float, otherwise: int) -> int:
    """The query of the smallest box around a point; `otherwise` where there is none."""
    inside = [
        (float(one.box[2] * one.box[3]), one.query)
        for one in queries
        if not one.nothing and (np.abs(one.box[:2] - (x, y)) <= one.box[2:] / 2).all()
    ]
    return min(inside)[1] if inside else otherwise


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
        [one.box for one in queries],
        [f"query {one.query}{when}: {one.kind}" for one in queries],
        "%{customdata[0]}<br>probability <b>%{customdata[1]:.3g}</b>",
        side,
        role,
        width,
        dash,
        [[rounded(one.probability)] for one in queries],
    )
    picked = [one.query for one in queries for _ in range(len(CLOSED) + 1)]
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
    centres = np.array([one.box[:2] for one in queries]) * side + 0.5
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


def tags(mine: Prediction, others: Sequence[Prediction], side: int) -> list[dict[str, Any]]:
    """Which query, what it says and how sure it is, at each box. The chosen query's stands above
    its box, or inside where there is no room; each of the others stands where it covers least of
    those before it. The chosen one is drawn last, over the others.
    """
    placed: list[Place] = []
    notes = []
    for one in (mine, *others):
        text = f"{one.query} {label(one.kind)} {weight(one.probability)}"
        spots = places(one.box * side, len(text) * LETTER, side)
        spot = min(spots, key=lambda spot: sum(spot.covers(other) for other in placed))
        placed.append(spot)
        ink, ground = ("paper", "query") if one is mine else ("ink", "paper")
        notes.append(
            {
                "x": spot.x + 0.5,
                "y": spot.y + 0.5,
                "xanchor": spot.xanchor,
                "yanchor": spot.yanchor,
                "text": text,
                "font": {"color": theme.colour(ink)},
                "bgcolor": theme.colour(ground),
                "borderpad": 2,
                "look": NoteLook(kind="title", role=ink, ground=ground),
                "showarrow": False,
            }
        )
    return notes[::-1]


@dataclass(frozen=True)
class Place:
    """A line of text at x and y, in pixels of the picture from its upper left corner."""

    x: float
    y: float
    xanchor: str
    yanchor: str
    wide: float

    @property
    def start(self) -> tuple[float, float]:
        """Its upper left corner."""
        across = {"left": 0.0, "center": self.wide / 2, "right": self.wide}[self.xanchor]
        return self.x - across, self.y - (LINE if self.yanchor == "bottom" else 0)

    def covers(self, other: "Place") -> float:
        """The area that both would take."""
        (x, y), (left, top) = self.start, other.start
        across = min(x + self.wide, left + other.wide) - max(x, left)
        return max(0.0, across) * max(0.0, min(y, top) + LINE - max(y, top))

    def inside(self, side: int) -> bool:
        """Whether no letter lies outside of a picture of `side` pixels."""
        x, y = self.start
        return x >= 0 and y >= 0 and x + self.wide <= side and y + LINE <= side


def places(box: np.ndarray, wide: float, side: int) -> list[Place]:
    """Where a text so wide may stand at a box, the best first: above it, below it, inside at its
    upper edge, inside at its lower edge. What would leave the picture comes last.
    """
    x, y, width, height = (float(size) for size in box)
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    found = [
        Place(at, level, xanchor, yanchor, wide)
        for level, yanchor in (
            (top, "bottom"),
            (bottom, "top"),
            (max(top, 0.0), "top"),
            (min(bottom, float(side)), "bottom"),
        )
        for at, xanchor in ((left, "left"), (x, "center"), (right, "right"))
    ]
    return sorted(found, key=lambda place: not place.inside(side))


def sentence(answer: "Answer", mine: Prediction) -> str:
    """What the chosen query says, and what it is matched with."""
    pair = answer.fields["found"][mine.query]
    known = pair["object"] is not None
    objects = labels(answer, "object")
    matched = f"the {objects[pair['object']]}, IoU {weight(pair['iou'])}" if known else "no shape"
    return (
        f"Query {mine.query} says {mine.kind} with probability {weight(mine.probability)}; in the"
        f" end it is matched with {matched}."
    )


def right_ones(answer: "Answer") -> int:
    """How many queries say the class of the shape that they are matched with."""
    objects = labels(answer, "object")
    return sum(
        pair["object"] is not None and pair["class"] == objects[pair["object"]]
        for pair in answer.fields["found"]
    )


def heads(answer: "Answer", question: Question) -> Plot:
    """Every head of every layer small, with the query's box after the layer over it."""
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
    looks = heat_map(
        z[:-1, :-1],
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        ends=ends,
        unit="weight",
        x=[round(a * step[1] + c, 4) for a in range(across) for c in range(columns + 1)],
        y=[round(d * step[0] + r, 4) for d in range(down) for r in range(rows + 1)],
        customdata=names[:-1, :-1].tolist(),
    )
    looks["meta"] |= {
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
    seen = [
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
        [each_head(weights, step, GAP, f"query {query} looks", patches, ends), looks],
        shapes=[
            *seen,
            framed(f"head:{head}", *mark, 3),
        ],
        even=True,
    )
    description = (
        f"{down * across} heads: where query {query} looks in each; rows are layers, columns are"
        " heads, brighter is more."
    )
    return with_meta(
        figure(panel, description=description), title=f"Where query {query} looks", captioned=True
    )


def board(answer: "Answer", question: Question) -> Plot:
    """A row for each query, a column for each class, and the shape that it is matched with."""
    layer, _ = chosen(answer, question)
    chances = answer.tensors["chances"].data.numpy()[layer]
    classes, query = labels(answer, "vocabulary"), answer.fields["query"]
    trace = heat_map(
        chances,
        "%{customdata}<br><b>%{z:.3g}</b> probability",
        ends=(0, 1),
        showscale=False,
        text=[[weight(float(p)) if p >= PRINTED else "" for p in row] for row in chances],
        customdata=[[f"query {q}: {label(name)}" for name in classes] for q in range(len(chances))],
    )
    trace["meta"] |= {"pick_row": {"query": list(range(len(chances)))}}
    words = [name.split() for name in classes]
    signs = [SIGNS[word[1]] if len(word) > 1 else NOTHING for word in words]
    colours = [word[0] for word in words if len(word) > 1]
    groups = [
        {
            "name": colour,
            "short": colour[0],
            "from": colours.index(colour),
            "to": len(colours) - 1 - colours[::-1].index(colour),
        }
        for colour in dict.fromkeys(colours)
    ]
    beside = {"xanchor": "left", "xshift": 8, "showarrow": False, "x": len(classes) - 0.5}
    notes = [
        {
            **beside,
            "y": -0.5,
            "yanchor": "bottom",
            "text": "matched · IoU",
            "look": NoteLook(kind="sum", role="ink-soft"),
        }
    ]
    objects = labels(answer, "object")
    for q, pair in enumerate(answer.fields["found"]):
        if pair["object"] is None:
            continue
        colour, kind = objects[pair["object"]].split()
        text = f"{colour} {SIGNS[kind]} {weight(pair['iou'])}"
        role = "query" if q == query else "ink"
        notes.append({**beside, "y": q, "text": text, "look": NoteLook(kind="sum", role=role)})
    panel = Panel(
        named("class", signs, side="top"),
        named("query", [str(q) for q in range(len(chances))], down=True),
        [trace],
        notes,
        [framed("query", -0.5, query - 0.5, len(classes), 1, 3)],
    )
    description = (
        f"The probability of each of {len(classes)} classes, the last of them “nothing”, for each"
        f" of {len(chances)} queries after layer {layer}."
    )
    return with_meta(figure(panel, description=description), layers=groups, captioned=True)


def loss(answer: "Answer", question: Question) -> Plot:
    """What the picture would cost in training: the terms of every layer, whose bars are the whole
    loss together, and the terms of every query after the chosen layer.
    """
    layer, _ = chosen(answer, question)
    terms, whole = answer.tensors["loss_terms"].data.numpy(), answer.fields["loss"]
    objects = labels(answer, "object")
    owners = {pair["query"]: pair["object"] for pair in whole["pairs"] if pair["layer"] == layer}
    n_layers, n_queries = terms.shape[1:]
    by_query = [
        f"query {q}, " + (objects[owners[q]] if q in owners else "no object")
        for q in range(n_queries)
    ]
    panels = [
        Panel(
            named("layer", [str(i) for i in range(n_layers)]),
            linear("adds to the loss", terms.sum((0, 2))),
            stacked(terms.sum(2), [f"layer {i}" for i in range(n_layers)], legend=True),
        ),
        Panel(
            named(f"query, after layer {layer}", [str(q) for q in range(n_queries)]),
            linear("adds to the loss", terms[:, layer].sum(0)),
            stacked(terms[:, layer], by_query),
        ),
    ]
    description = (
        f"The loss of this picture is {weight(whole['total'])}: class {weight(whole['classes'])},"
        f" L1 {weight(whole['l1'])}, GIoU {weight(whole['giou'])}. Layer {layer} adds"
        f" {weight(float(terms[:, layer].sum()))}."
    )
    return with_meta(
        figure(*panels, description=description, across=True), captioned=True, reading=description
    )


def stacked(terms: np.ndarray, names: Sequence[str], legend: bool = False) -> list[Trace]:
    """The terms [term, bar] of each bar, one on the other."""
    floor, drawn = np.zeros(terms.shape[1]), []
    for name, role, values in zip(("class", "L1", "GIoU"), LOSS_ROLES, terms, strict=True):
        drawn.append(
            bars(
                np.arange(len(values)),
                values,
                name,
                role,
                f"%{{customdata[0]}}<br>{name} <b>%{{customdata[1]:.3g}}</b>, from the bottom"
                " %{customdata[2]:.3g}",
                legend=legend,
                base=floor.tolist(),
                customdata=[
                    [label(said_of), float(value), float(under + value)]
                    for said_of, value, under in zip(names, values, floor, strict=True)
                ],
            )
        )
        floor = floor + values
    return drawn
