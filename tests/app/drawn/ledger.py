"""What a figure shows and what it says of it, a line for each family of traces, notes and ticks.

The numbers of a line come from the tags of `tagging`, and its texts from `naming`: where a line
says `{score}`, the text has the label of the very slice that is drawn.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go
import torch

from app.captions.text import visible
from app.figures.plot import Plot
from model.answers.answer import Answer
from tests.app.drawn.in_full import names_of, numbers_in_full, sums, with_names
from tests.app.drawn.naming import NUMBER, TENSOR, Cell, Text, apart, called, rounds, templates
from tests.app.drawn.slices import Slice, slices_of
from tests.app.drawn.tagging import Origins, leaves
from tests.app.drawn.vocabulary import SUB_LAYERS, aliases

LONGEST = 40  # signs of a text in a record that is a name
UNTOLD = ("tensor", "seed")  # axes by which no colour is chosen
SPLIT = 12  # the most labels of an axis that are tried one by one, of which a number is made
MAX_FIELDS = 400  # numbers of the fields among which one that is said is looked for
MOST = 12  # the most templates that are listed one by one


Place = tuple[Cell, float | None, str, str]


class Namer:
    """What the axes of an answer are called at each of their numbers."""

    def __init__(self, word: str, answer: Answer, origins: Origins) -> None:
        self.word, self.answer, self.sources = word, answer, origins.sources
        self.known = cache(self.forms)

    def __call__(self, axis: str, at: int) -> dict[str, str]:
        return self.known(axis, at)

    def forms(self, axis: str, at: int) -> dict[str, str]:
        axis = axis.rstrip("'")
        forms: dict[str, str] = {}
        if axis == "tile":
            return {"0": ""}
        if axis == TENSOR:
            name = self.sources[at].name.removeprefix("fields.")
            shown = aliases(self.word, TENSOR, name)
            return {"": name, "shown": shown, "words": re.sub("[_.-]", " ", name), "0": ""}
        known = self.answer.axes.get(axis)
        if known is None:
            record = self.record(axis, at)
            if isinstance(record, dict):
                forms |= {
                    name: visible(said)
                    for name, said in record.items()
                    if isinstance(said, str) and len(said) < LONGEST
                }
        else:
            if known.labels is not None:
                forms[""] = visible(known.labels[at])
                forms["shown"] = aliases(self.word, axis, known.labels[at])
                forms["words"] = known.labels[at].replace("_", " ").replace("-", " ")
                forms |= pieces(known.labels[at])
            if known.values is not None:
                forms["value"] = f"{known.values[at]:g}".replace("-", "−")
        return forms | {"0": str(at), "1": str(at + 1)}

    def beside(self, cell: Cell) -> dict[str, float]:
        """All numbers of the answer that stand at a cell: of the tensors that have no other axes,
        and of the record that it is in.
        """
        found = {}
        for name, tensor in self.answer.tensors.items():
            if tensor.axes and all(axis in cell for axis in tensor.axes):
                at = [cell[axis] for axis in tensor.axes]
                if all(i < size for i, size in zip(at, tensor.data.shape, strict=True)):
                    found[name] = float(tensor.data[tuple(at)])
        for axis, at in cell.items():
            record = self.record(axis, at) if axis.startswith("fields.") else None
            for name, value in (record if isinstance(record, dict) else {}).items():
                if isinstance(value, int | float):
                    found[f"{axis}:{name}"] = float(value)
        return found

    def record(self, path: str, at: int) -> Any:
        value: Any = self.answer.fields
        for part in path.removeprefix("fields.").split("."):
            name = part.removesuffix("[]")
            value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
            if part.endswith("[]") or value is None:
                return None
        return value[at] if isinstance(value, list | tuple) and at < len(value) else None


def pieces(name: str) -> dict[str, str]:
    """What the name of an activation says: its stack, layer, sub-layer and head."""
    found = re.match(r"(?:(encoder|decoder)\.)?(?:(\d+)\.)?([\w.]+)", name)
    if not found or "." not in name:
        return {}
    stack, layer, path = found.groups()
    head = re.search(r"\[(?:head )?(\d+)\]", name)
    sub = next((said for part in path.split(".") if (said := SUB_LAYERS.get(part))), None)
    said = {"stack": stack, "layer": layer, "head": head and head[1], "sub-layer": sub}
    if layer and head:
        said["layer.head"] = f"{layer}.{head[1]}"
    return {name: each for name, each in said.items() if each}


def shared(cells: Sequence[Cell]) -> Cell:
    """What all cells have, in the order in which the first has it."""
    common = dict(cells[0]) if cells else {}
    for cell in cells[1:]:
        for axis in [axis for axis, number in common.items() if cell.get(axis) != number]:
            del common[axis]
    return common


@dataclass
class Shown:
    """A trace and its slices, by drawn place the cell and the number there."""

    number: int
    trace: Any
    panel: str
    of: str
    slices: list[Slice]
    left: int
    origins: Origins
    made_of: dict[str, Cell] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.asarray(getattr(self.trace, self.of), dtype=float)

    @cached_property
    def cells(self) -> dict[tuple[int, ...], Cell]:
        return {
            place: {**cell, TENSOR: source}
            for one in self.slices
            for source in [self.origins.sources.index(one.source)]
            for place, cell in one.cells.items()
        }

    def fixed(self) -> Cell:
        """What stands still in all of a trace."""
        every = [
            {**one.fixed, TENSOR: self.origins.sources.index(one.source)} for one in self.slices
        ] or list(self.made_of.values())
        return shared(every)

    def signature(self) -> str:
        return " + ".join(
            f"{one.turned}{one.source.name}"
            + (f"[{', '.join(self.axis(one, axis) for axis in one.names)}]" if one.names else "")
            for one in self.slices
        ) + "".join(
            f" made of {name}[{', '.join(f'{axis}*' for axis in cell if axis != TENSOR)}]"
            for name, cell in self.made_of.items()
        )

    def axis(self, one: Slice, axis: str) -> str:
        if axis in one.fixed:
            return f"{axis}*"
        return f"{axis} {one.moves(axis)}"


def shown(figure: go.Figure, origins: Origins) -> list[Shown]:
    """The traces of a figure with what they show."""
    found = []
    for i, trace in enumerate(figure.data):
        panel = (getattr(trace, "xaxis", None) or "x").removeprefix("x") or "1"
        kinds = ["z"] if getattr(trace, "z", None) is not None else ["y", "x"]
        tried = []
        for kind in kinds:
            slices, left = slices_of(getattr(trace, kind), origins)
            tried.append(Shown(i, trace, panel, kind, slices, left, origins))
        best = max(tried, key=lambda one: sum(len(each.at) for each in one.slices))
        if sum(len(each.at) for each in best.slices) < best.left:  # a few are equal by chance
            best = replace(best, left=best.left + 1, slices=[])
        found.append(best)
    return found


def described(
    word: str,
    draw: Callable[[Answer], Plot],
    answer: Answer,
    origins: Origins,
    question: Mapping[str, Any],
) -> list[str]:
    """The lines that say what a figure shows."""
    namer, figure = Namer(word, answer, origins), go.Figure(draw(answer))
    traces = made(shown(figure, origins), draw, answer)
    known = numbers_known(answer, question, traces)
    lines: Counter[str] = Counter()
    for line in panels(figure, traces, namer, known):
        lines[line] += 1
    groups: dict[tuple, list[Shown]] = {}
    for one in traces:
        groups.setdefault((one.panel, one.trace.type, one.of, one.signature()), []).append(one)
    forms: dict[tuple, set[str]] = {}
    for (panel, *family), group in groups.items():
        forms.setdefault(tuple(family), set()).update(f"{panel} {form_of(one)}" for one in group)
    for (_, *family), group in groups.items():
        lines.update(of_traces(figure, group, namer, len(forms[tuple(family)]) > 1))
    lines.update(of_notes(figure, traces, namer, known))
    with numbers_in_full():
        spoken = draw(answer)
    names, more = names_of(answer, question), known | sums(answer, namer)
    for part, text in told(spoken):
        named = with_names(text, namer, origins, more, names)
        for said in templates([Text(named)], namer, known):
            lines[f"{part}: {said}"] += 1
    return [f"{line} ×{count}" if count > 1 else line for line, count in lines.items()]


def told(figure: Plot) -> Iterator[tuple[str, str]]:
    """The title, the description and all other texts of `layout.meta`."""
    skipped = {
        "call",
        "weights_sha256",
        "source",
        "formula",
        "input",
        "model",
        "seed",
        "kind",
        "rows",
        "switches",
        "notes",
        "shape",
        "axes",
        "explained",
    }
    for name, value in (figure["layout"]["meta"] or {}).items():
        if name not in skipped:
            yield from texts_in(value, name)


def texts_in(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """A line for each text, for each record of a list, and for each list of words."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_in(inner, f"{path}.{key}")
    elif not isinstance(value, list | tuple):
        yield path, plainly(value)
    elif any(isinstance(one, dict) for one in value):
        for one in value:
            yield path, " · ".join(f"{key} {plainly(inner)}" for key, inner in one.items())
    elif any(isinstance(one, list | tuple) for one in value):
        for inner in value:
            yield from texts_in(inner, path)
    elif any(str(one).endswith(".") for one in value):
        for i, sentence in enumerate(value):
            yield f"{path} {i}", sentence
    else:
        yield path, " · ".join(map(plainly, value))


