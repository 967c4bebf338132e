"""Builds panels from a mark of lines or bars and an answer: slices the tensor, and maps each of its
axes as the mark says.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.findings import measured
from app.captions.text import label, tick
from app.figures import axis_scales, theme, traces
from app.figures.axis_scales import AxisScale
from app.figures.marks import (
    Bar,
    Bars,
    Lines,
    Look,
    Place,
    Point,
    Points,
    Records,
    Rule,
    Scale,
    cut,
    resolved,
)
from app.figures.plot import Panel, Trace, changed
from app.figures.traces import at_end, fill, outline, upright

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

STROKE = 0.84  # as a fraction of the distance between bars
DIAMOND = {"size": 8, "opacity": 1, "symbol": "diamond"}

REPEATS = {"seed": "seed", "training": "training", "kept_seed": "seed", "draw": "number"}
"""The axes of repetitions, and the name of a single one."""


def scaled(mark: Any, answer: "Answer", question: Question) -> Any:
    """The mark with its scales for this answer."""
    across, up = (resolved(scale, answer, question) for scale in (mark.x_scale, mark.y))
    return replace(mark, x_scale=across, y=up, hover=mark.hover.replace("{unit}", up.unit))


def of_lines(mark: Lines, answer: "Answer", question: Question) -> list[Panel]:
    """A panel of lines."""
    parts = resolved(mark.parts, answer, question)
    return [Chart(replace(scaled(mark, answer, question), parts=parts), answer, question).panel()]


@dataclass(frozen=True)
class Chart:
    """The lines of an answer."""

    mark: Lines
    answer: "Answer"
    question: Question

    def panel(self) -> Panel:
        mark, whole = self.mark, self.cut()
        values = along(mark.x_scale, whole, mark.x)[mark.places]
        x, _ = placed(mark.x_scale, values)
        labels = mark.parts or (whole.along(mark.by) if mark.by else [""])
        curves = [self.line(label, whole) for label in labels]
        every_rule = [(rule, self.ruled(rule, x, values)) for rule in mark.rules]
        before, after = (
            [curve for rule, curve in every_rule if curve and rule.last == last]
            for last in (False, True)
        )
        thin = [trace for _, of_line, _ in curves for trace in of_line]
        between = {
            "behind each": [trace for line, of_line, _ in curves for trace in (*of_line, line)],
            "behind all": [*thin, *(line for line, _, _ in curves)],
        }
        over = thin if mark.seeds == "above" else []
        curve_traces = between.get(mark.seeds or "", [line for line, _, _ in curves])
        stack = [*(rule for rule, _ in before), *curve_traces, *(rule for rule, _ in after), *over]
        held = [trace["y"] for trace in stack]
        every = (f"{name}{part}" for name in mark.y.holds for part in ("", ".by_seed"))
        known = self.answer.tensors
        held += [known[name].data.numpy() for name in every if name in known]
        across, up = scale(mark.x_scale, x, values), scale(mark.y, held)
        named = [*before, *((line, name) for line, _, name in curves), *after]
        logs = (across.type == "log", up.type == "log")
        ends = [end(line, name, *logs) for line, name in named if name]
        end_names = ends if mark.names in ("ends", "both") else []
        at = x if mark.x_scale.kind == "named" else values
        return Panel(across, up, stack, end_names, self.shapes(at, across, up))

    def cut(self, tensor: str = "") -> "Cut":
        """The slice of the mark's tensor, or of another one."""
        return cut(
            replace(self.mark, tensor=tensor or self.mark.tensor), self.answer, self.question
        )

    def shapes(self, values: Any, across: AxisScale, up: AxisScale) -> list[dict[str, Any]]:
        """What is behind the lines: shaded areas, and a vertical line if it is on the axis."""
        shapes, mark = [], self.mark
        for sides in mark.shaded(self.answer, self.question) if mark.shaded else ():
            both = zip(sides, (*across.range, *up.range), strict=True)
            x0, x1, y0, y1 = (edge if side is None else side for side, edge in both)
            whole = {"y0": 0, "y1": 1, "yref": "domain"} if sides[2:] == (None, None) else {}
            shapes.append({**fill("sunken", x0, x1, y0, y1), **whole})
        chosen = resolved(mark.upright, self.answer, self.question)
        chosen = self.question[chosen] if isinstance(chosen, str) and chosen else chosen
        if chosen not in (None, "") and values[0] <= chosen <= values[-1]:
            shapes.append(upright(chosen))
        return shapes

    def rows(self, label: str) -> "tuple[Cut, Cut | None]":
        """The row of numbers of one line, and one for each repetition."""
        mark = self.mark
        places = dict(mark.parts[label] if mark.parts else {mark.by: label} if mark.by else {})
        tensor = str(places.pop("tensor", mark.tensor))
        whole = self.cut(tensor).at(**places)
        for axis in REPEATS:
            if axis in whole.axes:
                left = {name: values for name, values in whole.axes.items() if name != axis}
                mean = whole.data.mean(list(whole.axes).index(axis))
                return replace(whole, axes=left, data=mean), whole
            if mark.seeds and f"{tensor}.by_{axis}" in self.answer.tensors:
                return whole, self.cut(f"{tensor}.by_{axis}").at(**places)
        return whole, None

    def line(self, label: str, whole: "Cut") -> tuple[Trace, list[Trace], str]:
        """A line, the thin lines of its seeds, and its name at its end, "" if it has none."""
        mark, place = self.mark, label
        if mark.by and (known := whole.axes[mark.by].values):
            place = known[whole.along(mark.by).index(label)]
        style = (
            mark.looks[label]
            if isinstance(mark.looks, Mapping)
            else mark.looks(place, self.question)
        )
        row, each = self.rows(label)
        values = along(mark.x_scale, row, mark.x)[mark.places]
        x, customdata = placed(mark.x_scale, values)
        more: dict[str, Any] = {"customdata": customdata} if customdata else {}
        template, y = style.hover or mark.hover, self.numbers(row)
        legend = mark.names in ("legend", "both") and style.end is not None
        dots = mark.dots if style.dots is None else style.dots
        name, hover = style.name, template.replace("{name}", style.name)
        line = traces.line(
            x, y, name, style.role, hover, dots, legend=legend, dash=style.dash, **more
        )
        changed(line, meta=self.picked(values, place))
        thin = self.thin(each, style, x, template, more) if each and style.seeds else []
        if mark.grows:
            of = {"of": mark.tensor, "arm": whole.along(mark.by).index(label)}
            changed(line, meta=of)
            for seed, trace in enumerate(thin):
                changed(trace, meta={**of, "seed": seed})
        has_end = style.end is not None and np.isfinite(y).any()
        return line, thin, (style.end or name) if has_end else ""

    def numbers(self, row: "Cut") -> np.ndarray:
        """The numbers of one line, or of each of its seeds, on its scale."""
        return row.data.numpy()[..., self.mark.places] / self.mark.y.per

    def thin(
        self, each: "Cut", style: Look, x: np.ndarray, template: str, more: Mapping[str, Any]
    ) -> list[Trace]:
        """A thin line for each seed behind a line."""
        axis = next(name for name in each.axes if name in REPEATS)
        known, y = each.numbers(axis), self.numbers(each)
        thin = traces.of_seeds(x, y, known, style.name, style.role, "", REPEATS[axis])
        for trace in thin:
            trace["hovertemplate"] = f"{template.replace('{name}', trace['name'])}<extra></extra>"
            trace.update(more)
        return thin

    def picked(self, values: Sequence[float], place: Place | None = None) -> dict[str, Any]:
        """The question for clicking each point of a line. A law has no place on `by`."""
        mark = self.mark
        if not mark.pick or (place is None and {*mark.pick.values()} != {mark.x}):
            return {}
        places = {mark.by: [place] * len(values), mark.x: list(values)}
        return {"pick": {name: places[axis] for name, axis in mark.pick.items()}}

    def ruled(self, rule: Rule, x: Any, values: Sequence[float]) -> tuple[Trace, str] | None:
        """A constant, or a law, over all x, with its name at its end."""
        stated = resolved(rule.of, self.answer, self.question)
        if isinstance(stated, str):
            fields = self.answer.fields
            stated = fields[stated] if stated in fields else measured(self.answer, stated)
        if stated is None:
            return None
        y = np.broadcast_to(np.asarray(stated, dtype=float), len(x))
        x, y = x[np.isfinite(y)], y[np.isfinite(y)]
        last = self.mark.x_scale.high
        if last is not None and np.ndim(stated) == 0 and last > x[-1]:  # over the whole width
            x, y = np.append(x, last), np.append(y, y[-1])
        legend, name = rule.named and self.mark.names == "legend", rule.name
        line = traces.line(
            x, y, name, rule.role, rule.hover, False, rule.law, legend=legend, dash=rule.dash
        )
        return changed(line, meta=self.picked(values)), name if rule.named else ""


