"""Figures of /tables: the attention of one token of a row in every head, the rows it attends to,
the map of one head, and the probability of each class.
"""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import label, number, percent, weight
from app.figures import theme
from app.figures.marks import Bar, Cells, Of, Records, Scale
from app.figures.traces import beside, upright

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLEARED = "When all values of another row in the batch are cleared, the probabilities"
TRIED = {
    "change_by_order_of_columns": (
        "With the columns in reverse order, the probabilities change by at most {}."
    ),
    "weights_moved_by_numbers": (
        "Without the numbers, the attention weights change by at most {}."
    ),
    "change_by_order_of_rows": (
        "With the reference rows in reverse order, the probabilities change by at most {}."
    ),
    "change_by_another_row": f"{CLEARED} change by at most {{}}.",
}
"""What was tried on the row, each with the largest change."""
NO_CHANGE = {
    "weights_moved_by_numbers": "Without the numbers, the attention weights don’t change at all.",
    "change_by_another_row": (
        f"{CLEARED} don’t change at all: the model treats each row on its own."
    ),
}
"""What is said instead if nothing changes, by design."""

MUCH = 0.1  # larger changes of a probability are bold
Place = tuple[int, int, int]


def every_head(
    tensor: str, x: str | Of, columns: str, asking: Of, dividers: Of | None = None
) -> Cells:
    """Weights with a line for each head; clicking selects a head, whose line is framed."""

    def weights(answer: "Answer", question: Question) -> np.ndarray:
        values = answer.tensors[tensor].data.numpy()
        if values.ndim > 3:
            values = values[:, :, place_of(answer, question)[2]]
        return values.reshape(-1, values.shape[-1])

    return Cells(
        tensor,
        numbers=weights,
        x=x,
        y=lambda answer, _: [f"L{layer}H{head}" for layer, head in heads_of(answer)],
        columns=columns,
        rows="head",
        ends=(0, 1),
        unit="weight",
        text=weight,
        pick_row={
            "layer": lambda answer, _: [layer for layer, _ in heads_of(answer)],
            "head": lambda answer, _: [head for _, head in heads_of(answer)],
        },
        chosen_row=lambda *of: heads_of(of[0]).index(place_of(*of)[:2]),
        shapes=dividers,
        hover=lambda *of: f"%{{y}}: {asking(*of)} → %{{x}}<br><b>%{{z:.3g}}</b> of the weight",
    )


def heads_of(answer: "Answer") -> list[tuple[int, ...]]:
    """Layer and index of each head, in order."""
    return [*np.ndindex(*answer.tensors["weights"].data.shape[:2])]


def asking(answer: "Answer", question: Question) -> str:
    """The selected query token."""
    return tokens_of(answer)[place_of(answer, question)[2]]


def between_classes(answer: "Answer", _: Question) -> list[dict[str, Any]]:
    """Lines between the reference rows of two classes."""
    kinds = [key.rpartition("-")[0] for key in labels(answer, "table")]
    line = {"color": theme.colour("paper"), "width": 1}
    style = {"line": line, "layer": "above", "name": "line paper"}
    return [upright(i - 0.5) | style for i in range(1, len(kinds)) if kinds[i] != kinds[i - 1]]


READS = every_head(
    "weights",
    lambda answer, _: tokens_of(answer),
    "key column",
    lambda *of: label(asking(*of)),
)
ROWS = every_head("rows", "table", "key row", lambda *_: "the row", between_classes)
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
"""The weights of every token on every token in one head; clicking selects the query token."""


def of_reads(answer: "Answer", question: Question) -> dict[str, Any]:
    """The additional text about attention: the largest weights of the selected head."""
    layer, head, query = place_of(answer, question)
    tokens, values = tokens_of(answer), answer.tensors["weights"].data.numpy()[:, :, query]
    most = int(values[layer, head].argmax())
    return {
        "description": f"What {tokens[query]} attends to in {len(heads_of(answer))} heads.",
        "title": f"What {tokens[query]} attends to, in every head",
        "beside": {
            "readout": f"In layer {layer}, head {head}, {tokens[query]} attends most to"
            f" {tokens[most]}, with {percent(values[layer, head, most])} of its weight.",
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
    return {"description": f"What the row attends to in {len(heads_of(answer))} heads."}


def fact_sentences(answer: "Answer") -> str:
    """The answer's facts in sentences."""
    return " ".join(
        TRIED[fact.name].format(number(float(fact.value)))
        if fact.value or fact.name not in NO_CHANGE
        else NO_CHANGE[fact.name]
        for fact in answer.fields["facts"]
    )


def chances(answer: "Answer", _: Question) -> list[Bar]:
    """The probability of each class, with the most probable one in black."""
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
    """The additional text about the classes: `without` has, for each known value, the change in the
    probability of the most probable class when the value is removed.
    """
    bars, classes = chances(answer, question), labels(answer, "class")
    outcomes = ", ".join(f"{bar.name} {percent(bar.length)}" for bar in bars)
    return {
        "description": f"{answer.model} predicts {outcomes}.",
        "title": f"Prediction of {answer.model}",
        "without": without(answer, classes.index(answer.fields["says"]["class"])),
    }


def without(answer: "Answer", best: int) -> dict[str, dict[str, Any]]:
    """By the name of a column: the change in the probability of the class `best` without its value,
    as printed, and whether it is large.
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


def place_of(answer: "Answer", question: Question) -> Place:
    """The displayed layer, head, and token: the requested ones, or the last if out of range; by
    default the last layer, and the first head or token.
    """
    layers, heads, tokens, _ = answer.tensors["weights"].data.shape
    layer = question.get("layer")
    return (
        layers - 1 if layer is None else min(layer, layers - 1),
        min(question.get("head") or 0, heads - 1),
        min(question.get("query") or 0, tokens - 1),
    )


def tokens_of(answer: "Answer") -> list[str]:
    """The tokens of the row, with columns without their unit: bill_length for bill_length_mm."""
    return [re.sub("_(mm|g)$", "", name) for name in labels(answer, "row")]