def plainly(value: Any) -> str:
    """A part of `layout.meta` as a text; its real numbers are printed in full."""
    return f"⟦{value!r}⟧" if isinstance(value, float) and not value.is_integer() else str(value)


def numbers_known(
    answer: Answer, question: Mapping[str, Any], traces: list[Shown]
) -> dict[str, float]:
    """Numbers that a text may say of a whole figure, by what they are."""
    known: dict[str, float] = {}
    for name, value in {**answer.fields, **question}.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            known[name] = float(value)
    for name, axis in answer.axes.items():
        known[f"size {name}"] = float(axis.size)
    for part in ("findings", "facts"):
        for one in answer.fields.get(part) or ():
            value = one.value if one.value is not None else getattr(one, "mean", None)
            if isinstance(value, int | float):
                known[f"{part} {one.name}"] = float(value)
    for i, (path, _, at, value) in enumerate(leaves(answer.fields)):
        if i < MAX_FIELDS:
            known.setdefault(path + str(list(at) if at else ""), value)
    for i, one in enumerate(traces[:40]):
        finite = one.numbers[np.isfinite(one.numbers)].astype(float)
        if finite.size and finite.size < 5000:
            known |= {
                f"largest of {i}": finite.max(),
                f"smallest of {i}": finite.min(),
                f"first of {i}": finite.flat[0],
                f"last of {i}": finite.flat[-1],
                f"sum of {i}": finite.sum(),
                f"number of {i}": float(finite.size),
            }
    return {name: value for name, value in known.items() if math.isfinite(value)}


