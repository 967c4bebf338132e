"""The tree of a beam search as a drawing: a column for each step, the best text on top. What was
kept is boxed, what was dropped is crossed out, and a line leads from each text to those that go on
with it.

The drawing is a pure function of an answer of /generate, of the step `at` that is in focus, and of
the room there is. Where the room is too narrow for all columns the drawing is wider than its room.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.captions.sentences import of_drawings
from app.captions.text import decimals, number, shortened, visible
from app.compute.messages import Drawing
from app.drawings.render import DrawingResult
from app.drawings.svg import EM, Svg, element, encode, ink, rect, text
from model.answers.answer import Answer
from model.errors import InvalidInput
from model.labels import label

LETTER = 0.61 * EM
"""How wide a letter of a monospaced font is."""
TOP, LEFT = 2.2 * EM, 4.5 * EM
NARROWEST, WIDEST = 7.5 * EM, 18 * EM  # of a column
HIGHEST, LOWEST, LINE = 3.2 * EM, 1.7 * EM, 1.35 * EM  # of a text that was kept, and dropped
BEAM_SHARE = 0.62  # of the height may go to what was kept
BELOW = 3.2 * EM  # for how many more were dropped, and for a bar that scrolls
LATER = 0.85  # opacity of what comes after the step in focus: a projector still shows it
TWO_LINES = 2.2 * EM
SQUARE = 0.6 * EM
HEAD = ("step", "sequence so far", "score", "ln p of last token", "kept", "ended")
SPOKEN = 8  # tokens of a text in the sentence about it

Node = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A text in the column of a step. One that `waits` has ended before the step."""

    node: Node
    row: int
    stands: bool
    waits: bool


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True)
class Beam:
    """What a search considered, and which of it is the best text and the greedy one."""

    tree: dict[str, Any]
    index: int

    @property
    def nodes(self) -> list[Node]:
        return self.tree["nodes"]

    @cached_property
    def columns(self) -> list[list[Entry]]:
        """What stood in the beam after each step, the best first, and what was dropped at it."""
        return [self.column(step, beam) for step, beam in enumerate(self.tree["kept"])]

    def column(self, step: int, beam: list[int]) -> list[Entry]:
        dropped = [
            node for node in self.nodes if node["step"] == step and node["number"] not in beam
        ]
        dropped.sort(key=lambda node: -node["score"])
        return [
            Entry(node, row, row < len(beam), node["step"] < step)
            for row, node in enumerate([*(self.nodes[number] for number in beam), *dropped])
        ]

    def lineage(self, number: int) -> list[int]:
        """The numbers of the texts from the prompt to this one."""
        path = [number]
        while (parent := self.nodes[path[-1]]["parent"]) is not None:
            path.append(parent)
        return path[::-1]

    @cached_property
    def best(self) -> set[int]:
        """The best text after the step in focus, and all that it begins with."""
        return set(self.lineage(self.tree["kept"][self.index][0]))

    @cached_property
    def greedy(self) -> set[int]:
        """The text that greedy decoding writes, as far as the search has followed it: the first of
        the texts that go on with another is the most probable of them.
        """
        first: dict[int, int] = {}
        for node in self.nodes[1:]:
            first.setdefault(node["parent"], node["number"])
        path = [0]
        while path[-1] in first:
            path.append(first[path[-1]])
        return set(path[1:])

    def words(self, node: Node) -> str:
        """The tokens of a text."""
        texts = (self.nodes[number]["token"]["text"] for number in self.lineage(node["number"]))
        next(texts)
        return " ".join(map(visible, texts))

    def sentence(self, entry: Entry) -> str:
        """What became of a text, which is told by its last words."""
        node = entry.node
        words = self.words(node).split(" ")
        text = " ".join(["…", *words[-SPOKEN:]] if len(words) > SPOKEN else words)
        return of_drawings(
            "hypothesis",
            words=text,
            score=number(node["score"]),
            fate="kept" if entry.stands else "dropped",
            rank=entry.row + 1,
            ends="before" if entry.waits else "here" if node["finished"] else "no",
            log_probability=number(node["log_probability"]),
        )

    def table(self) -> dict[str, Any]:
        """Every text that was considered, as a table."""
        rows = [
            [
                str(step + 1),
                self.words(entry.node),
                entry.node["score"],
                entry.node["log_probability"],
                label("kept" if entry.stands else "dropped"),
                label("ended" if entry.node["finished"] else ""),
            ]
            for step, column in enumerate(self.columns)
            for entry in column
        ]
        return {
            "caption": label("Every hypothesis considered; its score is its log-probability"),
            "head": list(map(label, HEAD)),
            "rows": rows,
        }


