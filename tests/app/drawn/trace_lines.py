"""The lines of the traces of a figure: type, slices, and what each text says at its cell."""

import zlib
from collections import Counter
from collections.abc import Iterable

import numpy as np
import plotly.graph_objects as go

from tests.app.drawn.cell_names import Namer
from tests.app.drawn.naming import TENSOR, Text, apart, called, many, templates
from tests.app.drawn.shown import Trace, near
from tests.app.drawn.trace_texts import parts_of

UNTOLD = ("tensor", "seed")  # axes by which no colour is chosen


def of_traces(figure: go.Figure, group: list[Trace], namer: Namer, roles: bool) -> Counter[str]:
    """The lines of the traces of one family, in each of which the labels of its slice are named."""
    lines: Counter[str] = Counter()
    parts: dict[int, list[str]] = {trace.number: [] for trace in group}
    for part, texts in parts_of(figure, group).items():
        # Over the whole family, so that a place in a text means one axis.
        whole = templates([text for every in texts.values() for text in every], namer, {})
        of = {id(text): name for name, every in whole.items() for text in every}
        for number, every in texts.items():
            by_template: dict[str, list[Text]] = {}
            for text in every:
                by_template.setdefault(of[id(text)], []).append(text)
            parts[number].append(f"{part} {many(apart(by_template, namer))}")
    for trace in group:
        described = " | ".join(parts[trace.number])
        silent = [
            f"{axis}={called(namer, axis, at)}"
            for axis, at in sorted(trace.fixed().items())
            if (axis != TENSOR and f"{{{axis}" not in described) or (roles and axis not in UNTOLD)
        ]
        lines[
            f"{trace.panel} {form_of(trace)}: {trace.of} {trace.signature()}"
            + (f" ({', '.join(silent)})" if silent else "")
            + f" | {described}"
        ] += 1
    return lines


def form_of(trace: Trace) -> str:
    """The type of a trace, its role or scale, and its whole numbers, which have no tags."""
    series, meta = trace.trace, trace.trace.meta or {}
    parts = [series.type]
    if getattr(series, "orientation", None):
        parts.append(series.orientation)
    if series.type == "scatter":
        parts.append(series.mode)
        if series.line and series.line.dash:
            parts.append(f"dash {series.line.dash}")
    if "role" in meta:
        roles = meta["role"]
        parts.append(f"role {runs(roles) if isinstance(roles, list) else roles}")
    if series.type == "heatmap":
        parts.append(f"scale {meta.get('scale')} {'fitted' if meta.get('fitted') else ends(trace)}")
        parts += ["hatched"] * bool(meta.get("hatched"))
        empty = ~np.isfinite(trace.numbers)
        if empty.any():
            parts.append(f"empty {int(empty.sum())} {zlib.crc32(np.packbits(empty).tobytes()):x}")
    whole = np.nan_to_num(trace.numbers)
    whole = np.where(whole == np.round(whole), whole, 0)
    if trace.left and not trace.slices and not trace.made_of:
        finite = trace.numbers[np.isfinite(trace.numbers)]
        parts.append(f"law {finite.flat[0]:.3g} to {finite.flat[-1]:.3g}")
    elif whole.any() and not trace.slices:
        parts.append(f"whole {zlib.crc32(whole.astype('<i8').tobytes()):x}")
    return " ".join(parts)


def ends(trace: Trace) -> str:
    """What the ends of a colour scale are: whole numbers, or those of the data."""
    finite = trace.numbers[np.isfinite(trace.numbers)].astype(float)
    data = {"smallest": finite.min(initial=0), "largest": finite.max(initial=0)}
    data |= {"largest size": np.abs(finite).max(initial=0)}
    data |= {"minus largest size": -data["largest size"]}
    labels = []
    for end in (trace.trace.zmin, trace.trace.zmax):
        names = [name for name, value in data.items() if near(float(value), float(end))]
        labels.append(f"{end:g}" if float(end).is_integer() else names[0] if names else "another")
    return " to ".join(labels)


def runs(values: Iterable[str]) -> str:
    """Equal neighbours counted."""
    found: list[list] = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1][1] += 1
        else:
            found.append([value, 1])
    return ",".join(f"{value}×{count}" for value, count in found[:12])
