"""The architecture as a drawing: the residual stream is a thick line, and sub-layers stand over it,
read from it and write back to it. Every part is a link to the page that explains it.

The drawing is a pure function of an answer of /architecture and of the room there is. Where the
room is wide enough every stack is one row, else its blocks wrap like words.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.captions.text import grouped
from app.compute.representations import Drawing
from app.drawings.architecture_plan import Doors, Plan, times
from app.drawings.architecture_stacks import in_one_row, in_rows
from app.drawings.render import DrawingResult
from app.drawings.svg import EM, Svg, cells, rect, text
from model.answers.answer import Answer
from model.errors import UnknownName

LABEL = "The architecture with the shapes of this run"


@dataclass(frozen=True)
class Sheet:
    """The drawing; the height below which it cannot go, in em; and whether it fills its height."""

    svg: Svg
    least: float
    fills: bool


def draw(
    answer: Answer, doors: Doors, width: float, height: float, opened: str | None = None
) -> Sheet:
    """The architecture in a room of `width` and `height` in em; what needs more takes it. A long
    stack is drawn in groups of blocks, and the group that has the block `opened` is open.
    """
    plan = Plan(answer, doors, width * EM, height * EM, opened)
    shapes: list[str] = []
    top, memory = plan.top, None
    for stack in plan.stacks:
        made = in_one_row if plan.wide else in_rows
        inside, memory, bottom = made(plan, stack, top, memory)
        shapes += inside
        top = bottom + plan.between
    shapes += scale_strip(plan)
    tall = top - plan.between + 4
    spare = len(plan.stacks) * (plan.plate - plan.least) if plan.wide else 0.0
    svg = Svg(plan.width, tall, LABEL, "".join(shapes))
    least = math.ceil(4 * (tall - spare) / EM) / 4
    return Sheet(svg, least, plan.wide)


def scale_strip(plan: Plan) -> Iterator[str]:
    """The scale of the attention patterns."""
    width = min(EM * 9.2, plan.width / 5)
    x, y, middle = plan.width - width - EM * 1.4, 4.0, 4 + EM / 2
    yield text(
        x - EM * 1.4,
        middle,
        "attention weight",
        "ink-soft",
        anchor="end",
    )
    yield text(x - 5, middle, "0", "ink", anchor="end")
    yield cells(x, y, width, EM, np.linspace(0, 1, 101)[None])
    yield rect(x, y, width, EM, stroke="rule-strong")
    yield text(x + width + 5, middle, "1", "ink")


def drawing(answer: Answer, question: dict[str, Any], form: Drawing) -> DrawingResult:
    """The drawing, with the sum of the parameters and the modules that hold them. Raises
    UnknownName for a block to open that the model does not have.
    """
    asked = dict(form.display_fields)
    blocks = [block.name for stack in answer.fields["stacks"] for block in stack.blocks]
    opened = asked.get("open")
    if opened is not None and opened not in blocks:
        raise UnknownName("unknown-block", opened, blocks)
    doors = Doors.of(answer, question, form.root)
    drawing = draw(answer, doors, asked["width"], asked["height"], opened)
    return DrawingResult(
        drawing.svg,
        {
            "least": drawing.least,
            "fills": drawing.fills,
            "guess": guess(answer),
            "sum": in_a_sum(answer),
            "table": TABLES[asked["table"]](answer),
        },
    )


def guess(answer: Answer) -> str:
    """What the model says, or of a text the token it is least sure of, with its second guess."""
    says = answer.fields["says"]
    if not says:
        return ""
    one = min(says, key=lambda saying: saying.chance)
    about = "The model is least sure of" if len(says) > 1 else "The model says"
    if "text" in (answer.input or {}) and answer.fields["stacks"][-1].name == "decoder":
        about = "In this text the model expected least of all"
    return (
        f"{about} “{one.token}”, with a probability of {100 * one.chance:.3g} %. The best other"
        f" token there is “{one.other}”, with {100 * one.other_chance:.3g} %."
    )


def in_a_sum(answer: Answer) -> str:
    """The parameters as a sum whose terms are parts of the drawing."""
    terms = (
        f"{f'{term.times} × ' if term.times > 1 else ''}{grouped(term.each)} {term.name}"
        for term in answer.fields["census"]
    )
    return f"{grouped(answer.fields['parameters'])} parameters = {' + '.join(terms)}"


def parts(answer: Answer) -> dict[str, Any]:
    """The modules that hold parameters, as a table."""
    rows = [
        [
            holder.name,
            ", ".join(f"{name} {times(shape)}" for name, shape in holder.shapes.items()),
            holder.count,
        ]
        for holder in answer.fields["holders"]
    ]
    total = grouped(answer.fields["parameters"])
    return {
        "caption": f"Parts that hold parameters; {total} in all",
        "head": ["part", "shapes", "parameters"],
        "rows": rows,
    }


def weights(answer: Answer) -> dict[str, Any]:
    """Every attention weight that is drawn, as a table: for each sub-layer a row with the names of
    its keys, and below it a row for each head and query.
    """
    widest = max(tensor.data.shape[-1] for tensor in answer.tensors.values())
    rows: list[list[str | float]] = []
    for name, tensor in answer.tensors.items():
        queries, keys = (answer.axes[axis].labels or [] for axis in tensor.axes[1:])
        part = name.removesuffix(".pattern")
        blank = [""] * (widest - len(keys))
        rows.append([f"{part}: the keys", *keys, *blank])
        for head, pattern in enumerate(tensor.data.tolist()):
            for query, row in zip(queries, pattern, strict=True):
                numbers = (float(f"{weight:.7g}") for weight in row)  # all that float32 holds
                rows.append([f"{part}, head {head}, query {query}", *numbers, *blank])
    return {
        "caption": "Attention weights: where each query looks, in every head",
        "head": ["sub-layer, head and query", *(f"key {i}" for i in range(widest))],
        "rows": rows,
    }


TABLES = {"parts": parts, "weights": weights}
"""What the table beside the drawing lists."""
