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

from app.captions.sentences import of_drawings
from app.captions.text import grouped
from app.compute.messages import Drawing
from app.drawings.architecture_plan import Doors, Plan, times
from app.drawings.architecture_stacks import in_one_row, in_rows
from app.drawings.render import DrawingResult
from app.drawings.svg import EM, Svg, cells, rect, text
from model.answers.answer import Answer
from model.errors import UnknownName
from model.labels import label

LABEL = "The architecture, with the tensor shapes for this input"


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
        layout = in_one_row if plan.wide else in_rows
        inside, memory, bottom = layout(plan, stack, top, memory)
        shapes += inside
        top = bottom + plan.between
    shapes += scale_strip(plan)
    tall = top - plan.between + 4
    spare = len(plan.stacks) * (plan.plate - plan.least) if plan.wide else 0.0
    svg = Svg(plan.width, tall, label(LABEL), "".join(shapes))
    least = math.ceil(4 * (tall - spare) / EM) / 4
    return Sheet(svg, least, plan.wide)


def scale_strip(plan: Plan) -> Iterator[str]:
    """The scale of the attention patterns."""
    width = min(EM * 9.2, plan.width / 5)
    x, y, middle = plan.width - width - EM * 1.4, 4.0, 4 + EM / 2
    yield text(
        x - EM * 1.4,
        middle,
        label("attention weight"),
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
    fields = dict(form.display_fields)
    blocks = [block.name for stack in answer.fields["stacks"] for block in stack.blocks]
    opened = fields.get("open")
    if opened is not None and opened not in blocks:
        raise UnknownName("unknown-block", opened, blocks)
    doors = Doors.of(answer, question, form.root)
    drawing = draw(answer, doors, fields["width"], fields["height"], opened)
    return DrawingResult(
        drawing.svg,
        {
            "least": drawing.least,
            "fills": drawing.fills,
            "guess": guess(answer),
            "sum": in_a_sum(answer),
            "table": TABLES[fields["table"]](answer),
        },
    )


def guess(answer: Answer) -> str:
    """What the model says, or of a text the token it is least sure of, with its second guess."""
    says = answer.fields["says"]
    if not says:
        return ""
    likeliest = min(says, key=lambda saying: saying.chance)
    has_target = "text" in (answer.input or {}) and answer.fields["stacks"][-1].name == "decoder"
    return of_drawings(
        "guess",
        about="given" if has_target else "least" if len(says) > 1 else "only",
        token=likeliest.token,
        percent=f"{100 * likeliest.chance:.3g}",
        other=likeliest.other,
        other_percent=f"{100 * likeliest.other_chance:.3g}",
    )


def in_a_sum(answer: Answer) -> str:
    """The parameters as a sum whose terms are parts of the drawing."""
    terms = (
        f"{term.times} × {grouped(term.each)} {label(f'per {term.name}')}"
        if term.times > 1
        else f"{grouped(term.each)} {label(term.name)}"
        for term in answer.fields["census"]
    )
    count = grouped(answer.fields["parameters"])
    return of_drawings("sum", count=count, terms=" + ".join(terms))


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
        "caption": label(f"Parts with parameters; {total} in total"),
        "head": list(map(label, ["part", "shapes", "parameters"])),
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
        rows.append([of_drawings("keys-of", part=part), *keys, *blank])
        for head, pattern in enumerate(tensor.data.tolist()):
            for query, row in zip(queries, pattern, strict=True):
                numbers = (float(f"{weight:.7g}") for weight in row)  # all that float32 holds
                row_title = of_drawings("weights-of", part=part, head=head, query=query)
                rows.append([row_title, *numbers, *blank])
    return {
        "caption": label("Attention weights of every head and query"),
        "head": [
            label("sub-layer, head and query"),
            *(label(f"key {i}") for i in range(widest)),
        ],
        "rows": rows,
    }


TABLES = {"parts": parts, "weights": weights}
"""What the table beside the drawing lists."""
