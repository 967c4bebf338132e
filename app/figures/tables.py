"""Figures of /tables: what one token of a row reads in every head, which rows the row reads, the
map of one head, and the probability of each class.
"""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import label, number, percent, weight
from app.figures import theme
from app.figures.annotations import beside, upright
from app.figures.marks import Bar, Cells, Of, Records, Scale

if TYPE_CHECKING:
    from model.answers.answer import Answer

TRIED = {
    "change_by_order_of_columns": (
        "If the columns come in the reverse order, the probabilities change by at most {}."
    ),
    "weights_moved_by_numbers": (
        "Without the numbers the weights of attention change by at most {}."
    ),
    "change_by_order_of_rows": (
        "If the reference rows come in the reverse order, the probabilities change by at most {}."
    ),
    "change_by_another_row": (
        "If an empty row takes the place of its neighbour, they change by at most {}."
    ),
}
"""What was tried on the row, each with the largest change."""

MUCH = 0.1  # a change of a probability by so much is printed bold
Place = tuple[int, int, int]


def every_head(
    tensor: str, x: str | Of, columns: str, asking: Of, dividers: Of | None = None
) -> Cells:
    """Weights with a line for each head, in which a click chooses the head. The line of the chosen
    one is framed.
    """

    def weights(answer: "Answer", question: Question) -> np.ndarray:
        values = answer.tensors[tensor].data.numpy()
        if values.ndim > 3:
            values = values[:, :, place_of(answer, question)[2]]
        return values.reshape(-1, values.shape[-1])

    return Cells(
        tensor,
        numbers=weights,
        x=x,
        y=lambda answer, _: [f"{layer}.{head}" for layer, head in heads_of(answer)],
        columns=columns,
        rows="layer.head",
        ends=(0, 1),
        unit="weight",
        text=weight,
        pick_row={
            "layer": lambda answer, _: [layer for layer, _ in heads_of(answer)],
            "head": lambda answer, _: [head for _, head in heads_of(answer)],
        },
        chosen_row=lambda *of: heads_of(of[0]).index(place_of(*of)[:2]),
        shapes=dividers,
        hover=lambda *of: (
            f"layer.head %{{y}}: {asking(*of)} → %{{x}}<br><b>%{{z:.3g}}</b> of the weight"
        ),
    )


def heads_of(answer: "Answer") -> list[tuple[int, ...]]:
    """Layer and head of each head, in order."""
    return [*np.ndindex(*answer.tensors["weights"].data.shape[:2])]


def asking(answer: "Answer", question: Question) -> str:
    """The token that reads."""
    return tokens_of(answer)[place_of(answer, question)[2]]


def between_classes(answer: "Answer", _: Question) -> list[dict[str, Any]]:
    """Lines between the reference rows of two classes."""
    kinds = [key.rpartition("-")[0] for key in labels(answer, "table")]
    return [divider(i - 0.5) for i in range(1, len(kinds)) if kinds[i] != kinds[i - 1]]


READS = every_head(
    "weights",
    lambda answer, _: tokens_of(answer),
    "column read",
    lambda *of: label(asking(*of)),
)
ROWS = every_head("rows", "table", "row read", lambda *_: "the row", between_classes)
MAP = Cells(
    "weights",
    numbers=lambda *of: of[0].tensors["weights"].data.numpy()[place_of(*of)[:2]],
    x=lambda answer, _: tokens_of(answer),
    y=lambda answer, _: tokens_of(answer),
    columns="key",
    rows="query",
    ends=(0, 1),
    unit="weight",
    text=weight,
    pick_row={"query": "row"},
    chosen_row=lambda *of: place_of(*of)[2],
    hover="%{y} → %{x}<br><b>%{z:.3g}</b> of the weight",
)
"""The weights of every token on every token in one head; a click chooses the token that reads."""


