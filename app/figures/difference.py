"""The difference of two figures: the same figure with and without edits, drawn by the same function
from two answers with aligned tokens. It shows the first minus the second, on a scale centered on 0.

Traces and their contents are matched by name (difference_traces.py). Anything without a match is
reported in a sentence, in `layout.meta.difference`.
"""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from app.figures.axis_scales import HEADROOM, linear
from app.figures.difference_traces import Side, Subtracted, numbers, signed, subtract
from app.figures.edits import VEIL
from app.figures.plot import Plot, Trace, axis_of, changed
from app.figures.traces import SUM

OMITTED_FIELDS = ("table", "switches", "strongest")
"""Fields of `layout.meta` about a figure's own numbers, which a difference omits."""
SENTENCE_FIELDS = ("sentences", "said", "beside", "reading")
"""Fields with text about a figure's numbers, which applies to the run with edits."""
SCALE = "difference; blue: smaller with the edits, orange: larger"

Part = dict[str, Any]


def difference(edited: Plot, plain: Plot) -> Plot:
    """The figure of the numbers of `edited` minus those of `plain`."""
    found = list(pairs(edited, plain))
    subtracted = [pair for pair in found if pair.trace]
    maps = [pair for pair in subtracted if pair.axis == "z"]
    layout = deepcopy(edited["layout"])
    most = largest(maps) or 1.0
    for pair in maps:
        changed(pair.trace, zmin=-most, zmax=most)
    measured = {axis_of_numbers(trace) for trace in edited["data"]} - {""}
    for place in measured:
        on_axis = [
            pair for pair in subtracted if pair.axis and axis_of_numbers(pair.trace) == place
        ]
        around_zero(layout[place], on_axis)
    lost = [reason for pair in found for reason in pair.lost]
    lost += annotated(layout, plain["layout"], measured, maps)
    layout["meta"] = described(layout["meta"], lost, any(not pair.axis for pair in subtracted))
    return {"data": [pair.trace for pair in subtracted], "layout": layout}


def pairs(edited: Plot, plain: Plot) -> Iterator[Subtracted]:
    """The difference of each trace and the trace with the same name on the same axes."""
    rest = defaultdict(list)
    for trace in plain["data"]:
        rest[name_of(trace)].append(trace)
    for trace in edited["data"]:
        side, others = Side(edited, trace), rest[name_of(trace)]
        if others:
            yield subtract(side, Side(plain, others.pop(0)))
        else:
            yield Subtracted(lost=[f"{side.title} is drawn only with the edits"])
    for side in (Side(plain, trace) for others in rest.values() for trace in others):
        yield Subtracted(lost=[f"{side.title} is drawn only without the edits"])


def name_of(trace: Trace) -> tuple:
    """A key that is equal for two traces showing the same thing."""
    column = trace.get("meta", {}).get("column")
    return trace["type"], trace["xaxis"], trace["yaxis"], trace.get("name"), column


def axis_of_numbers(trace: Trace) -> str:
    """The numerical axis of a bar, line, or dots, "" for other kinds of traces."""
    if trace["type"] not in ("bar", "scatter") or trace.get("meta", {}).get("subtracted") is False:
        return ""
    return axis_of(trace, "x" if trace.get("orientation") == "h" else "y")


def around_zero(axis: Part, some: list[Subtracted]) -> None:
    """Turns an axis into one of differences, and stacks the bars that are parts of a sum."""
    stacked = [pair for pair in some if pair.trace.get("base") is not None]
    # Strokes are other tokens, which may be outside the axis of the selected one.
    unstacked = [
        pair for pair in some if pair not in stacked and "across" not in pair.trace["meta"]
    ]
    reach = (1 + HEADROOM) * max(largest(unstacked), restacked(stacked)) or 1.0
    axis_layout = linear("", [], low=-reach, high=reach).layout()
    if axis["range"][0] > axis["range"][1]:
        axis_layout["range"].reverse()
    title = f"difference of {axis['title']['text'] or 'the numbers'}"
    changed(axis, **{**axis_layout, "title": {"text": title}})