def axis_of(figure: go.Figure, panel: str, which: str) -> Any:
    return figure.layout[f"{which}axis{'' if panel == '1' else panel}"]


def panels(
    figure: go.Figure, traces: list[Shown], namer: Namer, known: Mapping[str, float]
) -> Iterator[str]:
    """Both axes of each panel: type, direction, and what its ticks are."""
    for panel in dict.fromkeys(one.panel for one in traces):
        for which in "xy":
            axis = axis_of(figure, panel, which)
            down = "reversed " if axis.range and axis.range[0] > axis.range[1] else ""
            values, names = list(axis.tickvals or ()), list(axis.ticktext or ())
            cells = [cell_at(traces, panel, which, value) for value in values]
            texts = [
                Text(str(name), cell) if cell else Text(f"⟦{name}⟧" if name else "")
                for name, cell in zip(names, cells, strict=True)
            ]
            ticks = (
                {"numbers": 1}
                if all(is_number(*one) for one in zip(values, names, strict=True))
                else apart(templates(texts, namer, {}), namer)
            )
            yield f"panel {panel} {which}: {down}{axis.type} ticks {many(ticks)}"


def is_number(value: float, name: str) -> bool:
    """Whether the name of a tick is its number; a tick without a name says nothing wrong."""
    power = re.fullmatch(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", str(name))
    said = f"1 × 10{power[1]}" if power else str(name)
    return not said or (
        bool(NUMBER.fullmatch(said))
        and (
            rounds(value, said)
            or near(
                value,
                float(said.replace("−", "-")) if "×" not in said and "%" not in said else math.nan,
            )
        )
    )


def many(found: Mapping[str, int]) -> str:
    """Templates in the order of the alphabet; of very many the first, and how many others."""
    said = sorted(name or "-" for name in found)
    return " ; ".join(said[:MOST]) + (f" ; and {len(said) - MOST} more" if len(said) > MOST else "")


def cell_at(traces: list[Shown], panel: str, which: str, value: float) -> Cell | None:
    """What stands still in all that is drawn at one place of an axis."""
    found = []
    for one in traces:
        if one.panel != panel:
            continue
        places = places_along(one, which)
        for place, cell in one.cells.items():
            at = places(place)
            if at is not None and abs(at - value) < 1e-6 * max(1, abs(value)):
                found.append(cell)
    return shared(found) or None


def made(traces: list[Shown], draw: Callable[[Answer], Plot], answer: Answer) -> list[Shown]:
    """The traces, those whose numbers are made of others with what they are made of: the tensors
    whose change changes them, and the one label of an axis without which nothing would.
    """
    open_ = [one for one in traces if not one.slices and np.isfinite(one.numbers).any()]
    if not open_:
        return traces
    found: dict[int, dict[str, Cell]] = {one.number: {} for one in open_}
    for name, tensor in answer.tensors.items():
        touched = changes(draw, answer, name, None, 0, open_)
        if not touched:
            continue
        moved: dict[int, dict[str, list[int]]] = {number: {} for number in touched}
        for i, axis in enumerate(tensor.axes):
            if answer.axes[axis].size <= SPLIT:
                for at in range(answer.axes[axis].size):
                    for number in changes(draw, answer, name, i, at, open_):
                        moved.setdefault(number, {}).setdefault(axis, []).append(at)
        for number in touched:
            still = {axis: at[0] for axis, at in moved[number].items() if len(at) == 1}
            found[number][name] = still
    return [replace(one, made_of=found.get(one.number, {})) for one in traces]


def changes(
    draw: Callable[[Answer], Plot],
    answer: Answer,
    name: str,
    axis: int | None,
    at: int,
    traces: list[Shown],
) -> set[int]:
    """The traces whose numbers change where those of a tensor do, in a slice of it or in all."""
    tensor = answer.tensors[name]
    data = tensor.data.clone().double()
    part = data if axis is None else data.select(axis, at)
    part *= 0 if tensor.data.dtype == torch.bool else 0.97
    kept = data > 0 if tensor.data.dtype == torch.bool else data
    other = replace(tensor, data=kept.to(tensor.data.dtype))
    try:
        figure = draw(replace(answer, tensors={**answer.tensors, name: other}, inputs=answer.axes))
    except (KeyError, IndexError, ValueError, AssertionError, ZeroDivisionError):
        return set()  # a state that there is not; then nothing is made of it by arithmetic
    if len(figure["data"]) <= max(one.number for one in traces):
        return {one.number for one in traces}
    return {
        one.number
        for one in traces
        if not np.array_equal(
            np.asarray(figure["data"][one.number][one.of], dtype=float),
            one.numbers,
            equal_nan=True,
        )
    }


def places_along(one: Shown, which: str):
    """The place on an axis of a drawn number, by its place among the numbers."""
    along = getattr(one.trace, which, None)
    if one.of == "z":
        shift = 1 if which == "x" else 0

        def at(place: tuple[int, ...]) -> float | None:
            i = place[shift]
            if along is None:
                return float(i)
            return (
                float(along[i])
                if len(along) == one.numbers.shape[shift]
                else (float(along[i]) + float(along[i + 1])) / 2
            )

        return at
    if along is None:
        return lambda place: None
    return lambda place: float(along[place[0]]) if along[place[0]] is not None else None


def of_traces(figure: go.Figure, group: list[Shown], namer: Namer, roles: bool) -> Counter[str]:
    """The lines of the traces of one family, in each of which the labels of its slice are named."""
    lines: Counter[str] = Counter()
    places = {}
    for part, texts in parts_of(figure, group).items():
        places[part] = {}
        for i, every in texts.items():
            places[part][i] = every
    said: dict[int, list[str]] = {one.number: [] for one in group}
    for part, texts in places.items():
        # Over the whole family, so that a place in a text means one axis.
        whole = templates([text for every in texts.values() for text in every], namer, {})
        of = {id(text): name for name, every in whole.items() for text in every}
        for number, every in texts.items():
            own: dict[str, list[Text]] = {}
            for text in every:
                own.setdefault(of[id(text)], []).append(text)
            said[number].append(f"{part} {many(apart(own, namer))}")
    shapes = {one.number: form_of(one) for one in group}
    for one in group:
        told_of = " | ".join(said[one.number])
        silent = [
            f"{axis}={called(namer, axis, at)}"
            for axis, at in sorted(one.fixed().items())
            if (axis != TENSOR and f"{{{axis}" not in told_of) or (roles and axis not in UNTOLD)
        ]
        lines[
            f"{one.panel} {shapes[one.number]}: {one.of} {one.signature()}"
            + (f" ({', '.join(silent)})" if silent else "")
            + f" | {told_of}"
        ] += 1
    return lines


def form_of(one: Shown) -> str:
    """The type of a trace, its role or scale, and its whole numbers, which have no tags."""
    trace, meta = one.trace, one.trace.meta or {}
    parts = [trace.type]
    if getattr(trace, "orientation", None):
        parts.append(trace.orientation)
    if trace.type == "scatter":
        parts.append(trace.mode)
        if trace.line and trace.line.dash:
            parts.append(f"dash {trace.line.dash}")
    if "role" in meta:
        roles = meta["role"]
        parts.append(f"role {runs(roles) if isinstance(roles, list) else roles}")
    if trace.type == "heatmap":
        parts.append(f"scale {meta.get('scale')} {'fitted' if meta.get('fitted') else ends(one)}")
        parts += ["hatched"] * bool(meta.get("hatched"))
        empty = ~np.isfinite(one.numbers)
        if empty.any():
            parts.append(f"empty {int(empty.sum())} {zlib.crc32(np.packbits(empty).tobytes()):x}")
    whole = np.nan_to_num(one.numbers)
    whole = np.where(whole == np.round(whole), whole, 0)
    if one.left and not one.slices and not one.made_of:
        finite = one.numbers[np.isfinite(one.numbers)]
        parts.append(f"law {finite.flat[0]:.3g} to {finite.flat[-1]:.3g}")
    elif whole.any() and not one.slices:
        parts.append(f"whole {zlib.crc32(whole.astype('<i8').tobytes()):x}")
    return " ".join(parts)


def ends(one: Shown) -> str:
    """What the ends of a colour scale are: whole numbers, or those of the data."""
    finite = one.numbers[np.isfinite(one.numbers)].astype(float)
    data = {"smallest": finite.min(initial=0), "largest": finite.max(initial=0)}
    data |= {"largest size": np.abs(finite).max(initial=0)}
    data |= {"minus largest size": -data["largest size"]}
    said = []
    for end in (one.trace.zmin, one.trace.zmax):
        names = [name for name, value in data.items() if near(float(value), float(end))]
        said.append(f"{end:g}" if float(end).is_integer() else names[0] if names else "another")
    return " to ".join(said)


def runs(values: Iterable[str]) -> str:
    """Equal neighbours counted."""
    found: list[list] = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1][1] += 1
        else:
            found.append([value, 1])
    return ",".join(f"{value}×{count}" for value, count in found[:12])


