"""The scale of the residual connections: 1, a number lambda for the whole model, or a learned
vector omega per sub-layer (Admin).
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from model.activations.derivation import Cell, Rule, Step


@dataclass(frozen=True)
class ResidualScale:
    """One kind of scale: its `symbol` in formulas, whether it is `learned` per sub-layer, and how
    it changes the rule of a sum, whose first summand it multiplies.
    """

    symbol: str = ""
    learned: bool = False
    scaled: Callable[[Rule], Rule] = lambda rule: rule

    @property
    def x(self) -> str:
        """The scaled stream in a formula."""
        return f"{self.symbol} x" if self.symbol else "x"


def with_omega(rule: Rule) -> Rule:
    """The rule with omega, the scale of the first summand, prepended as an operand (Liu et al.
    2020, section 4.2).
    """

    def derive(cell: Cell, omega: Tensor, x: Tensor, *others: Tensor) -> list[Step]:
        return [Step("past", "omega x", omega * x), *rule(cell, omega * x, *others)]

    return Rule(f"{rule.name}.omega", derive)


def with_lambda(rule: Rule) -> Rule:
    """The rule with its first summand multiplied by the configuration's lambda."""

    def derive(cell: Cell, x: Tensor, *others: Tensor) -> list[Step]:
        scaled = cell.config.shortcut * x
        return [Step("past", "lambda x", scaled), *rule(cell, scaled, *others)]

    return Rule(f"{rule.name}.lambda", derive)


UNSCALED = ResidualScale()
OMEGA = ResidualScale("omega", learned=True, scaled=with_omega)
LAMBDA = ResidualScale("lambda", scaled=with_lambda)


@dataclass(frozen=True)
class Sum:
    """A sum of streams, given by name. The first stream is multiplied by `scale`; a learned scale
    is the parameter `omega`.
    """

    streams: tuple[str, ...]
    scale: ResidualScale = UNSCALED
    omega: str = ""

    def operands(self, channel: str) -> tuple[str, ...]:
        """The operands of one channel of the sum, or of the whole vector if `channel` is `*`."""
        omega = (f"{self.omega}[{channel}]",) if self.scale.learned else ()
        return (*omega, *(f"{stream}[position {channel}]" for stream in self.streams))

    def rule(self, rule: Rule) -> Rule:
        """`rule`, applied to this sum."""
        return self.scale.scaled(rule)
