"""The architecture as a drawing: the residual stream is a thick line, and sub-layers stand over it,
read from it and write back to it. Every part is a link to the page that explains it.

The drawing is a pure function of an answer of /architecture and of the room there is. Where the
room is wide enough every stack is one row, else its blocks wrap like words.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import numpy as np

from app.captions.text import shortened
from app.compute.representations import Drawing
from app.drawings.render import INPUT, DrawingResult
from app.drawings.svg import EM, Svg, cells, element, encode, ink, link, path, rect, text
from model.answers.answer import Answer
from model.layers.placement_names import NORMS_AT, ON_STREAM, ON_WAY_IN, ON_WAY_OUT

N = (
    "Layer normalisation: each token’s vector is shifted and scaled to mean 0 and variance 1, and"
    " then scaled by trained gains."
)
PLUS = "An addition: what the part computes is added to the token’s vector in the stream."
LABEL = "The architecture with the shapes of this run"
NAMES = {
    "attention": "self-attention",
    "cross_attention": "cross-attention",
    "feed_forward": "feed-forward",
    "row_attention": "between-rows",
    "row_feed_forward": "feed-forward",
}
COLOURS = {
    "attention": "attention",
    "cross_attention": "cross",
    "feed_forward": "feed-forward",
    "row_attention": "cross",
    "row_feed_forward": "feed-forward",
}
RELATIVE = {"shaw": "offsets", "t5": "T5 buckets", "rope": "RoPE", "alibi": "ALiBi"}

LETTER = 0.61 * EM
"""How wide a letter of a monospaced font is."""
ABOVE, BELOW = 5.4 * EM, 2.4 * EM
"""What stands over the plate of a sub-layer and how far the stream lies under it; what stands under
the stream."""
WIDEST = 20 * EM  # a model of few parts is not blown up further
NARROW, NARROWEST = 7.2 * EM, 4.9 * EM
ROW, STEP = 1.4 * EM, 1.35 * EM
SHOWN = 9  # tokens of a list
BESIDE = {"bypass": 1.8 * EM, "box": 4.6 * EM}
LINE, THICK = 1.5, 3

Start = tuple[float, float] | None


def times(shape: Sequence[int]) -> str:
    """5×128"""
    return "×".join(map(str, shape))


def grouped(number: int) -> str:
    """2 240 000, with thin spaces, as in print."""
    return f"{number:,}".replace(",", "\u202f")


@dataclass(frozen=True)
class Doors:
    """Where each part is explained: the page and its state."""

    question: dict[str, Any]
    says: str
    root: str = ""

    @classmethod
    def of(cls, answer: Answer, question: dict[str, Any], root: str) -> "Doors":
        """The doors of an answer: what is said at the end is a page's own."""
        if "queries" in answer.axes:
            return cls(question, "detection", root)
        return cls(question, "images" if "image" in (answer.input or {}) else "generate", root)

    def to(self, part: str) -> str:
        """The address of the page that explains a part."""
        stack, layer, kind = [*part.split("."), None, None][:3]
        match kind or stack:
            case "attention":
                return self.address("attention", kind="self", stack=stack, layer=layer)
            case "cross_attention":
                return self.address("attention", kind="cross", stack=stack, layer=layer)
            case "feed_forward":
                return self.address("feed-forward", stack=stack, layer=layer)
            case "position":
                return self.address("positions")
            case "output":
                return self.address(self.says)
            case "box":
                return self.address("detection")
            case "bypass":
                return self.address("tables")
            case "embedding":
                return self.address("residual")
            case _:
                return self.address("residual", view="contributions", stack=stack)

    def address(self, page: str, **state: str | None) -> str:
        kept = {name: self.question[name] for name in INPUT if self.question.get(name)}
        return f"{self.root}/{page}?{urlencode({**kept, **state})}"


