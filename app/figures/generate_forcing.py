"""Figures of /generate: teacher forcing beside generation."""

from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.text import label, number, visible
from app.figures import theme
from app.figures.generate import index_of, read_by, summary
from app.figures.generate_text import HIGH, Column, over_tokens, windowed
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot
from app.figures.traces import level_marks

if TYPE_CHECKING:
    from model.answers.answer import Answer


def forcing(answer: "Answer", question: Question) -> Plot:
    """What the model says where it reads a reference, over what it wrote from its own output. A red
    stroke is the probability of what the reference has instead, and a dashed frame stands around
    the first column in which the two differ.
    """
    steps, told = answer.fields["steps"], answer.fields["teacher_forcing"]
    rows, index = told["rows"], index_of(answer, question)
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
    own = [
        Column(
            read,
            one["token"]["text"],
            one["probability"],
            [label(read), label(one["token"]["text"])],
            sign(rows[i]) if i < len(rows) else "",
            "ink",
            i < len(rows) and not rows[i]["agrees"],
        )
        for i, (read, one) in enumerate(zip(read_by(answer), steps, strict=True))
    ]
    above = over_tokens(
        taught,
        index,
        ("read of the reference", "teacher forcing: probability of what it says"),
        "after %{customdata[1]} teacher forcing says %{customdata[2]}"
        "<br><b>%{y:.3g}</b> probability"
        "<br>the reference has %{customdata[4]}, <b>%{customdata[5]:.3g}</b>",
        count,
        ROW,
    )
    below = over_tokens(
        own,
        index,
        ("read of its own words", "generation: probability of what it writes"),
        "after %{customdata[0]} generation writes %{customdata[1]}<br><b>%{y:.3g}</b> probability",
        count,
    )
    wrong = [i for i, row in enumerate(rows) if missed(row)]
    strokes = level_marks(
        wrong,
        [rows[i]["expected"]["probability"] for i in wrong],
        "the reference has",
        "error",
        "the reference has %{customdata}<br><b>%{y:.3g}</b> probability",
        0.72,
        customdata=[label(rows[i]["expected"]["text"]) for i in wrong],
    )
    strokes["showlegend"] = False
    strokes["meta"] |= {"tabled": False}
    differs = told["first_difference"]
    frame = [] if differs is None else [around(differs)]
    panels = [
        Panel(panel.x, panel.y, traces, panel.notes, [*panel.shapes, *frame])
        for panel, traces in (
            (above, [*above.traces, *([strokes] if wrong else [])]),
            (below, below.traces),
        )
    ]
    description = "Teacher forcing beside generation: " + (
        "no row differs." if differs is None else f"row {differs + 1} is the first that differs."
    )
    drawing = figure(*panels, description=description, rows=[Row(1, 0.5), Row(1, 0.5)])
    beside = {
        "readout": summary(answer, index),
        "largest": number(told["largest_difference"]),
        "differs": (
            "No column differs: both sides say the same words."
            if differs is None
            else f"Column {differs + 1} is the first that differs: the reference goes on with"
            f" {rows[differs]['expected']['text']}."
        ),
    }
    return windowed(drawing, index, [*taught, *own], count, beside)


ROW = (
    "row",
    "read of the reference",
    "says",
    "probability",
    "the reference has",
    "its probability",
    "generation wrote",
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
    return {
        "type": "rect",
        "x0": column - 0.47,
        "x1": column + 0.47,
        "y0": 0.01,
        "y1": HIGH - 0.01,
        "line": {"color": theme.colour("error"), "width": 2, "dash": "6px,4px"},
        "name": "line error",
    }


def missed(row: dict[str, Any]) -> bool:
    """Whether the most probable token is not the one that the reference has."""
    return row["expected"]["id"] != row["predicted"]["id"]


def sign(row: dict[str, Any]) -> str:
    return "≠" if not row["agrees"] else "=" if row["same_input"] else "≈"
