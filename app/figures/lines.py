"""From a mark of lines or bars and an answer to panels: the part of the tensor is cut out, and each
of its axes becomes what the mark says.
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
from app.figures.annotations import at_end, fill, outline, upright
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
from app.figures.panels import Panel
from app.figures.plot import Trace, changed

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

STROKE = 0.84  # of the distance between two bars
DIAMOND = {"size": 8, "opacity": 1, "symbol": "diamond"}

REPEATS = {"seed": "seed", "training": "training", "kept_seed": "seed", "draw": "number"}
"""The axes along which something is repeated, and what one time is called."""


def scaled(mark: Any, answer: "Answer", question: Question) -> Any:
    """The mark with the scales that it has here."""
    across, up = (resolved(one, answer, question) for one in (mark.x_scale, mark.y))
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
        drawn = [self.line(label, whole) for label in labels]
        every_rule = [(rule, self.ruled(rule, x, values)) for rule in mark.rules]
        before, after = (
            [one for rule, one in every_rule if one and rule.last == last] for last in (False, True)
        )
        thin = [one for _, of_line, _ in drawn for one in of_line]
        between = {
            "behind each": [one for line, of_line, _ in drawn for one in (*of_line, line)],
            "behind all": [*thin, *(line for line, _, _ in drawn)],
        }
        over = thin if mark.seeds == "above" else []
        own = between.get(mark.seeds or "", [line for line, _, _ in drawn])
        stack = [*(rule for rule, _ in before), *own, *(rule for rule, _ in after), *over]
        held = [one["y"] for one in stack]
        every = (f"{name}{part}" for name in mark.y.holds for part in ("", ".by_seed"))
        known = self.answer.tensors
        held += [known[name].data.numpy() for name in every if name in known]
        across, up = scale(mark.x_scale, x, values), scale(mark.y, held)
        named = [*before, *((line, name) for line, _, name in drawn), *after]
        logs = (across.type == "log", up.type == "log")
        ends = [end(line, name, *logs) for line, name in named if name]
        shown = ends if mark.names in ("ends", "both") else []
        at = x if mark.x_scale.kind == "named" else values
        return Panel(across, up, stack, shown, self.shapes(at, across, up))

    def cut(self, tensor: str = "") -> "Cut":
        """The part of the mark's tensor that is drawn, or of another."""
        return cut(
            replace(self.mark, tensor=tensor or self.mark.tensor), self.answer, self.question
        )

    def shapes(self, values: Any, across: AxisScale, up: AxisScale) -> list[dict[str, Any]]:
        """What lies behind lines: what is shaded, and an upright line where it is on the axis."""
        drawn, mark = [], self.mark
        for sides in mark.shaded(self.answer, self.question) if mark.shaded else ():
            both = zip(sides, (*across.range, *up.range), strict=True)
            x0, x1, y0, y1 = (edge if side is None else side for side, edge in both)
            whole = {"y0": 0, "y1": 1, "yref": "domain"} if sides[2:] == (None, None) else {}
            drawn.append({**fill("sunken", x0, x1, y0, y1), **whole})
        chosen = resolved(mark.upright, self.answer, self.question)
        chosen = self.question[chosen] if isinstance(chosen, str) and chosen else chosen
        if chosen not in (None, "") and values[0] <= chosen <= values[-1]:
            drawn.append(upright(chosen))
        return drawn

    def rows(self, label: str) -> "tuple[Cut, Cut | None]":
        """The row of numbers of one line, and one for each time that they were measured."""
        mark = self.mark
        places = dict(mark.parts[label] if mark.parts else {mark.by: label} if mark.by else {})
        tensor = str(places.pop("tensor", mark.tensor))
        whole = self.cut(tensor).at(**places)
        for axis in REPEATS:
            if axis in whole.axes:
                left = {name: one for name, one in whole.axes.items() if name != axis}
                mean = whole.data.mean(list(whole.axes).index(axis))
                return replace(whole, axes=left, data=mean), whole
            if mark.seeds and f"{tensor}.by_{axis}" in self.answer.tensors:
                return whole, self.cut(f"{tensor}.by_{axis}").at(**places)
        return whole, None

    def line(self, label: str, whole: "Cut") -> tuple[Trace, list[Trace], str]:
        """A line, the thin lines of its seeds, and its name at its end, "" where it has none."""
        mark, place = self.mark, label
        if mark.by and (known := whole.axes[mark.by].values):
            place = known[whole.along(mark.by).index(label)]
        look = (
            mark.looks[label]
            if isinstance(mark.looks, Mapping)
            else mark.looks(place, self.question)
        )
        row, each = self.rows(label)
        values = along(mark.x_scale, row, mark.x)[mark.places]
        x, customdata = placed(mark.x_scale, values)
        more: dict[str, Any] = {"customdata": customdata} if customdata else {}
        said, y = look.hover or mark.hover, self.numbers(row)
        legend = mark.names in ("legend", "both") and look.end is not None
        dots = mark.dots if look.dots is None else look.dots
        name, hover = look.name, said.replace("{name}", look.name)
        line = traces.line(
            x, y, name, look.role, hover, dots, legend=legend, dash=look.dash, **more
        )
        changed(line, meta=self.picked(values, place))
        thin = self.thin(each, look, x, said, more) if each and look.seeds else []
        if mark.grows:
            of = {"of": mark.tensor, "arm": whole.along(mark.by).index(label)}
            changed(line, meta=of)
            for seed, one in enumerate(thin):
                changed(one, meta={**of, "seed": seed})
        shown = look.end is not None and np.isfinite(y).any()
        return line, thin, (look.end or name) if shown else ""

    def numbers(self, row: "Cut") -> np.ndarray:
        """The numbers of one line, or of each of its seeds, as its scale has them."""
        return row.data.numpy()[..., self.mark.places] / self.mark.y.per

    def thin(
        self, each: "Cut", look: Look, x: np.ndarray, said: str, more: Mapping[str, Any]
    ) -> list[Trace]:
        """A thin line for each seed behind a line."""
        axis = next(name for name in each.axes if name in REPEATS)
        known, y = each.numbers(axis), self.numbers(each)
        thin = traces.of_seeds(x, y, known, look.name, look.role, "", REPEATS[axis])
        for trace in thin:
            trace["hovertemplate"] = f"{said.replace('{name}', trace['name'])}<extra></extra>"
            trace.update(more)
        return thin

    def picked(self, values: Sequence[float], place: Place | None = None) -> dict[str, Any]:
        """What a click on each point of a line asks for. A law stands for no place of `by`."""
        mark = self.mark
        if not mark.pick or (place is None and {*mark.pick.values()} != {mark.x}):
            return {}
        places = {mark.by: [place] * len(values), mark.x: list(values)}
        return {"pick": {name: places[axis] for name, axis in mark.pick.items()}}

    def ruled(self, rule: Rule, x: Any, values: Sequence[float]) -> tuple[Trace, str] | None:
        """A stated number, or a law, over all x, and its name at its end, "" where it has none."""
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


