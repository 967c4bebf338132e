"""The parameters of masks and position schemes, as questions and pages state them.

They are those of `model/layers`, whose modules of parameters import no torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.layers import mask_parameters, position_parameters


def listed(names: Sequence[str], joint: str = "and") -> str:
    """The names as a sentence lists them: window, dilated and block."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last


@dataclass(frozen=True)
class Parameter:
    """A parameter that `takers`, the names of masks or schemes, have in common. `least` is its
    smallest value, and `sentence` says what the parameter is.
    """

    takers: tuple[str, ...]
    sentence: str
    least: int | float

    @property
    def description(self) -> str:
        """Returns who takes the parameter and what it is, as the API describes a field."""
        return f"For {listed(self.takers)}: {self.sentence}."


def by_name(
    rows: Mapping[str, tuple[mask_parameters.Parameter | position_parameters.Parameter, ...]],
) -> dict[str, Parameter]:
    """Returns the parameters by name, from those of each mask or scheme."""
    takers: dict[str, tuple[str, ...]] = {}
    for taker, parameters in rows.items():
        for parameter in parameters:
            takers[parameter.name] = (*takers.get(parameter.name, ()), taker)
    return {
        parameter.name: Parameter(takers[parameter.name], parameter.sentence, parameter.least)
        for parameters in rows.values()
        for parameter in parameters
    }


MASKS = by_name(mask_parameters.MASK_PARAMETERS)
SCHEMES = by_name(position_parameters.SCHEME_PARAMETERS)
