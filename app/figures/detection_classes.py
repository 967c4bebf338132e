"""Figures of /detection: the classes that every query says, and what they and the boxes cost."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, label, weight
from app.figures.axis_scales import named
from app.figures.marks import Bar, Marks, Records, Scale
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.patched import chosen, framed
from app.figures.plot import Plot, with_meta
from app.figures.traces import heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

SIGNS = {"ellipse": "●", "rectangle": "■", "triangle": "▲"}
NOTHING = "∅"
LOSS_ROLES = {"class": "query", "L1": "attention", "GIoU": "cross"}
PRINTED = 0.05  # what is less is not printed in a cell


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
        text = f"{in_short(objects[pair['object']])} {weight(pair['iou'])}"
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


def terms(answer: "Answer", question: Question, of_layers: bool) -> list[Bar]:
    """The terms of the loss of every layer, or of every query after the chosen one, which stands
    with the object that it is matched with.
    """
    layer, _ = chosen(answer, question)
    every, objects = answer.tensors["loss_terms"].data.numpy(), labels(answer, "object")
    pairs = answer.fields["loss"]["pairs"]
    owners = {one["query"]: objects[one["object"]] for one in pairs if one["layer"] == layer}
    values = every.sum(2) if of_layers else every[:, layer]
    tops = values.cumsum(0)
    return [
        Bar(i, str(i), value, [label(said), float(value), float(tops[term, i])], role, name)
        for term, (name, role) in enumerate(LOSS_ROLES.items())
        for i, value in enumerate(values[term])
        for said in [f"layer {i}" if of_layers else f"query {i}, {owners.get(i, 'no object')}"]
    ]


LOSS = Marks(
    [
        Records(
            lambda *of, of_layers=of_layers: terms(*of, of_layers),
            places=places,
            lengths=Scale("adds to the loss"),
            stacked=True,
            legend=of_layers,
            hover="%{customdata[0]}<br>{name} <b>%{customdata[1]:.3g}</b>, from the bottom"
            " %{customdata[2]:.3g}",
        )
        for of_layers, places in (
            (True, "layer"),
            (False, lambda *of: f"query, after layer {chosen(*of)[0]}"),
        )
    ],
    across=True,
)
"""What the picture would cost in training: the terms of every layer, whose bars are the whole loss
together, and the terms of every query after the chosen layer.
"""


def of_loss(answer: "Answer", question: Question) -> dict[str, Any]:
    layer, whole = chosen(answer, question)[0], answer.fields["loss"]
    adds = float(answer.tensors["loss_terms"].data[:, layer].sum())
    description = (
        f"The loss of this picture is {decimals(whole['total'])}: class"
        f" {decimals(whole['classes'])},"
        f" L1 {decimals(whole['l1'])}, GIoU {decimals(whole['giou'])}. Layer {layer} adds"
        f" {decimals(adds)}."
    )
    return {"description": description, "captioned": True, "reading": description}


def in_short(kind: str) -> str:
    """A class with a sign for its shape: red ●. What is no shape keeps its word."""
    colour, *shape = kind.split()
    return f"{colour} {SIGNS[shape[0]]}" if shape else kind
