"""Figures of /detection: the classes that every query says, and what they and the boxes cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, label, weight
from app.figures.axis_scales import linear, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.patched import chosen, framed
from app.figures.plot import Plot, Trace, with_meta
from app.figures.traces import bars, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

SIGNS = {"ellipse": "●", "rectangle": "■", "triangle": "▲"}
NOTHING = "∅"
LOSS_ROLES = ("query", "attention", "cross")
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
        f"The loss of this picture is {decimals(whole['total'])}: class"
        f" {decimals(whole['classes'])},"
        f" L1 {decimals(whole['l1'])}, GIoU {decimals(whole['giou'])}. Layer {layer} adds"
        f" {decimals(float(terms[:, layer].sum()))}."
    )
    return with_meta(
        figure(*panels, description=description, across=True), captioned=True, reading=description
    )


def in_short(kind: str) -> str:
    """A class with a sign for its shape: red ●. What is no shape keeps its word."""
    colour, *shape = kind.split()
    return f"{colour} {SIGNS[shape[0]]}" if shape else kind


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
