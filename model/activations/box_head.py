"""The vocabulary's rows of a box head: three linear maps from a query's vector to a box."""

from collections.abc import Iterator

from model.activations.activation import Activation, linear_operands, plus_bias
from model.config import Config


def box_rows(config: Config, x: str, queries: str) -> Iterator[Activation]:
    def row(
        name: str, width: str, formula: str, sentence: str, rule: str, *operands: str
    ) -> Activation:
        return Activation(
            f"box.{name}", ("position", width), (queries, width), formula, sentence, rule, operands
        )

    for number in (1, 2):
        rule, operands = linear_operands(
            config, f"{x}[position *]", f"box.hidden{number}", "channel"
        )
        bias = plus_bias(config, f"b_{number}")
        yield row(
            f"pre{number}",
            "channel",
            f"x W_{number}{bias}",
            "How well the query fits each hidden unit.",
            rule,
            *operands,
        )
        fires = "How strongly each hidden unit fires."
        yield row(
            f"post{number}",
            "channel",
            "max(0, pre)",
            fires,
            "relu",
            f"box.pre{number}[position channel]",
        )
        x = f"box.post{number}"
    rule, operands = linear_operands(config, f"{x}[position *]", "box.output", "side")
    yield row(
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
    yield row("out", "side", formula, sentence, "press", "box.raw[position side]")
