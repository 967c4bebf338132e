"""The systems that papers describe, under the names that the papers gave them, and where the models
and pages here differ from the paper.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from model.notes import read


@dataclass(frozen=True)
class Difference:
    """One respect in which a paper and what is shipped are compared.

    `theirs` is what the paper has and `ours` what is here, with names in braces for numbers of the
    card. `states` are values of the card of each model that the words rely on, and `absent` are
    choices that no shipped model makes. A name with a colon is a constant
    of a module.
    """

    what: str
    theirs: str
    ours: str
    states: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    def ours_with_numbers(
        self, cards: Mapping[str, Mapping[str, Any]], models: tuple[str, ...]
    ) -> str:
        """What is here, with the numbers of the card of the first model."""
        return self.ours.format(**numbers(cards[models[0]])) if models else self.ours


@dataclass(frozen=True)
class System:
    """A system: its name, what the name stands for, its paper, the models that are shipped of it,
    the addresses of the pages that show it, and its differences from the paper.
    """

    name: str
    title: str
    paper: str
    models: tuple[str, ...]
    pages: tuple[str, ...]
    differences: tuple[Difference, ...]

    def is_on(self, word: str, model: str) -> bool:
        """Whether a page about a model shows the system: the model is one of it, or the page is its
        page and it has no model.
        """
        here = any(page.partition("?")[0].strip("/") == word for page in self.pages)
        return (here or word == "models") and (model in self.models or (here and not self.models))


def numbers(card: Mapping[str, Any]) -> dict[str, Any]:
    """What the card of a model states: its configuration, its training and its limits."""
    return {**card["limits"], **card["training"], **card["config"]}


@cache
def systems() -> tuple[System, ...]:
    """Returns all systems in the order of the table."""
    return tuple(
        System(
            differences=tuple(Difference(**row) for row in system.pop("difference")),
            models=tuple(system.pop("models")),
            pages=tuple(system.pop("pages")),
            **system,
        )
        for system in read("papers")["system"]
    )


def called(model: str) -> list[System]:
    """Returns the systems that a model is one of."""
    return [system for system in systems() if model in system.models]
