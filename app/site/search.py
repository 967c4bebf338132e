"""Finding by words: pages, models, systems, terms of the glossary and rows of the notes, all of
which a reader may know by another name than the address.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from model.notes import holds_words, rows, terms
from model.notes.papers import System, called, systems

__all__ = ["Hit", "called", "found", "shown", "systems"]

Cards = Sequence[Mapping[str, Any]]

MAX_HITS = 40
"""The most rows of the notes that are listed; the index of the notes lists all."""


@dataclass(frozen=True)
class Hit:
    """One thing that was found: where it is, what it is called, and a sentence about it."""

    address: str
    name: str
    sentence: str

    def holds(self, words: str, more: str = "") -> bool:
        return holds_words(f"{self.name} {self.sentence} {more}", words)


def found(
    words: str, pages: Sequence[tuple[Any, str]], cards: Cards
) -> list[tuple[str, list[Hit], int]]:
    """What holds all the words, in groups: each with its title, what is listed, and how many there
    are in all. Nothing is found by no word. `pages` come with their descriptions.
    """
    if not words.strip():
        return []
    groups = {
        "Systems": [hit for hit in map(system_hit, systems()) if hit.holds(words)],
        "Pages": [
            hit
            for page, sentence in pages
            if (hit := Hit(page.path, page.title, sentence)).holds(words, names_on(page.word))
        ],
        "Models": [
            hit
            for card in cards
            if (hit := model_hit(card)).holds(words, f"{card['id']} {card['family']}")
        ],
        "Terms": [
            hit
            for term in terms()
            if (hit := Hit(f"/glossary#{term.place}", term.name, term.sentence)).holds(words)
        ],
        "Notes": [
            Hit(f"/notes?items={row.item}#{row.item}", f"{row.item}: {row.verdict}", row.text)
            for row in rows()
            if holds_words(row.searched_text, words)
        ],
    }
    return [(title, hits[:MAX_HITS], len(hits)) for title, hits in groups.items() if hits]


def system_hit(system: System) -> Hit:
    shipped = " and ".join(f"`{model}`" for model in system.models)
    told = f"{system.title} ({system.paper})."
    where = f"The model {shipped} is one." if shipped else "No model of it is shipped."
    return Hit(system.pages[0], system.name, f"{told} {where}")


def model_hit(card: Mapping[str, Any]) -> Hit:
    names = [system.name for system in called(card["id"])]
    known = f"; {', '.join(names)} in the papers" if names else ""
    return Hit(f"/models?model={quote(card['id'])}", card["name"], f"{card['task']}{known}")


def names_on(word: str) -> str:
    """The names of all systems that a page shows."""
    return " ".join(
        system.name
        for system in systems()
        if any(page.partition("?")[0].strip("/") == word for page in system.pages)
    )


def shown(word: str, model: str, cards: Cards) -> list[tuple[System, list[tuple[str, str, str]]]]:
    """The systems that a page about a model shows, each with what differs from its paper: what it
    is, the paper's, and what is here.
    """
    by_id = {card["id"]: card for card in cards}
    return [
        (
            system,
            [
                (one.what, one.theirs, one.ours_with_numbers(by_id, system.models))
                for one in system.differences
            ],
        )
        for system in systems()
        if system.is_on(word, model)
    ]
