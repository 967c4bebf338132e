"""An activation: its name, axes, formula, operands and derivation; and the functions that several
parts of the network need to describe theirs.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from model.activations.derivation import Rule, linear, product
from model.config import Config


@dataclass(frozen=True)
class SpecialCells:
    """Cells of an activation that have a rule of their own: the cells whose index along `role` is
    in `where`. The vector of [CLS], for example, is learned and not computed from the input.
    """

    role: str
    where: range
    rule: Rule
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Activation:
    """One recorded tensor: `index` gives each axis its role in the operands, `axes` the axis of an
    answer on which it lies. `rule` derives a cell from `operands`, which `operands.py` reads.

    `parts` holds rule and operands by the name of a part of an axis that has its own: the keys of
    persistent memory, for example, are learned. The index inside a part is a role with the name of
    the part.

    `under_edits` holds rule and operands by the name of another activation, for runs in which an
    edit has changed that one: the scale of a norm is the root of the variance only as long as the
    mean that the norm subtracts is the mean.
    """

    name: str
    index: tuple[str, ...]
    axes: tuple[str, ...]
    formula: str
    sentence: str
    rule: Rule
    operands: tuple[str, ...]
    special: tuple[SpecialCells, ...] = ()
    parts: dict[str, tuple[Rule, tuple[str, ...]]] = field(default_factory=dict)
    under_edits: dict[str, tuple[Rule, tuple[str, ...]]] = field(default_factory=dict)

    def rule_at(
        self, at: dict[str, int], edited: Collection[str] = ()
    ) -> tuple[Rule, tuple[str, ...]]:
        """Rule and operands of the cell whose indices are `at`, by role, in a run in which edits
        have changed the activations `edited`.
        """
        found = [row for name, row in self.under_edits.items() if name in edited]
        found += [row for part, row in self.parts.items() if part in at]
        found += [
            (cells.rule, cells.operands)
            for cells in self.special
            if at.get(cells.role) in cells.where
        ]
        return found[0] if found else (self.rule, self.operands)


def stream_activation(
    name: str, axis: str, formula: str, sentence: str, rule: Rule, *operands: str
) -> Activation:
    """An activation [position, channel]; its positions lie on `axis`."""
    return Activation(
        name, ("position", "channel"), (axis, "channel"), formula, sentence, rule, operands
    )


AXES = {"tokens": "text", "patches": "image", "columns": "row", "queries": "queries"}
"""By the kind of the tokens, the axis of their positions in a model of one input."""


def input_axis(config: Config, stack: str) -> str:
    """The axis of a stack's positions: source or target in an encoder-decoder of texts, and the
    axis of the only input in every other model.
    """
    kind = config.input_kind_of(stack)
    both = config.family == "encoder-decoder" and kind == "tokens"
    return {"encoder": "source", "decoder": "target"}[stack] if both else AXES[kind]


def answer_axis(config: Config) -> str:
    """The axis of the logits' positions: those of the last stack, or the one answer of a model that
    reads all its tokens at once.
    """
    return "answer" if config.bypass else input_axis(config, config.stacks[-1])


def recalled_axis(config: Config, axis: str) -> str:
    """The axis of what a self-attention computes keys and values from: the positions of `axis`,
    and in a recurrent model the remembered positions before them.
    """
    return "recalled" if config.segments else axis


def key_axis(config: Config, axis: str) -> str:
    """The axis of a self-attention's keys: `recalled_axis`, and the slots of persistent memory
    after it.
    """
    recalled = recalled_axis(config, axis)
    return f"{recalled}_and_slots" if config.attention.slots else recalled


def embedding_output(config: Config, stack: str) -> str:
    """The name of the stream before the first block."""
    return f"{stack}.embedding.norm.out" if config.embedding.normed else f"{stack}.embedding.sum"


def block_output(stack: str, layer: int) -> str:
    """The name of the stream after a block."""
    return f"{stack}.{layer}.residual.out"


def stack_output(config: Config, stack: str) -> str:
    """The name of a stack's output: that of its final norm, or of its last block if the stack has
    no final norm.
    """
    if config.has_final_norm:
        return f"{stack}.norm.out"
    return block_output(stack, config.layers(stack) - 1)


def linear_operands(
    config: Config, x: str, scope: str, column: str, part: str = ""
) -> tuple[Rule, tuple[str, ...]]:
    """Rule and operands of one number of x W + b, or of x W in a part without biases. `x` is the
    operand of the whole vector, `scope` the name of the linear map, `part` one of `config.PARTS`.
    """
    weight, bias = f"{scope}.weight[* {column}]", f"{scope}.bias[{column}]"
    return (linear, (x, weight, bias)) if config.has_biases(part) else (product, (x, weight))


def plus_bias(config: Config, bias: str, part: str = "") -> str:
    """The end of a linear map's formula."""
    return f" + {bias}" if config.has_biases(part) else ""
