"""How near a text is to what a reader types. Each word counts by how rare it is among the texts and
by the best place where it stands:

    score(text) = sum over the words of rarity(word) * place(text, word)
    rarity(word) = log(1 + texts / texts that hold the word)

Two neighbours count as one more word, so that "layer norm" and "layernorm" are the same, and a text
that holds a phrase comes before one that holds its words apart.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import pairwise

from model.notes import folded
from model.words import LANGUAGE

QUESTION_WORDS = """
a again an and any are as at be been being between but by can could did difference do does doing
done explain for from get give go good had happen has have how i if in into is it its let like make
mean me much my not of on one or our please really should show so some tell than that the their them
then there these they this those to understand us use used using versus very vs was we were what
when where which while who why will with work would you your
"""
FRENCH_QUESTION_WORDS = """
afin alors au aucun aucune aussi autre autres aux avec avoir ca ce ceci cela ces cet cette ceux
chaque comme comment dans de des dit doit donc dont du elle elles en entre est et etre eu expliquer
fait fait faire faut il ils je la le les leur leurs lui ma mais meme memes mes moi mon ne ni nos
notre nous on ont ou par pas peut plutot pour pourquoi quand que quel quelle quelles quels qui quoi
sa sans se ses si son sont sur ta tes ton tous tout toute toutes tu un une vers vos votre vous y
"""
PASSED_OVER = {"en": frozenset(QUESTION_WORDS.split())}
PASSED_OVER["fr"] = PASSED_OVER["en"].union(FRENCH_QUESTION_WORDS.split())
"""Words of questions that say nothing about the subject, by language; names may be English."""
ELIDED = re.compile(r"\b(?:[cdjlmnst]|\w*qu)'")
"""What of le, de or que stands before a vowel."""

ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ed", "es", "s", "e")
FRENCH_ENDINGS = (("eaux$", "eau"), ("aux$", "al"), ("(?:ement|ag|r)$", ""), ("e$", ""))
FRENCH_ENDINGS += ((r"([lnt])\1$", r"\1"),)
"""What ends a word besides, as in masquées, causaux or résiduelle, and what stands in its place."""
SHORTEST_STEM = 3
SHORTEST_CORRECTED = 4
"""Letters that a stem has at least, and a word that is read as another."""
LEAST_ALIKE = 0.78
"""Of a word and what it is taken for: twice the letters that they share over all letters."""


def stem(word: str) -> str:
    """A word without its ending, as those who ask would recognize it."""
    return stem_in(word, LANGUAGE.get())


@lru_cache(maxsize=65_536)
def stem_in(word: str, language: str) -> str:
    """A word without its English ending, and in French without that of a French word."""
    word = without_ending(word)
    for ending, instead in FRENCH_ENDINGS if language == "fr" else ():
        bare = re.sub(ending, instead, word)
        word = bare if len(bare) >= SHORTEST_STEM else word
    return word


def without_ending(word: str) -> str:
    """A word in British spelling, with no double letter at its end."""
    word = re.sub("iz(?=[aei])", "is", word)
    for ending in ENDINGS:
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= SHORTEST_STEM and not word.endswith("ss"):
            return bare[:-1] if ending in ("ing", "ings", "ed") and bare[-1] == bare[-2] else bare
    return word


def words_of(text: str) -> list[str]:
    """The words of a text in small letters without accents; all that it has, if it has no others
    than those that are passed over.
    """
    plain = ELIDED.sub(" ", folded(text.replace("√", " sqrt ")))
    found = re.findall(r"[^\W_]+", plain)
    return [word for word in found if word not in PASSED_OVER[LANGUAGE.get()]] or found


def with_pairs(stems: Sequence[str]) -> list[str]:
    return [*stems, *map("".join, pairwise(stems))]


class Text:
    """A text by its places, each with its weight: `held` is the weight of the best place of each
    word. A place is several phrases, and no pair reaches from one phrase into the next. A word of a
    long phrase counts half as much as one that is a whole phrase. `named` are the words of the
    first place, without their accents: what readers may mean by a word that they mistype or begin;
    `accented` are those with accents by those without.
    """

    def __init__(self, places: Sequence[tuple[float, Sequence[str]]]):
        self.held: dict[str, float] = {}
        self.named = {word for phrase in places[0][1] for word in words_of(phrase)}
        letters = re.findall(r"[^\W_]+", " ".join(places[0][1]).lower())
        self.accented = {folded(word): word for word in reversed(letters)}
        for weight, phrases in places:
            for phrase in phrases:
                stems = list(map(stem, words_of(phrase)))
                counts = weight * (1 + 1 / max(1, len(stems))) / 2
                for word in with_pairs(stems):
                    self.held[word] = max(counts, self.held.get(word, 0))

    def holds(self, stems: Sequence[str]) -> list[str]:
        """Those of the words that stand in the text, alone or as a half of a pair."""
        in_pairs = {word for two in pairwise(stems) if "".join(two) in self.held for word in two}
        return [word for word in stems if word in self.held or word in in_pairs]


@dataclass(frozen=True)
class Ranked:
    """A text by its place in the list: its score, and the share of the words that it holds, each
    by its rarity. A share of 1 means all of them.
    """

    index: int
    score: float
    share: float


class Ranking:
    """Texts of one kind."""

    def __init__(self, texts: Sequence[Text]):
        self.texts = texts

    @cached_property
    def holders(self) -> Counter[str]:
        """How many texts hold each word."""
        return Counter(word for text in self.texts for word in text.held)

    def rarity(self, word: str) -> float:
        return math.log(1 + len(self.texts) / max(1, self.holders[word]))

    def nearest(self, stems: Sequence[str]) -> list[Ranked]:
        """The texts that hold any of the words, the nearest first."""
        rarity = {word: self.rarity(word) for word in with_pairs(stems)}
        every = math.fsum(map(rarity.__getitem__, stems)) or 1
        ranked = [
            Ranked(
                index,
                sum(rare * text.held.get(word, 0) for word, rare in rarity.items()),
                math.fsum(map(rarity.__getitem__, text.holds(stems))) / every,
            )
            for index, text in enumerate(self.texts)
        ]
        return sorted((entry for entry in ranked if entry.score), key=lambda entry: -entry.score)


class Vocabulary:
    """The words that texts hold, by which what is typed is read."""

    def __init__(self, texts: Sequence[Text]):
        self.held = frozenset().union(*(text.held for text in texts))
        self.named = frozenset().union(*(text.named for text in texts))
        self.accented: dict[str, str] = {}
        for text in reversed(texts):
            self.accented |= text.accented

    def meant(self, word: str) -> str:
        """A word that the texts hold: this one, or the shortest of a name that begins with it, or
        the one of a name that is most like it and has the same first letter. A word that is like
        none stays.
        """
        if stem(word) in self.held or len(word) < SHORTEST_CORRECTED:
            return word
        first = sorted(known for known in self.named if known[0] == word[0])
        if begun := [known for known in first if known.startswith(word)]:
            return min(begun, key=len)
        near = [known for known in first if abs(len(known) - len(word)) <= 2]
        return (get_close_matches(word, near, 1, LEAST_ALIKE) or [word])[0]