@dataclass(frozen=True)
class Plan:
    """What is drawn, and how large everything is. All lengths are in units of the drawing."""

    answer: Answer
    doors: Doors
    width: float
    height: float

    @property
    def stacks(self) -> list[Any]:
        return self.answer.fields["stacks"]

    @property
    def beside(self) -> list[Any]:
        return self.answer.fields["beside"]

    @property
    def says(self) -> list[Any]:
        return self.answer.fields["says"]

    @property
    def added(self) -> bool:
        """Whether positions are added to the embeddings."""
        return self.answer.fields["positions"] != "none"

    @property
    def relative(self) -> str | None:
        """What tells self-attention relative positions."""
        scheme = self.answer.fields["relative"]
        return None if scheme == "none" else RELATIVE.get(scheme, scheme)

    def tokens(self, stack: Any) -> list[str]:
        return self.answer.axes[stack.axis].labels or []

    @cached_property
    def longest(self) -> float:
        """How wide the longest token is."""
        listed = [*(self.tokens(stack) for stack in self.stacks), [one.token for one in self.says]]
        lengths = [len(shortened(token, 12)) for tokens in listed for token in tokens]
        return max([LETTER * length for length in lengths], default=0.0) or EM * 2.5

    @property
    def enter(self) -> float:
        """Where the first sub-layer of a row begins."""
        return self.longest + EM * 11

    @property
    def leave(self) -> float:
        """The room behind the last sub-layer."""
        return self.longest + EM * 8.5

    @property
    def in_row(self) -> float:
        """The room of a sub-layer, if every stack is one row."""
        most = max(sum(len(block.parts) for block in stack.blocks) for stack in self.stacks)
        return (self.width - self.enter - self.leave) / most

    @property
    def wide(self) -> bool:
        """Whether every stack is one row."""
        return self.in_row >= NARROWEST

    @cached_property
    def blocks_in_row(self) -> int:
        """How many blocks stand in a row where they wrap: as many as fit, at least one."""
        longest = max(len(stack.blocks) for stack in self.stacks)
        fitting = (n for n in range(longest, 0, -1) if self.wrapped_column(n) >= NARROWEST)
        return next(fitting, 1)

    def wrapped_column(self, blocks: int) -> float:
        most = max(len(block.parts) for stack in self.stacks for block in stack.blocks)
        return (self.width - EM * 2) / (blocks * most)

    @cached_property
    def column(self) -> float:
        """How wide a sub-layer is."""
        if self.wide:
            return min(WIDEST, self.in_row)
        return min(EM * 11, self.wrapped_column(self.blocks_in_row))

    @property
    def narrow(self) -> bool:
        """Whether the name of a sub-layer takes two lines."""
        return self.column < NARROW

    @property
    def above(self) -> float:
        return ABOVE + EM * 1.1 * (self.narrow + (self.relative is not None))

    @cached_property
    def least(self) -> float:
        """The smallest plate of a sub-layer: its shape stands in it, where there is room."""
        parts = (part for stack in self.stacks for block in stack.blocks for part in block.parts)
        longest = max(len(times(part.inner)) for part in parts)
        return min(self.column - EM * 1.3, max(EM * 5, LETTER * longest + EM * 0.6))

    @property
    def between(self) -> float:
        return EM * 2.2

    @cached_property
    def height_beside(self) -> float:
        return max((BESIDE[one.kind] for one in self.beside), default=0.0)

    @cached_property
    def plate(self) -> float:
        """How high the plate of a sub-layer is: as high as the room allows."""
        if not self.wide:
            return self.least
        stacks = len(self.stacks)
        free = self.height - 8 - self.between * (stacks - 1) - self.height_beside
        each = free / stacks - self.above - BELOW
        return max(self.least, min(each, self.column * 1.3, WIDEST))

    @property
    def depth(self) -> float:
        """How far the stream lies under the top of its row."""
        return self.above + self.plate


@dataclass(frozen=True)
class Sheet:
    """The drawing; the height below which it cannot go, in em; and whether it fills its height."""

    svg: Svg
    least: float
    fills: bool


def draw(answer: Answer, doors: Doors, width: float, height: float) -> Sheet:
    """The architecture in a room of `width` and `height` in em; what needs more takes it."""
    plan = Plan(answer, doors, width * EM, height * EM)
    shapes: list[str] = []
    top, memory = 4.0, None
    for stack in plan.stacks:
        made = in_one_row if plan.wide else in_rows
        inside, memory, bottom = made(plan, stack, top, memory)
        shapes += inside
        top = bottom + plan.between
    shapes += scale_strip(plan)
    tall = top - plan.between + 4
    spare = len(plan.stacks) * (plan.plate - plan.least) if plan.wide else 0.0
    svg = Svg(plan.width, tall, LABEL, "".join(shapes))
    least = math.ceil(4 * (tall - spare) / EM) / 4
    return Sheet(svg, least, plan.wide)


