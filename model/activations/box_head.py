"""Box head: three linear maps from the vector of an object query to its box."""

from collections.abc import Iterator

from torch import Tensor

from model.activations.activation import Activation, linear_operands, plus_bias
from model.activations.derivation import Cell, Rule, Step, rule
from model.activations.feed_forward import relu
from model.config import Config


@rule
def press(cell: Cell, x: Tensor) -> list[Step]:
    """1 / (1 + e^-x)."""
    return [Step("value", "1 / (1 + e^-x)", x.sigmoid())]


def box_activations(config: Config, x: str, axis: str) -> Iterator[Activation]:
    """The two hidden layers and the box of each object query; `x` is the decoder's output."""

    def activation(
        name: str, width: str, formula: str, sentence: str, rule: Rule, *operands: str
    ) -> Activation:
        return Activation(
            f"box.{name}", ("position", width), (axis, width), formula, sentence, rule, operands
        )

    for number in (1, 2):
        rule, operands = linear_operands(
            config, f"{x}[position *]", f"box.hidden{number}", "channel"
        )
        bias = plus_bias(config, f"b_{number}")
        yield activation(
            f"pre{number}",
            "channel",
            f"x W_{number}{bias}",
            "How well the query fits each neuron.",
            rule,
            *operands,
        )
        fires = "How strongly each neuron fires."
        yield activation(
            f"post{number}",
            "channel",
            "max(0, pre)",
            fires,
            relu,
            f"box.pre{number}[position channel]",
        )
        x = f"box.post{number}"
    rule, operands = linear_operands(config, f"{x}[position *]", "box.output", "side")
    yield activation(
        "raw",
        "side",
        f"post W_3{plus_bias(config, 'b_3')}",
        "The box before it is pressed into the image.",
        rule,
        *operands,
    )
    formula, sentence = (
        "1 / (1 + e^-raw)",
        "The box: its centre, width and height, as shares of the image.",
    )
    yield activation("out", "side", formula, sentence, press, "box.raw[position side]")