def end(one: Trace, name: str, log_x: bool, log_y: bool) -> dict[str, Any]:
    """The name of a line at its end, which is as high as its last number."""
    x, y = float(one["x"][-1]), float(one["y"][np.isfinite(one["y"])][-1])
    return at_end(x, y, name, one["meta"]["role"], log_x, log_y)


def along(of: Scale, part: "Cut", axis: str) -> Sequence[Any]:
    """What the places of an axis stand for on its scale: numbers, or what they are called."""
    return part.along(axis) if of.kind == "named" else part.numbers(axis)


def of_bars(mark: Bars, answer: "Answer", question: Question) -> list[Panel]:
    """A panel of bars from 0."""
    mark, part, look = scaled(mark, answer, question), cut(mark, answer, question), mark.look
    values, y = along(mark.x_scale, part, mark.x), part.data.numpy() / mark.y.per
    x = placed(mark.x_scale, values)[0]
    trace = traces.bars(x, y, look.name, look.role, mark.hover.replace("{name}", look.name))
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
    drawn = []
    for name in series:
        own = [i for i, bar in enumerate(bars) if bar.series == name]
        roles = [bars[i].role for i in own] or ["ink"]
        more: dict[str, Any] = {"customdata": [bars[i].text for i in own]}
        more |= {"width": 0.9 * step} if crowded else {}
        more |= {"base": [bases[i] for i in own]} if mark.stacked else {}
        more |= {"orientation": "h"} if mark.level else {}
        hover = mark.hover.replace("{name}", name)
        ends = turned(mark, [at[i] for i in own], [bars[i].length for i in own])
        trace = traces.bars(*ends, name, roles[0], hover, mark.legend, **more)
        if len({*roles}) > 1:
            changed(trace, marker={"color": [*map(theme.colour, roles)]}, meta={"role": roles})
        if mark.pick:
            changed(trace, meta={"pick": {mark.pick: [bars[i].pick for i in own]}})
        drawn.append(trace)
    ordered = sorted(zip(at, bars, strict=True), key=lambda one: one[0])
    over = "x" if mark.level else "y"
    if known := [(x, bar) for x, bar in ordered if bar.low is not None]:
        x = [one for x, _ in known for one in (x, x, math.nan)]
        y = [one for _, bar in known for one in (bar.low, bar.high, math.nan)]
        ends = (
            *turned(mark, x, y),
            mark.interval,
            "ink",
            f"an end of the interval: %{{{over}:.3g}}",
        )
        drawn.append(traces.line(*ends, dots=False, legend=mark.legend))
    strokes = [(x, bar.stroke, bar.text) for x, bar in ordered if bar.stroke is not None]
    if (look := mark.stroke) and strokes:
        x, y, texts = zip(*strokes, strict=True)
        stroke = (*turned(mark, x, y), look.name, look.role, look.hover, STROKE)
        drawn.append(traces.level_marks(*stroke, customdata=texts))
    points = [(x, *dot) for x, bar in ordered for dot in bar.dots]
    if (look := mark.dots) and points:
        x, y, texts = zip(*points, strict=True)
        dots = (*turned(mark, x, y), look.name, look.role, look.hover or mark.hover)
        marker = DIAMOND if len(points) <= len(bars) else {}
        dot = traces.dots(*dots, customdata=texts)
        drawn.append(changed(dot, showlegend=True, marker=marker))
    held = [[*tops.values()]] if mark.stacked else [trace[over] for trace in drawn]
    lengths = scale(resolved(mark.lengths, answer, question), [[0.0], *held])
    title, called = resolved(mark.places, answer, question), {bar.at: bar.name for bar in bars}
    names = [called[place] for place in sorted(called)]
    across, up = turned(mark, axis_scales.named(title, names, down=mark.level), lengths)
    notes, shapes = (resolved(one, answer, question) or () for one in (mark.notes, mark.shapes))
    if mark.chosen:
        row = mark.chosen(answer, question)
        shapes = [*shapes, outline("rule-strong", *lengths.range, row - 0.5, row + 0.5, 1)]
    return [Panel(across, up, drawn, notes, shapes)]


