"""Marks: what a figure draws of an answer, said axis by axis. A mark names a tensor and says which
of its axes lies along the figure and which has a line for each of its places; `app.figures.build`
makes the figure. All that is computed here is which part of an answer a mark draws.

In a text that says what is pointed at, `{name}` is the line; `%{x}`, `%{y}` and `%{z}` are
Plotly's, the numbers of the point.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from app.captions import Question
from app.figures.panels import Row

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

Place = str | float
Of = Callable[["Answer", Question], Any]
"""What is computed from an answer and its question."""
Computed = Any
"""Such a function in the place of what it gives."""


@dataclass(frozen=True)
class Look:
    """How the line of a label looks: what it is called and its role, which has a colour. A
    line has `dots` unless its mark says otherwise, and thin lines for its `seeds` where the answer
    has them. `end` is its name at its end, where it is another; None is no name.
    """

    name: str
    role: str
    dash: str = ""
    dots: bool | None = None
    seeds: bool = True
    end: str | None = ""
    hover: str = ""


Looks = Mapping[str, Look] | Callable[[Place, Question], Look]
"""The look of each label, or how it follows from what the label stands for and the question."""


@dataclass(frozen=True)
class Scale:
    """An axis: its title and unit, and what is marked on it. It holds what is drawn, and 0, unless
    `low` or `high` says otherwise.

    The numbers are divided by `per`. A range ends at a multiple of 1 / `parts`, is `space` times as
    large as the numbers, begins and ends a `margin` of its length before and after them, begins
    `before` the first or ends `beyond` the last of them. It holds every number of the tensors that
    it `holds` and of their seeds, drawn or not. `low` and `high` of logarithms are powers of ten.

    Of a "measured" or "doubled" scale each value is marked, of an "every" scale the multiples of
    `every`, besides those of `marks`, and of a "named" scale each label, by its name in `names` if
    it has one. `says` has the words for a label, which are `%{customdata}` when a point is pointed
    at.
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
"""Of a named scale: as much room beside the first and the last place as between two."""


@dataclass(frozen=True)
class Rule:
    """A stated number over the whole width, or a law over x: a field of the answer, a finding, or
    what `of` computes, where None is no rule and NaN no point of it. It is dashed like a law, and
    is not measured. It has its name at its end, or in a legend if lines have theirs there alone,
    unless it is not `named`.
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
    """Lines over the axis `x` of a tensor, one for each place of `by` or for each of the `parts`
    that are named. A part may be one of another tensor, which stands in it as "tensor". Each has
    its name at its end, in a legend, in both or in none. Behind it stands a thin line for each seed
    or training: of `<tensor>.by_seed`, or of the tensor itself, of which the line is then the mean.
    `{unit}` in a text is that of `y`.

    `at` says which part of the tensor is drawn: places of its axes, or in braces the fields of the
    question that name them. `each` computes what is drawn from that part, of which the `places`
    along x are drawn. An upright line stands where x is the field `upright`, or what it computes.
    `shaded` computes the sides of rectangles behind the lines, x0, x1, y0 and y1; one that is None
    is the panel's edge. A click on a point asks for its places in the fields that `pick` names.
    Where a training `grows`, each line says which place and which seed it is of.
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
    """The bar of a record: its place along the axis and what it is called, its length, what it says
    when it is pointed at, its role and its series. An interval from `low` to `high`, a `stroke` at
    another number and `dots`, each with what it says, stand over it. A click asks for `pick`.
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
    """Bars of records, which `bars` computes. Bars of several series at one place stand beside each
    other, or on each other if they are `stacked`; those that are `level` begin at the left, the
    first on top. There is no panel where `bars` is None. What a bar says is `%{customdata}`, and
    its series `{name}`. The level bar at the `chosen` place has a frame.
    """

    bars: Of
    places: str | Of
    lengths: Scale | Of
    hover: str
    level: bool = False
    stacked: bool = False
    legend: bool = True
    interval: str = "interval of 95 %"
    stroke: Look | None = None
    dots: Look | None = None
    pick: str = ""
    chosen: Of | None = None
    notes: Of | None = None
    shapes: Of | None = None


@dataclass(frozen=True)
class Point:
    """The point of a record: where it stands, what it says when it is pointed at, its role and its
    series, whose symbol is that of its first point. A click asks for `pick`.
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
    """Points of records, which `points` computes, along axes that are computed too. What a point
    says is `%{customdata}`, and its series `{name}`.
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
    """A tensor, or `numbers` that are computed from it, as cells: the axis `y` has a row for each
    place, and `x` a column, counted from `first` on where they have no names; without an `x`
    columns are not named at all. A field of the answer, or what is computed, may name them, too.
    Names are cut where they are longer than `longest`, and at most so many columns are drawn as
    `most` says. A cell that is masked, or is 0 in the tensor `mask`, stays empty. An answer without
    the tensor has the mark `otherwise`, or nothing; where it has no cells, `nothing` is said
    instead. `{unit}` in the text of a cell is the unit.

    `ends` are those of the scale of colours. `text` writes the number of a cell into it. Where
    numbers stand for something, `says` has the words for each, which are `%{customdata}` when the
    cell is pointed at, and their first letter stands in it; or it computes what each cell says.
    `words` stand in the cells, over their numbers or `beside` them if these are written, and are
    cut as names are; a table says them. `written` computes the numbers where others are written.
    `sums` stand beside rows.

    A click asks for the place of its column or of its row in the fields of `pick` and `pick_row`:
    the place along an axis, or what is computed. A frame is around the chosen row, column or cell:
    a field of the answer, or what is computed. `shapes` and `notes` stand over the cells.
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
    written: Of | None = None
    longest: int | None = None
    first: int = 0
    most: int | None = None
    mask: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    even: bool = False
    sums: bool = False
    bar: bool = True  # the scale of colours stands beside the cells
    empty: Literal["bare", "hatched", "hover"] = "bare"  # those with a hover are hatched, too
    pick: Mapping[str, str | Of] = field(default_factory=dict)
    tabled: bool = False  # a table says what cells say
    pick_row: Mapping[str, str | Of] = field(default_factory=dict)
    chosen_row: str | Of = ""
    chosen_column: str | Of = ""
    shapes: Of | None = None
    notes: Of | None = None
    nothing: str = ""
    otherwise: "Mark | None" = None


@dataclass(frozen=True)
class Tiles:
    """Small maps of one size, which `tiles` computes, `across` of them side by side; of weights of
    queries for keys, unless it says otherwise. A cell says what its tile says of it, its number and
    `what`. `names` computes those of the rows and of the columns of every map; an empty one is left
    out. `text` writes the number of a cell into it.
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
    line: float | Computed = 1.6  # height of a line over a map, in cells for each ten cells


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
    """What a field of a mark is of this answer and question."""
    return value(answer, question) if callable(value) else value


def cut(mark: Lines | Bars | Cells, answer: "Answer", question: Question) -> "Cut":
    """The part of the tensor that a mark draws."""
    part = answer.cut(mark.tensor)
    at = getattr(mark, "at", {})
    places = {axis: resolve(place, answer, question) for axis, place in at.items()}
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
