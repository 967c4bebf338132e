"""The difference of two figures: one figure of a run with edits and of the run without, drawn by
the same function. What is drawn is the first minus the second, on a scale around 0.

Numbers are matched by what they are called (difference_names.py). What has no match is told in a
sentence, in `layout.meta.difference`.
"""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from app.figures.difference_names import Side, numbers
from app.figures.difference_said import signed
from app.figures.difference_traces import Subtracted, subtract
from app.figures.grammar import round_numbers
from app.figures.plot import Plot, Trace, changed
from app.words.text import tick

ROOM = 1.08  # of the largest difference, on an axis
SUM = "Σ "  # begins the note beside a row that says what its cells add up to
OWN = ("table", "switches", "strongest")
"""What a figure says of its own numbers in `layout.meta`, and a difference does not."""

Part = dict[str, Any]


def difference(edited: Plot, plain: Plot) -> Plot:
    """The figure of the numbers of `edited` minus those of `plain`."""
    found = list(pairs(edited, plain))
    layout = deepcopy(edited["layout"])
    one_scale([one for _, one in found if one.values == "z"])
    upright = defaultdict(list)
    for side, one in found:
        if one.values in ("x", "y"):
            upright[side.place(one.values)].append(one)
    for place, some in upright.items():
        around_zero(layout[place], some)
    lost = [say for _, one in found for say in one.lost]
    lost += annotated(layout, plain["layout"], set(upright))
    given = any(one.trace and not one.values for _, one in found)
    layout["meta"] = described(layout["meta"], lost, given)
    return {"data": [one.trace for _, one in found if one.trace], "layout": layout}


def pairs(edited: Plot, plain: Plot) -> Iterator[tuple[Side, Subtracted]]:
    """The difference of each trace and the trace of the same name on the same axes."""
    rest = defaultdict(list)
    for trace in plain["data"]:
        rest[name_of(trace)].append(trace)
    for trace in edited["data"]:
        side, others = Side(edited, trace), rest[name_of(trace)]
        if others:
            yield side, subtract(side, Side(plain, others.pop(0)))
        else:
            yield side, Subtracted(lost=[f"{side.title} is drawn only with the edits"])
    for side in (Side(plain, trace) for others in rest.values() for trace in others):
        yield side, Subtracted(lost=[f"{side.title} is drawn only without the edits"])


def name_of(trace: Trace) -> tuple:
    """What two traces have in common that show the same."""
    column = trace.get("meta", {}).get("column")
    return trace["type"], trace["xaxis"], trace["yaxis"], trace.get("name"), column


def one_scale(maps: list[Subtracted]) -> None:
    """Gives all maps of a figure the same colours, around 0."""
    most = largest(maps) or 1.0
    for one in maps:
        changed(one.trace, zmin=-most, zmax=most)


def around_zero(axis: Part, some: list[Subtracted]) -> None:
    """Makes an axis one of differences, and stacks the bars that are parts of a sum."""
    stacked = [one for one in some if one.trace.get("base") is not None]
    # Strokes are other tokens, which may lie beyond the axis of the chosen one.
    others = [one for one in some if "across" not in one.trace.get("meta", {})]
    reach = ROOM * max(largest([one for one in others if one not in stacked]), restacked(stacked))
    reach = reach or 1.0
    ticks = round_numbers(-reach, reach)
    changed(
        axis,
        type="linear",
        range=[-reach, reach] if axis["range"][0] <= axis["range"][1] else [reach, -reach],
        tickvals=ticks,
        ticktext=[tick(value) for value in ticks],
        title={"text": f"difference of {axis['title']['text'] or 'the numbers'}"},
    )


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
        trace, along = one.trace, "y" if one.values == "x" else "x"
        base = []
        for place, value in zip(numbers(trace[along]), np.nan_to_num(one.drawn), strict=True):
            end = float(place), bool(value < 0)
            base.append(ends[end])
            ends[end] += float(value)
        trace["base"] = base
    return max(map(abs, ends.values()), default=0.0)


def annotated(layout: Part, plain: Part, upright: set[str]) -> list[str]:
    """Keeps the notes and shapes that hold of a difference, and says which do not. Around bars and
    lines both stand at values that are drawn no longer. Over maps, a number becomes the difference
    of both numbers, and what is the same in both figures stays. A sum beside a row becomes the sum
    of the differences in the row.
    """
    notes, changes = [], False
    looks = layout["meta"].pop("notes", [])
    on_maps = [
        (note, look)
        for note, look in zip(layout["annotations"], looks, strict=True)
        if not stands_at(note, upright)
    ]
    theirs = [note for note in plain["annotations"] if not stands_at(note, upright)]
    for i, (note, look) in enumerate(on_maps):
        other = theirs[i]["text"] if len(theirs) == len(on_maps) else ""
        is_sum = note["text"].startswith(SUM)
        if is_sum or note["text"] != other:
            now, was = number_in(note["text"]), number_in(other)
            if now is None or was is None:
                changes = True
                continue
            text = f"{SUM}{signed(now - was, '.3f')}" if is_sum else signed(now - was, "+.3g")
            note["text"] = text
        notes.append((note, look))
    layout["annotations"] = [note for note, _ in notes]
    if notes:
        layout["meta"]["notes"] = [look for _, look in notes]
    shapes = [shape for shape in layout["shapes"] if not stands_at(shape, upright)]
    layout["shapes"] = same = [shape for shape in shapes if shape in plain["shapes"]]
    lost = ["notes that are others with the edits are left out"] if changes else []
    return lost + (
        ["frames that are others with the edits are left out"] if len(same) < len(shapes) else []
    )


def stands_at(mark: Part, upright: set[str]) -> bool:
    """Whether a note or a shape stands on an axis whose values are differences now."""
    return any(f"{which}axis{mark[f'{which}ref'][1:]}" in upright for which in "xy")


def number_in(text: str) -> float | None:
    """The number that a note is, a sum too, None where it is none."""
    try:
        return float(text.removeprefix(SUM).replace("−", "-"))
    except ValueError:
        return None


def described(meta: Part, lost: list[str], given: bool) -> Part:
    """What is said of the figure: of what it is the difference, what has no match, and that there
    are pictures of what was given to both runs.
    """
    told = "What is drawn is the number with the edits minus the number without them."
    if given:
        told = f"{told} What was given to both runs is drawn as it is."
    if lost:
        told = f"{told} Not subtracted: {'; '.join(dict.fromkeys(lost))}."
    kept = {name: with_edits(value) if name in SAID else value for name, value in meta.items()}
    formula = f"with edits - without edits, of {meta['formula']}" if "formula" in meta else None
    return {
        **{name: value for name, value in kept.items() if name not in OWN},
        **({"formula": formula} if formula else {}),
        **({"without_bar": SCALE} if "without_bar" in meta else {}),
        "title": f"{meta['title']}: difference",
        "description": f"{told} {with_edits(meta['description'])}",
        "shows": "difference",
        "difference": told,
    }


SAID = ("sentences", "said", "beside", "reading")
SCALE = "difference; blue: smaller with the edits, orange: larger"


def with_edits(said: Any) -> Any:
    """What a figure says of its numbers is true of the run with edits, and says so."""
    if isinstance(said, str):
        return f"With the edits: {said}" if said.endswith(".") else said
    if isinstance(said, dict):
        return {name: with_edits(value) for name, value in said.items()}
    return [with_edits(one) for one in said] if isinstance(said, list | tuple) else said
