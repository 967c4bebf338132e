"""What a figure, its traces and its notes say in `meta` besides what Plotly has a word for: the
contract of Python, which writes it, and the scripts of the page, which read it.

`python -m tests.app.contract` writes the same types for the scripts, in tests/js/meta.d.ts; tests
compare every figure with them.
"""

from typing import Any, Literal, TypedDict

NoteKind = Literal["end", "near", "sum", "title", "cell", "fit", "word", "here", "step"]
"""How a note gives way where room is scarce. "end" is the name of a line at its end and is pushed
apart from others; "near" is the name of a dot, is pushed apart too and has no room kept beside the
panel; "sum" is what a row comes to, left out where rows are too close; "cell" is shortened to its
first word; "fit" loses the words that reach beyond `until`; "word" is left out where its column is
narrower, "step" where any is, unless its step is chosen. "title" and "here" stay.
"""


class _Look(TypedDict):
    kind: NoteKind
    role: str


class NoteLook(_Look, total=False):
    """The kind of a note and the role of its colour. `ground` is the role of what it stands on,
    `until` a place on the level axis, and `step` the step that it is a number of. With `spare` an
    "end" is left out where not all have room. `tokens` are set in letters of one width.
    """

    ground: str
    until: float
    spare: bool
    tokens: bool
    step: int


Pick = dict[str, Any]
"""What a click asks for: fields of the address, each with a value for each point of the trace, as
a list or as rows."""


class TraceMeta(TypedDict, total=False):
    """What a trace says of itself."""

    role: str | list[str]
    """Whose colour it has, or each of its bars or points."""
    scale: str | list[str]
    """The name of its scale of colours, or the roles of the colours that it goes through."""
    fitted: bool
    """Whether the scale ends at the numbers, and not where its ends are stated."""
    hatched: bool
    """Whether cells without a number are hatched."""
    hollow: list[bool]
    """Which of its bars or points are outlines."""
    across: float
    """Of a level stroke, its length as a share of the distance of two whole numbers."""
    worded: bool
    """Whether the texts of its cells are what the table says, and are shortened word by word."""
    said: list[list[str]] | list[float]
    """What the table says in the place of its numbers."""
    ways: list[list[str]]
    """By query and key, what is said of a cell when its query is looked at."""
    tabled: bool
    """False where the table leaves it out."""
    subtracted: bool
    """False where it is no number of the run, and a difference has it only if both runs do."""
    column: str
    """What its column of the table is called, where that is not its name."""
    columns: list[str]
    """The columns of a table of what is said of each point."""
    rows: list[str] | list[list[float]]
    """The names of its points in the table; over an image, the weights of every query."""
    steps: list[int]
    """The step of each of its points."""
    before: list[list[float]]
    """By row and cell, how much of the row lies on heavier cells."""
    places: list[list[float]]
    """Over an image, where each patch is."""
    tiles: list[list[Any]]
    """Its small maps: title, row and column of the first cell, what is said, what a click asks."""
    size: tuple[int, int]
    """The height and the width of a small map, in cells."""
    names: tuple[list[str], list[str]]
    """The names of the rows and of the columns of a small map."""
    tokens: list[list[int]]
    """Row and column of each token in a small map of patches."""
    token_names: list[str]
    """The names of these tokens."""
    pick: Pick
    """What a click on a point asks for."""
    pick_row: Pick
    """What a click asks for, by row."""
    of: str
    """What a training that goes on adds to it: "rate" or "loss","""
    arm: int
    """of which network,"""
    seed: int
    """and of which seed, where not the mean."""


Group = TypedDict("Group", {"name": str, "short": str, "from": int, "to": int})
"""A name over places of an axis, and a short one for where there is little room."""


class Table(TypedDict):
    """The numbers of a figure as text, where they are not those of its traces. `head` is one longer
    than the values of a row, whose first cell names it.
    """

    caption: str
    head: list[str]
    rows: list[list[str | float | None]]


class SwitchChoice(TypedDict, total=False):
    """One scale of a figure: what changes of its traces, by their number, and of its layout. The
    first choice is what is drawn.
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
    """What was measured, its law, and whether it holds."""

    term: str
    value: str
    law: str
    holds: bool


class Reading(TypedDict):
    """What was looked at when a token was written, with its weights."""

    memory: list[str]
    weights: list[float]
    looking: str


class FigureMeta(TypedDict, total=False):
    """What a figure says of itself."""

    title: str
    description: str
    """The figure in a sentence, for readers who do not see it."""
    caption: str
    """What stands beside the title, where it is not the page's own."""
    kind: Literal["trained", "yours", "random initialisation", "analytic"]
    formula: str
    axes: list[str]
    shape: list[int]
    """The formula, the axes and the shape of the tensor that it shows."""
    source: str
    """The paper."""
    model: str
    weights_sha256: str
    input: dict[str, str]
    edited: list[str]
    """What is otherwise in the run than in the one as given, each in a few words."""
    seed: int
    call: str
    """The address that returns the same numbers."""
    rows: list[tuple[int, float, bool, list[float]]]
    """Its panels: how many side by side, their share of the height, whether they may stand in
    several lines, and their shares of the width where these are not equal."""
    came: float
    """On a walk, the share of the height from which the first panel moves up when the step before
    has been seen."""
    tall: int
    """How many lines of text it needs below each other, where they are many."""
    aligned: bool
    """Whether all panels leave the same room beside them."""
    captioned: bool
    """Whether the page says what the axes are."""
    layers: list[Group]
    """Names over the places of the level axis."""
    chosen: dict[str, int]
    """By axis, the place whose name is bold and always there."""
    notes: list[NoteLook | None]
    """The look of each of `layout.annotations`."""
    window: tuple[int, int]
    """The place around which as many columns are shown as have room, and their letters."""
    switches: list[Switch]
    table: Table
    beside: dict[str, str | int]
    """What stands in the elements of these ids."""
    said: str
    explained: str
    told: str
    """A sentence to be spoken; what stands beside the figure, and the same as HTML with its terms
    explained."""
    reading: str
    summary: str
    count: str
    facts: list[Fact]
    sentences: list[str] | list[list[str]]
    """What is said of each step, or of each position and step."""
    shows: str
    difference: str
    """Of a difference that this is one, and what was subtracted."""
    without_bar: str
    """The title of the upright axis where there is no room for a bar of colours."""
    tokens: list[str]
    titles: list[str]
    """The names of the tokens of a stream, and of its steps."""
    position: int
    query: int
    sequences: int
    across: int
    """What a mask is of: the query that is looked at, how many sequences there are, and the columns
    of a grid."""
    map: str
    queries: list[str]
    keys: list[str]
    asking: list[str]
    off: bool
    strongest: list[int]
    """Of a map of attention its name, its tokens, the queries with the token that follows, whether
    its head is off, and the heaviest key of each query."""
    look: Reading
    read: list[str]
    """Of a step of writing what was looked at, and the tokens read."""
    names: str
    shapes: int
    scene: list[dict[str, str | float]]
    room: dict[str, float]
    """How many shapes a picture has, what each of them is and where, and where one more has most
    room."""
    at: int
    steps: list[int]
    heads: list[dict[str, str]]
    """Of a training the step that is shown, all steps, and the choices of heads."""
    without: dict[str, dict[str, str | bool]]
    """By column of a row, how the answer changes without its value."""