@dataclass(frozen=True)
class Plan:
    """Where everything stands. All lengths are in units of the drawing."""

    beam: Beam
    viewport: tuple[float, float]

    @cached_property
    def beams(self) -> int:
        return max(map(len, self.beam.tree["kept"]))

    @cached_property
    def high(self) -> float:
        """The height of the place of a text that was kept."""
        return max(LOWEST, min(HIGHEST, (self.viewport[1] - TOP) * BEAM_SHARE / self.beams))

    @cached_property
    def displayed(self) -> list[list[Entry]]:
        """What is drawn of each column: all that was kept, and of the dropped what finds room."""
        room = max(0, math.floor((self.viewport[1] - TOP - self.high * self.beams - BELOW) / LINE))
        return [
            column[: len(beam) + room]
            for column, beam in zip(self.beam.columns, self.beam.tree["kept"], strict=True)
        ]

    @cached_property
    def wide(self) -> float:
        """The width of a column."""
        return max(NARROWEST, min(WIDEST, (self.viewport[0] - LEFT - 2) / len(self.beam.columns)))

    @property
    def size(self) -> tuple[float, float]:
        width, height = self.viewport
        columns = LEFT + self.wide * len(self.beam.columns) + 2
        return max(width, columns), max(height, TOP + self.high * self.beams + BELOW)

    def box(self, entry: Entry, step: int) -> Box:
        x = LEFT + (step + 0.2) * self.wide
        if entry.stands:
            return Box(x, TOP + (entry.row + 0.1) * self.high, 0.8 * self.wide, 0.8 * self.high)
        dropped = entry.row - len(self.beam.tree["kept"][step])
        y = TOP + self.beams * self.high + (dropped + 0.5) * LINE
        return Box(x, y, 0.8 * self.wide, LINE)

    def start(self, entry: Entry, step: int) -> tuple[float, float]:
        """Where the line to a text begins: at the text before it, or in the column before."""
        number = entry.node["number"] if entry.waits else entry.node["parent"]
        before = self.beam.columns[step - 1] if step else []
        for other in before:
            if other.node["number"] == number:
                return LEFT + step * self.wide, self.box(other, step - 1).middle
        return LEFT - 0.8 * EM, TOP + 0.5 * self.high


def short(token: str, room: float) -> str:
    """As many letters as there is room for."""
    return shortened(token, max(2, math.floor(room / LETTER)))


def line(plan: Plan, entry: Entry, step: int) -> str:
    """A line that leaves and arrives level."""
    (x, y), to = plan.start(entry, step), plan.box(entry, step)
    middle = (x + to.x) / 2
    best = entry.stands and entry.node["number"] in plan.beam.best
    return element(
        "path",
        d=f"M{encode(x)} {encode(y)}C{encode(middle)} {encode(y)}"
        f" {encode(middle)} {encode(to.middle)} {encode(to.x)} {encode(to.middle)}",
        stroke=ink("ink" if best else "rule-strong"),
        stroke_width=3.5 if best else 1.5 if entry.stands else 0.75,
        stroke_dasharray="3 5" if not entry.stands else "2 4" if entry.waits else None,
    )


def node(plan: Plan, entry: Entry, step: int) -> str:
    """A text by its last token, which says in a sentence what became of the text."""
    return element(
        "g",
        "".join(inside(plan, entry, step)),
        role="link",
        tabindex=-1,
        data_row=entry.row,
        data_step=step + 1,
        aria_label=plan.beam.sentence(entry),
    )


