"""What a field says besides its type and its bounds: what a page offers for it, and whether it may
make an answer take longer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo


@dataclass(frozen=True)
class Control:
    """The choices that the page of a word offers for a field, each with the words that stand there
    where they are others than its value. `label` is what the field is called there, and `key` what
    the keys are for that move it. A page `opens` on the field's default, unless it is given.
    """

    choices: Sequence[Any] | Mapping[Any, str]
    label: str = ""
    key: str = ""
    opens: Any = None
    within: str = ""


@dataclass(frozen=True)
class Slider:
    """The numbers from `low` to `high` in steps, which the page of a word offers for a field."""

    low: float
    high: float
    step: float
    label: str = ""
    key: str = ""
    opens: Any = None
    within: str = ""


@dataclass(frozen=True)
class Costly:
    """The field may make an answer take longer."""


COSTLY = Costly()


@dataclass(frozen=True)
class RenderedControl:
    """A control as a page draws it: the options, each with its words, and the one that the page
    opens on; or the slider, which has no options.
    """

    name: str
    control: Control | Slider
    label: str
    options: Mapping[str, str]
    opens: str


def controls(question: type[BaseModel]) -> dict[str, RenderedControl]:
    """The controls of a question by the names of their fields."""
    return {
        name: rendered(name, field, one)
        for name, field in question.model_fields.items()
        for one in field.metadata
        if isinstance(one, Control | Slider)
    }


def rendered(name: str, field: FieldInfo, control: Control | Slider) -> RenderedControl:
    """The control of a field."""
    choices = control.choices if isinstance(control, Control) else ()
    words = choices if isinstance(choices, Mapping) else {one: format_value(one) for one in choices}
    options = {format_value(one): said for one, said in words.items()}
    usual = field.default if control.opens is None else control.opens
    return RenderedControl(
        name, control, control.label or name.replace("_", " "), options, format_value(usual)
    )


def format_value(value: object) -> str:
    """A value as an address has it."""
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def costly(question: type[BaseModel]) -> Iterator[str]:
    """The fields of a question that may make its answer take longer."""
    for name, field in question.model_fields.items():
        if COSTLY in field.metadata:
            yield name
