"""Marks: declarative descriptions of what a figure plots from an answer. A mark names a tensor, the
axis along the figure, and the axis with one line per place; `app.figures.build` makes the figure.
The only computation here is slicing the answer.

In hover texts, `{name}` is the line; `%{x}`, `%{y}`, and `%{z}` are Plotly's placeholders for the
point's numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from app.captions import Question
from app.figures.plot import Row

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

Place = str | float
Of = Callable[["Answer", Question], Any]
"""A value computed from an answer and its question."""
Computed = Any
"""Such a function in place of its value."""


@dataclass(frozen=True)
class Look:
    """The style of a label's line: its name and its role, which determines the color. A line has
    `dots` unless its mark says otherwise, and thin lines for its `seeds` if the answer has them.
    `end` is the name at its end, if different; None means no name.
    """

    name: str
    role: str
    dash: str = ""
    dots: bool | None = None
    seeds: bool = True
    end: str | None = ""
    hover: str = ""


Looks = Mapping[str, Look] | Callable[[Place, Question], Look]
"""The style of each label, or a function of the label's value and the question."""


@dataclass(frozen=True)
class Scale:
    """An axis: its title and unit, and its ticks. It includes the data and 0, unless `low` or
    `high` is given.

    The numbers are divided by `per`. A range ends at a multiple of 1 / `parts`, is `space` times as
    large as the numbers, extends by a `margin` of its length on either side, or by `before` below
    the first and `beyond` above the last number. It includes every number of the tensors in `holds`
    and of their seeds, drawn or not. `low` and `high` of a logarithmic axis are powers of ten.

    A "measured" or "doubled" scale has a tick at each value, an "every" scale at the multiples of
    `every` and at `marks`, and a "named" scale at each label, by its name in `names` if it has one.
    `says` has the text for a label, which is `%{customdata}` in hover texts.
    """

    title: str
    unit: str = ""
    kind: Literal["linear", "log", "rounded", "measured", "doubled", "every", "named"] = "linear"
    low: float | None = None
    high: float | None = None
    ticks: int = 5
    per: float = 1
    parts: int | None = None
    space: float | None = None
    margin: float = 0.03
    before: float = 0
    beyond: float | None = None
    holds: Sequence[str] = ()
    every: int = 1
    marks: Sequence[float] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    says: Callable[[str], str] | None = None


EVEN: dict[str, Any] = {"margin": 0, "before": 0.5, "beyond": 0.5}
"""For a named scale: half a step of margin on either side."""


@dataclass(frozen=True)
class Rule:
    """A horizontal line at a number, or a law as a function of x: a field of the answer, a finding,
    or the result of `of`, where None means no rule and NaN no point. It is dashed like a law,
    because it is not measured. Its name is at its end, or in the legend if the lines' names are
    only there, unless `named` is False.
    """

    name: str
    of: str | Of
    hover: str
    role: str = "ink-soft"
    dash: str = ""
    law: bool = False
    last: bool = False  # drawn over the lines
    named: bool = True