def scale_strip(plan: Plan) -> Iterator[str]:
    """The scale of the attention patterns."""
    width = min(EM * 9.2, plan.width / 5)
    x, y, middle = plan.width - width - EM * 1.4, 4.0, 4 + EM / 2
    yield text(
        x - EM * 1.4,
        middle,
        "attention weight",
        "ink-soft",
        font="serif",
        anchor="end",
        italic=True,
    )
    yield text(x - 5, middle, "0", "ink", font="mono", anchor="end")
    yield cells(x, y, width, EM, np.linspace(0, 1, 101)[None])
    yield rect(x, y, width, EM, stroke="rule-strong")
    yield text(x + width + 5, middle, "1", "ink", font="mono")


def in_one_row(plan: Plan, stack: Any, top: float, memory: Start) -> tuple[list[str], Start, float]:
    """A stack in one row: what is drawn, where its stream ends, and how far down it reaches."""
    stream, last = top + plan.depth, stack is plan.stacks[-1]
    begin, x = plan.enter - EM * 3.6, plan.enter
    shapes = [heading(stack, top + EM), *entrance(plan, stack, stream)]
    columns = []
    for block in stack.blocks:
        shapes += bracket(block.index, x, x + plan.column * len(block.parts), top)
        for part in block.parts:
            columns.append((part, x))
            x += plan.column
    end = min(plan.width - plan.leave + EM * 1.6, x + EM * 4) if last else x + EM
    shapes.append(path([(begin, stream), (end, stream)], "stream", THICK))
    for part, at in columns:
        shapes += sub_layer(plan, part, at, stream)
    if memory:
        shapes += memory_line(plan, memory, columns, stream)
    if last:
        shapes += [*leaving(plan, end, stream), *past(plan, begin, end, stream)]
    return shapes, (end, stream), stream + BELOW + (plan.height_beside if last else 0)


def in_rows(plan: Plan, stack: Any, top: float, memory: Start) -> tuple[list[str], Start, float]:
    """A stack whose blocks wrap; its stream goes on at the left of the next row."""
    last, tokens = stack is plan.stacks[-1], plan.tokens(stack)
    words, lines = wrapped(plan, tokens, top + EM * 2.6)
    y = top + EM * 4 + ROW * (lines - 1)
    told = plan.added and stack.told
    shapes = [
        heading(stack, top + EM),
        *words,
        link(
            plan.doors.to("embedding"),
            f"{stack.name}.embedding: token vectors",
            text(0, y + EM * 0.2, "embed", "embedding"),
        ),
    ]
    if told:
        name = f"{stack.name}.embedding.position"
        words_of = text(EM * 4.2, y + EM * 0.2, "⊕ positions", "position")
        shapes.append(link(plan.doors.to("position"), name, words_of))
    after = EM * (10.8 if told else 4.2)
    shapes.append(text(after, y + EM * 0.2, times(stack.embedded), "ink-soft", font="mono"))
    y += EM
    for first in range(0, len(stack.blocks), plan.blocks_in_row):
        row = stack.blocks[first : first + plan.blocks_in_row]
        stream, x = y + plan.depth, EM * 1.2
        parts: list[str] = []
        for block in row:
            parts += bracket(block.index, x, x + plan.column * len(block.parts), y)
            for part in block.parts:
                parts += sub_layer(plan, part, x, stream)
                if memory and part.kind == "cross_attention":
                    level = stream - plan.plate - EM * 3.4 - (plan.above - ABOVE)
                    middle = x + plan.column / 2
                    parts.append(text(middle, level, "encoder output ↓", "cross", anchor="middle"))
                x += plan.column
        shapes += [path([(0, stream), (x, stream)], "stream", THICK), *parts]
        y = stream + EM * 2.2
    if last:
        output = times(plan.answer.fields["output"])
        shapes.append(
            link(
                plan.doors.to("output"),
                f"probabilities over the vocabulary, {output}",
                text(0, y + EM, f"softmax {output}", "stream"),
            )
        )
        words, lines = wrapped(plan, [one.token for one in plan.says], y + EM * 2.6)
        shapes += words
        y += EM * 2.6 + ROW * lines
        for i, one in enumerate(plan.beside):
            line = text(0, y + EM * (0.6 + 1.6 * i), in_words(one), "stream")
            shapes.append(link(plan.doors.to(one.kind), in_words(one), line))
        y += EM * 1.6 * len(plan.beside)
    return shapes, (0.0, y), y


def heading(stack: Any, y: float) -> str:
    return text(0, y, stack.name, "ink", font="serif", size=EM * 1.25, italic=True)


