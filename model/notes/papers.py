"""The systems described in papers, under their original names, and where the included models and
pages differ from the paper.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from model.labels import label
from model.notes import read


@dataclass(frozen=True)
class Difference:
    """One difference between a paper and what is included.

    `theirs` describes the paper and `ours` the included model, with names in braces for numbers of
    the card. `states` are values in each model's card that the words rely on, and `absent` are
    choices that no included model makes. A name with a colon is a constant of a module.
    """

    what: str
    theirs: str
    ours: str
    states: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    def ours_with_numbers(
        self, cards: Mapping[str, Mapping[str, Any]], models: tuple[str, ...]
    ) -> str:
        """`ours` with the numbers in the first model's card, in the reader's language; only English
        uses commas in numbers.
        """
        ours = label(self.ours)
        text = ours.format(**numbers(cards[models[0]])) if models else ours
        return text if ours == self.ours else re.sub(r"(?<=\d),(?=\d{3})", "\u202f", text)


@dataclass(frozen=True)
class System:
    """A system: its name, what the name stands for, its paper, the included models of it, the
    addresses of the pages that show it, and its differences from the paper.
    """

    name: str
    title: str
    paper: str
    models: tuple[str, ...]
    pages: tuple[str, ...]
    differences: tuple[Difference, ...]
    method_only: bool = False
    """Whether its models show its method but are not such a system."""

    def is_on(self, word: str, model: str) -> bool:
        """Whether a page about a model shows the system: it is one of the system's models, or the
        page is one of the system's pages and has no model.
        """
        here = any(page.partition("?")[0].strip("/") == word for page in self.pages)
        return (here or word == "models") and (model in self.models or (here and not self.models))


def numbers(card: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers in a model's card: its configuration, training, and limits."""
    return {**card["limits"], **card["training"], **card["config"]}


@cache
def systems() -> tuple[System, ...]:
    """All systems in the order of the table."""
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
    """The systems that a model belongs to."""
    return [system for system in systems() if model in system.models]