def largest(some: list[Subtracted]) -> float:
    """The largest absolute difference; 0 if there is none."""
    sizes = [
        np.abs(pair.differences[np.isfinite(pair.differences)]).max(initial=0) for pair in some
    ]
    return float(max(sizes, default=0))


def restacked(some: list[Subtracted]) -> float:
    """Stacks bars at each place, by sign, upward or downward; returns their extent."""
    ends: dict[tuple[float, bool], float] = defaultdict(float)
    for pair in some:
        trace, along = pair.trace, "y" if pair.axis == "x" else "x"
        base = []
        for place, value in zip(
            numbers(trace[along]), np.nan_to_num(pair.differences), strict=True
        ):
            end = float(place), bool(value < 0)
            base.append(ends[end])
            ends[end] += float(value)
        trace["base"] = base
    return max(map(abs, ends.values()), default=0.0)


def annotated(layout: Part, plain: Part, measured: set[str], maps: list[Subtracted]) -> list[str]:
    """Keeps the notes and shapes that apply to a difference, and reports the others. Around bars
    and lines, they refer to values that are no longer shown. On maps, what is the same in both
    figures is kept, and row sums become sums of differences.
    """
    styles = layout["meta"].pop("notes", [])
    both = [
        (note, style)
        for note, style in zip(layout["annotations"], styles, strict=True)
        if not stands_on(note, measured)
    ]
    shapes = [shape for shape in layout["shapes"] if not stands_on(shape, measured)]
    common = []
    for note, style in both:
        if note["text"].startswith(SUM):
            common += [(pair, style) for pair in summed(note, maps)]
        elif note in plain["annotations"]:
            common.append((note, style))
    layout["annotations"] = [note for note, _ in common]
    if common:
        layout["meta"]["notes"] = [style for _, style in common]
    known = plain["shapes"]
    layout["shapes"] = [shape for shape in shapes if shape in known or shape["name"] == VEIL]
    return [
        f"{what} that differ with the edits are left out"
        for what, before, after in (
            ("notes", both, common),
            ("frames", shapes, layout["shapes"]),
        )
        if len(after) < len(before)
    ]


def stands_on(mark: Part, measured: set[str]) -> bool:
    """Whether a note or shape is on an axis whose values are now differences."""
    return any(f"{which}axis{mark[f'{which}ref'][1:]}" in measured for which in "xy")


def summed(note: Part, maps: list[Subtracted]) -> list[Part]:
    """The note with the sum of differences in a row; None if the row has none."""
    axes = note["xref"], note["yref"]
    on_axes = [pair for pair in maps if (pair.trace["xaxis"], pair.trace["yaxis"]) == axes]
    sums = [float(heatmap.sums[note["y"]]) for heatmap in on_axes]
    return [
        {**note, "text": f"{SUM}{signed(round(total, 3) + 0.0, '.3f')}"}
        for total in sums
        if np.isfinite(total)
    ]


def described(meta: Part, lost: list[str], has_inputs: bool) -> Part:
    """The text about the figure: what it is the difference of, what has no match, and that it
    includes input images.
    """
    explanation = "This figure shows each number with the edits minus the number without them."
    if has_inputs:
        explanation = f"{explanation} Inputs of both runs are drawn unchanged."
    if lost:
        explanation = f"{explanation} Not subtracted: {'; '.join(dict.fromkeys(lost))}."
    fields = {
        name: with_edits(value) if name in SENTENCE_FIELDS else value
        for name, value in meta.items()
        if name not in OMITTED_FIELDS
    }
    formula = f"with edits - without edits, of {meta.get('formula')}"
    return {
        **fields,
        **({"formula": formula} if "formula" in meta else {}),
        **({"without_bar": SCALE} if "without_bar" in meta else {}),
        "title": f"{meta['title']}: difference",
        "description": f"{explanation} {with_edits(meta['description'])}",
        "shows": "difference",
        "difference": explanation,
    }


def with_edits(content: Any) -> Any:
    """Marks the figure's text about its numbers as applying to the run with edits."""
    if isinstance(content, str):
        return f"With the edits: {content}" if content.endswith(".") else content
    if isinstance(content, dict):
        return {name: with_edits(value) for name, value in content.items()}
    return [with_edits(item) for item in content] if isinstance(content, list | tuple) else content
