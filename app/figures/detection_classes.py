"""Figures of /detection: each query's classes, and the loss of classes and boxes."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, label, weight
from app.figures.marks import Bar, Cells, Marks, Records, Scale
from app.figures.patched import chosen
from app.figures.traces import beside
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

SIGNS = {"ellipse": "●", "rectangle": "■", "triangle": "▲"}
NOTHING = "∅"
LOSS_ROLES = {"class": "query", "L1": "attention", "GIoU": "cross"}
PRINTED = 0.05  # smaller values are not printed in a cell


def signs(answer: "Answer", _: Question) -> list[str]:
    """The shape of each class."""
    words = [name.split() for name in labels(answer, "vocabulary")]
    return [SIGNS[word[1]] if len(word) > 1 else NOTHING for word in words]


def matched(answer: "Answer", _: Question) -> list[dict[str, Any]]:
    """The shape that each query is matched with."""
    objects, right = labels(answer, "object"), answer.axes["vocabulary"].size - 0.5
    notes = [beside(right, -0.5, "matched · IoU", "ink-soft", 8, yanchor="bottom")]
    for q, pair in enumerate(answer.fields["found"]):
        if pair["object"] is not None:
            text = f"{in_short(objects[pair['object']])} {weight(pair['iou'])}"
            role = "query" if q == answer.fields["query"] else "ink"
            notes.append(beside(right, q, text, role, 8))
    return notes


BOARD = Cells(
    "chances",
    at={"layer": lambda *of: chosen(*of)[0]},
    x=signs,
    y="",
    columns="class",
    rows="query",
    ends=(0, 1),
    bar=False,
    text=lambda p: weight(p) if p >= PRINTED else "",
    says=lambda answer, _: (
        [list(map(label, labels(answer, "vocabulary")))] * answer.axes["queries"].size
    ),
    pick_row={"query": "queries"},
    chosen_row="query",
    notes=matched,
    hover="query %{y}: %{customdata}<br><b>%{z:.3g}</b> probability",
)
"""A row per query and a column per class, with the matched shape."""


def of_board(answer: "Answer", question: Question) -> dict[str, Any]:
    classes, queries = labels(answer, "vocabulary"), answer.axes["queries"].size
    colours = [name.split()[0] for name in classes if " " in name]
    groups = [
        {
            "name": colour,
            "short": colour[0],
            "from": colours.index(colour),
            "to": len(colours) - 1 - colours[::-1].index(colour),
        }
        for colour in dict.fromkeys(colours)
    ]
    description = (
        f"The probability of each of {len(classes)} classes (the last is “nothing”) for each of"
        f" {queries} queries after layer {chosen(answer, question)[0]}."
    )
    return {"description": description, "layers": groups, "captioned": True}


def terms(answer: "Answer", question: Question, of_layers: bool) -> list[Bar]:
    """The terms of the loss in every layer, or of every query after the selected layer, with its
    matched object.
    """
    layer, _ = chosen(answer, question)
    every, objects = answer.tensors["loss_terms"].data.numpy(), labels(answer, "object")
    pairs = answer.fields["loss"]["pairs"]
    owners = {pair["query"]: objects[pair["object"]] for pair in pairs if pair["layer"] == layer}
    values = every.sum(2) if of_layers else every[:, layer]
    tops = values.cumsum(0)
    return [
        Bar(i, str(i), value, [label(text), float(value), float(tops[term, i])], role, name)
        for term, (name, role) in enumerate(LOSS_ROLES.items())
        for i, value in enumerate(values[term])
        for text in [f"layer {i}" if of_layers else f"query {i}, {owners.get(i, 'no object')}"]
    ]


LOSS = Marks(
    [
        Records(
            lambda *of, of_layers=of_layers: terms(*of, of_layers),
            places=places,
            lengths=Scale("contribution to loss"),
            stacked=True,
            legend=of_layers,
            hover="%{customdata[0]}<br>{name} <b>%{customdata[1]:.3g}</b>, cumulative"
            " %{customdata[2]:.3g}",
        )
        for of_layers, places in (
            (True, "layer"),
            (False, lambda *of: f"query, after layer {chosen(*of)[0]}"),
        )
    ],
    across=True,
)
"""The training loss for the picture: the terms in every layer, with bars that add up to the loss,
and the terms of every query after the selected layer.
"""


def of_loss(answer: "Answer", question: Question) -> dict[str, Any]:
    layer, whole = chosen(answer, question)[0], answer.fields["loss"]
    adds = float(answer.tensors["loss_terms"].data[:, layer].sum())
    description = (
        f"The loss of this image is {decimals(whole['total'])}: class"
        f" {decimals(whole['classes'])},"
        f" L1 {decimals(whole['l1'])}, GIoU {decimals(whole['giou'])}. Layer {layer} adds"
        f" {decimals(adds)}."
    )
    return {"description": description, "captioned": True, "reading": description}


def in_short(kind: str) -> str:
    """A class with a symbol for its shape: red ●. Other classes keep their name."""
    colour, *shape = kind.split()
    return in_words(f"{colour} {SIGNS[shape[0]]}" if shape else kind)
