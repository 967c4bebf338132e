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
from app.figures.annotations import beside
from app.figures.axis_scales import linear, named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, with_meta
from app.figures.traces import bars, heat_map

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


def reads(answer: "Answer", question: Question) -> Plot:
    """The weights of one token on every token of its row, a line for each head of each layer."""
    layer, head, query = place_of(answer, question)
    tokens = tokens_of(answer)
    asking = tokens[query]
    values = answer.tensors["weights"].data.numpy()[:, :, query]
    most = int(values[layer, head].argmax())
    told = {
        "title": f"What {asking} reads, in every head",
        "beside": {
            "readout": f"In layer {layer}, head {head}, {asking} reads most from {tokens[most]}:"
            f" {percent(values[layer, head, most])} of its weight.",
            "facts": fact_sentences(answer),
            "answer": answer.fields["says"]["class"],
        },
        "axes": ["layer", "head", "row"],
        "shape": list(values.shape),
    }
    return every_head(values, tokens, label(asking), (layer, head), "column read", told)


def fact_sentences(answer: "Answer") -> str:
    """The facts of the answer in sentences."""
    return " ".join(
        TRIED[fact.name].format(number(float(fact.value))) for fact in answer.fields["facts"]
    )


def rows(answer: "Answer", question: Question) -> Plot:
    """The weights of the row on itself and on the reference rows, a line for each head."""
    layer, head, _ = place_of(answer, question)
    values = answer.tensors["rows"].data.numpy()
    keys = labels(answer, "table")
    kinds = [key.rpartition("-")[0] for key in keys]
    between = [i - 0.5 for i in range(1, len(keys)) if kinds[i] != kinds[i - 1]]
    drawn = every_head(values, keys, "the row", (layer, head), "row read", {})
    for x in between:
        drawn["layout"]["shapes"].append({"xref": "x", "yref": "y", **divider(x)})
    return drawn


def every_head(
    values: np.ndarray,
    keys: list[str],
    asking: str,
    chosen: tuple[int, int],
    across: str,
    told: dict[str, Any],
) -> Plot:
    """Weights [layer, head, key] with a line for each head, in which a click chooses the head. The
    line of the chosen one is framed.
    """
    layers, heads, count = values.shape
    lines = values.reshape(layers * heads, count)
    places = [(layer, head) for layer in range(layers) for head in range(heads)]
    trace = heat_map(
        lines,
        f"layer.head %{{y}}: {asking} → %{{x}}<br><b>%{{z:.3g}}</b> of the weight",
        ends=(0, 1),
        unit="weight",
        text=[[weight(value) for value in line] for line in lines],
    )
    trace["meta"] |= {
        "pick_row": {
            "layer": [layer for layer, _ in places],
            "head": [head for _, head in places],
        },
    }
    panel = Panel(
        named(across, keys, side="top"),
        named("layer.head", [f"{layer}.{head}" for layer, head in places], down=True),
        [trace],
        shapes=around(chosen[0] * heads + chosen[1], count),
    )
    drawn = figure(panel, description=f"What {asking} reads in {len(places)} heads.")
    return with_meta(drawn, **told)


def one_head(answer: "Answer", question: Question) -> Plot:
    """The weights of every token on every token in one head; a click chooses the token that reads.
    The line of the chosen one is framed.
    """
    layer, head, query = place_of(answer, question)
    tokens = tokens_of(answer)
    values = answer.tensors["weights"].data.numpy()[layer, head]
    trace = heat_map(
        values,
        "%{y} → %{x}<br><b>%{z:.3g}</b> of the weight",
        ends=(0, 1),
        unit="weight",
        text=[[weight(value) for value in line] for line in values],
    )
    trace["meta"] |= {"pick_row": {"query": list(range(len(tokens)))}}
    panel = Panel(
        named("key", tokens, side="top"),
        named("query", tokens, down=True),
        [trace],
        shapes=around(query, len(tokens)),
    )
    said = f"Attention between columns: layer {layer}, head {head}."
    drawn = figure(panel, description=said)
    told = {
        "title": f"Layer {layer}, head {head}",
        "axes": ["row", "row"],
        "shape": list(values.shape),
    }
    return with_meta(drawn, **told)


def chances(answer: "Answer", question: Question) -> Plot:
    """The probability of each class. `meta.without` says for each known value by how much that of
    the most probable class changes when the value is removed.
    """
    classes, said = labels(answer, "class"), answer.fields["says"]
    values = answer.tensors["chances"].data.numpy()
    best = classes.index(said["class"])
    trace = bars(
        values,
        np.arange(len(classes)),
        "probability",
        "ink",
        "%{y}<br>probability <b>%{x:.3g}</b>",
        orientation="h",
        width=0.5,
    )
    roles = ["ink" if i == best else "ink-soft" for i in range(len(classes))]
    trace["marker"]["color"] = [theme.colour(role) for role in roles]
    trace["meta"] |= {"role": roles}
    notes = [
        beside(1, i, weight(value, 3), role, 8)
        for i, (value, role) in enumerate(zip(values, roles, strict=True))
    ]
    panel = Panel(
        linear("probability", [], low=0, high=1, wanted=2),
        named("class", classes, down=True),
        [trace],
        notes,
    )
    description = ", ".join(
        f"{name} {percent(value)}" for name, value in zip(classes, values, strict=True)
    )
    drawn = figure(panel, description=f"{answer.model} says {description}.")
    told = {"title": f"{answer.model} says", "without": without(answer, best)}
    return with_meta(drawn, **told)


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


def around(row: int, columns: int) -> list[dict[str, Any]]:
    """A frame around a line of a heat map: ink within paper, which is seen on either end of a
    scale.
    """
    left, right, top, bottom = -0.5, columns - 0.5, row - 0.5, row + 0.5
    return [
        {
            "type": "path",
            "path": f"M{left},{top}L{right},{top}L{right},{bottom}L{left},{bottom}Z",
            "line": {"color": theme.colour(role), "width": width},
            "layer": "above",
            "name": f"line {role}",
        }
        for role, width in (("paper", 5), ("ink", 2))
    ]


def divider(x: float) -> dict[str, Any]:
    """A line between the reference rows of two classes."""
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "xref": "x",
        "yref": "y domain",
        "line": {"color": theme.colour("paper"), "width": 1},
        "layer": "above",
        "name": "line paper",
    }


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
