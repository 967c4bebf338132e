"""Finding by words: pages, models, systems, terms of the glossary, sections of the manual and rows
of the notes, all of which a reader may know by another name than the address.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any
from urllib.parse import quote

from app.site.manual import Manual, Section, Subject
from app.site.ranking import Ranking, Text, Vocabulary, stem, words_of
from model.labels import label
from model.notes import Row, Term, read, rows, terms, verdict_name
from model.notes.papers import System, called, systems
from model.words import LANGUAGE, joined
from model.words import text as message

__all__ = ["Hit", "Search", "called", "paper_differences", "systems"]

Cards = Sequence[Mapping[str, Any]]

MAX_HITS = 40
"""The most hits of a group that are listed; the index of the notes lists all rows."""
MAX_PAGES = 8
MAX_WORDS = 16
"""Of what is typed, the words that are looked for."""
MAX_NEAREST = 3
"""The most hits of a group in which nothing holds all the words."""
LEAST_SCORE = 0.3
"""Of a page that is listed, as a share of the score of the best."""
LEAST_SHARE = 0.4
"""Of the words that a hit has to hold, each by its rarity, if none holds all."""
BEGINNINGS = ("journey", "questions", "glossary")
"""Pages to begin at if nothing is found."""
COLON = {"en": ": ", "fr": "\u00a0: "}
"""What stands between a title and what is below it, by language."""
NAME, DESCRIBED, MENTIONED = 4.0, 2.0, 1.0
"""Weights of the places of a text: what it is called, what it says, and what is said of it."""


@dataclass(frozen=True)
class Hit:
    """One thing that was found: where it is, what it is called, and a sentence about it."""

    address: str
    name: str
    sentence: str


@dataclass(frozen=True)
class Group:
    """Hits of one kind: its title, what is listed, and how many there are in all. `whole` says
    that they hold all the words.
    """

    title: str
    hits: list[Hit]
    many: int
    whole: bool


@dataclass(frozen=True)
class Uncovered:
    """A subject that people look for and that no page has: a sentence that says so, and the words
    of the nearest pages.
    """

    names: Sequence[str]
    nearest: Sequence[str]
    but: str = ""

    @property
    def sentence(self) -> str:
        sentence = label(f"Vitrine does not cover {self.names[0]}.")
        return f"{sentence} {label(self.but)}".strip()

    def place_in(self, stems: Sequence[str]) -> slice | None:
        """Where one of its names stands among words, in one word or in several."""
        names = (*self.names, *map(label, self.names))
        spelled = {"".join(map(stem, words_of(name))) for name in names}
        ends = range(1, len(stems) + 1)
        parts = (slice(a, b) for b in ends for a in range(b))
        return next((part for part in parts if "".join(stems[part]) in spelled), None)


@dataclass(frozen=True)
class Found:
    """What is found by some words, and those of the words that are taken for what was typed; what
    of it no page has.
    """

    groups: list[Group]
    words: list[str]
    read_as: list[str]
    uncovered: Sequence[Uncovered] = ()

    @property
    def whole(self) -> bool:
        return any(group.whole for group in self.groups)


class Search:
    """Everything that can be found, in one language; names in English are found in all. `pages`
    and `cards` are English.
    """

    def __init__(self, pages: Sequence[Any], cards: Cards, manual: Manual):
        self.pages, self.cards, self.manual = pages, cards, manual

    @cached_property
    def listed(self) -> dict[str, tuple[list[Hit], Ranking]]:
        """Hits by the title of their group, and the texts in which they are found."""
        found = {
            "Pages": list(map(page_text, self.pages)),
            "Models": list(map(model_text, self.cards)),
            "Systems": list(map(system_text, systems())),
            "Terms": list(map(term_text, terms())),
            "Manual": [
                section_text(subject, section)
                for subject in self.manual.subjects.values()
                for section in subject.sections
                if section.paragraphs
            ],
            "Notes": list(map(row_text, rows())),
        }
        return {
            title: ([hit for hit, _ in group], Ranking([text for _, text in group]))
            for title, group in found.items()
        }

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary([text for _, ranking in self.listed.values() for text in ranking.texts])

    def found(self, typed: str) -> Found:
        """What is nearest to what was typed, in groups. Nothing is found by no word."""
        if not typed.strip():
            return Found([], [], [])
        words = words_of(typed)[:MAX_WORDS]
        missing, covered = without_uncovered(words)
        meant = list(map(self.vocabulary.meant, covered))
        read_as = [self.vocabulary.accented.get(term, term) for term in meant if term not in words]
        groups = [self.group(title, list(map(stem, meant))) for title in self.listed]
        if missing:
            groups = [self.nearest(missing, groups[0]), *self.holding(list(map(stem, words)))]
        return Found([group for group in groups if group.hits], meant, read_as, missing)

    def nearest(self, missing: Sequence[Uncovered], found: Group) -> Group:
        """The pages nearest to what no page has, then those that the other words found."""
        near = [word for subject in missing for word in subject.nearest]
        pages = {word_of(hit.address): hit for hit in self.listed["Pages"][0]}
        hits = [pages[word] for word in near]
        hits += [hit for hit in found.hits if hit not in hits]
        return Group(label("Pages"), hits, len(hits), whole=False)

    def holding(self, stems: Sequence[str]) -> list[Group]:
        """What else than pages holds all the words."""
        others = [self.group(title, stems) for title in self.listed if title != "Pages"]
        return [group for group in others if group.whole]

    @property
    def beginnings(self) -> list[Group]:
        """Where to begin if nothing is found."""
        hits = [hit for hit in self.listed["Pages"][0] if word_of(hit.address) in BEGINNINGS]
        return [Group(label("Pages"), hits, len(hits), whole=False)]

    def group(self, title: str, stems: Sequence[str]) -> Group:
        """The hits that hold all the words, or else the nearest. Pages are listed by their score
        alone, because a page whose name holds half a question may answer the whole.
        """
        hits, ranking = self.listed[title]
        ranked = ranking.nearest(stems)
        whole = [entry for entry in ranked if entry.share == 1]
        if title == "Pages":
            best = [entry for entry in ranked if entry.score >= LEAST_SCORE * ranked[0].score][
                :MAX_PAGES
            ]
        else:
            near = [entry for entry in ranked if entry.share >= LEAST_SHARE]
            best = whole or near[:MAX_NEAREST]
        found = [hits[entry.index] for entry in best][:MAX_HITS]
        return Group(label(title), found, len(best), bool(whole))


@cache
def uncovered() -> tuple[Uncovered, ...]:
    """All subjects that people look for and that no page has."""
    return tuple(Uncovered(**entry) for entry in read("uncovered")["subject"])


def without_uncovered(words: Sequence[str]) -> tuple[list[Uncovered], list[str]]:
    """The subjects among these words that no page has, and the other words."""
    found, rest = [], list(words)
    for subject in uncovered():
        if (part := subject.place_in(list(map(stem, rest)))) is not None:
            found.append(subject)
            del rest[part]
    return found, rest


def page_text(page: Any) -> tuple[Hit, Text]:
    """A page is found by its names, by the terms that it shows and the questions that it answers,
    and by the rows of the notes that lead to it.
    """
    defined = [term for term in terms() if word_of(term.page) == page.word]
    led = [row for row in rows() if word_of(row.page) == page.word]
    texts = page.read()
    descriptions = [
        texts.sentence,
        *(label(row.text) for row in led if row.section == "lecture"),
        *(form for term in defined for form in (*term.forms, *term.english)),
        *(system.name for system in systems() if page.word in map(word_of, system.pages)),
    ]
    mentioned = [*(row.searched_text for row in led), *(term.sentence for term in defined)]
    names = [texts.title, page.title, page.word, *names_of(page.word)]
    hit = Hit(page.path, texts.title, texts.sentence)
    return hit, Text([(NAME, names), (DESCRIBED, descriptions), (MENTIONED, mentioned)])


def model_text(card: Mapping[str, Any]) -> tuple[Hit, Text]:
    papers = [system.name for system in called(card["id"])]
    known = f"; {', '.join(papers)} in the papers" if papers else ""
    description = label(f"{card['task']}{known}")
    hit = Hit(f"/models?model={quote(card['id'])}", label(card["name"]), description)
    names = [hit.name, card["name"], card["id"], card["family"], label(card["family"]), *papers]
    return hit, Text([(NAME, names), (DESCRIBED, [hit.sentence])])


def system_text(system: System) -> tuple[Hit, Text]:
    shipped = joined((f"`{model}`" for model in system.models), "and")
    description = f"{label(system.title)} ({system.paper})."
    where = f"Try it with {shipped}." if shipped else "Vitrine includes no such model."
    hit = Hit(system.pages[0], system.name, f"{description} {label(where)}")
    return hit, Text([(NAME, [hit.name]), (DESCRIBED, [hit.sentence])])


def term_text(term: Term) -> tuple[Hit, Text]:
    hit = Hit(f"/glossary#{term.place}", term.name, term.sentence)
    return hit, Text([(NAME, [hit.name, *term.english]), (DESCRIBED, [hit.sentence])])


def section_text(subject: Subject, section: Section) -> tuple[Hit, Text]:
    titles = [subject.title, section.title][: section.level]
    name = COLON[LANGUAGE.get()].join(titles)
    hit = Hit(f"{subject.path}#{section.place}", name, section.paragraphs[0])
    return hit, Text([(NAME, titles), (DESCRIBED, [hit.sentence]), (MENTIONED, section.paragraphs)])


def row_text(row: Row) -> tuple[Hit, Text]:
    name = f"{row.item}{COLON[LANGUAGE.get()]}{verdict_name(row.verdict)}"
    hit = Hit(f"/notes?items={row.item}#{row.item}", name, label(row.text))
    return hit, Text(
        [(NAME, [name]), (DESCRIBED, [hit.sentence]), (MENTIONED, [row.searched_text])]
    )


def names_of(word: str) -> list[str]:
    """What people call the subject of a page, and the systems that it shows before others."""
    file, both = word.replace("-", "_"), dict.fromkeys((LANGUAGE.get(), "en"))
    called = [name for word in both for name in message(file, "-found_by", {}, word).split(", ")]
    return [*called, *(system.name for system in systems() if word_of(system.pages[0]) == word)]


def word_of(address: str) -> str:
    """The page that an address leads to."""
    return address.partition("?")[0].partition("#")[0].strip("/") or "overview"


def paper_differences(
    word: str, model: str, cards: Cards
) -> list[tuple[System, list[tuple[str, str, str]]]]:
    """The systems that a page about a model shows, each with what differs from its paper: what it
    is, the paper's, and what is here.
    """
    by_id = {card["id"]: card for card in cards}
    return [
        (
            system,
            [
                (
                    label(difference.what),
                    label(difference.theirs),
                    difference.ours_with_numbers(by_id, system.models),
                )
                for difference in system.differences
            ],
        )
        for system in systems()
        if system.is_on(word, model)
    ]