def of_points(mark: Points, answer: "Answer", question: Question) -> list[Panel]:
    """Points of records, a trace for each series."""
    points: list[Point] = mark.points(answer, question)
    traces_of = []
    for name in dict.fromkeys(point.series for point in points):
        own = [point for point in points if point.series == name]
        ends = [point.x for point in own], [point.y for point in own]
        hover, texts = mark.hover.replace("{name}", name), [point.text for point in own]
        dots = traces.dots(*ends, name, own[0].role, hover, customdata=texts)
        marker = {"size": mark.size, "opacity": mark.opacity, "symbol": own[0].symbol}
        changed(dots, showlegend=mark.legend, marker=marker)
        if mark.pick:
            changed(dots, meta={"pick": {mark.pick: [point.pick for point in own]}})
        traces_of.append(dots)
    across, up = mark.x(answer, question), mark.y(answer, question)
    notes, shapes = (resolved(one, answer, question) or () for one in (mark.notes, mark.shapes))
    return [Panel(across, up, traces_of, notes, shapes, mark.even)]


def turned(mark: Records, along: Any, over: Any) -> tuple[Any, Any]:
    """What lies along the axis of places and over it, as x and y."""
    return (over, along) if mark.level else (along, over)


def placed(of: Scale, values: Sequence[Any]) -> tuple[np.ndarray, list[str]]:
    """Where points stand, and what they are called where that is not their number: on a "doubled"
    scale each doubling is as long, and on a "named" one they are counted.
    """
    if of.kind == "named":
        return np.arange(len(values)), [of.says(value) for value in values] if of.says else []
    if of.kind != "doubled":
        return np.asarray(values), []
    return np.array([math.log2(value) for value in values]), [str(value) for value in values]


def scale(of: Scale, drawn: Any, values: Sequence[Any] = ()) -> AxisScale:
    """The axis of what is drawn; `values` are what the places stand for."""
    numbers = np.concatenate([np.ravel(one) for one in drawn])
    match of.kind:
        case "log":
            return axis_scales.logarithmic(of.title, numbers, of.unit, of.low, of.high)
        case "rounded":
            return axis_scales.rounded(of.title, numbers, of.unit)
        case "measured":
            return axis_scales.at_values(of.title, list(values), of.unit)
        case "doubled" | "every" | "named":
            return AxisScale(of.title, *marked(of, drawn, values), of.unit)
    low, high = ends(of, numbers)
    return axis_scales.linear(of.title, numbers, of.unit, low, high, of.ticks)


def marked(
    of: Scale, drawn: Sequence[float], values: Sequence[Any]
) -> tuple[tuple[float, float], list[float], list[str]]:
    """The ends of an axis with a margin, and the places that are marked, each with its value."""
    margin = of.margin * (drawn[-1] - drawn[0])
    ends = (drawn[0] - margin - of.before, drawn[-1] + margin + (of.beyond or 0))
    both = list(zip(drawn, values, strict=True))
    if of.kind == "named":
        return ends, [x for x, _ in both], [label(of.names.get(name, name)) for _, name in both]
    if of.kind == "doubled":
        shown = both
    else:
        shown = [(x, n) for x, n in both if n % of.every == 0 or n in of.marks]
    return ends, [x for x, _ in shown], [tick(n) for _, n in shown]


def ends(of: Scale, numbers: np.ndarray) -> tuple[float | None, float | None]:
    """The ends of a linear axis, as far as they are not those of the numbers and 0."""
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
