"""Field annotations besides type and bounds: the control, and whether it makes answers slow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from model.labels import label


@dataclass(frozen=True)
class Control:
    """The choices for a field on the page of a word, each with its text if that differs from its
    value. `label` is the field's name there, and `key` describes the keyboard shortcuts. The page
    `opens` on the field's default, unless given.
    """

    choices: Sequence[Any] | Mapping[Any, str]
    label: str = ""
    key: str = ""
    opens: Any = None
    within: str = ""


@dataclass(frozen=True)
class Slider:
    """The numbers from `low` to `high` in steps, for a field on the page of a word."""

    low: float
    high: float
    step: float
    label: str = ""
    key: str = ""
    opens: Any = None
    within: str = ""


@dataclass(frozen=True)
class Costly:
    """The field can make an answer slower."""


COSTLY = Costly()


@dataclass(frozen=True)
class RenderedControl:
    """A control as rendered on a page: the options with their text, and the initial one; or the
    slider, which has no options.
    """

    name: str
    control: Control | Slider
    label: str
    options: Mapping[str, str]
    opens: str


def controls(question: type[BaseModel]) -> dict[str, RenderedControl]:
    """The controls of a question, by field name."""
    return {
        name: rendered(name, field, item)
        for name, field in question.model_fields.items()
        for item in field.metadata
        if isinstance(item, Control | Slider)
    }


def rendered(name: str, field: FieldInfo, control: Control | Slider) -> RenderedControl:
    """The control of a field."""
    choices = control.choices if isinstance(control, Control) else ()
    words = (
        choices
        if isinstance(choices, Mapping)
        else {choice: format_value(choice) for choice in choices}
    )
    options = {format_value(choice): text for choice, text in words.items()}
    usual = field.default if control.opens is None else control.opens
    called = label(control.label or name.replace("_", " "))
    options = {value: label(text) for value, text in options.items()}
    return RenderedControl(name, control, called, options, format_value(usual))


def format_value(value: object) -> str:
    """A value as written in a query string."""
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def costly(question: type[BaseModel]) -> Iterator[str]:
    """The fields of a question that can make its answer slower."""
    for name, field in question.model_fields.items():
        if COSTLY in field.metadata:
            yield name