@dataclass(frozen=True)
class Lines:
    """Lines over the axis `x` of a tensor, one for each place of `by` or for each of the named
    `parts`. A part may come from another tensor, given as "tensor". Each line has its name at its
    end, in a legend, in both, or in neither. Behind it is a thin line for each seed or training:
    from `<tensor>.by_seed`, or from the tensor itself, whose mean is then the line. `{unit}` in a
    text is the unit of `y`.

    `at` selects a slice of the tensor: places on its axes, or in braces the fields of the question
    that name them. `each` computes the plotted numbers from that slice, of which the `places` along
    x are plotted. A vertical line is at the x given by the field `upright`, or its result. `shaded`
    computes the sides of rectangles behind the lines, x0, x1, y0, and y1; None is the panel's edge.
    Clicking a point sets the fields named in `pick`. If a training `grows`, each line has its place
    and seed.
    """

    tensor: str
    x: str
    hover: str
    looks: Looks
    x_scale: Scale | Computed
    y: Scale | Computed
    by: str = ""
    parts: Mapping[str, Mapping[str, Place]] | Computed = field(default_factory=dict)
    at: Mapping[str, Place | Of] = field(default_factory=dict)
    each: "Callable[[Cut], Cut] | None" = None
    names: Literal["ends", "legend", "both", "none"] = "ends"
    dots: bool = True
    seeds: Literal["behind each", "behind all", "above"] | None = "behind each"
    places: slice = field(default_factory=lambda: slice(None))
    rules: Sequence[Rule] = ()
    upright: str | Of = ""
    shaded: Of | None = None
    pick: Mapping[str, str] = field(default_factory=dict)
    grows: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars over the axis `x` of a tensor."""

    tensor: str
    x: str
    hover: str
    look: Look
    x_scale: Scale | Computed
    y: Scale | Computed


@dataclass(frozen=True)
class Bar:
    """The bar of a record: its place on the axis and its name, its length, its hover text, its
    role, and its series. An interval from `low` to `high`, a `stroke` at another number, and
    `dots`, each with hover text, are drawn over it. Clicking it requests `pick`.
    """

    at: int
    name: str
    length: float
    text: Any
    role: str
    series: str
    low: float | None = None
    high: float | None = None
    stroke: float | None = None
    dots: Sequence[tuple[float, str]] = ()
    pick: str | None = None


@dataclass(frozen=True)
class Records:
    """Bars of records, computed by `bars`. Bars of several series at one place are side by side, or
    stacked if `stacked`; if `level`, they are horizontal, with the first on top. There is no panel
    if `bars` is None. The hover text has the bar's text as `%{customdata}`, and its series as
    `{name}`. The horizontal bar at the `chosen` place has a frame.
    """

    bars: Of
    places: str | Of
    lengths: Scale | Of
    hover: str
    level: bool = False
    stacked: bool = False
    legend: bool = True
    interval: str = "95% interval"
    stroke: Look | None = None
    dots: Look | None = None
    pick: str = ""
    chosen: Of | None = None
    notes: Of | None = None
    shapes: Of | None = None


@dataclass(frozen=True)
class Point:
    """The point of a record: its coordinates, its hover text, its role, and its series, which has
    the symbol of its first point. Clicking it requests `pick`.
    """

    x: float
    y: float
    text: str
    role: str
    series: str
    symbol: str = "circle"
    pick: str | None = None


@dataclass(frozen=True)
class Points:
    """Points of records, computed by `points`, along axes that are computed too. The hover text has
    the point's text as `%{customdata}`, and its series as `{name}`.
    """

    points: Of
    x: Of
    y: Of
    hover: str
    size: int = 9
    opacity: float = 1
    legend: bool = True
    even: bool = False
    pick: str = ""
    notes: Of | None = None
    shapes: Of | None = None


@dataclass(frozen=True)
class Cells:
    """A tensor, or computed `numbers`, as cells: the axis `y` has a row for each place, and `x` a
    column, numbered from `first` if they have no names; without an `x`, columns are not named. A
    field of the answer, or a computed value, may name them too. Names are truncated to `longest`
    characters, and at most `most` columns are drawn. A cell that is masked, or is 0 in the tensor
    `mask`, is empty. An answer without the tensor uses the mark `otherwise`, or nothing; if there
    are no cells, the text `nothing` is shown. `{unit}` in the text of a cell is the unit.

    `ends` are those of the color scale. `text` writes the number of a cell into it. If numbers
    stand for something, `says` has the text for each: it is `%{customdata}` in hover texts, and its
    first letter is in the cell; or it computes the text of each cell. `words` are shown in the
    cells, over their numbers or `beside` them, and are truncated like names; a table includes them.
    `cell_texts` computes the printed numbers if different. `sums` are shown next to rows.

    Clicking sets the fields in `pick` and `pick_row` to the place of the column or row: the place
    along an axis, or a computed value. A frame marks the selected row, column, or cell: a field of
    the answer, or a computed value. `shapes` and `notes` are drawn over the cells.
    """

    tensor: str
    x: str | Of | None
    y: str | Of
    hover: str | Of
    columns: str | Of
    rows: str | Of
    numbers: Of | None = None
    at: Mapping[str, Place | Of] = field(default_factory=dict)
    scale: str | tuple[str, ...] = "cividis"
    ends: tuple[float, float] | Of | None = None
    unit: str | Of = ""
    text: Callable[[float], str] | None = None
    says: Mapping[int, str] | Of | None = None
    words: str | Of = ""
    beside: bool = False
    cell_texts: Of | None = None
    longest: int | None = None
    first: int = 0
    most: int | None = None
    mask: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    even: bool = False
    sums: bool = False
    bar: bool = True  # the color bar next to the cells
    empty: Literal["bare", "hatched", "hover"] = "bare"  # cells with hover text are hatched too
    pick: Mapping[str, str | Of] = field(default_factory=dict)
    tabled: bool = False  # a table has the cells' text
    pick_row: Mapping[str, str | Of] = field(default_factory=dict)
    chosen_row: str | Of = ""
    chosen_column: str | Of = ""
    shapes: Of | None = None
    notes: Of | None = None
    nothing: str = ""
    otherwise: "Mark | None" = None


@dataclass(frozen=True)
class Tiles:
    """Small maps of the same size, computed by `tiles`, `across` of them side by side; by default
    of attention weights. The hover text of a cell has its tile's text, its number, and `what`.
    `names` computes those of the rows and columns of every map; empty ones are omitted. `text`
    writes the number of a cell into it.
    """

    tiles: Of
    across: int | Computed
    rows: str = "query"
    columns: str = "key"
    what: str | Computed = "of the weight"
    scale: str | Computed = "cividis"
    ends: tuple[float, float] | Computed = (0, 1)
    unit: str | Computed = "weight"
    even: bool = False
    names: Of | None = None
    text: Callable[[float], str] | None = None
    line: float | Computed = 1.6  # height of a line over a map, in units of a tenth of its cells


@dataclass(frozen=True)
class Marks:
    """Several marks in one figure: one below the other, side by side if `across`, or in `rows`."""

    marks: Sequence["Mark"]
    across: bool = False
    rows: Sequence[Row] | Of = ()

    @property
    def tensor(self) -> str:
        return getattr(self.marks[0], "tensor", "")


Mark = Lines | Bars | Records | Points | Cells | Tiles | Marks


def resolved(value: Any, answer: "Answer", question: Question) -> Any:
    """The value of a mark's field for this answer and question."""
    return value(answer, question) if callable(value) else value


def cut(mark: Lines | Bars | Cells, answer: "Answer", question: Question) -> "Cut":
    """The slice of the tensor that a mark plots."""
    part = answer.cut(mark.tensor)
    at = getattr(mark, "at", {})
    places = {axis: resolve(place, answer, question) for axis, place in at.items()}
    part = part.at(**{axis: known(part, axis, place) for axis, place in places.items()})
    each = getattr(mark, "each", None)
    return each(part) if each else part


def resolve(place: Place | Of, answer: "Answer", question: Question) -> Place:
    """A place, or the one named by a field of the question, "{stack}", or computed."""
    place = resolved(place, answer, question)
    if isinstance(place, str) and place.startswith("{"):
        return question.get(place[1:-1]) or 0
    return place


def known(part: "Cut", axis: str, place: Place) -> Place:
    """The place; on a counted axis, the last one if it is out of range."""
    counted = part.axes[axis].labels is None and part.axes[axis].values is None
    return min(place, part.axes[axis].size - 1) if counted and not isinstance(place, str) else place