def bracket(index: int, left: float, right: float, top: float) -> Iterator[str]:
    """What holds the sub-layers of a block together."""
    y = top + EM * 1.5
    ends = [(left + 3, y + 5), (left + 3, y), (right - 8, y), (right - 8, y + 5)]
    yield path(ends, "rule-strong")
    yield text(left + 4, y - EM * 0.8, f"block {index}", "ink-soft")


def sub_layer(plan: Plan, part: Any, x: float, stream: float) -> Iterator[str]:
    """It reads at the left of its column and writes at the right, and the norm stands where the
    placement puts it.
    """
    colour, name = COLOURS[part.kind], NAMES[part.kind]
    bottom, middle = stream - EM * 1.7, x + plan.column / 2 - 2
    side = min(plan.plate, plan.column - EM * 1.3)
    left, top = middle - side / 2, bottom - plan.plate
    reads, writes = left + EM * 0.7, left + side - EM * 1.1
    relative = plan.relative if part.kind == "attention" else None
    yield from arrow((reads, stream), (reads, bottom), colour)
    yield from arrow((writes, bottom), (writes, stream - 7), colour)
    words = name.replace("-", "-\n").split("\n") if plan.narrow else [name]
    over = top - EM * (0.75 + 1.1 * (relative is not None))
    yield link(
        plan.doors.to(part.name),
        f"{part.name}: {name}, {times(part.inner)}",
        rect(left, top, side, plan.plate, fill="paper", stroke=colour, line=LINE, kind="plate"),
        *inside(plan, part, left, top, side),
        *(
            text(middle, over - EM * 1.1 * i, word, colour, anchor="middle")
            for i, word in enumerate(reversed(words))
        ),
    )
    if relative:
        told = text(middle, top - EM * 0.75, relative, "position", anchor="middle")
        yield link(plan.doors.to("position"), f"{part.name}: its positions, {relative}", told)
    yield from plus(writes, stream)
    beside = (stream + bottom) / 2
    places = {
        ON_STREAM: (writes + EM * 1.7, stream),
        ON_WAY_IN: (reads, beside),
        ON_WAY_OUT: (writes, beside),
    }
    for where in NORMS_AT[plan.answer.fields["placement"]]:
        yield from norm(*places[where])
    end = x + plan.column
    yield text(end, stream + EM * 1.1, times(part.after), "ink-soft", font="mono", anchor="end")


def norm(x: float, y: float) -> Iterator[str]:
    side = EM * 1.24
    box = rect(x - side / 2, y - side / 2, side, side, fill="paper", stroke="stream")
    yield tip(box + text(x, y + 0.5, "N", "stream", font="serif", anchor="middle", italic=True), N)


def plus(x: float, y: float) -> Iterator[str]:
    """Where something is added to the stream."""
    circle = element(
        "circle",
        cx=float(x),
        cy=float(y),
        r=7,
        fill=ink("paper"),
        stroke=ink("stream"),
        stroke_width=LINE,
    )
    across = path([(x - 4, y), (x + 4, y)], "stream", LINE)
    yield tip(circle + across + path([(x, y - 4), (x, y + 4)], "stream", LINE), PLUS)


def tip(shapes: str, sentence: str) -> str:
    """Shapes with a sentence that a pointer over them shows."""
    return element("g", element("title", encode(sentence)) + shapes, pointer_events="all")


def arrow(start: tuple[float, float], end: tuple[float, float], colour: str) -> Iterator[str]:
    """An upright line with its head at the end."""
    yield path([start, end], colour, LINE)
    x, y = end
    back = 5 if y < start[1] else -5
    yield path([(x - 4, y + back), (x, y), (x + 4, y + back)], colour, LINE)


