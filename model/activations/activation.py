"""An activation's name, axes, formula, operands, and derivation, with functions that several parts
of the network use to describe theirs.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from model.activations.derivation import Rule, linear, product
from model.config import Config


@dataclass(frozen=True)
class SpecialCells:
    """Entries of an activation with a rule of their own: those whose index along `role` is in
    `where`. For example, the vector of [CLS] is learned, not computed from the input.
    """

    role: str
    where: range
    rule: Rule
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Activation:
    """One recorded tensor. `index` gives the role of each axis in the operands, and `axes` the
    result axis it is on. `rule` derives one entry from `operands`, which `operands.py` reads.

    `parts` has the rule and operands of parts of an axis that differ: for example, the keys of
    persistent memory are learned. The index within a part is a role named after the part.

    `under_edits` has the rule and operands to use if an intervention has changed the named
    activation: a norm's scale is the root of the variance only if the norm subtracts the actual
    mean.
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
        """Rule and operands of the entry at `at`, indices by role, in a run whose interventions
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
    """An activation [position, channel] whose positions are on `axis`."""
    return Activation(
        name, ("position", "channel"), (axis, "channel"), formula, sentence, rule, operands
    )


AXES = {"tokens": "text", "patches": "image", "columns": "row", "queries": "queries"}
"""The name of the position axis in a model with one input, by the kind of its tokens."""


def input_axis(config: Config, stack: str) -> str:
    """The axis of a stack's positions: source or target in an encoder-decoder of texts, otherwise
    that of the only input.
    """
    kind = config.input_kind_of(stack)
    both = config.family == "encoder-decoder" and kind == "tokens"
    return {"encoder": "source", "decoder": "target"}[stack] if both else AXES[kind]


def answer_axis(config: Config) -> str:
    """The axis of the logits' positions: those of the last stack, or a single one in a model that
    predicts from all tokens at once.
    """
    return "answer" if config.bypass else input_axis(config, config.stacks[-1])


def recalled_axis(config: Config, axis: str) -> str:
    """The axis from which self-attention computes keys and values: the positions of `axis`,
    preceded by the remembered ones in a model with segment recurrence.
    """
    return "recalled" if config.segments else axis


def key_axis(config: Config, axis: str) -> str:
    """The axis of the keys in self-attention: `recalled_axis`, followed by the slots of persistent
    memory.
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
    """The name of a stack's output: that of its final norm if it has one, otherwise of its last
    block.
    """
    if config.has_final_norm:
        return f"{stack}.norm.out"
    return block_output(stack, config.layers(stack) - 1)


def linear_operands(
    config: Config, x: str, scope: str, column: str, part: str = ""
) -> tuple[Rule, tuple[str, ...]]:
    """Rule and operands of one entry of x W + b, or x W if the part has no biases. `x` is the
    operand of the whole vector, `scope` the name of the linear map, and `part` one of
    `config.PARTS`.
    """
    weight, bias = f"{scope}.weight[* {column}]", f"{scope}.bias[{column}]"
    return (linear, (x, weight, bias)) if config.has_biases(part) else (product, (x, weight))


def plus_bias(config: Config, bias: str, part: str = "") -> str:
    """The bias term in a linear map's formula."""
    return f" + {bias}" if config.has_biases(part) else ""