def inside(plan: Plan, entry: Entry, step: int) -> Iterator[str]:
    box, node = plan.box(entry, step), entry.node
    best, marked = (node["number"] in some for some in (plan.beam.best, plan.beam.greedy))
    end, two = box.x + box.width, box.height > TWO_LINES
    sides = (box.x, box.y, box.width, box.height)
    # What was dropped has no frame, but can be pointed at in all its width.
    yield (
        rect(
            *sides,
            fill="select" if best else "paper",
            stroke="ink" if best else "rule-strong",
            line=2 if best else None,
        )
        if entry.stands
        else element(
            "path",
            d=f"M{encode(box.x)} {encode(box.y)}h{encode(box.width)}v{encode(LINE)}"
            f"h{encode(-box.width)}z",
            pointer_events="all",
        )
    )
    if entry.stands and node["finished"]:
        yield rect(end - 4, box.y, 4, box.height, fill="ink")
    name = f"{'' if entry.stands else '× '}{visible(node['token']['text'])}"
    x = box.x + (SQUARE if entry.stands else 0)
    yield text(
        x,
        box.middle - (0.18 * box.height if two else 0),
        short(name, box.width - LETTER * (3 if marked else 1)),
        "ink" if entry.stands else "ink-soft",
        font="mono",
        bold=best and entry.stands,
    )
    if two:
        score = decimals(node["score"])
        yield text(x, box.middle + 0.22 * box.height, score, "ink-soft")
    if marked:
        y = box.middle - SQUARE / 2
        yield rect(end - 2 * SQUARE, y, SQUARE, SQUARE, fill="greedy", stroke="ink")


def lines(plan: Plan, step: int) -> str:
    """The lines to what was considered at a step."""
    content = "".join(line(plan, entry, step) for entry in plan.displayed[step])
    return element("g", content, opacity=shade(plan, step))


def column(plan: Plan, step: int) -> str:
    """What was considered at a step, and how much more was dropped than there is room for."""
    entries, x, here = (
        plan.displayed[step],
        LEFT + (step + 0.2) * plan.wide,
        step == plan.beam.index,
    )
    role = "ink" if here else "ink-soft"
    more = len(plan.beam.columns[step]) - len(entries)
    y = plan.box(entries[-1], step).middle + LINE
    parts = (
        text(x, 0.9 * EM, label(f"step {step + 1}"), role, bold=here),
        *(node(plan, entry, step) for entry in entries),
        *([text(x, y, label(f"+ {more} dropped"), "ink-soft")] if more else []),
    )
    return element("g", "".join(parts), opacity=shade(plan, step))


def shade(plan: Plan, step: int) -> float | None:
    """What comes after the step in focus is faint."""
    return LATER if step > plan.beam.index else None


def draw(beam: Beam, width: float, height: float) -> Svg:
    """The drawing for a room, in em."""
    plan = Plan(beam, (width * EM, height * EM))
    wide, tall = plan.size
    root, first = LEFT - 0.8 * EM, beam.nodes[0]["token"]["text"]
    steps = range(len(beam.columns))
    found = "; ".join(
        f"{hypothesis['text']} {number(hypothesis['score'])}"
        for hypothesis in beam.tree["hypotheses"]
    )
    return Svg(
        wide,
        tall,
        of_drawings("beams", beams=plan.beams, found=found),
        "".join(
            (
                rect(
                    LEFT + (beam.index + 0.1) * plan.wide, 0, 0.94 * plan.wide, tall, fill="sunken"
                ),
                rect(0.5, TOP + 0.1 * plan.high, root - 0.5, 0.8 * plan.high, stroke="rule-strong"),
                text(
                    root / 2,
                    TOP + plan.high / 2,
                    short(first, root),
                    "ink",
                    font="mono",
                    anchor="middle",
                ),
                *(lines(plan, step) for step in steps),
                *(column(plan, step) for step in steps),
            )
        ),
    )


def drawing(answer: Answer, question: dict[str, Any], form: Drawing) -> DrawingResult:
    """The tree, with its table. Raises InvalidInput for a text that grew alone."""
    tree = answer.fields.get("tree")
    if tree is None:
        raise InvalidInput("tree-needs-beam", field="strategy")
    display, count = dict(form.display_fields), len(tree["kept"])
    beam = Beam(tree, min(display["at"] or count, count) - 1)
    fields = {**question, **answer.fields["settings"]}
    used = ("strategy", *answer.fields["settings"])
    return DrawingResult(
        draw(beam, display["width"], display["height"]),
        {"considered": label(f"{len(beam.nodes) - 1} hypotheses"), "table": beam.table()},
        {name: fields[name] for name in used},
    )
