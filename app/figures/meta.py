"""The `meta` of figures, traces, and notes, with everything that Plotly has no attribute for: the
contract between Python, which writes it, and the page's scripts, which read it.

`python -m tests.app.contract` writes the same types for the scripts, in tests/js/meta.d.ts; tests
compare every figure with them.
"""

from typing import Any, Literal, TypedDict

from model.answers import Kind

NoteKind = Literal["end", "near", "sum", "title", "cell", "fit", "word", "here", "step"]
"""How a note gives way if there is little room. "end" is the name of a line at its end and is moved
away from others; "near" is the name of a dot, is moved too, and has no room reserved next to the
panel; "sum" is a row sum, hidden if rows are too close; "cell" is shortened to its first word;
"fit" loses the words beyond `until`; "word" is hidden if its column is narrower, "step" if any is,
unless its step is selected. "title" and "here" stay.
"""


class _Look(TypedDict):
    kind: NoteKind
    role: str


class NoteLook(_Look, total=False):
    """The kind of a note and the role of its color. `ground` is the role of its background, `until`
    a coordinate on the horizontal axis, and `step` the step of its number. With `spare`, an "end"
    is hidden if there is not room for all. `tokens` are monospaced.
    """

    ground: str
    until: float
    spare: bool
    tokens: bool
    step: int


Pick = dict[str, Any]
"""The question for a click: query fields, each with a value for each point of the trace, as a list
or as rows.
"""


class TraceMeta(TypedDict, total=False):
    """The `meta` of a trace."""

    role: str | list[str]
    """Its color role, or that of each of its bars or points."""
    scale: str | list[str]
    """The name of its color scale, or the color roles that it interpolates."""
    fitted: bool
    """Whether the scale is fitted to the numbers, instead of having explicit ends."""
    hatched: bool
    """Whether cells without a number are hatched."""
    hollow: list[bool]
    """Which of its bars or points are outlines."""
    across: float
    """The length of a horizontal stroke, as a fraction of the distance between integers."""
    worded: bool
    """Whether the texts of its cells are also those of the table, and are shortened word by
    word.
    """
    said: list[list[str]] | list[float]
    """The table's text instead of its numbers."""
    ways: list[list[str]]
    """By query and key, the text of a cell when its query is selected."""
    tabled: bool
    """False if the table omits it."""
    subtracted: bool
    """False if it is not a number of the run; a difference then has it only if both runs do."""
    column: str
    """The name of its table column, if not its own name."""
    columns: list[str]
    """The table columns of the points' text."""
    rows: list[str] | list[list[float]]
    """The names of its points in the table; over an image, the weights of every query."""
    centers: list[float]
    """The place of each of its points on the axis, if bars stand beside each other there."""
    steps: list[int]
    """The step of each of its points."""
    before: list[list[float]]
    """By row and cell, the total weight of heavier cells in the row."""
    places: list[list[float]]
    """Over an image, the coordinates of each patch."""
    tiles: list[list[Any]]
    """Its small maps: title, row and column of the first cell, text, and question for a click."""
    size: tuple[int, int]
    """The height and width of a small map, in cells."""
    names: tuple[list[str], list[str]]
    """The names of a small map's rows and columns."""
    tokens: list[list[int]]
    """Row and column of each token in a small map of patches."""
    token_names: list[str]
    """The names of these tokens."""
    pick: Pick
    """The question for clicking a point."""
    pick_row: Pick
    """The question for a click, by row."""
    of: str
    """What a running training adds to it: "rate" or "loss","""
    arm: int
    """of which network,"""
    seed: int
    """and of which seed, if not the mean."""


Group = TypedDict("Group", {"name": str, "short": str, "from": int, "to": int})
"""A name over places of an axis, and a short one for little room."""


class Table(TypedDict):
    """The numbers of a figure as text, if not those of its traces. `head` has one more entry than a
    row has values, because the first cell of a row is its name.
    """

    caption: str
    head: list[str]
    rows: list[list[str | float | None]]


class SwitchChoice(TypedDict, total=False):
    """One scale of a figure: how it changes the traces, by index, and the layout. The first choice
    is the default.
    """

    name: str
    data: dict[str, Any]
    layout: dict[str, Any]


class Switch(TypedDict):
    """A control in the foot of a figure."""

    name: str
    label: str
    choices: list[SwitchChoice]


class Fact(TypedDict):
    """A measured number, the prediction, and whether it holds."""

    term: str
    value: str
    law: str
    holds: bool


class Reading(TypedDict):
    """What was attended to when a token was generated, with the weights."""

    memory: list[str]
    weights: list[float]
    looking: str


class FigureMeta(TypedDict, total=False):
    """The `meta` of a figure."""

    title: str
    description: str
    """A description of the figure in a sentence, for screen readers."""
    caption: str
    """The text next to the title, if not the page's own."""
    kind: Kind
    formula: str
    axes: list[str]
    shape: list[int]
    """The formula, axes, and shape of its tensor."""
    source: str
    """The paper."""
    model: str
    weights_sha256: str
    input: dict[str, str]
    edited: list[str]
    """How the run differs from the original one, each in a few words."""
    seed: int
    call: str
    """The address that returns the same numbers."""
    rows: list[tuple[int, float, bool, list[float]]]
    """Its panels: how many side by side, their fraction of the height, whether they may wrap into
    several lines, and their fractions of the width if not equal.
    """
    came: float
    """On a walk, the fraction of the height from which the first panel moves up after the previous
    step.
    """
    tall: int
    """How many lines of text it needs below each other, if they are many."""
    aligned: bool
    """Whether all panels have the same margins."""
    captioned: bool
    """Whether the page describes the axes."""
    layers: list[Group]
    """Names over the places of the horizontal axis."""
    chosen: dict[str, int]
    """By axis, the place whose name is bold and always shown."""
    notes: list[NoteLook | None]
    """The style of each of `layout.annotations`."""
    window: tuple[int, int]
    """The place around which as many columns are shown as fit, and their characters."""
    switches: list[Switch]
    table: Table
    beside: dict[str, str | int]
    """The content of the elements with these ids."""
    said: str
    explained: str
    told: str
    """A sentence to be announced; the text next to the figure, and the same as HTML with its terms
    explained.
    """
    reading: str
    summary: str
    count: str
    facts: list[Fact]
    sentences: list[str] | list[list[str]]
    """The text for each step, or for each position and step."""
    shows: str
    difference: str
    """For a difference: that it is one, and what was subtracted."""
    without_bar: str
    """The title of the vertical axis if there is no room for a color bar."""
    tokens: list[str]
    titles: list[str]
    """The names of a stream's tokens, and of its steps."""
    position: int
    query: int
    sequences: int
    across: int
    """For a mask: the selected query, the number of sequences, and the columns of a grid."""
    map: str
    queries: list[str]
    keys: list[str]
    asking: list[str]
    off: bool
    strongest: list[int]
    """For an attention map: its name, its tokens, the queries with the next token, whether its head
    is off, and the heaviest key of each query.
    """
    look: Reading
    read: list[str]
    """For a generation step: what was attended to, and the tokens read."""
    names: str
    shapes: int
    scene: list[dict[str, str | float]]
    room: dict[str, float]
    """The number of shapes in a picture, what each of them is and where, and where one more has
    most room.
    """
    at: int
    steps: list[int]
    heads: list[dict[str, str]]
    """For a training: the selected step, all steps, and the choices of heads."""
    without: dict[str, dict[str, str | bool]]
    """By column of a row, the change of the prediction without its value."""
