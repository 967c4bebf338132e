"""The notes of a course on Transformers, row by row, and what is so of each.

A table of TOML in this folder is one section of the notes. The web process reads them too, so this
module imports no torch.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SECTIONS = {
    "formulas": "Formulas",
    "systems": "Systems and architectures",
    "experiments": "Experiments and figures",
    "claims": "Claims",
    "questions": "Open questions of the notes",
    "lecture": "Questions asked most in lectures",
    "readings": "Readings",
}
"""The sections of the notes with their titles, in the order in which they are shown."""

VERDICTS = {
    "formulas": ("right", "partly right", "wrong", "ambiguous"),
    "systems": ("shipped", "on a page", "cited only"),
    "experiments": ("measured here", "drawn here", "cited only"),
    "claims": ("right", "partly right", "wrong", "ambiguous", "disputed"),
    "questions": ("answered", "open"),
    "lecture": ("answered",),
    "readings": ("used here", "cited only"),
}
"""The verdicts that a row of each section may have."""

MEANINGS = {
    "right": "The sentence is true as it stands.",
    "partly right": "Half of it is true, or it needs a condition that it leaves out.",
    "wrong": "The sentence is false. The row says what is so instead.",
    "ambiguous": "The sentence can be read in two ways, or it is not finished.",
    "disputed": "Papers disagree about it, or it is an interpretation that nothing measured here"
    " settles.",
    "shipped": "A model of this kind belongs to this product.",
    "on a page": "No such model is shipped, but a page shows how it works.",
    "measured here": "A page measures it, often at a smaller size, which the row then names.",
    "drawn here": "A page draws what the figure of the notes shows.",
    "cited only": "It is told with its source and is neither measured nor drawn here. The row says"
    " why.",
    "answered": "The row answers the question in a sentence or two.",
    "open": "Nobody has the answer yet, or only the reader can give it.",
    "used here": "A page or another row is made from it.",
}
"""What each verdict means, in the words of the pages."""


@dataclass(frozen=True)
class Row:
    """One row of the notes.

    `item` is its name, C57; `text` is what the notes say, in a whole sentence, or what they ask.
    `settled` says what is so: the correction of a claim, the answer to a question, where a system
    or an experiment is to be seen or why it is only cited. `page` is the address of the page that
    shows it. `measured` are findings or facts that settle it, each as the address of an answer with
    the name of the finding behind a #: `scaling?d_head=64#variance_over_d_head`.
    """

    item: str
    section: str
    text: str
    verdict: str
    settled: str
    source: str
    page: str
    measured: tuple[str, ...] = ()

    @property
    def searched_text(self) -> str:
        """All that is looked through when words are looked for."""
        return " ".join((self.item, self.text, self.verdict, self.settled, self.source))


@dataclass(frozen=True)
class Term:
    """A term of the glossary: its name, what it means in a sentence or two, the address of the page
    that shows it, and the paper that it comes from where there is one. `spellings` are words that
    stand for it in a text, if those are not its name; `common` terms stand on nearly every page.
    """

    name: str
    sentence: str
    page: str
    source: str = ""
    spellings: tuple[str, ...] = ()
    common: bool = False

    @property
    def place(self) -> str:
        """Its place on the page of the glossary."""
        return self.name.lower().replace(" ", "-")

    @property
    def forms(self) -> tuple[str, ...]:
        """The words that stand for it in a text. A name that is a common noun or a phrase of such
        begins in lower case.
        """
        if self.spellings:
            return self.spellings
        proper = any(letter.isupper() for letter in self.name[1:]) or not self.name[0].isalpha()
        return (self.name if proper else self.name[0].lower() + self.name[1:],)


def holds_words(text: str, words: str) -> bool:
    """Whether every one of the words stands in the text, in any case and order."""
    text = text.lower()
    return all(word in text for word in words.lower().split())


@cache
def rows() -> tuple[Row, ...]:
    """Returns all rows in the order of the sections and of their tables."""
    return tuple(row for section in SECTIONS for row in table(section))


@cache
def terms() -> tuple[Term, ...]:
    """Returns the terms of the glossary in alphabetical order."""
    return tuple(
        Term(spellings=tuple(term.pop("said", ())), **term) for term in read("glossary")["term"]
    )


def table(section: str) -> list[Row]:
    """Reads the rows of one section."""
    return [
        Row(section=section, measured=tuple(row.pop("measured", ())), **row)
        for row in read(section)["row"]
    ]


def read(name: str) -> dict[str, Any]:
    """Reads a table of this folder."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


def select(section: str = "", verdict: str = "", find: str = "", items: str = "") -> list[Row]:
    """Returns the rows of a section, with a verdict, that hold all words of `find`, and whose names
    are among `items`, which have commas between them. What is empty leaves out no row.
    """
    named = {item.strip().upper() for item in items.split(",") if item.strip()}
    return [
        row
        for row in rows()
        if section in ("", row.section)
        and verdict in ("", row.verdict)
        and (not named or row.item in named)
        and holds_words(row.searched_text, find)
    ]