def parts_of(figure: go.Figure, group: list[Shown]) -> dict[str, dict[int, list[Text]]]:
    """The texts of traces by where they stand, each at its cell."""
    found: dict[str, dict[int, list[Text]]] = {}
    for one in group:
        trace, cells, fixed = one.trace, one.cells, one.fixed()

        def put(part: str, texts: list[Text], number: int = one.number) -> None:
            if texts:
                found.setdefault(part, {})[number] = texts

        put("name", [Text(trace.name or "", fixed)])
        put("hover", [Text(spaced(trace.hovertemplate or ""), fixed)])
        put("x title", [Text(axis_of(figure, one.panel, "x").title.text or "", fixed)])
        put("y title", [Text(axis_of(figure, one.panel, "y").title.text or "", fixed)])
        if trace.type == "heatmap" and trace.colorbar and trace.showscale is not False:
            put("colour title", [Text(trace.colorbar.title.text or "", fixed)])
        numbers = one.numbers
        for part in ("customdata", "text", "hovertext"):
            given = getattr(trace, part, None)
            if given is None:
                continue
            put_each(put, part, given, cells, numbers, one.origins)
            if not cells:
                put_all(put, part, given, numbers.ndim, one.origins)
        other = {"y": "x", "x": "y"}.get(one.of)
        moves = len({tuple(sorted(cell.items())) for cell in cells.values()}) > 1
        if other and getattr(trace, other) is not None and (moves or len(cells) == 1):
            along = getattr(trace, other)
            texts = [
                Text(
                    f"{float(along[place[0]]):g}".replace("-", "−")
                    if along[place[0]] is not None
                    else "",
                    cell,
                )
                for place, cell in cells.items()
            ]
            put(other, texts)
        pick = (trace.meta or {}).get("pick") or {}
        for name, values in pick.items():
            if np.shape(values)[: numbers.ndim] == numbers.shape:
                texts = [Text(str(at(values, place)), cell) for place, cell in cells.items()]
                put(f"pick {name}", texts)
        for i, tile in enumerate((trace.meta or {}).get("tiles") or ()):
            height, width = trace.meta["size"]
            inside = within(one, tile[1], tile[2], height, width)
            parts = [*tile[3:], tile[0]]
            parts = [
                ", ".join(f"{key} {value}" for key, value in part.items())
                if isinstance(part, dict)
                else str(part)
                for part in parts
            ]
            tiles = found.setdefault("tiles", {}).setdefault(one.number, [])
            tiles.append(Text(" / ".join(parts), {**inside, "tile": i}))
        for name, values in ((trace.meta or {}).get("pick_row") or {}).items():
            rows = {place[0]: cell for place, cell in cells.items()}
            put(
                f"pick row {name}",
                [
                    Text(str(values[row]), common_of(cells, 0, row))
                    for row in rows
                    if row < len(values)
                ],
            )
        for name, values in ((trace.meta or {}).get("pick_column") or {}).items():
            columns = {place[-1]: cell for place, cell in cells.items()}
            put(
                f"pick column {name}",
                [Text(str(values[c]), common_of(cells, -1, c)) for c in columns if c < len(values)],
            )
    return found


