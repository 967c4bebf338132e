"""The vocabulary's rows of a feed-forward network."""

from collections.abc import Iterator

from model.activations.activation import Activation, linear_operands, plus_bias
from model.config import Config

ACTIVATION_FORMULAS = {
    "relu": "max(0, {})",
    "gelu": "{0} Phi({0})",
    "gelu_tanh": "{0} (1 + tanh(sqrt(2/pi) ({0} + 0.044715 {0}^3))) / 2",
    "silu": "{0} / (1 + e^-{0})",
}


def feed_forward_rows(config: Config, scope: str, x: str, text: str) -> Iterator[Activation]:
    def row(
        name: str, width: str, formula: str, sentence: str, rule: str, operands: tuple[str, ...]
    ) -> Activation:
        return Activation(
            f"{scope}.{name}", ("position", width), (text, width), formula, sentence, rule, operands
        )

    def linear(read: str, part: str, column: str) -> tuple[str, tuple[str, ...]]:
        return linear_operands(config, f"{read}[position *]", f"{scope}.{part}", column)

    pre = row(
        "pre",
        "hidden",
        f"x W_1{plus_bias(config, 'b_1')}",
        "How well the token fits each hidden unit.",
        *linear(x, "hidden", "hidden"),
    )
    fires = "How strongly each hidden unit fires."
    if config.gated:
        opens = "How far each hidden unit's gate opens."
        yield row(
            "gate",
            "hidden",
            f"x W_g{plus_bias(config, 'b_g')}",
            opens,
            *linear(x, "gate", "hidden"),
        )
        yield pre
        formula = f"{ACTIVATION_FORMULAS[config.activation].format('gate')} pre"
        operands = (f"{scope}.gate[position hidden]", f"{scope}.pre[position hidden]")
        yield row("post", "hidden", formula, fires, f"{config.activation}.gated", operands)
    else:
        yield pre
        formula = ACTIVATION_FORMULAS[config.activation].format("pre")
        yield row(
            "post", "hidden", formula, fires, config.activation, (f"{scope}.pre[position hidden]",)
        )
    written = "What the feed-forward writes to the stream."
    yield row(
        "out",
        "channel",
        f"post W_2{plus_bias(config, 'b_2')}",
        written,
        *linear(f"{scope}.post", "output", "channel"),
    )
