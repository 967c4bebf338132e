"""Figures of /head-split: the token that each row of each head comes from, and the attention of one
head, after the right split and after the wrong one.
"""

from functools import partial

import numpy as np

from app.figures.axes import labels
from app.figures.drawing import Drawn, Question
from app.figures.grammar import Panel, figure, heat_map, named, row_sums
from app.figures.plot import Plot
from app.figures.text import label, visible, weight
from model.answers.answer import Answer

SPLITS = {"right": "view, then transpose", "wrong": "view alone"}


def origin(answer: Answer, question: Question, split: str) -> Plot:
    """A row for each head and a column for each position. A cell has the colour of the token whose
    channels it holds, and its name; a frame marks the cells that hold another token's.
    """
    tokens = [visible(token) for token in labels(answer, "position")]
    rows = answer.tensors[f"origin.{split}"].data.numpy()
    names = [[tokens[int(at)] for at in row] for row in rows]
    said = [
        [
            f"position {column} ({label(tokens[column])}) of head {head}<br>holds channels of"
            f" <b>{label(name)}</b>"
            for column, name in enumerate(row)
        ]
        for head, row in enumerate(names)
    ]
    trace = heat_map(
        rows,
        "%{customdata}, token <b>%{z:.3g}</b>",
        ends=(0, len(tokens) - 1),
        unit="token number",
        customdata=said,
        text=[[label(name) for name in row] for row in names],
    )
    heads = [str(head) for head in range(len(rows))]
    foreign = int((rows != np.arange(len(tokens))).sum())
    return figure(
        Panel(
            named("position in the head", tokens, above=True),
            named("head", heads, down=True),
            [trace],
        ),
        description=f"{SPLITS[split]}: {foreign} of {rows.size} cells hold channels of another"
        " token than the one at their position.",
    )


def pattern(answer: Answer, question: Question, split: str) -> Plot:
    """The attention weights of one head after a split."""
    tokens = labels(answer, "query")
    tensor = answer.tensors[f"pattern.{split}"].data.numpy()
    head = min(question.get("head") or 0, len(tensor) - 1)
    values = tensor[head]
    trace = heat_map(
        values,
        "query %{y}, key %{x}<br>weight <b>%{z:.3g}</b>",
        ends=(0, 1),
        unit="weight",
        text=[[weight(z) for z in row] for row in values],
    )
    return figure(
        Panel(
            named("key", tokens, above=True),
            named("query", tokens, down=True),
            [trace],
            row_sums(values),
            even=True,
        ),
        description=f"Attention of head {head}, {SPLITS[split]}.",
    )


FIGURES = {
    f"{name}.{split}": Drawn(f"{title}: {said}", partial(draw, split=split), f"{tensor}.{split}")
    for name, title, draw, tensor in (
        ("origin", "Whose channels a head gets", origin, "origin"),
        ("pattern", "The attention of one head", pattern, "pattern"),
    )
    for split, said in SPLITS.items()
}