def at(values: Any, place: tuple[int, ...]) -> Any:
    for i in place:
        values = values[i]
    return values


def within(one: Shown, top: int, left: int, height: int, width: int) -> Cell:
    """What stands still in a part of a heat map."""
    cells = [
        cell
        for (row, column), cell in one.cells.items()
        if top <= row < top + height and left <= column < left + width
    ]
    return shared(cells)


def common_of(cells: Mapping[tuple[int, ...], Cell], which: int, at: int) -> Cell:
    """What stands still in a row or column of cells."""
    return shared([cell for place, cell in cells.items() if place[which] == at])


def spaced(hover: str) -> str:
    return hover.replace("<extra></extra>", "").replace("<br>", " / ")


def put_all(put, part: str, given: Any, depth: int, origins: Origins) -> None:
    """The texts of a trace whose numbers count, or are made of several."""
    for _ in range(depth - 1):
        given = [inner for row in given for inner in row]
    several = any(isinstance(one, list | tuple) for one in given)
    by_kind = zip(*given, strict=False) if several else [given]
    for i, texts in enumerate(by_kind):
        put(
            f"{part}{i if several else ''}",
            [
                Text(of_origin(text, {}, origins) if isinstance(text, float) else str(text))
                for text in texts
                if text is not None
            ],
        )


