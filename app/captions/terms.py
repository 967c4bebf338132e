"""Terms of the field in prose: each is explained where a reader meets it first, by a tip that has
the sentence of the glossary and a link to its place there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape

from model.labels import label
from model.notes import Term, terms
from model.words import LANGUAGE

MOST = 5
"""Terms that a short text explains: with more of them it would not read calmly."""
WORDS = 20
"""A long text explains one term for so many words."""
QUIET = re.compile("a|button|code|dfn|dl|h[1-6]|kbd|label|math|nav|output|select|summary|svg|table")
"""Elements in which nothing is explained: headings, links, controls, code, formulas, tables."""
NOT_OURS = re.compile(r"<span[^>]*\sid=|<[^>]*\sdata-verbatim\b")
"""A word that a script writes, or words that are quoted."""
EMPTY = frozenset(("br", "hr", "img", "input"))
TAG = re.compile(r"(<[^>]*>)")
OPENING = re.compile(r"<([a-z][a-z0-9]*)")
APART = re.compile(r"<(?:details|section)\b")
"""A text of its own, which may explain as many terms as any."""
SOMETIMES = re.compile(r"<[^>]*\s(?:hidden|data-(?:for|found|scheme|show|view))\b")
"""An element that stands only in some views: what follows does not know what it explains."""


BEFORE_ITS_COMPLEMENT = re.compile(r" (?:d’|(?:à|de|des|du|en|entre|par|sur) )")
"""What stays as it is where the French noun before it is one of several."""


@cache
def forms(language: str) -> dict[str, Term]:
    """The terms by the words that stand for them in a text, one or several."""
    several = french_plural if language == "fr" else plural
    return {name: term for term in terms() for form in term.forms for name in (form, several(form))}


def french_plural(form: str) -> str:
    """As in têtes d’attention or réseaux récurrents. Initials and names have none."""
    complement = BEFORE_ITS_COMPLEMENT.search(form)
    end = complement.start() if complement else len(form)
    words = (
        word
        if re.search(r"[A-Z]|[sxz]$", word)
        else re.sub(r"al$", "au", word) + ("x" if re.search(r"(?:al|eau|eu)$", word) else "s")
        for word in form[:end].split(" ")
    )
    return " ".join(words) + form[end:]


def plural(form: str) -> str:
    """The form with an ending as in masks, patches or queries."""
    if re.search(r"[^aeiou]y$", form):
        return f"{form[:-1]}ies"
    return f"{form}es" if re.search(r"(?:ch|s|x)$", form) else f"{form}s"


@cache
def pattern(language: str) -> re.Pattern[str]:
    """Any of the forms; of two that begin at one place, the longer. What follows a quotation mark
    is the name of a control. A form in lower case may begin a sentence, and the words of a form may
    stand on two lines. The forms stand together by their first letter, so that most are not tried
    where a word begins.
    """
    by_first: dict[str, list[str]] = {}
    for form in sorted(forms(language), key=len, reverse=True):
        rest = r"\s+".join(map(re.escape, form[1:].split(" ")))
        for first in dict.fromkeys((form[0], form[0].upper())):
            by_first.setdefault(first, []).append(rest)
    any_form = "|".join(
        f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in by_first.items()
    )
    return re.compile(rf"(?<![\w“-])(?<!«\s)(?:{any_form})(?![\w-])")


def term_of(words: str) -> Term:
    """The term for which the words of a text stand."""
    form, known = " ".join(words.split()), forms(LANGUAGE.get())
    return known.get(form) or known[form[0].lower() + form[1:]]


def explained(html: str) -> str:
    """The HTML with each term explained at its first use, of as many terms as a text bears.
    Sections and folds are texts of their own.
    """
    return marked(html, Place("", Text()))


def explained_texts(*texts: str) -> list[str]:
    """Texts in reading order, as HTML; a term is explained in the first that uses it."""
    pieces: list[str] = []
    place = None
    for text in texts:
        place = Place("", Text(place.text if place else None), around=place)
        pieces.append(marked(escape(text, quote=False), place))
    return pieces


def marked(html: str, start: "Place") -> str:
    """The HTML, which is read from a place on, with the terms explained."""
    places = []
    for part, place in walk(html, start):
        used = []
        if not place.quiet and not part.startswith("<"):
            place.text.words += len(part.split())
            used = list(map(term_of, pattern(LANGUAGE.get()).findall(part)))
            place.text.uses.update(dict.fromkeys(used))
            if not place.sometimes:
                place.text.always.update(used)
        places.append((part, place, used))
    return "".join(read(part, place) if used else part for part, place, used in places)


@dataclass
class Text:
    """What is read in one go: how many words it has, the terms that it `uses`, in their order,
    those of them that stand in what is `always` shown, and the text around it or before it.
    """

    around: "Text | None" = None
    words: int = 0
    uses: dict[Term, None] = field(default_factory=dict)
    always: set[Term] = field(default_factory=set)

    def explains(self) -> set[Term]:
        """The terms that it explains. Where there are too many, the last give way, and before them
        those that nearly every page has.
        """
        known = self.around.explains() & self.around.always if self.around else set()
        new = [term for term in self.uses if term not in known]
        rare = [term for term in new if not term.common][: max(MOST, self.words // WORDS)]
        common = [term for term in new if term.common][: max(0, MOST - len(rare))]
        return {*rare, *common}


@dataclass
class Place:
    """Where a reader is: in which element of which text, whether nothing is explained in it, the
    place around it or before it, which terms have been explained in it so far, and whether it is
    shown only `sometimes`.
    """

    element: str
    text: Text
    quiet: bool = False
    around: "Place | None" = None
    known: set[Term] = field(default_factory=set)
    sometimes: bool = False

    def knows(self, term: Term) -> bool:
        return term in self.known or (self.around is not None and self.around.knows(term))


def walk(html: str, start: Place) -> Iterator[tuple[str, Place]]:
    """The tags, and the texts between them, each with its place."""
    places = [start]
    for part in TAG.split(html):
        if part.startswith("</"):
            while len(places) > 1 and places.pop().element != part[2:-1].strip():
                pass
        elif (opening := OPENING.match(part)) and opening[1] not in EMPTY and part[-2] != "/":
            places.append(entered(places[-1], opening[1], part))
        yield part, places[-1]


def entered(outside: Place, element: str, tag: str) -> Place:
    """The place inside an element."""
    quiet = outside.quiet or QUIET.fullmatch(element) is not None or NOT_OURS.match(tag) is not None
    if APART.match(tag):
        return Place(element, Text(outside.text), quiet, outside)
    if SOMETIMES.match(tag):
        return Place(element, outside.text, quiet, outside, sometimes=True)
    known, sometimes = outside.known, outside.sometimes
    return Place(element, outside.text, quiet, outside.around, known, sometimes)


def read(text: str, place: Place) -> str:
    """A text with the terms explained that are not known yet."""
    explains = place.text.explains()

    def with_tip(found: re.Match[str]) -> str:
        term = term_of(found[0])
        if term not in explains or place.knows(term):
            return found[0]
        place.known.add(term)
        return tip(found[0], term)

    return pattern(LANGUAGE.get()).sub(with_tip, text)


def tip(words: str, term: Term) -> str:
    """The words, and the tip that opens when one points at, touches or focuses them."""
    return (
        f'<dfn tabindex="0">{words}<span>{escape(term.sentence, quote=False)}'
        f' <a href="/glossary#{escape(term.place)}">{label("Glossary")}</a></span></dfn>'
    )