def inside(plan: Plan, part: Any, left: float, top: float, side: float) -> Iterator[str]:
    """Attention shows its heads' patterns in this run; a feed-forward network its widths."""
    wide, high = side - 10, plan.plate - EM * 1.3 - 8
    tensor = plan.answer.tensors.get(f"{part.name}.pattern")
    if tensor is None:
        yield from widening(left + 5, top + 5, wide, high, part.widths)
    else:
        heads = tensor.data.detach().numpy()
        across = len(heads) if len(heads) <= 3 else math.ceil(math.sqrt(len(heads)))
        down = -(-len(heads) // across)
        width, height = wide / across, high / down
        for i, pattern in enumerate(heads):
            x, y = left + 6 + i % across * width, top + 6 + i // across * height
            yield cells(x, y, width - 2, height - 2, pattern)
    at = left + side / 2, top + plan.plate - EM * 0.7
    yield text(*at, times(part.inner), "ink", font="mono", anchor="middle")


def widening(
    x: float, y: float, width: float, height: float, widths: Sequence[int]
) -> Iterator[str]:
    """d_model, d_ff and d_model as lengths in proportion."""
    middle, most = y + height / 2, max(widths)
    across = [x + 3 + (width - 6) * i / (len(widths) - 1) for i in range(len(widths))]
    half = [height * value / most / 2 for value in widths]
    bars = list(zip(across, half, strict=True))
    upper = [(at, middle - reach) for at, reach in bars]
    lower = [(at, middle + reach) for at, reach in reversed(bars)]
    yield path([*upper, *lower], fill="feed-forward", opacity=0.14)
    for at, reach in bars:
        yield path([(at, middle - reach), (at, middle + reach)], "feed-forward", THICK)


def entrance(plan: Plan, stack: Any, stream: float) -> Iterator[str]:
    """How a stream begins: tokens, their embedding and their positions."""
    at = plan.enter - EM * 3.6
    left = at - EM * 6.2
    shape = times(stack.embedded)
    yield from listed(plan.tokens(stack), stream)
    yield path([(left - EM * 0.7, stream), (at, stream)], "embedding", LINE)
    label = f"{stack.name}.embedding: token vectors, {shape}"
    yield plate(plan.doors.to("embedding"), label, left, stream, "embed", "embedding")
    if plan.added and stack.told:
        yield plate(
            plan.doors.to("position"),
            f"{stack.name}.embedding.position: added to the token vectors",
            at - EM * 2.6,
            stream - EM * 4.5,
            "positions",
            "position",
            width=EM * 5.2,
            height=EM * 2.2,
        )
        yield from arrow((at, stream - EM * 3.4), (at, stream - 7), "position")
        yield from plus(at, stream)
    yield text(at + EM * 0.9, stream + EM * 1.1, shape, "ink-soft", font="mono")


def plate(
    href: str,
    label: str,
    x: float,
    y: float,
    word: str,
    colour: str,
    *,
    width: float = EM * 4.6,
    height: float = EM * 2.6,
) -> str:
    """A word in a frame whose left side is at `x` and whose middle is at `y`."""
    box = rect(
        x, y - height / 2, width, height, fill="paper", stroke=colour, line=LINE, kind="plate"
    )
    return link(href, label, box, text(x + width / 2, y, word, colour, anchor="middle"))


def listed(tokens: Sequence[str], middle: float) -> Iterator[str]:
    """Tokens under one another; of many the first, and how many more there are."""
    few = len(tokens) <= SHOWN
    shown = tokens if few else [*tokens[: SHOWN - 1], f"+{len(tokens) - SHOWN + 1}"]
    top = top_of_list(len(shown), middle)
    for i, token in enumerate(shown):
        yield text(0, top + i * STEP, shortened(token, 12), "ink", font="mono")


def top_of_list(lines: int, middle: float) -> float:
    """Where a list begins that stands around a height, but reaches hardly below it."""
    return min(middle - (lines - 1) * STEP / 2, middle + EM * 1.6 - (lines - 1) * STEP)


def memory_line(
    plan: Plan, start: tuple[float, float], columns: Iterable[tuple[Any, float]], stream: float
) -> Iterator[str]:
    """The encoder's output goes to every cross-attention, as keys and values."""
    x, y = start
    level, out = y + EM * 2.7, x + EM
    ends = [at + plan.column / 2 - 2 for part, at in columns if part.kind == "cross_attention"]
    arrive = stream - EM * 3.2 - plan.plate - (plan.above - ABOVE)
    yield path([(x, y), (out, y), (out, level)], "cross", LINE)
    yield path([(min(out, *ends), level), (max(out, *ends), level)], "cross", LINE)
    for end in ends:
        yield from arrow((end, level), (end, arrive), "cross")
    leaves = times(plan.stacks[0].leaves)
    yield text(x + EM * 1.8, y - EM * 0.6, f"encoder output {leaves}:", "cross")
    yield text(x + EM * 1.8, y + EM * 0.6, "keys and values of every cross-attention", "cross")


def leaving(plan: Plan, x: float, stream: float) -> Iterator[str]:
    """What is said at the end, with bars as long as the probabilities."""
    output = times(plan.answer.fields["output"])
    label = f"probabilities over the vocabulary, {output}"
    yield plate(plan.doors.to("output"), label, x, stream, "softmax", "stream")
    at = x + EM * 2.3, stream + EM * 1.95
    yield text(*at, output, "ink-soft", font="mono", anchor="middle")
    shown, words = plan.says[:SHOWN], x + EM * 6
    top = top_of_list(len(shown), stream)
    for i, one in enumerate(shown):
        y = top + i * STEP
        width = (plan.width - words - 1) * one.chance
        bar = rect(words, y - EM * 0.6, width, EM * 1.2, fill="select")
        told = f"{one.token}: {one.chance:.1%}. The best other token, {one.other}: "
        token = text(words + 3, y, shortened(one.token, 12), "ink", font="mono")
        yield tip(bar + token, f"{told}{one.other_chance:.1%}.")


def in_words(one: Any) -> str:
    """What is read beside the stream, or said beside the distribution."""
    if one.kind == "box":
        return f"boxes σ(MLP) {times(one.says)}"
    hidden = " → ".join(map(times, one.inner))
    return f"past the stack: {one.reads} numbers → MLP {hidden}"


def past(plan: Plan, begin: float, end: float, stream: float) -> Iterator[str]:
    """What goes past the stream to be read with it, and what is said besides."""
    for one in plan.beside:
        href, y = plan.doors.to(one.kind), stream + EM * (4.6 if one.kind == "box" else 3.4)
        if one.kind == "box":
            out = end - EM * 0.6
            yield path([(out, stream), (out, y), (end, y)], "stream", LINE)
            yield plate(href, in_words(one), end, y, "σ(MLP)", "stream")
            yield text(end + EM * 5.2, y, f"boxes {times(one.says)}", "ink-soft")
        else:
            into = end + EM * 0.6
            words = text(begin, y - EM * 0.8, in_words(one), "embedding")
            yield link(href, in_words(one), words)
            yield path([(begin, y), (into, y)], "embedding", LINE)
            yield from arrow((into, y), (into, stream + EM * 1.3), "embedding")


def wrapped(plan: Plan, tokens: Sequence[str], top: float) -> tuple[list[str], int]:
    """Tokens as lines of words, and how many lines there are."""
    shapes, x, line = [], 0.0, 0
    for token in tokens:
        seen = shortened(token, 20)
        wide = LETTER * len(seen) + EM * 0.8
        if x + wide > plan.width and x > 0:
            x, line = 0.0, line + 1
        shapes.append(text(x, top + line * ROW, seen, "ink", font="mono"))
        x += wide
    return shapes, line + 1


def drawing(answer: Answer, question: dict[str, Any], form: Drawing) -> DrawingResult:
    """The drawing, with the sum of the parameters and the modules that hold them."""
    size = dict(form.display_fields)
    drawing = draw(answer, Doors.of(answer, question, form.root), size["width"], size["height"])
    return DrawingResult(
        drawing.svg,
        {
            "least": drawing.least,
            "fills": drawing.fills,
            "guess": guess(answer),
            "sum": in_a_sum(answer),
            "table": table(answer),
        },
    )


def guess(answer: Answer) -> str:
    """What the model says, or of a text the token it is least sure of, with its second guess."""
    says = answer.fields["says"]
    if not says:
        return ""
    one = min(says, key=lambda saying: saying.chance)
    about = "The model is least sure of" if len(says) > 1 else "The model says"
    if "text" in (answer.input or {}) and answer.fields["stacks"][-1].name == "decoder":
        about = "In this text the model expected least of all"
    return (
        f"{about} “{one.token}”, with a probability of {100 * one.chance:.3g} %. The best other"
        f" token there is “{one.other}”, with {100 * one.other_chance:.3g} %."
    )


def in_a_sum(answer: Answer) -> str:
    """The parameters as a sum whose terms are parts of the drawing."""
    terms = (
        f"{f'{term.times} × ' if term.times > 1 else ''}{grouped(term.each)} {term.name}"
        for term in answer.fields["census"]
    )
    return f"{grouped(answer.fields['parameters'])} parameters = {' + '.join(terms)}"


def table(answer: Answer) -> dict[str, Any]:
    """The modules that hold parameters, as a table."""
    rows = [
        [
            holder.name,
            ", ".join(f"{name} {times(shape)}" for name, shape in holder.shapes.items()),
            holder.count,
        ]
        for holder in answer.fields["holders"]
    ]
    total = grouped(answer.fields["parameters"])
    return {
        "caption": f"Parts that hold parameters; {total} in all",
        "head": ["part", "shapes", "parameters"],
        "rows": rows,
    }
