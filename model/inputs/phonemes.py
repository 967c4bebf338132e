"""Phonemes as tokens, for a model that reads the letters of a word and outputs its pronunciation.

Phonemes are those of the CMU Pronouncing Dictionary (ARPAbet): HH AH0 L OW1. A vowel carries its
stress: 0 for none, 1 for primary, and 2 for secondary. In the vocabulary, letters are lowercase and
phonemes uppercase: t is the letter and T the sound.
"""

import re

from model.errors import InvalidInput
from model.inputs.letters import LetterTokenizer, WordTokenizer, letter_by_letter
from model.inputs.text import TextTokenizer, Token

VOWELS = ["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"]
CONSONANTS = [*"BDFGKLMNPRSTVWYZ", "CH", "DH", "HH", "JH", "NG", "SH", "TH", "ZH"]
PHONEMES = [*(vowel + stress for vowel in VOWELS for stress in "012"), *CONSONANTS]


class PhonemeTokenizer(LetterTokenizer):
    """Phonemes separated by spaces, in any case; each is a token and a word. `encode` raises
    InvalidInput for an unknown phoneme.
    """

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        found = list(re.finditer(r"\S+", text))
        unknown = next((match[0] for match in found if match[0].upper() not in PHONEMES), None)
        if unknown is not None:
            raise InvalidInput("no-phoneme", field="text", given=unknown[:80])
        return self.framed(
            [self.at(match, number) for number, match in enumerate(found)], len(text), start, end
        )

    def at(self, match: re.Match, number: int) -> Token:
        piece = match[0].upper()
        return Token(piece, self.id(piece), match.start(), match.end(), False, number)


class PronunciationTokenizer(WordTokenizer):
    """The tokenizer of a model that reads a word letter by letter and outputs phonemes."""

    encoding = "pronunciation"

    def tokenizer_for(self, name: str) -> TextTokenizer:
        return PhonemeTokenizer(self.backend) if name == "target" else self


def pronunciation() -> PronunciationTokenizer:
    """A tokenizer of <pad>, <s>, </s>, the 26 letters, the apostrophe, and the 69 phonemes."""
    return PronunciationTokenizer(letter_by_letter([*WordTokenizer.alphabet, *PHONEMES]))