def of_reads(answer: "Answer", question: Question) -> dict[str, Any]:
    """What else is said of the reads: what the chosen head reads most."""
    layer, head, query = place_of(answer, question)
    tokens, values = tokens_of(answer), answer.tensors["weights"].data.numpy()[:, :, query]
    most = int(values[layer, head].argmax())
    return {
        "description": f"What {tokens[query]} reads in {len(heads_of(answer))} heads.",
        "title": f"What {tokens[query]} reads, in every head",
        "beside": {
            "readout": f"In layer {layer}, head {head}, {tokens[query]} reads most from"
            f" {tokens[most]}: {percent(values[layer, head, most])} of its weight.",
            "facts": fact_sentences(answer),
            "answer": answer.fields["says"]["class"],
        },
        "axes": ["layer", "head", "row"],
        "shape": list(values.shape),
    }


def of_map(answer: "Answer", question: Question) -> dict[str, Any]:
    layer, head, _ = place_of(answer, question)
    return {
        "description": f"Attention between columns: layer {layer}, head {head}.",
        "title": f"Layer {layer}, head {head}",
        "axes": ["row", "row"],
        "shape": list(answer.tensors["weights"].data.shape[2:]),
    }


def of_rows(answer: "Answer", _: Question) -> dict[str, str]:
    return {"description": f"What the row reads in {len(heads_of(answer))} heads."}


def fact_sentences(answer: "Answer") -> str:
    """The facts of the answer in sentences."""
    return " ".join(
        TRIED[fact.name].format(number(float(fact.value))) for fact in answer.fields["facts"]
    )


def chances(answer: "Answer", _: Question) -> list[Bar]:
    """The probability of each class, that of the most probable one in ink."""
    best, values = answer.fields["says"]["class"], answer.tensors["chances"].data.tolist()
    named = enumerate(zip(labels(answer, "class"), values, strict=True))
    return [
        Bar(i, name, value, label(name), "ink" if name == best else "ink-soft", "probability")
        for i, (name, value) in named
    ]


CHANCES = Records(
    chances,
    places="class",
    lengths=Scale("probability", low=0, high=1, ticks=2),
    level=True,
    notes=lambda *of: [
        beside(1, bar.at, weight(bar.length, 3), bar.role, 8) for bar in chances(*of)
    ],
    hover="%{customdata}<br>probability <b>%{x:.3g}</b>",
)


def of_chances(answer: "Answer", question: Question) -> dict[str, Any]:
    """What else is said of the classes: `without` says for each known value by how much the
    probability of the most probable one changes when the value is removed.
    """
    bars, classes = chances(answer, question), labels(answer, "class")
    said = ", ".join(f"{bar.name} {percent(bar.length)}" for bar in bars)
    return {
        "description": f"{answer.model} says {said}.",
        "title": f"{answer.model} says",
        "without": without(answer, classes.index(answer.fields["says"]["class"])),
    }


def without(answer: "Answer", best: int) -> dict[str, dict[str, Any]]:
    """By the name of a column: the change of the probability of the class `best` without its value,
    as it is printed, and whether it is a large one.
    """
    changes = answer.tensors["without"].data.numpy()[:, best] - answer.fields["says"]["probability"]
    return {
        column: {"text": change_of(value), "much": bool(abs(value) >= MUCH)}
        for column, value in zip(labels(answer, "cleared"), changes.tolist(), strict=True)
    }


def change_of(value: float) -> str:
    """A change of a probability: +.37, −.05, 0."""
    size = weight(abs(value))
    return size if size == "0" else f"{'−' if value < 0 else '+'}{size}"


def divider(x: float) -> dict[str, Any]:
    """A line between the reference rows of two classes."""
    line = {"color": theme.colour("paper"), "width": 1}
    return {**upright(x), "line": line, "layer": "above", "name": "line paper"}


def place_of(answer: "Answer", question: Question) -> Place:
    """The layer, the head and the token that are shown: those that were asked for, or the last that
    there is; without a layer the last, without a head or a token the first.
    """
    layers, heads, tokens, _ = answer.tensors["weights"].data.shape
    layer = question.get("layer")
    return (
        layers - 1 if layer is None else min(layer, layers - 1),
        min(question.get("head") or 0, heads - 1),
        min(question.get("query") or 0, tokens - 1),
    )


def tokens_of(answer: "Answer") -> list[str]:
    """The tokens of the row, columns without their unit: bill_length for bill_length_mm."""
    return [re.sub("_(mm|g)$", "", name) for name in labels(answer, "row")]
