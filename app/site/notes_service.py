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
from app.captions.verdicts import JUDGED, in_percent
from model.labels import label
from model.notes import (
    MEANINGS,
    SECTIONS,
    VERDICTS,
    Row,
    Term,
    holds_words,
    rows,
    select,
    terms,
    verdict_name,
)
from model.words import joined

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
    "verdict_name",
    "verdicts",
]

NOT = "not "
COUNTS = Counter(row.section for row in rows())
"""How many rows each section has."""
NOUNS = {"claims": {"claims"}, "questions": {"lecture", "questions"}}
"""What rows are called, by the sections that they come from."""
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
        measurements = [*answer.get("findings", ()), *answer.get("facts", ())]
        measurements += [
            {**finding, "name": f"{claim['id']}.{finding['name']}"}
            for claim in answer.get("claims", ())
            for finding in claim["findings"]
        ]
        found = next(
            (measurement for measurement in measurements if measurement["name"] == self.finding),
            None,
        )
        if found is None:
            raise LookupError(f"/{self.word} has no finding {self.finding!r}.")
        return found


def references(row: Row) -> list[Reference]:
    """Where the numbers of a row are measured."""
    found = []
    for reference in row.measured:
        address, _, finding = reference.removeprefix(NOT).partition("#")
        word, _, query = address.partition("?")
        question = tuple(parse_qsl(query, keep_blank_values=True))
        found.append(Reference(word, question, finding, reference.startswith(NOT)))
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
    """What a row says of a measurement: the number, whether it is as expected, and its law."""
    judged = "" if verdict == "not applicable" else f", {label(JUDGED[verdict])}"
    return label("{title}: {measured}. Theory: {law}.").format(
        title=label(title or "Measured"), measured=f"{said}{judged}", law=label(law)
    )


def format_value(finding: dict[str, Any], value: float) -> str:
    """The number with its unit, and the interval that holds 95% where there are several seeds."""
    printed = in_percent(finding["unit"], finding.get("band") or ()) or number
    text = in_unit(printed(value), finding["unit"])
    if not finding.get("seeds"):
        return text
    ends = label(" to ").join(map(printed, finding.get("interval") or ()))
    return f"{text} ({f'{ends}, ' if ends else ''}{counted(finding['seeds'], 'seed')})"


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
    for what, setting_value, known in (
        ("section", section, sections),
        ("verdict", verdict, [value for value, _ in verdicts(sections)]),
    ):
        if setting_value and setting_value not in known:
            return Found([], label(f"There is no such {what} here. Choose {', '.join(known)}."))
    rows = [
        row
        for each in sections
        if section in ("", each)
        for row in select(each, verdict, query.get("find", ""), query.get("items", ""))
    ]
    rows.sort(key=lambda row: first.index(row.verdict) if row.verdict in first else len(first))
    total = sum(COUNTS[each] for each in sections)
    what = next((word for word, some in NOUNS.items() if set(sections) <= some), "rows")
    every = len(rows) == total
    sentences = [f"All {total} {what}." if every else f"{len(rows)} of {total} {what}."]
    if unknown := [name for name in query if name not in KNOWN]:
        sentences.append(f"This page has no setting called {joined(unknown, 'or')}.")
    if not rows:
        sentences.append("Try fewer words, or another verdict.")
    return Found(rows, " ".join(map(label, sentences)))


@cache
def readings() -> dict[str, str]:
    """The readings of notes with authors and a year, `Xiong et al. 2020`, each with its item."""
    named = ((re.match(r".+? (?:19|20)\d\d", row.text), row.item) for row in select("readings"))
    return {name[0]: item for name, item in named if name}


def cited(row: Row) -> list[tuple[str, str]]:
    """The works that a row names as its source, each with the item of its reading, or ""."""
    works = row.source.split("; ")
    known = (
        (work, (reading for reading in readings() if work.startswith(reading))) for work in works
    )
    return [(label(work), readings().get(next(found, ""), "")) for work, found in known]


def titles(sections: Iterable[str]) -> list[tuple[str, str]]:
    """The sections with their titles, as a control offers them."""
    return [(section, label(SECTIONS[section])) for section in sections]


def verdicts(sections: Iterable[str]) -> list[tuple[str, str]]:
    """The verdicts that rows of these sections may have, each once, as a control offers them."""
    every = (verdict for section in sections for verdict in VERDICTS[section])
    return [(verdict, verdict_name(verdict)) for verdict in dict.fromkeys(every)]


def plain(row: Row) -> dict[str, Any]:
    """A row without its numbers, as the API tells it."""
    read = {"text": label(row.text), "settled": label(row.settled)}
    more = {"number": None, "measured": [], "measurable": len(row.measured)}
    return {**asdict(row), **read, **more}


def holding(words: str) -> list[Term]:
    """The terms of the glossary whose names and sentence hold all the words."""
    known = ((term, " ".join((term.name, term.sentence, *term.english))) for term in terms())
    return [term for term, text in known if holds_words(text, words)]
