"""The transform of a head: its activations, between the last stream and the logits."""

from collections.abc import Iterator

from torch import Tensor

from model.activations.activation import (
    Activation,
    answer_axis,
    stack_output,
    stream_activation,
)
from model.activations.derivation import Cell, Step, linear, rule, typeset
from model.activations.feed_forward import ACTIVATIONS, ActivationFunction
from model.activations.norms import norm_activations
from model.activations.residual_scale import Sum
from model.config import Config


@typeset("tanh( {0} ) = {value}")
@rule
def tanh(cell: Cell, x: Tensor) -> list[Step]:
    """tanh x."""
    return [Step("value", "tanh(x)", x.tanh())]


TRANSFORMS = {**ACTIVATIONS, "tanh": ActivationFunction("tanh({0})", tanh)}


def read_by_unembedding(config: Config) -> str:
    """The name of the activation that the unembedding reads."""
    if config.transform == "none":
        return stack_output(config, config.stacks[-1])
    return "transform.norm.out" if config.normed_transform else "transform.post"


def transform_activations(config: Config) -> Iterator[Activation]:
    """x W + b, the function, and the norm where there is one; nothing without a transform."""
    if config.transform == "none":
        return
    axis, last = answer_axis(config), stack_output(config, config.stacks[-1])
    yield stream_activation(
        "transform.pre",
        axis,
        "x W + b",
        "The last stream as the head reads it.",
        linear,
        f"{last}[position *]",
        "transform.dense.weight[* channel]",
        "transform.dense.bias[channel]",
    )
    function = TRANSFORMS[config.transform]
    yield stream_activation(
        "transform.post",
        axis,
        function.formula.format("pre"),
        "What the head makes of it.",
        function.rule,
        "transform.pre[position channel]",
    )
    if config.normed_transform:
        yield from norm_activations(config, "transform.norm", axis, Sum(("transform.post",)))