def of_origin(number: float, cell: Cell, origins: Origins) -> str:
    """The tensor or the field that a number is from, and whether at the same cell."""
    if not (found := origins.of_number(number)):
        return ""
    source = origins.sources[found[0][0]]
    here = all(cell.get(axis, at) == at for axis, at in zip(source.axes, found[0][1], strict=False))
    return f"⟦{source.name.removeprefix('fields.')}{'' if here else ' of another place'}⟧"


def put_each(
    put, part: str, given: Any, cells: Mapping, numbers: np.ndarray, origins: Origins
) -> None:
    """The texts of each cell; where there are several for a cell, each kind by its number."""
    by_kind: dict[str, list[Text]] = {}
    for place, cell in cells.items():
        at = given
        try:
            for i in place:
                at = at[i]
        except (IndexError, TypeError):
            continue
        value = float(numbers[place])
        several = at if isinstance(at, list | tuple | np.ndarray) else None
        for i, inner in enumerate(several if several is not None else [at]):
            said = str(inner)
            if isinstance(inner, float):
                own = near(value, inner) or not math.isfinite(inner)
                said = (not own and of_origin(inner, cell, origins)) or plain(inner)
            by_kind.setdefault(f"{part}{i if several is not None else ''}", []).append(
                Text(said, cell, value)
            )
    for kind, texts in by_kind.items():
        put(kind, texts)


