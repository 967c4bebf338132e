"""Figures of the paths of /circuit: the effect of removing each, and training curves."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, number, percent
from app.figures.axis_scales import named
from app.figures.marks import EVEN, Bar, Lines, Look, Marks, Records, Rule, Scale
from app.figures.plot import Panel, Plot, Row, figure
from app.figures.traces import framed, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

EMBEDDING, LOGITS, ALL = "embedding", "logits", "all"
EVERY = "1.?"
TITLES = {"": "values", ".k": "keys", ".q": "queries"}
KINDS = {
    "direct": "direct path",
    "layer 0": "layer 0 alone",
    "layer 1": "layer 1 alone",
    "both": "layer 0, then values of layer 1",
}
CASES = {
    "whole": "whole model",
    "scores_alone": "keys and queries",
    "path_alone": "path alone",
    "without_path": "without path",
    "without_head": "without head",
    "no_layer_0": "without layer 0",
}
CASE_ROLES = {
    "whole": "ink",
    "scores_alone": "head:2",
    "path_alone": "head:0",
    "without_path": "head:1",
    "without_head": "head:3",
    "no_layer_0": "ink-soft",
}
KIND_ROLES = {"direct": "embedding", "layer 0": "head:4", "layer 1": "attention", "both": "head:1"}


def paths(answer: "Answer", question: Question) -> Plot:
    """The increase in the loss of repeated letters when each path is removed in addition to those
    already removed, which are framed. Clicking removes or restores a path.
    """
    change = answer.tensors["killed.change"].data.numpy()
    # Removing everything that layer 1 reads past layer 0 would dominate the color scale.
    changes = [
        value for name, value in zip(labels(answer, "kill"), change, strict=True) if name != EVERY
    ]
    most = float(np.abs(changes).max()) or 1.0
    boards = [""] if not answer.fields["groups"] else ["", ".k", ".q"]
    panels = [board(answer, end, change, most, scale=end == boards[-1]) for end in boards]
    return figure(*panels, rows=[Row(len(panels), 1, wrap=True)])


def board(answer: "Answer", end: str, change: np.ndarray, most: float, scale: bool) -> Panel:
    """The paths that end in the values, keys, or queries of layer 1; direct paths to the logits are
    shown with the values.
    """
    fields = answer.fields
    first, second = ends_of(fields["paths"])
    names = labels(answer, "kill")
    removed = set(fields["removed"])
    rows = [EMBEDDING, *first] if not end else first
    columns = [*([] if end else [LOGITS]), *second, *([ALL] if second else [])]
    cells = [[name_of(row, column, end) for column in columns] for row in rows]
    values = np.array(
        [[change[names.index(path)] if path else np.nan for path in row] for row in cells]
    )
    gone = [
        (r, c)
        for r, row in enumerate(cells)
        for c, name in enumerate(row)
        if name and set(fields["groups"].get(name, [name])) <= removed
    ]
    trace = heat_map(
        values,
        "%{customdata}<br>without it the loss rises by <b>%{z:.3g}</b> nats",
        "signed",
        (-most, most),
        unit="loss increase (nats)",
        hatched=True,
        showscale=scale,
        text=[["" if np.isnan(z) else decimals(float(z)) for z in row] for row in values],
        customdata=[[hover_text(answer, name, removed) for name in row] for row in cells],
    )
    picked = [[toggled(answer, name, removed) for name in row] for row in cells]
    trace["meta"] |= {"pick": {"without": picked}}
    to = f"{TITLES[end]} of" if end else f"logits, or to the {TITLES[end]} of"
    title = f"to the {to}" if second else "to"
    return Panel(
        named(title, columns, side="top"),
        named("from", rows, down=True),
        [trace],
        shapes=framed(gone),
    )


def ends_of(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The heads of layer 0 and of layer 1, by their names."""
    first, second = (
        [name for name in paths if name.startswith(f"{layer}.") and "-" not in name]
        for layer in (0, 1)
    )
    return first, second


def name_of(row: str, column: str, end: str) -> str:
    """The name of the path or paths from a row to a column; "" if there is none."""
    if column == LOGITS:
        return "direct" if row == EMBEDDING else row
    if row == EMBEDDING:
        return EVERY if column == ALL else column
    return f"{row}-{EVERY if column == ALL else column}{end}"


def hover_text(answer: "Answer", name: str, removed: set[str]) -> str:
    """The hover text of a cell's paths, removed or not."""
    if not name:
        return ""
    accuracy = float(answer.cut("killed.accuracy", kill=name).data)
    gone = set(answer.fields["groups"].get(name, [name])) <= removed
    now = "removed; click to restore it" if gone else "click to remove it"
    return f"{name} ({now})<br>accuracy without {percent(accuracy)}{added(answer, name)}"


def added(answer: "Answer", name: str) -> str:
    """The contributions of logit paths to the correct letter; score paths contribute nothing."""
    paths = answer.fields["groups"].get(name, [name])
    if not set(paths) <= set(labels(answer, "path")):
        return ""
    total = sum(float(answer.cut("contribution", path=path).data) for path in paths)
    return f"<br>adds {number(total)} to the correct letter’s logit"


def toggled(answer: "Answer", name: str, removed: set[str]) -> str | None:
    """The query string after clicking a cell."""
    if not name:
        return None
    members = set(answer.fields["groups"].get(name, [name]))
    return address_of(answer.fields, removed - members if members <= removed else removed | members)


def address_of(fields: dict, removed: Collection[str]) -> str:
    """The paths as in a query string: groups by their pattern if all of them are removed."""
    rest, patterns = set(removed), []
    for pattern, paths in fields["groups"].items():
        if set(paths) <= rest:
            patterns.append(pattern)
            rest -= set(paths)
    return ",".join([*patterns, *(name for name in fields["paths"] if name in rest)])


def added_by_kind(answer: "Answer", _: Question) -> list[Bar]:
    """The contribution of each kind of path to the correct letter's logit at every stored step."""
    kinds, steps = answer.tensors["contribution_by_kind"].data.numpy(), labels(answer, "step")
    return [
        Bar(s, step, kinds[s, i], f"step {step}", KIND_ROLES[kind], name, pick=step)
        for i, kind in enumerate(labels(answer, "kind"))
        for name in [KINDS[kind]]
        if kinds[:, i].any()
        for s, step in enumerate(steps)
    ]


OVER_TRAINING = Marks(
    [
        Records(
            added_by_kind,
            places="step",
            lengths=Scale("correct letter’s logit"),
            stacked=True,
            pick="step",
            hover="{name}, %{customdata}<br>adds <b>%{y:.3g}</b> to the logit",
        ),
        Lines(
            "case.accuracy",
            x="step",
            by="case",
            looks={case: Look(CASES[case], role) for case, role in CASE_ROLES.items()},
            dots=False,
            x_scale=Scale("step", kind="named", says="step {}".format, **EVEN),
            y=Scale("accuracy at repeated letters", low=0, high=1.02),
            rules=[
                Rule(
                    "guessing",
                    "chance",
                    "random guessing<br><b>%{y:.3g}</b> of the letters correct",
                    law=True,
                    last=True,
                )
            ],
            pick={"step": "step"},
            hover="{name}, %{customdata}<br><b>%{y:.3g}</b> of the repeated letters correct",
        ),
    ]
)
"""The contribution of each kind of path to the correct letter's logit at every stored step, and the
accuracy in repetitions with only some paths.
"""
