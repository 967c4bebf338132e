"""From a mark and an answer to a figure: the part of the tensor is cut out, and each of its axes
becomes what the mark says.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.figures import grammar
from app.figures.grammar import AxisScale, Panel, at_end, heat_map, of_seeds
from app.figures.marks import Bars, Cells, Lines, Look, Looks, Mark, Of, Place, Rule, Scale
from app.figures.plot import Plot, Trace, changed
from app.words import Question
from app.words.findings import measured
from app.words.text import tick

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

LARGE = 10  # size of a dot that stands out


def build(mark: Mark, description: str | Of, answer: "Answer", question: Question) -> Plot:
    """The figure of a mark; `description` says it in a sentence."""
    said = description if isinstance(description, str) else description(answer, question)
    return grammar.figure(*PANELS[type(mark)](mark, answer, question), description=said)


def of_lines(mark: Lines, answer: "Answer", question: Question) -> list[Panel]:
    """Lines, in a panel or in several, one above the other."""
    whole, by_seed = cut(mark, answer, question), f"{mark.tensor}.by_seed"
    seeded = mark.seeds is not None and by_seed in answer.tensors
    seeds = cut(replace(mark, tensor=by_seed), answer, question) if seeded else None
    if not mark.panels:
        return [lines(mark, whole, seeds, answer, question)]
    return [
        lines(
            mark,
            whole.at(**{mark.panels: panel}),
            seeds and seeds.at(**{mark.panels: panel}),
            answer,
            question,
            panel,
            first=not i,
        )
        for i, panel in enumerate(whole.along(mark.panels))
    ]


def lines(
    mark: Lines,
    part: "Cut",
    seeds: "Cut | None",
    answer: "Answer",
    question: Question,
    panel: str = "",
    first: bool = True,
) -> Panel:
    """One panel of lines."""
    values = part.numbers(mark.x)[mark.first : mark.most]
    x, _ = placed(mark.x_scale, values)
    labels = mark.parts or (part.along(mark.by) if mark.by else [""])
    drawn = [one_line(mark, part, seeds, question, label, panel, first) for label in labels]
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
    traces = [*before, *own, *after, *over]
    held = [one["y"] for one in traces]
    if mark.y.whole:
        every = (f"{mark.tensor}{part}" for part in ("", ".by_seed"))
        held += [answer.tensors[name].data.numpy() for name in every if name in answer.tensors]
    across, up = scale(mark.x_scale, x, values), scale(named_by(mark.y, panel), held)
    named = [
        *((one, one["name"]) for one in before),
        *((line, name) for line, _, name in drawn if name),
        *((one, one["name"]) for one in after),
    ]
    logs = (across.type == "log", up.type == "log")
    ends = [end(*one, *logs) for one in named] if mark.names in ("ends", "both") else []
    chosen = question[mark.upright] if mark.upright else None
    on_axis = chosen is not None and values[0] <= chosen <= values[-1]
    return Panel(across, up, traces, ends, [grammar.upright(chosen)] if on_axis else [])


def one_line(
    mark: Lines,
    part: "Cut",
    seeds: "Cut | None",
    question: Question,
    label: str,
    panel: str,
    first: bool,
) -> tuple[Trace, list[Trace], str]:
    """A line, the thin lines of its seeds, and its name at its end, "" where it has none."""
    place = part_value(part, mark.by, label)
    look = look_of(mark.looks, label, place, question)
    values = part.numbers(mark.x)[mark.first : mark.most]
    x, customdata = placed(mark.x_scale, values)
    more: dict[str, Any] = {"customdata": customdata} if customdata else {}
    said, y = mark.hover.replace("{panel}", panel), along(part, mark, label)
    line = of_look(mark, look, x, y, said.replace("{name}", look.name), first, more)
    changed(line, meta=picked(mark, values, place))
    if mark.larger:
        sizes = [LARGE if n == question[mark.larger] else line["marker"]["size"] for n in values]
        changed(line, marker={"size": sizes, "opacity": 1, "line": {"width": 0}})
    thin = thin_lines(mark, seeds, label, look, x, said, more) if seeds and look.seeds else []
    shown = not look.points and np.isfinite(y).any()
    return line, thin, (look.end or look.name) if shown else ""


def end(one: Trace, name: str, log_x: bool, log_y: bool) -> dict[str, Any]:
    """The name of a line at its end, which is as high as its last number."""
    x, y = float(one["x"][-1]), float(one["y"][np.isfinite(one["y"])][-1])
    return at_end(x, y, name, one["meta"]["role"], log_x, log_y)


def along(part: "Cut", mark: Lines, label: str) -> np.ndarray:
    """The numbers of one line, as its scale has them."""
    places = mark.parts[label] if mark.parts else {mark.by: label} if mark.by else {}
    row = part.at(**places)
    return row.data.numpy()[..., mark.first : mark.most] / mark.y.per


def part_value(part: "Cut", axis: str, label: str) -> float | str:
    """What the label of an axis stands for: its number, or itself."""
    values = part.axes[axis].values if axis else None
    return values[part.along(axis).index(label)] if values else label


def thin_lines(
    mark: Lines,
    seeds: "Cut",
    label: str,
    look: Look,
    x: np.ndarray,
    said: str,
    more: Mapping[str, Any],
) -> list[Trace]:
    """A thin line for each seed behind a line."""
    rows, known = along(seeds, mark, label), seeds.axes["seed"].values or []
    traces = of_seeds(x, rows, known, look.name, look.role, "")
    for trace in traces:
        trace["hovertemplate"] = f"{said.replace('{name}', trace['name'])}<extra></extra>"
        trace.update(more)
    return traces


def of_look(
    mark: Lines, look: Look, x: Any, y: Any, hover: str, first: bool, more: Mapping[str, Any]
) -> Trace:
    """A line, or points, as a label looks."""
    if look.points:
        return grammar.dots(x, y, look.name, look.role, hover, **more)
    dots = mark.dots if look.dots is None else look.dots
    legend = mark.names in ("legend", "both") and first
    return grammar.line(
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
) -> Trace:
    """A stated number, or a law, over all x."""
    if not isinstance(rule.of, str):
        stated = rule.of(answer, question)
    elif rule.of in answer.fields:
        stated = answer.fields[rule.of]
    else:
        stated = measured(answer, rule.of)
    y = np.broadcast_to(np.asarray(stated, dtype=float), len(x))
    legend = mark.names in ("legend", "both")
    stated = grammar.line(
        x, y, rule.name, rule.role, rule.hover, False, rule.law, legend=legend, dash=rule.dash
    )
    return changed(stated, meta=picked(mark, values))


def of_bars(mark: Bars, answer: "Answer", question: Question) -> list[Panel]:
    """Bars from 0, in a panel or in several, one above the other."""
    whole = cut(mark, answer, question)
    shown = whole.along(mark.panels) if mark.panels else [""]
    return [bars(mark, whole, mark.looks[panel], panel) for panel in shown]


def bars(mark: Bars, whole: "Cut", look: Look, panel: str) -> Panel:
    """One panel of bars."""
    part = whole.at(**{mark.panels: panel}) if panel else whole
    x, y = mark.first + np.asarray(part.numbers(mark.x)), part.data.numpy() / mark.y.per
    trace = grammar.bars(x, y, look.name, look.role, mark.hover.replace("{name}", look.name))
    notes = []
    if mark.largest:
        at, most = x[y.argmax()], float(y.max())
        note = {"x": float(at), "y": most, "text": mark.largest(most)}
        notes = [{**note, "yanchor": "bottom", "showarrow": False}]
    up = replace(mark.y, title=mark.y.title.replace("{name}", look.name))
    return Panel(scale(mark.x_scale, x), scale(up, y), [trace], notes)


def of_cells(mark: Cells, answer: "Answer", question: Question) -> list[Panel]:
    """A matrix as colours."""
    part = cut(mark, answer, question)
    values = part.data.numpy()
    if list(part.axes) != [mark.y, mark.x]:
        values = values.T
    values = np.where(np.isfinite(values), values, np.nan)
    more: dict[str, Any] = {}
    if mark.says:
        said = [["" if np.isnan(z) else mark.says[int(z)] for z in row] for row in values]
        more = {"customdata": said, "text": [[word[:1].upper() for word in row] for row in said]}
        more["showscale"] = False
    elif mark.text:
        more = {"text": [[mark.text(z) for z in row] for row in values]}
    trace = heat_map(values, mark.hover, mark.scale, mark.ends, mark.unit, **more)
    columns, rows = (
        [mark.names.get(name, name) for name in part.along(axis)] for axis in (mark.x, mark.y)
    )
    return [
        Panel(
            grammar.named(mark.columns, columns, above=mark.matrix),
            grammar.named(mark.rows, rows, down=mark.matrix),
            [trace],
            grammar.row_sums(values) if mark.sums else (),
            even=mark.even,
        )
    ]


PANELS: Mapping[type, Callable[[Any, "Answer", Question], list[Panel]]] = {
    Lines: of_lines,
    Bars: of_bars,
    Cells: of_cells,
}


def cut(mark: Mark, answer: "Answer", question: Question) -> "Cut":
    """The part of the tensor that a mark draws."""
    part = answer.cut(mark.tensor)
    places = {axis: asked(place, question) for axis, place in mark.at.items()}
    part = part.at(**{axis: known(part, axis, place) for axis, place in places.items()})
    each = getattr(mark, "each", None)
    return each(part) if each else part


def asked(place: Place, question: Question) -> Place:
    """A place, or that which a field of the question names: "{stack}"."""
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


def placed(of: Scale, values: Sequence[float]) -> tuple[np.ndarray, list[str]]:
    """Where points stand, and what they are called where that is not their number: on a "doubled"
    scale each doubling is as long.
    """
    if of.kind != "doubled":
        return np.asarray(values), []
    return np.array([math.log2(value) for value in values]), [str(value) for value in values]


def scale(of: Scale, drawn: Any, values: Sequence[float] = ()) -> AxisScale:
    """The axis of what is drawn; `values` are what the places stand for."""
    numbers = np.concatenate([np.ravel(one) for one in drawn])
    match of.kind:
        case "log":
            return grammar.logarithmic(of.title, numbers, of.unit)
        case "rounded":
            return grammar.rounded(of.title, numbers, of.unit)
        case "measured":
            return grammar.at_values(of.title, list(values), of.unit, log=True)
        case "doubled" | "every":
            return AxisScale(of.title, *marked(of, drawn, values), of.unit)
    low, high = ends(of, numbers)
    return grammar.linear(of.title, numbers, of.unit, low, high, of.ticks)


def marked(
    of: Scale, drawn: Sequence[float], values: Sequence[float]
) -> tuple[tuple[float, float], list[float], list[str]]:
    """The ends of an axis with a margin, and the places that are marked, each with its value."""
    margin = of.margin * (drawn[-1] - drawn[0])
    ends = (drawn[0] - margin - of.before, drawn[-1] + margin + (of.beyond or 0))
    both = zip(drawn, values, strict=True)
    if of.kind == "doubled":
        shown = list(both)
    else:
        shown = [(x, n) for x, n in both if n % of.every == 0 or n in of.marks]
    return ends, [x for x, _ in shown], [tick(n) for _, n in shown]


def ends(of: Scale, numbers: np.ndarray) -> tuple[float | None, float | None]:
    """The ends of a linear axis, as far as they are not those of the numbers and 0."""
    if of.parts:
        low, high = of.parts * numbers.min(), of.parts * numbers.max()
        return math.floor(low) / of.parts, math.ceil(high) / of.parts
    if of.room:
        return of.room * float(numbers.min()), of.room * float(numbers.max())
    if of.beyond is not None:
        low = of.low if of.low is not None else float(numbers[0]) - of.before
        return low, float(numbers[-1]) + of.beyond
    return of.low, of.high