def end(trace: Trace, name: str, log_x: bool, log_y: bool) -> dict[str, Any]:
    """The name of a line at its end, at the height of its last number."""
    x, y = float(trace["x"][-1]), float(trace["y"][np.isfinite(trace["y"])][-1])
    return at_end(x, y, name, trace["meta"]["role"], log_x, log_y)


def along(of: Scale, part: "Cut", axis: str) -> Sequence[Any]:
    """The values of an axis on its scale: numbers, or names."""
    return part.along(axis) if of.kind == "named" else part.numbers(axis)


def of_bars(mark: Bars, answer: "Answer", question: Question) -> list[Panel]:
    """A panel of bars from 0."""
    mark, part, style = scaled(mark, answer, question), cut(mark, answer, question), mark.look
    values, y = along(mark.x_scale, part, mark.x), part.data.numpy() / mark.y.per
    x = placed(mark.x_scale, values)[0]
    trace = traces.bars(x, y, style.name, style.role, mark.hover.replace("{name}", style.name))
    return [Panel(scale(mark.x_scale, x, values), scale(mark.y, y), [trace])]


def of_records(mark: Records, answer: "Answer", question: Question) -> list[Panel]:
    """Bars of records, with their intervals and strokes."""
    bars: list[Bar] | None = mark.bars(answer, question)
    if bars is None:
        return []
    series = [*dict.fromkeys(bar.series for bar in bars)] or [""]
    crowded = len({bar.at for bar in bars}) < len(bars) and not mark.stacked
    step = 0.8 / len(series) if crowded else 0
    at = [bar.at + step * (series.index(bar.series) - (len(series) - 1) / 2) for bar in bars]
    tops, bases = defaultdict[tuple, float](float), list[float]()
    for bar in bars:
        bases.append(tops[bar.at, (bar.length or 0) < 0])
        tops[bar.at, (bar.length or 0) < 0] += bar.length or 0
    series_traces = []
    for name in series:
        indices = [i for i, bar in enumerate(bars) if bar.series == name]
        roles = [bars[i].role for i in indices] or ["ink"]
        more: dict[str, Any] = {"customdata": [bars[i].text for i in indices]}
        more |= {"width": 0.9 * step} if crowded else {}
        more |= {"base": [bases[i] for i in indices]} if mark.stacked else {}
        more |= {"orientation": "h"} if mark.level else {}
        hover = mark.hover.replace("{name}", name)
        ends = turned(mark, [at[i] for i in indices], [bars[i].length for i in indices])
        trace = traces.bars(*ends, name, roles[0], hover, mark.legend, **more)
        if len({*roles}) > 1:
            changed(trace, marker={"color": [*map(theme.colour, roles)]}, meta={"role": roles})
        if mark.pick:
            changed(trace, meta={"pick": {mark.pick: [bars[i].pick for i in indices]}})
        if crowded:  # a table has one row for bars beside each other
            changed(trace, meta={"centers": [bars[i].at for i in indices]})
        series_traces.append(trace)
    ordered = sorted(zip(at, bars, strict=True), key=lambda pair: pair[0])
    over = "x" if mark.level else "y"
    if known := [(x, bar) for x, bar in ordered if bar.low is not None]:
        x = [value for x, _ in known for value in (x, x, math.nan)]
        y = [value for _, bar in known for value in (bar.low, bar.high, math.nan)]
        ends = (
            *turned(mark, x, y),
            mark.interval,
            "ink",
            f"interval end: %{{{over}:.3g}}",
        )
        series_traces.append(traces.line(*ends, dots=False, legend=mark.legend))
    strokes = [(x, bar.stroke, bar.text, bar.at) for x, bar in ordered if bar.stroke is not None]
    if (style := mark.stroke) and strokes:
        x, y, texts, centers = zip(*strokes, strict=True)
        stroke = (*turned(mark, x, y), style.name, style.role, style.hover, STROKE)
        stroke_trace = traces.level_marks(*stroke, customdata=texts)
        series_traces.append(changed(stroke_trace, meta={"centers": centers} if crowded else {}))
    points = [(x, *dot) for x, bar in ordered for dot in bar.dots]
    if (style := mark.dots) and points:
        x, y, texts = zip(*points, strict=True)
        dots = (*turned(mark, x, y), style.name, style.role, style.hover or mark.hover)
        marker = DIAMOND if len(points) <= len(bars) else {}
        dot = traces.dots(*dots, customdata=texts)
        series_traces.append(changed(dot, showlegend=True, marker=marker))
    held = [[*tops.values()]] if mark.stacked else [trace[over] for trace in series_traces]
    lengths = scale(resolved(mark.lengths, answer, question), [[0.0], *held])
    title, called = resolved(mark.places, answer, question), {bar.at: bar.name for bar in bars}
    names = [called[place] for place in sorted(called)]
    across, up = turned(mark, axis_scales.named(title, names, down=mark.level), lengths)
    notes, shapes = (resolved(parts, answer, question) or () for parts in (mark.notes, mark.shapes))
    if mark.chosen:
        row = mark.chosen(answer, question)
        shapes = [*shapes, outline("rule-strong", *lengths.range, row - 0.5, row + 0.5, 1)]
    return [Panel(across, up, series_traces, notes, shapes)]


