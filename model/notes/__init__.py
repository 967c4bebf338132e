"""The notes of a course on Transformers, row by row, with corrections.

Each TOML table in this folder is one section of the notes, in English; `model/labels.py` has it in
other languages. The web process reads them too, so this module does not import torch.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from model.labels import in_language, label
from model.words import FOLDER, LANGUAGE

SECTIONS = {
    "formulas": "Formulas",
    "systems": "Systems and architectures",
    "experiments": "Experiments and figures",
    "claims": "Claims",
    "questions": "Questions from a student’s notes",
    "lecture": "Common questions from lectures and forums",
    "readings": "Readings",
}
"""The sections of the notes with their titles, in display order."""

VERDICTS = {
    "formulas": ("right", "partly right", "wrong", "ambiguous"),
    "systems": ("included", "on a page", "cited only"),
    "experiments": ("measured here", "drawn here", "cited only"),
    "claims": ("right", "partly right", "wrong", "ambiguous", "disputed"),
    "questions": ("answered", "open"),
    "lecture": ("answered",),
    "readings": ("used here", "cited only"),
}
"""The possible verdicts on a row of each section."""

MEANINGS = {
    "right": "True as written.",
    "partly right": "Half true, or true only under a condition that it omits.",
    "wrong": "False. The row gives the correction.",
    "ambiguous": "Can be read in two ways, or is unfinished.",
    "disputed": "Papers disagree, or it is an interpretation that nothing here can test.",
    "included": "A model of this kind is included.",
    "on a page": "No such model is included, but a page shows how it works.",
    "measured here": "A page measures it, often at a smaller size.",
    "drawn here": "A page draws what the figure in the notes shows.",
    "cited only": "Neither measured nor drawn here, for the reason given in the row.",
    "answered": "The row gives the answer.",
    "open": (
        "There is no settled answer, or only one person could give it: the reader, the author of "
        "the notes, or a speaker."
    ),
    "used here": "A page or another row is based on it.",
}
"""The meaning of each verdict, as shown on the pages."""


def verdict_name(verdict: str) -> str:
    """A verdict in the reader's language; avoids the translation of "right" as a direction."""
    return label(f"{verdict} (verdict)").removesuffix(" (verdict)")


@dataclass(frozen=True)
class Row:
    """One row of the notes.

    `item` is its name, C57; `text` is the statement or question in the notes, as a whole sentence.
    `settled` is the correction of a claim, the answer to a question, or where a system or an
    experiment is shown or why it is only cited. `page` is the address of the page that shows it.
    `measured` are findings or facts that settle it, each as the address of an answer with the name
    of the finding after a #: `scaling?d_head=64#variance_over_d_head`.
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
        """All text that is searched, including the English one."""
        english = (self.item, self.text, self.verdict, self.settled, self.source)
        read = (label(self.text), verdict_name(self.verdict), label(self.settled))
        return " ".join(dict.fromkeys((*english, *read)))


@dataclass(frozen=True)
class Term:
    """A term of the glossary: its name, its meaning in a sentence or two, the address of the page
    that shows it, and the paper that introduced it, if there is one. `spellings` are other words
    for it in a text; `common` terms occur on nearly every page. `anchor` is its anchor on the page
    if that is not its name, for older links. `english` has its English name and forms in a
    translation.
    """

    name: str
    sentence: str
    page: str
    source: str = ""
    spellings: tuple[str, ...] = ()
    common: bool = False
    anchor: str = ""
    english: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Its anchor on the glossary page."""
        return self.anchor or self.name.lower().replace(" ", "-")

    @property
    def forms(self) -> tuple[str, ...]:
        """The words for it in a text. A name that is a common noun or phrase begins in lower
        case.
        """
        if self.spellings:
            return self.spellings
        proper = any(letter.isupper() for letter in self.name[1:]) or not self.name[0].isalpha()
        return (self.name if proper else self.name[0].lower() + self.name[1:],)


def folded(text: str) -> str:
    """A text in lower case without accents, for searching."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def holds_words(text: str, words: str) -> bool:
    """Whether all words occur in the text, in any case and order."""
    text = folded(text)
    return all(word in text for word in folded(words).split())


@cache
def rows() -> tuple[Row, ...]:
    """All rows in the order of the sections and their tables."""
    return tuple(row for section in SECTIONS for row in rows_of(section))


def terms() -> tuple[Term, ...]:
    """The terms of the glossary in alphabetical order, in the reader's language."""
    return terms_in(LANGUAGE.get())


@cache
def terms_in(language: str) -> tuple[Term, ...]:
    """The terms in a language, whose spellings are in `terms.toml` by their English names."""
    english = tuple(
        Term(spellings=tuple(term.pop("said", ())), **term) for term in read("glossary")["term"]
    )
    if language == "en":
        return english
    path = FOLDER / language / "terms.toml"
    spellings = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    localized = [
        replace(
            term,
            name=in_language(term.name, language),
            sentence=in_language(term.sentence, language),
            spellings=tuple(spellings.get(term.name, ())),
            anchor=term.place,
            english=(term.name, *term.forms),
        )
        for term in english
    ]
    return tuple(sorted(localized, key=lambda term: re.sub(r"\W", "", folded(term.name))))


def rows_of(section: str) -> list[Row]:
    """Reads the rows of one section."""
    return [
        Row(section=section, measured=tuple(row.pop("measured", ())), **row)
        for row in read(section)["row"]
    ]


def read(name: str) -> dict[str, Any]:
    """Reads a table of this folder."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


def select(section: str = "", verdict: str = "", find: str = "", items: str = "") -> list[Row]:
    """The rows of a section, with a verdict, that contain all words of `find`, and whose names are
    in the comma-separated list `items`. Empty criteria match every row.
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
