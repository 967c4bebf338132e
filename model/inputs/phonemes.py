"""Phonemes as tokens: what a model writes that reads letters and says how the word sounds.

ARPAbet as in the CMU Pronouncing Dictionary: HH AH0 L OW1. A vowel carries its stress, 0 for none,
1 and 2 for the first and second. Letters are lower case in the vocabulary and phonemes upper case:
t is the letter and T the sound.
"""

import re

from model.errors import InvalidInput
from model.inputs.letters import LetterTokenizer, WordTokenizer, letter_by_letter
from model.inputs.text import TextTokenizer, Token, framed

VOWELS = ["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"]
CONSONANTS = [*"BDFGKLMNPRSTVWYZ", "CH", "DH", "HH", "JH", "NG", "SH", "TH", "ZH"]
PHONEMES = [*(vowel + stress for vowel in VOWELS for stress in "012"), *CONSONANTS]


class PhonemeTokenizer(LetterTokenizer):
    """Phonemes with spaces between, in capitals or not, each a token and a word of its own. Raises
    InvalidInput for what is none.
    """

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        found = list(re.finditer(r"\S+", text))
        strange = next((match[0] for match in found if match[0].upper() not in PHONEMES), None)
        if strange is not None:
            sentence = (
                f"{strange[:20]!r} is no phoneme; they are written as in HH AH0 L OW1, and a vowel"
                " has its stress, 0, 1 or 2."
            )
            raise InvalidInput(sentence, field="text", given=strange[:80])
        return framed(
            [self.at(match, number) for number, match in enumerate(found)], len(text), start, end
        )

    def at(self, match: re.Match, number: int) -> Token:
        piece = match[0].upper()
        return Token(piece, self.id(piece), match.start(), match.end(), False, number)


class PronunciationTokenizer(WordTokenizer):
    """A word is read letter by letter; what is written are phonemes."""

    encoding = "pronunciation"

    def reading(self, name: str) -> TextTokenizer:
        return PhonemeTokenizer(self.backend) if name == "target" else self


def pronunciation() -> PronunciationTokenizer:
    """<pad>, <s>, </s>, the 26 letters, the apostrophe and the 69 phonemes."""
    return PronunciationTokenizer(letter_by_letter([*WordTokenizer.alphabet, *PHONEMES]))