def of_points(mark: Points, answer: "Answer", question: Question) -> list[Panel]:
    """Points of records, with a trace for each series."""
    points: list[Point] = mark.points(answer, question)
    traces_of = []
    for name in dict.fromkeys(point.series for point in points):
        members = [point for point in points if point.series == name]
        ends = [point.x for point in members], [point.y for point in members]
        hover, texts = mark.hover.replace("{name}", name), [point.text for point in members]
        dots = traces.dots(*ends, name, members[0].role, hover, customdata=texts)
        marker = {"size": mark.size, "opacity": mark.opacity, "symbol": members[0].symbol}
        changed(dots, showlegend=mark.legend, marker=marker)
        if mark.pick:
            changed(dots, meta={"pick": {mark.pick: [point.pick for point in members]}})
        traces_of.append(dots)
    across, up = mark.x(answer, question), mark.y(answer, question)
    notes, shapes = (resolved(parts, answer, question) or () for parts in (mark.notes, mark.shapes))
    return [Panel(across, up, traces_of, notes, shapes, mark.even)]


def turned(mark: Records, along: Any, over: Any) -> tuple[Any, Any]:
    """The position axis and the value axis, as x and y."""
    return (over, along) if mark.level else (along, over)


def placed(of: Scale, values: Sequence[Any]) -> tuple[np.ndarray, list[str]]:
    """The coordinates of points, and their names if different: on a "doubled" scale, each doubling
    has the same length, and on a "named" one, they are counted.
    """
    if of.kind == "named":
        return np.arange(len(values)), [of.says(value) for value in values] if of.says else []
    if of.kind != "doubled":
        return np.asarray(values), []
    return np.array([math.log2(value) for value in values]), [str(value) for value in values]


