"""Figures of /generate: teacher forcing compared with generation."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.text import label, number, visible
from app.figures import theme
from app.figures.generate import index_of, read_by, summary
from app.figures.generate_text import HIGH, Column, over_tokens, windowed
from app.figures.plot import Panel, Plot, Row, figure
from app.figures.traces import level_marks, rectangle

if TYPE_CHECKING:
    from model.answers.answer import Answer


def forcing(answer: "Answer", question: Question) -> Plot:
    """The predictions while reading a reference, and those from the model's own output. A red
    stroke is the probability of the reference's token, and a dashed frame marks the first column in
    which the two differ.
    """
    steps, comparison = answer.fields["steps"], answer.fields["teacher_forcing"]
    rows, index = comparison["rows"], index_of(answer, question)
    count = max(len(rows), len(steps))
    taught = [
        Column(
            row["read"],
            row["predicted"]["text"],
            row["predicted"]["probability"],
            row_of(row),
            f"→ {visible(row['expected']['text'])}" if missed(row) else "",
            "error",
            not row["agrees"],
        )
        for row in rows
    ]
    generated = [
        Column(
            read,
            step["token"]["text"],
            step["probability"],
            [label(read), label(step["token"]["text"])],
            sign(rows[i]) if i < len(rows) else "",
            "ink",
            i < len(rows) and not rows[i]["agrees"],
        )
        for i, (read, step) in enumerate(zip(read_by(answer), steps, strict=True))
    ]
    above = over_tokens(
        taught,
        index,
        ("reference token", "teacher forcing: probability of prediction"),
        "after %{customdata[1]}, teacher forcing predicts %{customdata[2]}"
        "<br><b>%{y:.3g}</b> probability"
        "<br>reference: %{customdata[4]}, <b>%{customdata[5]:.3g}</b>",
        count,
        ROW,
    )
    below = over_tokens(
        generated,
        index,
        ("generated token", "generation: probability of prediction"),
        "after %{customdata[0]}, generation outputs %{customdata[1]}"
        "<br><b>%{y:.3g}</b> probability",
        count,
    )
    wrong = [i for i, row in enumerate(rows) if missed(row)]
    strokes = level_marks(
        wrong,
        [rows[i]["expected"]["probability"] for i in wrong],
        "reference",
        "error",
        "reference: %{customdata}<br><b>%{y:.3g}</b> probability",
        0.72,
        customdata=[label(rows[i]["expected"]["text"]) for i in wrong],
    )
    strokes["showlegend"] = False
    strokes["meta"] |= {"tabled": False}
    differs = comparison["first_difference"]
    frame = [] if differs is None else [around(differs)]
    panels = [
        Panel(panel.x, panel.y, traces, panel.notes, [*panel.shapes, *frame])
        for panel, traces in (
            (above, [*above.traces, *([strokes] if wrong else [])]),
            (below, below.traces),
        )
    ]
    description = "Teacher forcing versus generation: " + (
        "no row differs." if differs is None else f"row {differs + 1} is the first to differ."
    )
    drawing = figure(*panels, description=description, rows=[Row(1, 0.5), Row(1, 0.5)])
    beside = {
        "readout": summary(answer, index),
        "largest": number(comparison["largest_difference"]),
        "differs": (
            "No column differs: both produce the same tokens."
            if differs is None
            else f"Column {differs + 1} is the first to differ: the reference continues with"
            f" {rows[differs]['expected']['text']}."
        ),
    }
    return windowed(drawing, index, [*taught, *generated], count, beside)


ROW = (
    "row",
    "input token",
    "prediction",
    "probability",
    "reference",
    "probability of reference",
    "generated",
    "same input",
    "agrees",
)
"""The columns of the table of teacher forcing."""


def row_of(row: dict[str, Any]) -> list[Any]:
    return [
        str(row["index"] + 1),
        label(row["read"]),
        label(row["predicted"]["text"]),
        row["predicted"]["probability"],
        label(row["expected"]["text"]),
        row["expected"]["probability"],
        label(row["written"]["text"]) if row["written"] else "",
        "yes" if row["same_input"] else "no",
        "yes" if row["agrees"] else "no",
    ]


def around(column: int) -> dict[str, Any]:
    """A dashed frame around a column."""
    line = {"color": theme.colour("error"), "width": 2, "dash": "6px,4px"}
    sides = rectangle(column - 0.47, column + 0.47, 0.01, HIGH - 0.01)
    return {**sides, "line": line, "name": "line error"}


def missed(row: dict[str, Any]) -> bool:
    """Whether the most probable token differs from the reference."""
    return row["expected"]["id"] != row["predicted"]["id"]


def sign(row: dict[str, Any]) -> str:
    return "≠" if not row["agrees"] else "=" if row["same_input"] else "≈"
