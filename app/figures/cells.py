"""Builds a panel from a mark of cells and an answer: a tensor as a matrix of colors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, shortened
from app.figures import axis_scales, traces
from app.figures.axis_scales import AxisScale
from app.figures.marks import Cells, Of, cut, resolved
from app.figures.meta import NoteLook
from app.figures.plot import Panel
from app.figures.traces import note, outline, row_sums

if TYPE_CHECKING:
    from model.answers.answer import Answer

FEW = 24  # maximum unnamed places for numbering each


def of_cells(mark: Cells, answer: "Answer", question: Question) -> list[Panel]:
    """A matrix of colors."""
    return [Matrix(mark, answer, question).panel()]


@dataclass(frozen=True)
class Matrix:
    """The cells of an answer."""

    mark: Cells
    answer: "Answer"
    question: Question

    def of(self, value: Any) -> Any:
        """The value of a field of the mark for this answer."""
        return resolved(value, self.answer, self.question)

    def field(self, name: str | Of) -> Any:
        """A field of the answer, or a computed value."""
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
        return Panel(
            self.axis(mark.x, values.shape[1], mark.columns, side="top"),
            self.axis(mark.y, values.shape[0], mark.rows, down=True),
            [trace],
            row_sums(values) if mark.sums else self.of(mark.notes) or (),
            [*self.frame(values.shape), *(self.of(mark.shapes) or ())],
            even=mark.even,
        )

    def values(self) -> np.ndarray:
        """The numbers by row and column; NaN for empty cells."""
        mark, values = self.mark, self.of(self.mark.numbers)
        if values is None:
            part = cut(mark, self.answer, self.question)
            values = part.data.numpy()
            values = values.T if list(part.axes) == [mark.x, mark.y] else values
        if mark.mask:
            values = np.where(self.answer.tensors[mark.mask].data.numpy(), values, np.nan)
        return np.where(np.isfinite(values), values, np.nan)[:, : mark.most]

    def words(self, values: np.ndarray) -> dict[str, Any]:
        """The text in the cells, and their hover text."""
        mark = self.mark
        if isinstance(mark.says, Mapping):
            meanings = [["" if np.isnan(z) else mark.says[int(z)] for z in row] for row in values]
            text = [[word[:1].upper() for word in row] for row in meanings]
            return {"customdata": meanings, "text": text}
        more, lines = {}, []
        if mark.words:
            words = self.field(mark.words)
            lines.append([[label(shortened(word, mark.longest)) for word in row] for row in words])
            more["customdata"] = [[label(word) for word in row] for row in words]
        if mark.cell_texts:
            lines.append(self.of(mark.cell_texts))
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
        """An axis of names. Many unnamed places have round ticks; an empty one only a title."""
        mark, title = self.mark, self.of(title)
        if along is None:
            return AxisScale(title, (-0.5, size - 0.5), [], [], side="top", frameless=True)
        names = self.of(along)
        if isinstance(names, AxisScale):
            return names
        if isinstance(names, str):
            if known := self.answer.axes.get(names):
                minus = "−" if known.values else "-"  # a name may contain a hyphen
                names = [name.replace("-", minus) for name in known.labels or ()] or None
            else:
                names = self.answer.fields.get(names)
        if names is None and size > FEW:
            return axis_scales.counted(title, mark.first, size, **more)
        names = names or [str(mark.first + i) for i in range(size)]
        names = [shortened(mark.names.get(name, name), mark.longest) for name in names[:size]]
        return axis_scales.named(title, names, **more)

    def places(self, axis: str | Of) -> Any:
        """The question for a click: the value or number of each place, or a computed value."""
        if callable(axis):
            return self.of(axis)
        known = self.answer.axes[axis]
        return known.values or list(range(known.size))

    def frame(self, shape: tuple[int, ...]) -> list[dict[str, Any]]:
        """A frame around the selection: black inside white, visible at either end of a scale."""
        chosen = (self.mark.chosen_row, self.mark.chosen_column)
        if not any(chosen):
            return []
        at = [self.field(name) if name else None for name in chosen]
        (top, bottom), (left, right) = (
            (-0.5, size - 0.5) if place is None else (place - 0.5, place + 0.5)
            for place, size in zip(at, shape, strict=True)
        )
        return [
            outline(role, left, right, top, bottom, width)
            for role, width in (("paper", 4), ("ink", 1.5))
        ]
