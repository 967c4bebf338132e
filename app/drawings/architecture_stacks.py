"""A stack as a drawing, from its tokens to what is said at the end, in one row or in several."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from app.captions.sentences import of_drawings
from app.captions.text import counted, percent, shortened
from app.drawings.architecture_groups import Group
from app.drawings.architecture_parts import plate, plus, sub_layer
from app.drawings.architecture_plan import ABOVE, BELOW, LETTER, Plan, times
from app.drawings.signs import LINE, THICK, arrow, tip
from app.drawings.svg import EM, link, path, rect, text
from model.labels import label

ROW, STEP = 1.4 * EM, 1.35 * EM
MAX_LISTED = 9  # tokens of a list

Start = tuple[float, float] | None


def in_one_row(plan: Plan, stack: Any, top: float, memory: Start) -> tuple[list[str], Start, float]:
    """A stack in one row: what is drawn, where its stream ends, and how far down it reaches."""
    stream, last = top + plan.depth, stack is plan.stacks[-1]
    begin, x = plan.enter - EM * 3.6, plan.enter
    shapes = [heading(stack, top + EM), *entrance(plan, stack, stream)]
    columns = []
    for block, group in plan.units[stack.name]:
        shapes += bracket(plan, block, group, x, x + plan.column * len(block.parts), top)
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
    adds_positions, entered = (
        plan.added and stack.told,
        EM * max(4.2, 0.48 * len(label("embed")) + 1),
    )
    shapes = [
        heading(stack, top + EM),
        *words,
        link(
            plan.doors.to("embedding"),
            label(f"{stack.name}.embedding: token vectors"),
            text(0, y + EM * 0.2, label("embed"), "embedding"),
        ),
    ]
    if adds_positions:
        name = f"{stack.name}.embedding.position"
        words_of = text(entered, y + EM * 0.2, label("⊕ positions"), "position")
        shapes.append(link(plan.doors.to("position"), name, words_of))
    after = entered + EM * (6.6 if adds_positions else 0)
    shapes.append(text(after, y + EM * 0.2, times(stack.embedded), "ink-soft"))
    y += EM
    units = plan.units[stack.name]
    for first in range(0, len(units), plan.blocks_in_row):
        row = units[first : first + plan.blocks_in_row]
        stream, x = y + plan.depth, EM * 1.2
        parts: list[str] = []
        for block, group in row:
            parts += bracket(plan, block, group, x, x + plan.column * len(block.parts), y)
            for part in block.parts:
                parts += sub_layer(plan, part, x, stream)
                if memory and part.kind == "cross_attention":
                    level = stream - plan.plate - EM * 3.4 - (plan.above - ABOVE)
                    middle = x + plan.column / 2
                    parts.append(
                        text(middle, level, label("encoder output ↓"), "cross", anchor="middle")
                    )
                x += plan.column
        shapes += [path([(0, stream), (x, stream)], "stream", THICK), *parts]
        y = stream + EM * 2.2
    if last and plan.transform:
        words_of = f"{plan.transform_formula} {times(plan.transform.says)}"
        line = text(0, y + EM, words_of, "stream")
        shapes.append(link(plan.doors.to("transform"), transform_label(plan), line))
        y += EM * 1.6
    if last and plan.answer.fields["output"]:
        output = times(plan.answer.fields["output"])
        shapes.append(
            link(
                plan.doors.to("output"),
                label(f"probabilities over the vocabulary, {output}"),
                text(0, y + EM, f"softmax {output}", "stream"),
            )
        )
        words, lines = wrapped(plan, [prediction.token for prediction in plan.says], y + EM * 2.6)
        shapes += words
        y += EM * 2.6 + ROW * lines
        for i, part in enumerate(plan.beside):
            line = text(0, y + EM * (0.6 + 1.6 * i), in_words(part), "stream")
            shapes.append(link(plan.doors.to(part.kind), in_words(part), line))
        y += EM * 1.6 * len(plan.beside)
    return shapes, (0.0, y), y


def heading(stack: Any, y: float) -> str:
    """Which stack it is, and its number of layers, L."""
    title = label(f"{stack.name}, L = {counted(len(stack.blocks), 'layer')}")
    return text(0, y, title, "ink", size=EM * 1.25)


def bracket(
    plan: Plan, block: Any, group: Group | None, left: float, right: float, top: float
) -> Iterator[str]:
    """What holds the sub-layers of a block together, or those of a group. The name of a group opens
    it, and the name of a block in an open group closes it.
    """
    y = top + EM * 1.5
    ends = [(left + 3, y + 5), (left + 3, y), (right - 8, y), (right - 8, y + 5)]
    yield path(ends, "rule-strong")
    at = left + 4, y - EM * 0.8
    if group is None:
        yield text(*at, label(f"layer {block.index}"), "ink-soft")
    elif block is group:
        title, name = f"open {group.label} of the {group.stack}", f"▸ {label(group.label)}"
        yield link(plan.doors.opening(group.first), label(title), text(*at, name, "ink-soft"))
    else:
        title = f"close {group.label} of the {group.stack}, from layer {block.index}"
        name = text(*at, f"▾ {label(f'layer {block.index}')}", "ink-soft")
        yield link(plan.doors.opening(None), label(title), name)


def entrance(plan: Plan, stack: Any, stream: float) -> Iterator[str]:
    """How a stream begins: tokens, their embedding and their positions."""
    at = plan.enter - EM * 3.6
    left = at - EM * 6.2
    shape = times(stack.embedded)
    yield from listed(plan.tokens(stack), stream)
    yield path([(left - EM * 0.7, stream), (at, stream)], "embedding", LINE)
    title = label(f"{stack.name}.embedding: token vectors, {shape}")
    yield plate(plan.doors.to("embedding"), title, left, stream, label("embed"), "embedding")
    if plan.added and stack.told:
        yield plate(
            plan.doors.to("position"),
            label(f"{stack.name}.embedding.position: added to the token vectors"),
            at - EM * 2.6,
            stream - EM * 4.5,
            label("positions"),
            "position",
            width=EM * 5.2,
            height=EM * 2.2,
        )
        yield from arrow((at, stream - EM * 3.4), (at, stream - 7), "position")
        yield from plus(plan, f"{stack.name}.embedding", at, stream)
    yield text(at + EM * 0.9, stream + EM * 1.1, shape, "ink-soft")


def listed(tokens: Sequence[str], middle: float) -> Iterator[str]:
    """Tokens under one another; of many the first, and how many more there are."""
    few = len(tokens) <= MAX_LISTED
    entries = tokens if few else [*tokens[: MAX_LISTED - 1], f"+{len(tokens) - MAX_LISTED + 1}"]
    top = top_of_list(len(entries), middle)
    for i, token in enumerate(entries):
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
    lines = f"encoder output {leaves}:", "keys and values for every cross-attention"
    for line, down in zip(lines, (-0.6, 0.6), strict=True):
        yield text(x + EM * 1.8, y + EM * down, label(line), "cross")


def leaving(plan: Plan, x: float, stream: float) -> Iterator[str]:
    """What is said at the end, with bars for probabilities; nothing by a model without a head."""
    if not plan.answer.fields["output"]:
        return
    if plan.transform:
        yield from transform(plan, x, stream)
        x += plan.transform_plate + EM
    output = times(plan.answer.fields["output"])
    title = label(f"probabilities over the vocabulary, {output}")
    yield plate(plan.doors.to("output"), title, x, stream, "softmax", "stream")
    at = x + EM * 2.3, stream + EM * 1.95
    yield text(*at, output, "ink-soft", anchor="middle")
    predictions, words = plan.says[:MAX_LISTED], x + EM * 6
    top = top_of_list(len(predictions), stream)
    for i, prediction in enumerate(predictions):
        y = top + i * STEP
        width = (plan.width - words - 1) * prediction.chance
        bar = rect(words, y - EM * 0.6, width, EM * 1.2, fill="select")
        token = text(words + 3, y, shortened(prediction.token, 12), "ink", font="mono")
        chances = {
            "chance": percent(prediction.chance),
            "other_chance": percent(prediction.other_chance),
        }
        title = of_drawings("chances", token=prediction.token, other=prediction.other, **chances)
        yield tip(bar + token, title)


def transform(plan: Plan, x: float, stream: float) -> Iterator[str]:
    """The layer between the last stream and the unembedding, and what it gives."""
    width, shape = plan.transform_plate, times(plan.transform.says)
    formula, door = plan.transform_formula, plan.doors.to("transform")
    yield path([(x + width, stream), (x + width + EM, stream)], "stream", THICK)
    yield plate(door, transform_label(plan), x, stream, formula, "stream", width=width)
    yield text(x + width / 2, stream + EM * 1.95, shape, "ink-soft", anchor="middle")


def transform_label(plan: Plan) -> str:
    shape = times(plan.transform.says)
    return label(f"the transform of the head, {plan.transform_formula}, {shape}")


def in_words(part: Any) -> str:
    """What is read beside the stream, or said beside the distribution."""
    if part.kind == "box":
        return label(f"boxes σ(MLP) {times(part.says)}")
    hidden = " → ".join(map(times, part.inner))
    return label(f"bypassing the stack: {part.reads} numbers → MLP {hidden}")


def past(plan: Plan, begin: float, end: float, stream: float) -> Iterator[str]:
    """What goes past the stream to be read with it, and what is said besides."""
    for part in plan.beside:
        href, y = plan.doors.to(part.kind), stream + EM * (4.6 if part.kind == "box" else 3.4)
        if part.kind == "box":
            out = end - EM * 0.6
            yield path([(out, stream), (out, y), (end, y)], "stream", LINE)
            yield plate(href, in_words(part), end, y, "σ(MLP)", "stream")
            yield text(end + EM * 5.2, y, label(f"boxes {times(part.says)}"), "ink-soft")
        else:
            into = end + EM * 0.6
            words = text(begin, y - EM * 0.8, in_words(part), "embedding")
            yield link(href, in_words(part), words)
            yield path([(begin, y), (into, y)], "embedding", LINE)
            yield from arrow((into, y), (into, stream + EM * 1.3), "embedding")


def wrapped(plan: Plan, tokens: Sequence[str], top: float) -> tuple[list[str], int]:
    """Tokens as lines of words, and how many lines there are."""
    shapes, x, line = [], 0.0, 0
    for token in tokens:
        line_text = shortened(token, 20)
        wide = LETTER * len(line_text) + EM * 0.8
        if x + wide > plan.width and x > 0:
            x, line = 0.0, line + 1
        shapes.append(text(x, top + line * ROW, line_text, "ink", font="mono"))
        x += wide
    return shapes, line + 1
