"""The rows of the notes, as pages and the API serve them, with what settles each: findings of
answers that the engine keeps.

A finding is named by the address of its answer, `scaling?d_head=64#variance_over_d_head`. "not "
before the address means that the law of the finding has to fail, as the row says it does.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from app.captions.facts import typeset
from app.captions.text import counted, in_unit, number
from model.notes import MEANINGS, SECTIONS, VERDICTS, Row, Term, holds_words, rows, select, terms

__all__ = [
    "MEANINGS",
    "SECTIONS",
    "VERDICTS",
    "Reference",
    "Row",
    "cited",
    "found",
    "holding",
    "measurement",
    "plain",
    "references",
    "rows",
    "select",
    "terms",
    "titles",
    "verdicts",
]

NOT = "not "
COUNTS = Counter(row.section for row in rows())
"""How many rows each section has."""
KNOWN = {
    *("section", "verdict", "find", "items"),
    *("model", "source", "target", "text", "image", "row", "embed"),
}
"""What the address of a page of rows may say: which rows, and what travels from page to page."""


@dataclass(frozen=True)
class Reference:
    """Where a number is measured: a word, its question, and the name of the finding. `fails` says
    that the law of the finding has to fail.
    """

    word: str
    question: tuple[tuple[str, str], ...]
    finding: str
    fails: bool = False

    def among(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The finding or the fact of that name in an answer; raises LookupError."""
        told = [*answer.get("findings", ()), *answer.get("facts", ())]
        told += [
            {**one, "name": f"{claim['id']}.{one['name']}"}
            for claim in answer.get("claims", ())
            for one in claim["findings"]
        ]
        found = next((one for one in told if one["name"] == self.finding), None)
        if found is None:
            raise LookupError(f"/{self.word} has no finding {self.finding!r}.")
        return found


def references(row: Row) -> list[Reference]:
    """Where the numbers of a row are measured."""
    found = []
    for written in row.measured:
        address, _, finding = written.removeprefix(NOT).partition("#")
        word, _, query = address.partition("?")
        question = tuple(parse_qsl(query, keep_blank_values=True))
        found.append(Reference(word, question, finding, written.startswith(NOT)))
    return found


def measurement(reference: Reference, answer: dict[str, Any]) -> dict[str, Any]:
    """One measurement of a row: the number, the number in words, its law, the verdict on the law,
    whether it `supports` the row, which is None where the seeds do not decide, and all that in
    sentences.
    """
    finding = reference.among(answer)
    value: float = finding["mean"] if finding.get("value") is None else finding["value"]
    holds: bool | None = finding["holds"]
    measured = {
        "word": reference.word,
        "asked": dict(reference.question),
        "finding": reference.finding,
        "title": finding.get("title", ""),
        "number": value,
        "said": format_value(finding, value),
        "law": typeset(finding["law"]).removesuffix("."),
        "verdict": finding.get("verdict") or ("holds" if holds else "fails"),
        "supports": None if holds is None else holds != reference.fails,
    }
    return {**measured, "sentences": in_sentences(**measured)}


def in_sentences(*, title: str, said: str, law: str, verdict: str, **_: Any) -> str:
    """What a row says of a measurement: the number, its law, and whether the law holds."""
    return f"{title or 'Measured'}: {said}. Law: {law}. It {JUDGED[verdict]}."


JUDGED = {
    "holds": "holds",
    "fails": "fails",
    "undecided": "is undecided with these seeds",
    "not applicable": "sets no bound here",
}
"""The verdicts on a law, in words."""


def format_value(finding: dict[str, Any], value: float) -> str:
    """The number with its unit, and the interval that holds 95 % where there are several seeds."""
    told = in_unit(number(value), finding["unit"])
    if not finding.get("seeds"):
        return told
    ends = " to ".join(map(number, finding.get("interval") or ()))
    return f"{told} ({f'{ends}, ' if ends else ''}{counted(finding['seeds'], 'seed')})"


@dataclass(frozen=True)
class Found:
    """The rows that a page shows, and a sentence that says how many there are."""

    rows: list[Row]
    sentence: str


def found(sections: Sequence[str], query: Mapping[str, str], first: Sequence[str] = ()) -> Found:
    """What the address of a page asks for, among the rows of its sections. Rows with the verdicts
    of `first` stand before the others, in that order.
    """
    section, verdict = query.get("section", ""), query.get("verdict", "")
    for what, asked, known in (
        ("section", section, sections),
        ("verdict", verdict, [value for value, _ in verdicts(sections)]),
    ):
        if asked and asked not in known:
            said = f"This page has no {what} of that name. It has {', '.join(known)}."
            return Found([], said)
    rows = [
        row
        for each in sections
        if section in ("", each)
        for row in select(each, verdict, query.get("find", ""), query.get("items", ""))
    ]
    rows.sort(key=lambda row: first.index(row.verdict) if row.verdict in first else len(first))
    said = f"{len(rows)} of {sum(COUNTS[each] for each in sections)} rows."
    if unknown := [name for name in query if name not in KNOWN]:
        said = f"{said} This page does not know {' and '.join(unknown)}, which the address names."
    return Found(rows, said if rows else f"{said} Try fewer words, or another verdict.")


@cache
def readings() -> dict[str, str]:
    """The readings of the notes that have authors and a year, `Xiong et al. 2020`, each with its
    item.
    """
    named = ((re.match(r".+? (?:19|20)\d\d", row.text), row.item) for row in select("readings"))
    return {name[0]: item for name, item in named if name}


def cited(row: Row) -> list[tuple[str, str]]:
    """The works that a row names as its source, each with the item of its reading, or ""."""
    works = row.source.split("; ")
    known = ((work, (one for one in readings() if work.startswith(one))) for work in works)
    return [(work, readings().get(next(found, ""), "")) for work, found in known]


def titles(sections: Iterable[str]) -> list[tuple[str, str]]:
    """The sections with their titles, as a control offers them."""
    return [(section, SECTIONS[section]) for section in sections]


def verdicts(sections: Iterable[str]) -> list[tuple[str, str]]:
    """The verdicts that rows of these sections may have, each once, as a control offers them."""
    every = (verdict for section in sections for verdict in VERDICTS[section])
    return [(verdict, verdict) for verdict in dict.fromkeys(every)]


def plain(row: Row) -> dict[str, Any]:
    """A row without its numbers, as the API tells it."""
    return {**asdict(row), "number": None, "measured": [], "measurable": len(row.measured)}


def holding(words: str) -> list[Term]:
    """The terms of the glossary whose name and sentence hold all the words."""
    return [term for term in terms() if holds_words(f"{term.name} {term.sentence}", words)]
