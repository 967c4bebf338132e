"""Rows of the vocabulary: what one activation is, and the names that several of them share."""

from dataclasses import dataclass, field

from model.config import Config


@dataclass(frozen=True)
class Otherwise:
    """The cells whose index along `role` is in `where` are made by another rule: [CLS], say, is no
    part of the input.
    """

    role: str
    where: range
    rule: str
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Activation:
    """One name: `index` are the roles of its axes in the operands, `axes` the axes they lie on in
    an answer.

    `parts` are rule and operands of a part of an axis that is made otherwise: a slot is no token.
    The index inside a part is a role, named like the part.
    """

    name: str
    index: tuple[str, ...]
    axes: tuple[str, ...]
    formula: str
    sentence: str
    rule: str
    operands: tuple[str, ...]
    otherwise: tuple[Otherwise, ...] = ()
    parts: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def made(self, at: dict[str, int]) -> tuple[str, tuple[str, ...]]:
        """Rule and operands of the cell whose indices are `at`, by role."""
        found = [made for part, made in self.parts.items() if part in at]
        found += [
            (one.rule, one.operands) for one in self.otherwise if at.get(one.role) in one.where
        ]
        return found[0] if found else (self.rule, self.operands)


def stream_row(
    name: str, text: str, formula: str, sentence: str, rule: str, *operands: str
) -> Activation:
    return Activation(
        name, ("position", "channel"), (text, "channel"), formula, sentence, rule, operands
    )


def input_axis(config: Config, stack: str) -> str:
    """What a stack reads: source and target of an encoder-decoder of texts, or else the one input
    of its kind.
    """
    reads = config.reads(stack)
    both = config.family == "encoder-decoder" and reads == "tokens"
    return {"encoder": "source", "decoder": "target"}[stack] if both else ONE_INPUT[reads]


ONE_INPUT = {"tokens": "text", "patches": "image", "queries": "queries", "columns": "row"}


def answer_axis(config: Config) -> str:
    """What the logits are of: every position of the last stack, or all that was read, at once."""
    return "answer" if config.readout == "bypass" else input_axis(config, config.stacks[-1])


def recalled_axis(config: Config, text: str) -> str:
    """What keys and values of a self-attention are made of: the text itself, and before it what is
    remembered.
    """
    return "recalled" if config.segment else text


def key_axis(config: Config, text: str) -> str:
    """What the queries of a self-attention look at: the same, and the slots."""
    return (
        f"{recalled_axis(config, text)}_and_slots" if config.slots else recalled_axis(config, text)
    )


def embedding_output(config: Config, stack: str) -> str:
    return f"{stack}.embedding.norm.out" if config.normed_embedding else f"{stack}.embedding.sum"


def stack_output(config: Config, stack: str) -> str:
    """The name of what a stack hands on: the final norm's output, or in a Post-LN stack the last
    block's.
    """
    return (
        f"{stack}.norm.out"
        if config.placement == "pre"
        else f"{stack}.{config.layers(stack) - 1}.residual.out"
    )


def linear_operands(
    config: Config, read: str, scope: str, column: str
) -> tuple[str, tuple[str, ...]]:
    """Rule and operands of one number of x W + b, or of x W: `read` is the whole vector x."""
    whole, weight, bias = read, f"{scope}.weight[* {column}]", f"{scope}.bias[{column}]"
    return ("linear", (whole, weight, bias)) if config.biases else ("product", (whole, weight))


def plus_bias(config: Config, bias: str) -> str:
    return f" + {bias}" if config.biases else ""
