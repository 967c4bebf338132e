"""The difference of two figures: one figure of a run with edits and of the run without, drawn by
the same function from two answers in which each token stands at the same place. What is drawn is
the first minus the second, on a scale around 0.

Traces and what they draw are matched by what they are called (difference_traces.py). What has no
match is told in a sentence, in `layout.meta.difference`.
"""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from app.figures.annotations import SUM
from app.figures.axis_scales import HEADROOM, linear
from app.figures.difference_traces import Side, Subtracted, numbers, signed, subtract
from app.figures.edit_marks import VEIL
from app.figures.plot import Plot, Trace, axis_of, changed

OWN = ("table", "switches", "strongest")
"""What a figure says of its own numbers in `layout.meta`, and a difference does not."""
SENTENCE_FIELDS = ("sentences", "said", "beside", "reading")
"""What a figure says of its numbers in words, which is true of the run with edits."""
SCALE = "difference; blue: smaller with the edits, orange: larger"

Part = dict[str, Any]


def difference(edited: Plot, plain: Plot) -> Plot:
    """The figure of the numbers of `edited` minus those of `plain`."""
    found = list(pairs(edited, plain))
    drawn = [one for one in found if one.trace]
    maps = [one for one in drawn if one.axis == "z"]
    layout = deepcopy(edited["layout"])
    most = largest(maps) or 1.0
    for one in maps:
        changed(one.trace, zmin=-most, zmax=most)
    measured = {axis_of_numbers(trace) for trace in edited["data"]} - {""}
    for place in measured:
        own = [one for one in drawn if one.axis and axis_of_numbers(one.trace) == place]
        around_zero(layout[place], own)
    lost = [said for one in found for said in one.lost]
    lost += annotated(layout, plain["layout"], measured, maps)
    layout["meta"] = described(layout["meta"], lost, given=any(not one.axis for one in drawn))
    return {"data": [one.trace for one in drawn], "layout": layout}


def pairs(edited: Plot, plain: Plot) -> Iterator[Subtracted]:
    """The difference of each trace and the trace of the same name on the same axes."""
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
    """What two traces have in common that show the same."""
    column = trace.get("meta", {}).get("column")
    return trace["type"], trace["xaxis"], trace["yaxis"], trace.get("name"), column


def axis_of_numbers(trace: Trace) -> str:
    """The axis along which a bar, a line or dots have numbers, "" for a trace of another kind."""
    if trace["type"] not in ("bar", "scatter") or trace.get("meta", {}).get("subtracted") is False:
        return ""
    return axis_of(trace, "x" if trace.get("orientation") == "h" else "y")


def around_zero(axis: Part, some: list[Subtracted]) -> None:
    """Makes an axis one of differences, and stacks the bars that are parts of a sum."""
    stacked = [one for one in some if one.trace.get("base") is not None]
    # Strokes are other tokens, which may lie beyond the axis of the chosen one.
    alone = [one for one in some if one not in stacked and "across" not in one.trace["meta"]]
    reach = (1 + HEADROOM) * max(largest(alone), restacked(stacked)) or 1.0
    drawn = linear("", [], low=-reach, high=reach).layout()
    if axis["range"][0] > axis["range"][1]:
        drawn["range"].reverse()
    title = f"difference of {axis['title']['text'] or 'the numbers'}"
    changed(axis, **{**drawn, "title": {"text": title}})


def largest(some: list[Subtracted]) -> float:
    """The largest difference, whatever its sign; 0 where there is none."""
    sizes = [np.abs(one.drawn[np.isfinite(one.drawn)]).max(initial=0) for one in some]
    return float(max(sizes, default=0))


def restacked(some: list[Subtracted]) -> float:
    """Puts bars on one another at each place, those above 0 upwards and those below 0 downwards;
    returns how far they reach.
    """
    ends: dict[tuple[float, bool], float] = defaultdict(float)
    for one in some:
        trace, along = one.trace, "y" if one.axis == "x" else "x"
        base = []
        for place, value in zip(numbers(trace[along]), np.nan_to_num(one.drawn), strict=True):
            end = float(place), bool(value < 0)
            base.append(ends[end])
            ends[end] += float(value)
        trace["base"] = base
    return max(map(abs, ends.values()), default=0.0)


def annotated(layout: Part, plain: Part, measured: set[str], maps: list[Subtracted]) -> list[str]:
    """Keeps the notes and shapes that hold of a difference, and says which do not. Around bars and
    lines both stand at values that are drawn no longer. Over maps, what is the same in both figures
    stays, and a sum beside a row becomes the sum of the differences in the row.
    """
    looks = layout["meta"].pop("notes", [])
    both = [
        (note, look)
        for note, look in zip(layout["annotations"], looks, strict=True)
        if not stands_on(note, measured)
    ]
    shapes = [shape for shape in layout["shapes"] if not stands_on(shape, measured)]
    kept = []
    for note, look in both:
        if note["text"].startswith(SUM):
            kept += [(one, look) for one in summed(note, maps)]
        elif note in plain["annotations"]:
            kept.append((note, look))
    layout["annotations"] = [note for note, _ in kept]
    if kept:
        layout["meta"]["notes"] = [look for _, look in kept]
    known = plain["shapes"]
    layout["shapes"] = [shape for shape in shapes if shape in known or shape["name"] == VEIL]
    return [
        f"{what} that are others with the edits are left out"
        for what, before, after in (("notes", both, kept), ("frames", shapes, layout["shapes"]))
        if len(after) < len(before)
    ]


def stands_on(mark: Part, measured: set[str]) -> bool:
    """Whether a note or a shape stands on an axis whose values are differences now."""
    return any(f"{which}axis{mark[f'{which}ref'][1:]}" in measured for which in "xy")


def summed(note: Part, maps: list[Subtracted]) -> list[Part]:
    """The note beside a row with the sum of the differences in it; none where the row has none."""
    axes = note["xref"], note["yref"]
    own = [one for one in maps if (one.trace["xaxis"], one.trace["yaxis"]) == axes]
    sums = [float(one.sums[note["y"]]) for one in own]
    return [
        {**note, "text": f"{SUM}{signed(round(total, 3) + 0.0, '.3f')}"}
        for total in sums
        if np.isfinite(total)
    ]


def described(meta: Part, lost: list[str], given: bool) -> Part:
    """What is said of the figure: of what it is the difference, what has no match, and that there
    are pictures of what was given to both runs.
    """
    told = "What is drawn is the number with the edits minus the number without them."
    if given:
        told = f"{told} What was given to both runs is drawn as it is."
    if lost:
        told = f"{told} Not subtracted: {'; '.join(dict.fromkeys(lost))}."
    own = {
        name: with_edits(value) if name in SENTENCE_FIELDS else value
        for name, value in meta.items()
        if name not in OWN
    }
    formula = f"with edits - without edits, of {meta.get('formula')}"
    return {
        **own,
        **({"formula": formula} if "formula" in meta else {}),
        **({"without_bar": SCALE} if "without_bar" in meta else {}),
        "title": f"{meta['title']}: difference",
        "description": f"{told} {with_edits(meta['description'])}",
        "shows": "difference",
        "difference": told,
    }


def with_edits(said: Any) -> Any:
    """What a figure says of its numbers is true of the run with edits, and says so."""
    if isinstance(said, str):
        return f"With the edits: {said}" if said.endswith(".") else said
    if isinstance(said, dict):
        return {name: with_edits(value) for name, value in said.items()}
    return [with_edits(one) for one in said] if isinstance(said, list | tuple) else said