def plain(number: float) -> str:
    """A number with six digits, as a reader would write it."""
    if not math.isfinite(number) or not number:
        return "0" if number == 0 else ""
    digits = max(0, 5 - math.floor(math.log10(abs(number))))
    return f"{number:.{digits}f}".replace("-", "−")


def of_notes(
    figure: go.Figure, traces: list[Shown], namer: Namer, known: Mapping[str, float]
) -> Counter[str]:
    """The notes in a figure, each at the cell that it stands at, if it stands at one."""
    groups: dict[tuple[str, str, str], list[Text]] = {}
    looks = figure.layout.meta.get("notes", ())
    for note, look in zip(figure.layout.annotations or (), looks, strict=True):
        look = look or {"kind": "", "role": ""}
        kind = look["kind"] + "?" * look.get("spare", False)
        of = str(look.get("step", look.get("ground", look["role"])))
        own = of if of == look["role"] and kind != "fit" else ""
        cell, value, where, role = stands_at(figure, traces, note, own)
        of = "own role" if own and own == role else of
        groups.setdefault((kind, of, where), []).append(Text(note.text or "", cell, value))
    lines: Counter[str] = Counter()
    several = Counter((kind, where) for kind, of, where in groups if of != "own role")
    for (kind, of, where), texts in groups.items():
        always = several[kind, where] > 1
        for said, count in apart(templates(texts, namer, known), namer, always).items():
            lines[" ".join(filter(None, ("note", kind, of, where))) + f": {said}"] += count
    for shape in figure.layout.shapes or ():
        if shape.name and shape.name.startswith("fill"):
            lines[f"shape {shape.name}: {extent(shape)}"] += 1
        elif shape.name:
            lines[f"shape {shape.name}"] += 1
    return lines


