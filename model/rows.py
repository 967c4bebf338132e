"""Rows of the vocabulary: what one activation is, and the names that several of them share."""

from dataclasses import dataclass

from model.config import Config


@dataclass(frozen=True)
class Activation:
    """One name: `index` are the roles of its axes in the operands, `axes` the axes they lie on in an answer.

    `first` are rule and operands of position 0 where that is made otherwise than the rest: [CLS] is no part of the input.
    """

    name: str
    index: tuple[str, ...]
    axes: tuple[str, ...]
    formula: str
    sentence: str
    rule: str
    operands: tuple[str, ...]
    first: tuple[str, tuple[str, ...]] | None = None

    def made(self, at: dict[str, int]) -> tuple[str, tuple[str, ...]]:
        """Rule and operands of the cell whose indices are `at`, by role."""
        return self.first if self.first and at["position"] == 0 else (self.rule, self.operands)


def stream_row(name: str, text: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
    return Activation(name, ("position", "channel"), (text, "channel"), formula, sentence, rule, operands)


def input_axis(config: Config, stack: str) -> str:
    """What a stack reads: source and target of an encoder-decoder of texts, or else the one input of its kind."""
    reads = config.reads(stack)
    both = config.family == "encoder-decoder" and reads == "tokens"
    return {"encoder": "source", "decoder": "target"}[stack] if both else ONE_INPUT[reads]


ONE_INPUT = {"tokens": "text", "patches": "image", "queries": "queries"}


def embedding_output(config: Config, stack: str) -> str:
    return f"{stack}.embedding.norm.out" if config.normed_embedding else f"{stack}.embedding.sum"


def stack_output(config: Config, stack: str) -> str:
    """The name of what a stack hands on: the final norm's output, or in a Post-LN stack the last block's."""
    return f"{stack}.norm.out" if config.placement == "pre" else f"{stack}.{config.layers(stack) - 1}.residual.out"


def linear_operands(config: Config, read: str, scope: str, column: str) -> tuple[str, tuple[str, ...]]:
    """Rule and operands of one number of x W + b, or of x W: `read` is the whole vector x."""
    whole, weight, bias = read, f"{scope}.weight[* {column}]", f"{scope}.bias[{column}]"
    return ("linear", (whole, weight, bias)) if config.biases else ("product", (whole, weight))


def plus_bias(config: Config, bias: str) -> str:
    return f" + {bias}" if config.biases else ""
