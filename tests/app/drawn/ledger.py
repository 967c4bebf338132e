"""What a figure shows and what it says of it, a line for each family of traces, notes and ticks.

The numbers of a line come from the tags of `tagging`, and its texts from `naming`: where a line
says `{score}`, the text has the label of the very slice that is drawn.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures.plot import Plot
from model.answers.answer import Answer
from tests.app.drawn.cell_names import Namer
from tests.app.drawn.in_full import names_of, numbers_in_full, sums, with_names
from tests.app.drawn.made_of import with_causes
from tests.app.drawn.meta_texts import texts_of_meta
from tests.app.drawn.naming import NUMBER, Text, apart, many, rounds, templates
from tests.app.drawn.note_lines import of_notes
from tests.app.drawn.shown import Trace, axis_of, cell_at, near, traces_of
from tests.app.drawn.tagging import Origins, leaves
from tests.app.drawn.trace_lines import form_of, of_traces

MAX_FIELDS = 400  # numbers of the fields among which one that is said is looked for


def described(
    word: str,
    figure: go.Figure,
    draw: Callable[[Answer], Plot],
    answer: Answer,
    origins: Origins,
    question: Mapping[str, Any],
) -> list[str]:
    """The lines that say what a figure shows that is drawn so."""
    namer = Namer(word, answer, origins)
    traces = with_causes(traces_of(figure, origins), draw, answer)
    known = numbers_known(answer, question, traces)
    lines: Counter[str] = Counter(panels(figure, traces, namer))
    groups: dict[tuple, list[Trace]] = {}
    for trace in traces:
        key = (trace.panel, trace.trace.type, trace.of, trace.signature())
        groups.setdefault(key, []).append(trace)
    forms: dict[tuple, set[str]] = {}
    for (panel, *family), group in groups.items():
        of_panel = {f"{panel} {form_of(trace)}" for trace in group}
        forms.setdefault(tuple(family), set()).update(of_panel)
    for (_, *family), group in groups.items():
        lines.update(of_traces(figure, group, namer, len(forms[tuple(family)]) > 1))
    lines.update(of_notes(figure, traces, namer, known))
    with numbers_in_full():
        spoken = draw(answer)
    names, more = names_of(answer, question), known | sums(answer, namer)
    for part, text in texts_of_meta(spoken):
        named = with_names(text, namer, origins, more, names)
        for template in templates([Text(named)], namer, known):
            lines[f"{part}: {template}"] += 1
    return [f"{line} ×{count}" if count > 1 else line for line, count in lines.items()]


def numbers_known(
    answer: Answer, question: Mapping[str, Any], traces: list[Trace]
) -> dict[str, float]:
    """Numbers that a text may say of a whole figure, by what they are."""
    known: dict[str, float] = {}
    for name, value in {**answer.fields, **question}.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            known[name] = float(value)
    for name, axis in answer.axes.items():
        known[f"size {name}"] = float(axis.size)
    for part in ("findings", "facts"):
        for finding in answer.fields.get(part) or ():
            value = finding.value if finding.value is not None else getattr(finding, "mean", None)
            if isinstance(value, int | float):
                known[f"{part} {finding.name}"] = float(value)
    for i, (path, _, at, value) in enumerate(leaves(answer.fields)):
        if i < MAX_FIELDS:
            known.setdefault(path + str(list(at) if at else ""), value)
    for i, trace in enumerate(traces[:40]):
        finite = trace.numbers[np.isfinite(trace.numbers)].astype(float)
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


def panels(figure: go.Figure, traces: list[Trace], namer: Namer) -> Iterator[str]:
    """Both axes of each panel: type, direction, and what its ticks are."""
    for panel in dict.fromkeys(trace.panel for trace in traces):
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
                if all(is_number(*tick) for tick in zip(values, names, strict=True))
                else apart(templates(texts, namer, {}), namer)
            )
            yield f"panel {panel} {which}: {down}{axis.type} ticks {many(ticks)}"


def is_number(value: float, name: str) -> bool:
    """Whether the name of a tick is its number; a tick without a name says nothing wrong."""
    power = re.fullmatch(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", str(name))
    text = f"1 × 10{power[1]}" if power else str(name)
    return not text or (
        bool(NUMBER.fullmatch(text))
        and (
            rounds(value, text)
            or near(
                value,
                float(text.replace("−", "-")) if "×" not in text and "%" not in text else math.nan,
            )
        )
    )
