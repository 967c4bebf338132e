"""From a mark and an answer to a figure: the part of the tensor is cut out, and each of its axes
becomes what the mark says.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.findings import measured
from app.captions.text import label, shortened, tick
from app.figures import axis_scales, theme, traces
from app.figures.annotations import at_end, fill, note, outline, row_sums, upright
from app.figures.axis_scales import AxisScale
from app.figures.marks import (
    Bar,
    Bars,
    Cells,
    Lines,
    Look,
    Looks,
    Mark,
    Marks,
    Of,
    Place,
    Records,
    Rule,
    Scale,
)
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, Trace, changed

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

STROKE = 0.84  # of the distance between two bars
DIAMOND = {"size": 8, "opacity": 1, "symbol": "diamond"}
LARGE = 10  # size of a dot that stands out
FEW = 24  # places without names, each of which is numbered


def build(mark: Mark, description: str | Of, answer: "Answer", question: Question) -> Plot:
    """The figure of a mark; `description` says it in a sentence."""
    said = resolved(description, answer, question)
    marks, across, rows = (
        (mark.marks, mark.across, resolved(mark.rows, answer, question))
        if isinstance(mark, Marks)
        else ([mark], False, ())
    )
    panels = [panel for one in marks for panel in PANELS[type(one)](one, answer, question)]
    return figure(*panels, description=said, across=across, rows=rows)


def resolved(value: Any, answer: "Answer", question: Question) -> Any:
    """What a field of a mark is of this answer and question."""
    return value(answer, question) if callable(value) else value


REPEATS = {"seed": "seed", "training": "training", "kept_seed": "seed", "draw": "number"}
"""The axes along which something is repeated, and what one time is called."""


def of_lines(mark: Lines, answer: "Answer", question: Question) -> list[Panel]:
    """Lines, in a panel or in several, one above the other."""
    shown = cut(mark, answer, question).along(mark.panels) if mark.panels else [""]
    return [lines(mark, answer, question, panel, not i) for i, panel in enumerate(shown)]


def lines(mark: Lines, answer: "Answer", question: Question, panel: str, first: bool) -> Panel:
    """One panel of lines."""
    whole = cut(mark, answer, question)
    values = along(mark.x_scale, whole, mark.x)[mark.first : mark.most]
    x, _ = placed(mark.x_scale, values)
    labels = mark.parts or (whole.along(mark.by) if mark.by else [""])
    drawn = [one_line(mark, answer, question, label, panel, first) for label in labels]
    before, after = (
        [ruled(mark, rule, x, values, answer, question) for rule in mark.rules if rule.last == last]
        for last in (False, True)
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
    held += [answer.tensors[name].data.numpy() for name in every if name in answer.tensors]
    across, up = scale(mark.x_scale, x, values), scale(named_by(mark.y, panel), held)
    named = [*before, *((line, name) for line, _, name in drawn), *after]
    logs = (across.type == "log", up.type == "log")
    ends = [end(line, name, *logs) for line, name in named if name]
    shown = ends if mark.names in ("ends", "both") else []
    at = x if mark.x_scale.kind == "named" else values
    return Panel(across, up, stack, shown, shapes(mark, at, across, up, answer, question))


def shapes(
    mark: Lines,
    values: Any,
    across: AxisScale,
    up: AxisScale,
    answer: "Answer",
    question: Question,
) -> list[dict[str, Any]]:
    """What lies behind lines: a shaded rectangle, and an upright line where it is on the axis."""
    drawn = []
    if mark.shaded:
        both = zip(mark.shaded(answer, question), (*across.range, *up.range), strict=True)
        x0, x1, y0, y1 = (edge if side is None else side for side, edge in both)
        drawn.append(fill("sunken", x0, x1, y0, y1))
    if isinstance(mark.upright, str):
        chosen = question[mark.upright] if mark.upright else None
    else:
        chosen = mark.upright(answer, question)
    if chosen is not None and values[0] <= chosen <= values[-1]:
        drawn.append(upright(chosen))
    return [*drawn, *(mark.shapes(answer, question) if mark.shapes else ())]


def rows(
    mark: Lines, answer: "Answer", question: Question, label: str, panel: str
) -> "tuple[Cut, Cut | None]":
    """The row of numbers of one line, and one for each time that they were measured."""
    places = dict(mark.parts[label] if mark.parts else {mark.by: label} if mark.by else {})
    tensor = str(places.pop("tensor", mark.tensor))
    places |= {mark.panels: panel} if panel else {}

    def row(name: str) -> "Cut":
        return cut(replace(mark, tensor=name), answer, question).at(**places)

    whole = row(tensor)
    for axis in REPEATS:
        if axis in whole.axes:
            left = {name: one for name, one in whole.axes.items() if name != axis}
            mean = whole.data.mean(list(whole.axes).index(axis))
            return replace(whole, axes=left, data=mean), whole
        if mark.seeds and f"{tensor}.by_{axis}" in answer.tensors:
            return whole, row(f"{tensor}.by_{axis}")
    return whole, None


def one_line(
    mark: Lines, answer: "Answer", question: Question, label: str, panel: str, first: bool
) -> tuple[Trace, list[Trace], str]:
    """A line, the thin lines of its seeds, and its name at its end, "" where it has none."""
    place = part_value(cut(mark, answer, question), mark.by, label)
    look = look_of(mark.looks, label, place, question)
    row, each = rows(mark, answer, question, label, panel)
    values = along(mark.x_scale, row, mark.x)[mark.first : mark.most]
    x, customdata = placed(mark.x_scale, values)
    more: dict[str, Any] = {"customdata": customdata} if customdata else {}
    said, y = (look.hover or mark.hover).replace("{panel}", panel), numbers(mark, row)
    line = of_look(mark, look, x, y, said.replace("{name}", look.name), first, more)
    changed(line, meta=picked(mark, values, place))
    if mark.larger:
        sizes = [LARGE if n == question[mark.larger] else line["marker"]["size"] for n in values]
        changed(line, marker={"size": sizes, "opacity": 1, "line": {"width": 0}})
    thin = thin_lines(mark, each, look, x, said, more) if each and look.seeds else []
    shown = look.end is not None and not look.points and np.isfinite(y).any()
    return line, thin, (look.end or look.name) if shown else ""


def end(one: Trace, name: str, log_x: bool, log_y: bool) -> dict[str, Any]:
    """The name of a line at its end, which is as high as its last number."""
    x, y = float(one["x"][-1]), float(one["y"][np.isfinite(one["y"])][-1])
    return at_end(x, y, name, one["meta"]["role"], log_x, log_y)


def along(of: Scale, part: "Cut", axis: str) -> Sequence[Any]:
    """What the places of an axis stand for on its scale: numbers, or what they are called."""
    return part.along(axis) if of.kind == "named" else part.numbers(axis)


def numbers(mark: Lines, row: "Cut") -> np.ndarray:
    """The numbers of one line, or of each of its seeds, as its scale has them."""
    return row.data.numpy()[..., mark.first : mark.most] / mark.y.per


def part_value(part: "Cut", axis: str, label: str) -> float | str:
    """What the label of an axis stands for: its number, or itself."""
    values = part.axes[axis].values if axis else None
    return values[part.along(axis).index(label)] if values else label


def thin_lines(
    mark: Lines, each: "Cut", look: Look, x: np.ndarray, said: str, more: Mapping[str, Any]
) -> list[Trace]:
    """A thin line for each seed behind a line."""
    axis = next(name for name in each.axes if name in REPEATS)
    known, several = each.numbers(axis), REPEATS[axis]
    thin = traces.of_seeds(x, numbers(mark, each), known, look.name, look.role, "", several)
    for trace in thin:
        trace["hovertemplate"] = f"{said.replace('{name}', trace['name'])}<extra></extra>"
        trace.update(more)
    return thin


def of_look(
    mark: Lines, look: Look, x: Any, y: Any, hover: str, first: bool, more: Mapping[str, Any]
) -> Trace:
    """A line, or points, as a label looks."""
    legend = mark.names in ("legend", "both") and first and look.end is not None
    if look.points:
        points = traces.dots(x, y, look.name, look.role, hover, **more)
        return changed(points, showlegend=legend)
    dots = mark.dots if look.dots is None else look.dots
    return traces.line(
        x, y, look.name, look.role, hover, dots, look.law, legend=legend, dash=look.dash, **more
    )


def picked(mark: Lines, values: Sequence[float], place: Place | None = None) -> dict[str, Any]:
    """What a click on each point of a line asks for. A law stands for no place of `by`."""
    if not mark.pick or (place is None and {*mark.pick.values()} != {mark.x}):
        return {}
    places = {mark.by: [place] * len(values), mark.x: list(values)}
    return {"pick": {name: places[axis] for name, axis in mark.pick.items()}}


def ruled(
    mark: Lines,
    rule: Rule,
    x: Any,
    values: Sequence[float],
    answer: "Answer",
    question: Question,
) -> tuple[Trace, str]:
    """A stated number, or a law, over all x, and its name at its end, "" where it has none."""
    if not isinstance(rule.of, str):
        stated = rule.of(answer, question)
    elif rule.of in answer.fields:
        stated = answer.fields[rule.of]
    else:
        stated = measured(answer, rule.of)
    y = np.broadcast_to(np.asarray(stated, dtype=float), len(x))
    legend = mark.names in ("legend", "both")
    stated = traces.line(
        x, y, rule.name, rule.role, rule.hover, False, rule.law, legend=legend, dash=rule.dash
    )
    return changed(stated, meta=picked(mark, values)), rule.name if rule.named else ""


def of_bars(mark: Bars, answer: "Answer", question: Question) -> list[Panel]:
    """Bars from 0, in a panel or in several, one above the other."""
    whole = cut(mark, answer, question)
    shown = whole.along(mark.panels) if mark.panels else [""]
    return [bars(mark, whole, mark.looks[panel], panel) for panel in shown]


def bars(mark: Bars, whole: "Cut", look: Look, panel: str) -> Panel:
    """One panel of bars."""
    part = whole.at(**{mark.panels: panel}) if panel else whole
    values, y = along(mark.x_scale, part, mark.x), part.data.numpy() / mark.y.per
    x = mark.first + placed(mark.x_scale, values)[0]
    trace = traces.bars(x, y, look.name, look.role, mark.hover.replace("{name}", look.name))
    notes = []
    if mark.largest:
        at, most = x[y.argmax()], float(y.max())
        note = {"x": float(at), "y": most, "text": mark.largest(most)}
        notes = [{**note, "yanchor": "bottom", "showarrow": False}]
    up = replace(mark.y, title=mark.y.title.replace("{name}", look.name))
    return Panel(scale(mark.x_scale, x, values), scale(up, y), [trace], notes)


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


def turned(mark: Records, along: Any, over: Any) -> tuple[Any, Any]:
    """What lies along the axis of places and over it, as x and y."""
    return (over, along) if mark.level else (along, over)


def of_cells(mark: Cells, answer: "Answer", question: Question) -> list[Panel]:
    """A matrix as colours, or what is drawn in its place."""
    if mark.tensor and mark.tensor not in answer.tensors:
        other = mark.otherwise
        return PANELS[type(other)](other, answer, question) if other else []
    return [Matrix(mark, answer, question).panel()]


@dataclass(frozen=True)
class Matrix:
    """The cells of an answer."""

    mark: Cells
    answer: "Answer"
    question: Question

    def of(self, value: Any) -> Any:
        """What a field of the mark is here."""
        return resolved(value, self.answer, self.question)

    def field(self, name: str | Of) -> Any:
        """A field of the answer, or what is computed."""
        return self.of(name) if callable(name) else self.answer.fields[name]

    def panel(self) -> Panel:
        mark, values, unit = self.mark, self.values(), self.of(self.mark.unit)
        if not values.size:
            across, down = (
                AxisScale(self.of(title), (0, 1), [], [], side="top", frameless=True)
                for title in (mark.columns, mark.rows)
            )
            words = note(NoteLook(kind="title", role="ink-soft"), 0.5, 0.5, mark.nothing)
            return Panel(across, down, [], [words])
        trace = traces.heat_map(
            values,
            self.of(mark.hover).replace("{unit}", unit),
            mark.scale,
            self.of(mark.ends),
            unit,
            hatched=mark.empty != "bare",
            says_gaps=mark.empty == "hover",
            **self.words(values),
        )
        if not mark.bar or isinstance(mark.says, Mapping):
            trace["showscale"] = False
        for name in ("pick", "pick_row"):
            if picks := getattr(mark, name):
                trace["meta"] |= {name: {to: self.places(axis) for to, axis in picks.items()}}
        if mark.words:
            trace["meta"] |= {"worded": True}
        if mark.tabled:
            trace["meta"] |= {"said": trace["customdata"]}
        side = "top" if mark.matrix else None
        return Panel(
            self.axis(mark.x, values.shape[1], mark.columns, side=side),
            self.axis(mark.y, values.shape[0], mark.rows, down=mark.matrix),
            [trace],
            row_sums(values) if mark.sums else self.of(mark.notes) or (),
            [*self.frame(values.shape), *(self.of(mark.shapes) or ())],
            even=mark.even,
        )

    def values(self) -> np.ndarray:
        """The numbers by row and column; NaN where a cell is empty."""
        mark, values = self.mark, self.of(self.mark.numbers)
        if values is None:
            part = cut(mark, self.answer, self.question)
            values = part.data.numpy()
            values = values.T if list(part.axes) == [mark.x, mark.y] else values
        if mark.mask:
            values = np.where(self.answer.tensors[mark.mask].data.numpy(), values, np.nan)
        return np.where(np.isfinite(values), values, np.nan)[:, : mark.most]

    def words(self, values: np.ndarray) -> dict[str, Any]:
        """What stands in the cells, and what they say when they are pointed at."""
        mark = self.mark
        if isinstance(mark.says, Mapping):
            said = [["" if np.isnan(z) else mark.says[int(z)] for z in row] for row in values]
            text = [[word[:1].upper() for word in row] for row in said]
            return {"customdata": said, "text": text}
        more, lines = {}, []
        if mark.words:
            words = self.field(mark.words)
            lines.append([[label(shortened(word, mark.longest)) for word in row] for row in words])
            more["customdata"] = [[label(word) for word in row] for row in words]
        if mark.written:
            lines.append(self.of(mark.written))
        elif write := mark.text:
            lines.append(
                [[write(float(z)) if np.isfinite(z) else "" for z in row] for row in values]
            )
        if lines:
            joint = " " if mark.beside else "<br>"
            both = (zip(*rows, strict=True) for rows in zip(*lines, strict=True))
            more["text"] = [[joint.join(cell) for cell in row] for row in both]
        return more | ({"customdata": self.of(mark.says)} if mark.says else {})

    def axis(self, along: str | Of | None, size: int, title: str | Of, **more: Any) -> AxisScale:
        """An axis of names. Of many places that have none round numbers are marked; of no axis only
        its title stands above.
        """
        mark, title = self.mark, self.of(title)
        if along is None:
            return AxisScale(title, (-0.5, size - 0.5), [], [], side="top", frameless=True)
        names = self.of(along)
        if isinstance(names, str):
            if known := self.answer.axes.get(names):
                minus = "−" if known.values else "-"  # a name may have a hyphen
                names = [name.replace("-", minus) for name in known.labels or ()] or None
            else:
                names = self.answer.fields.get(names)
        if names is None and size > FEW:
            return axis_scales.counted(title, mark.first, size, **more)
        names = names or [str(mark.first + i) for i in range(size)]
        names = [shortened(mark.names.get(name, name), mark.longest) for name in names[:size]]
        return axis_scales.named(title, names, **more)

    def places(self, axis: str | Of) -> Any:
        """What a click asks for: the value or the number of each place, or what is computed."""
        if callable(axis):
            return self.of(axis)
        known = self.answer.axes[axis]
        return known.values or list(range(known.size))

    def frame(self, shape: tuple[int, ...]) -> list[dict[str, Any]]:
        """A frame around what is chosen: ink within paper, which is seen on either end of a
        scale.
        """
        chosen = (self.mark.chosen_row, self.mark.chosen_column)
        if not any(chosen):
            return []
        at = [self.field(one) if one else None for one in chosen]
        (top, bottom), (left, right) = (
            (-0.5, size - 0.5) if place is None else (place - 0.5, place + 0.5)
            for place, size in zip(at, shape, strict=True)
        )
        return [
            outline(role, left, right, top, bottom, width)
            for role, width in (("paper", 4), ("ink", 1.5))
        ]


PANELS: Mapping[type, Callable[[Any, "Answer", Question], list[Panel]]] = {
    Lines: of_lines,
    Bars: of_bars,
    Records: of_records,
    Cells: of_cells,
}


def cut(mark: Lines | Bars | Cells, answer: "Answer", question: Question) -> "Cut":
    """The part of the tensor that a mark draws."""
    part = answer.cut(mark.tensor)
    places = {axis: resolve(place, answer, question) for axis, place in mark.at.items()}
    part = part.at(**{axis: known(part, axis, place) for axis, place in places.items()})
    each = getattr(mark, "each", None)
    return each(part) if each else part


def resolve(place: Place | Of, answer: "Answer", question: Question) -> Place:
    """A place, or that which a field of the question names, "{stack}", or which is computed."""
    place = resolved(place, answer, question)
    if isinstance(place, str) and place.startswith("{"):
        return question.get(place[1:-1]) or 0
    return place


def known(part: "Cut", axis: str, place: Place) -> Place:
    """The place; of an axis that is counted, the last one where it is farther on."""
    counted = part.axes[axis].labels is None and part.axes[axis].values is None
    return min(place, part.axes[axis].size - 1) if counted and not isinstance(place, str) else place


def look_of(looks: Looks, label: str, place: Place, question: Question) -> Look:
    return looks[label] if isinstance(looks, Mapping) else looks(place, question)


def named_by(of: Scale, panel: str) -> Scale:
    """The scale of a panel, whose title may have its name."""
    return replace(of, title=of.title.replace("{panel}", panel))


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
            return axis_scales.at_values(of.title, list(values), of.unit, log=True)
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
