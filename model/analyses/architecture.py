"""Architecture: a model's modules with the shapes in one run, its parameter count as a sum over the
parts, and its final prediction.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from torch import nn

from model.activations.catalogue import activations
from model.activations.site import Site
from model.answers.answer import Answer
from model.inputs.picture_files import read_picture
from model.inputs.pictures import PictureTokenizer
from model.layers.block import Block
from model.layers.stack import Stack
from model.runs.run import BaselineRun, Run

KINDS = ("attention", "cross_attention", "feed_forward", "row_attention", "row_feed_forward")
"""The possible sub-layers of a block, in the order in which they add to the stream."""
BESIDE = ("bypass", "box")
"""Inputs and outputs besides the stream and the distribution."""


@dataclass(frozen=True)
class SubLayer:
    """A sub-layer: `inner` is the shape of its attention pattern or hidden layer, `widths` are the
    channels of a feed-forward network from input to output, and `after` is the shape of the stream
    after it.
    """

    name: str
    kind: str
    count: int
    inner: list[int]
    widths: list[int]
    after: list[int]


@dataclass(frozen=True)
class DrawnBlock:
    name: str
    index: int
    count: int
    enters: list[int]
    parts: list[SubLayer]


@dataclass(frozen=True)
class DrawnStack:
    """A stack: the input that its stream belongs to, and whether positions are added to its
    embedding. `final_norm` is the number of parameters of its final norm.
    """

    name: str
    axis: str
    told: bool
    embedded: list[int]
    blocks: list[DrawnBlock]
    final_norm: int
    leaves: list[int]
    count: int


@dataclass(frozen=True)
class Beside:
    """An input besides the stream (`bypass`) or an output besides the distribution (`box`)."""

    kind: str
    reads: int
    inner: list[list[int]]
    says: list[int]


@dataclass(frozen=True)
class HeadTransform:
    """A layer before the unembedding: its function, whether a norm follows, the shape of its
    output, and its number of parameters.
    """

    function: str
    normed: bool
    says: list[int]
    count: int


@dataclass(frozen=True)
class Term:
    """A term in the sum of all parameters: one part, or several identical blocks."""

    name: str
    times: int
    each: int


@dataclass(frozen=True)
class Holder:
    """A module with parameters of its own, with their shapes and number."""

    name: str
    shapes: dict[str, list[int]]
    count: int


@dataclass(frozen=True)
class Saying:
    token: str
    chance: float
    other: str
    other_chance: float


def architecture(run: BaselineRun) -> Answer:
    """The attention patterns of all sub-layers, each [head, query, key], and the parts of the
    model.

    `stacks` are the stacks, blocks, and sub-layers with their shapes in this run; `beside` lists
    other inputs and outputs. `census` is a sum whose terms add up to `parameters`, and `holders`
    are the modules with parameters of their own. `says` has the final predictions with
    probabilities: the next tokens, or otherwise the most probable class at [CLS], of every object
    query, or for every blank. `reads` and `writes` are input and output in words. `parallel` is
    true if every sub-layer reads the block's input, and `transform` describes that of the head;
    otherwise both are absent.
    """
    transformer, config = run.model.transformer, run.config
    says = sayings(run)
    patterns = [name for name in run.vocabulary if Site.parse(name).value == "pattern"]
    fields = {
        "placement": config.placement,
        "positions": config.positions.absolute,
        "relative": config.positions.relative,
        "stacks": [
            drawn_stack(run, name, stack)
            for name, stack in transformer.named_children()
            if isinstance(stack, Stack)
        ],
        "beside": [part_beside(run, kind) for kind in BESIDE if getattr(transformer, kind, None)],
        "output": shape(run, "probabilities"),
        "parameters": count(transformer),
        "census": list(census(transformer)),
        "holders": list(holders("", transformer)),
        "says": says,
        "reads": input_in_words(run),
        "writes": run.prediction,
    }
    if config.parallel:
        fields["parallel"] = True
    if transformer.transform is not None:
        fields["transform"] = HeadTransform(
            function=config.head.transform,
            normed=config.head.normed_transform,
            says=shape(run, "transform.post"),
            count=count(transformer.transform),
        )
    return run.answer({name: run.tensor(name) for name in patterns}, fields)


def shape(run: Run, name: str) -> list[int]:
    """The shape of an activation in this run; empty if the run does not have it."""
    return list(run.trace[name].shape) if name in run.trace else []


def count(module: nn.Module) -> int:
    return sum(value.numel() for value in module.parameters())


def own_count(module: nn.Module) -> int:
    """The number of parameters of the module itself, without its submodules."""
    return sum(value.numel() for value in module.parameters(recurse=False))


def drawn_stack(run: Run, name: str, stack: Stack) -> DrawnStack:
    norm = f"{name}.norm.out"
    row = run.activation(f"{name}.embedding.sum")
    position = activations(run.config).get(f"{name}.embedding.position")
    last = norm if norm in run.trace else f"{name}.{stack.n_layers - 1}.residual.out"
    return DrawnStack(
        name=name,
        axis=row.axes[0],
        told=position is None or position.formula != "0",
        embedded=shape(run, row.name),
        blocks=[
            drawn_block(run, f"{name}.{key}", int(key), block)
            for key, block in stack.named_children()
            if isinstance(block, Block)
        ],
        final_norm=count(stack.norm) if isinstance(stack.norm, nn.Module) else 0,
        leaves=shape(run, last),
        count=count(stack),
    )


def drawn_block(run: Run, name: str, index: int, block: Block) -> DrawnBlock:
    modules = dict(block.named_children())
    kinds = [kind for kind in KINDS if kind in modules]
    after = [f"residual.after_{kind}" for kind in kinds[:-1]] + ["residual.out"]
    parts = [
        SubLayer(
            name=f"{name}.{kind}",
            kind=kind,
            count=count(modules[kind]),
            inner=shape(run, f"{name}.{kind}.{'post' if is_network(kind) else 'pattern'}"),
            widths=widths(run, name, kind) if is_network(kind) else [],
            after=shape(run, f"{name}.{point}"),
        )
        for kind, point in zip(kinds, after, strict=True)
    ]
    return DrawnBlock(name, index, count(block), shape(run, f"{name}.residual.in"), parts)


def is_network(kind: str) -> bool:
    return kind.endswith("feed_forward")


def widths(run: Run, block: str, kind: str) -> list[int]:
    """d_model, d_ff, and d_model, as in this run."""
    names = (f"{block}.residual.in", f"{block}.{kind}.post", f"{block}.{kind}.out")
    return [shape(run, name)[-1] for name in names]


def part_beside(run: Run, kind: str) -> Beside:
    numbers = run.constants.get("numbers") if kind == "bypass" else None
    return Beside(
        kind=kind,
        reads=numbers.shape[-1] if numbers is not None else 0,
        inner=[shape(run, f"{kind}.post{layer}") for layer in (1, 2)],
        says=shape(run, f"{kind}.out"),
    )


def census(root: nn.Module) -> Iterator[Term]:
    """The parameter count as a sum: for a stack, its blocks, with identical ones counted together,
    and the rest; everything else as a whole. The model's own parameters are those of its output.
    """
    for name, module in root.named_children():
        children = dict(module.named_children())
        blocks = {key: child for key, child in children.items() if isinstance(child, Block)}
        sizes = [count(block) for block in blocks.values()]
        if not blocks:
            yield Term(name, 1, count(module))
            continue
        if n := own_count(module):
            yield Term(name, 1, n)
        if len(set(sizes)) == 1:
            yield Term(f"{name} layer", len(sizes), sizes[0])
        else:
            for key, size in zip(blocks, sizes, strict=True):
                yield Term(f"{name}.{key}", 1, size)
        for key, child in children.items():
            if key not in blocks:
                yield Term(f"{name}.{key}", 1, count(child))
    if n := own_count(root):
        yield Term("output", 1, n)


def holders(name: str, module: nn.Module) -> Iterator[Holder]:
    """Every module with parameters of its own, in order."""
    shapes = {key: list(value.shape) for key, value in module.named_parameters(recurse=False)}
    if shapes:
        yield Holder(name or "model", shapes, own_count(module))
    for key, child in module.named_children():
        yield from holders(f"{name}.{key}".lstrip("."), child)


def sayings(run: Run) -> list[Saying]:
    """The final predictions, each with its probability and that of the runner-up; empty for a model
    without a head.
    """
    if run.config.head.absent:
        return []
    chances, label = run.logits.softmax(dim=-1), run.model.answer_label
    if run.next_tokens:
        places = range(run.predicted.start, run.predicted.stop)
        tokens = [
            (at, token.text, token.id) for at, token in zip(places, run.next_tokens, strict=True)
        ]
    else:
        best = chances.argmax(dim=-1).tolist()
        tokens = [(at, label(best[at]), best[at]) for at in run.answer_positions]
    found = []
    for at, text, id in tokens:
        first, second = chances[at].topk(2).indices.tolist()
        other = second if first == id else first
        found.append(Saying(text, float(chances[at, id]), label(other), float(chances[at, other])))
    return found


def input_in_words(run: Run) -> str:
    """The input in words. For images, the size."""
    fields = run.input
    if isinstance(run.model.tokenizer, PictureTokenizer):
        read = read_picture(fields["image"])
        return f"{read.width} × {read.height} pixels"
    if "image" in fields:
        side = math.isqrt(len(fields["image"].split(",")))
        return f"{side} × {side} gray values" if side > 1 else fields["image"]
    if "row" in fields:
        return fields["row"].replace(",", ", ")
    return fields.get("source") or fields.get("text") or ""