def scale(of: Scale, coordinates: Any, values: Sequence[Any] = ()) -> AxisScale:
    """The axis of a plot; `values` are what the places stand for."""
    numbers = np.concatenate([np.ravel(values) for values in coordinates])
    match of.kind:
        case "log":
            return axis_scales.logarithmic(of.title, numbers, of.unit, of.low, of.high)
        case "rounded":
            return axis_scales.rounded(of.title, numbers, of.unit)
        case "measured":
            return axis_scales.at_values(of.title, list(values), of.unit)
        case "doubled" | "every" | "named":
            return AxisScale(of.title, *marked(of, coordinates, values), of.unit)
    low, high = ends(of, numbers)
    return axis_scales.linear(of.title, numbers, of.unit, low, high, of.ticks)


def marked(
    of: Scale, coordinates: Sequence[float], values: Sequence[Any]
) -> tuple[tuple[float, float], list[float], list[str]]:
    """The ends of an axis with a margin, and its ticks, each with its value."""
    margin = of.margin * (coordinates[-1] - coordinates[0])
    ends = (coordinates[0] - margin - of.before, coordinates[-1] + margin + (of.beyond or 0))
    both = list(zip(coordinates, values, strict=True))
    if of.kind == "named":
        return ends, [x for x, _ in both], [label(of.names.get(name, name)) for _, name in both]
    if of.kind == "doubled":
        ticks = both
    else:
        ticks = [(x, n) for x, n in both if n % of.every == 0 or n in of.marks]
    return ends, [x for x, _ in ticks], [tick(n) for _, n in ticks]


def ends(of: Scale, numbers: np.ndarray) -> tuple[float | None, float | None]:
    """The ends of a linear axis, if not those of the numbers and 0."""
    if of.parts:
        low, high = of.parts * numbers.min(), of.parts * numbers.max()
        return math.floor(low) / of.parts, math.ceil(high) / of.parts
    if of.space:
        low = of.space * float(numbers.min()) if of.low is None else of.low
        return low, of.space * float(numbers.max())
    if of.beyond is not None:
        low = of.low if of.low is not None else float(numbers[0]) - of.before
        return low, float(numbers[-1]) + of.beyond
    return of.low, of.high