def extent(shape: Any) -> str:
    """The columns and rows that a shape fills, which begin and end at halves, or at 0 or 1."""
    ends = {"x": (shape.x0, shape.x1), "y": (shape.y0, shape.y1)}
    return " ".join(
        f"{which} {low:g} to {high:g}"
        for which, (low, high) in ends.items()
        if low is not None and all(float(2 * end).is_integer() for end in (low, high))
    )


def stands_at(figure: go.Figure, traces: list[Shown], note: Any, own: str) -> Place:
    """The cell at which a note stands, its number, of what family of traces, and their role, which
    is the note's `own` where traces of several stand there.
    """
    panel = (note.xref or "x").split()[0].removeprefix("x") or "1"
    if panel == "paper":
        return {}, None, "paper", ""
    x, y = note.x, note.y
    for which in "xy":
        if axis_of(figure, panel, which).type == "log":
            x, y = (10.0**x, y) if which == "x" else (x, 10.0**y)
    ends: list[Place] = []
    for one in traces:
        if one.panel != panel or one.of == "z":
            continue
        at_x, at_y = places_along(one, "x"), places_along(one, "y")
        cells = one.cells or {(i,): one.fixed() for i in range(one.numbers.size)}
        for place, cell in cells.items():
            if near(at_x(place), x) and near(at_y(place), y):
                of = one.signature() or "a law"
                ends.append((cell, float(one.numbers[place]), f"at {of}", role_of(one, place)))
    if ends:
        return next((end for end in ends if end[3] == own), ends[0])
    for one in traces:
        if one.panel != panel or one.of != "z":
            continue
        meta = one.trace.meta or {}
        if "tiles" in meta:
            return tile_at(one, meta, x, y)
        at_x, at_y = places_along(one, "x"), places_along(one, "y")
        for place, cell in one.cells.items():
            if near(at_x(place), x) and near(at_y(place), y):
                return cell, float(one.numbers[place]), "in cell", ""
        row = [(place, cell) for place, cell in one.cells.items() if near(at_y(place), y)]
        if row:
            return (
                common_of(one.cells, 0, row[0][0][0]),
                float(np.nansum(one.numbers[row[0][0][0]])),
                "at row",
                "",
            )
        column = [(place, cell) for place, cell in one.cells.items() if near(at_x(place), x)]
        if column:
            return (
                common_of(one.cells, 1, column[0][0][1]),
                float(np.nansum(one.numbers[:, column[0][0][1]])),
                "at column",
                "",
            )
    lines = [one for one in traces if one.panel == panel]
    for which, at in (("x", x), ("y", y)):
        for place in (at, round(at)):  # beside a bar, a note is of the bar
            if cell := cell_at(lines, panel, which, place):
                return cell, None, f"at {which}", ""
    return {}, None, "elsewhere", ""


def role_of(one: Shown, place: tuple[int, ...]) -> str:
    """The role of a trace at a place of it."""
    role = (one.trace.meta or {}).get("role", "")
    return role if isinstance(role, str) else role[place[0]]


def tile_at(one: Shown, meta: Any, x: float, y: float) -> Place:
    """What stands still in the small map whose heading a note is."""
    height, width = meta["size"]
    edges_x, edges_y = np.asarray(one.trace.x, float), np.asarray(one.trace.y, float)
    best = None
    for _, r, c, *_ in meta["tiles"]:
        over = abs(edges_x[c] - x) < 1e-6 and edges_y[r] >= y - 1e-9
        if over and (best is None or edges_y[r] < edges_y[best[0]]):
            best = (r, c)
    if best is None:
        return {}, None, "elsewhere", ""
    r, c = best
    common = within(one, r, c, height, width)
    return common, None, "over tile", ""


def near(a: float | None, b: float) -> bool:
    return a is not None and abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b))
