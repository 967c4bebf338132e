"""What a menu of edits is made of: controls, and what their values make."""

from dataclasses import dataclass, field
from typing import Any

from model.labels import label

Choices = list[tuple[str, str]]
"""Values with what a reader sees of each, in the language of who asks."""


@dataclass(frozen=True)
class Field:
    """A control of the menu: its name, what it is called, its choices, and what is chosen. Without
    choices the reader types; `kind` is then the kind of the field.
    """

    name: str
    label: str
    value: str
    choices: Choices = field(default_factory=list)
    kind: str = ""


@dataclass(frozen=True)
class Menu:
    """The controls, the edit that they make or None while something is missing, and in words what
    it is or what is missing. `state` are the fields of an address by which the input is read in
    another way, where that is what they make; `tokens` can be dragged into another order.
    """

    fields: list[Field]
    edit: dict[str, Any] | None
    sentence: str
    state: dict[str, str] | None = None
    tokens: list[tuple[int, str]] = field(default_factory=list)


def one_of(name: str, called: str, choices: Choices, chosen: dict[str, str]) -> Field:
    """A control with choices; what cannot be chosen becomes the first."""
    wanted = chosen.get(name)
    known = [value for value, _ in choices]
    return Field(name, called, wanted if wanted in known else known[0], choices)


def translated(choices: Choices) -> Choices:
    """Choices that are words, as the language of who asks has them."""
    return [(value, label(name)) for value, name in choices]
