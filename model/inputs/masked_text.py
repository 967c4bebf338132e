"""Masked text: sentences with blanks to fill. The vocabulary is the pieces of text.py and <mask>,
which is typed as [MASK] or as ___.
"""

import json
import re
from typing import cast

from tokenizers import Tokenizer

from model.inputs.text import WORD_START, TextTokenizer, Token, add_frame
from model.inputs.text import fit as fit_pieces

BLANK = re.compile(r"\[MASK\]|_{2,}")
MASK = "<mask>"


class MaskedTextTokenizer(TextTokenizer):
    """Text to tokens, where two or more underscores, or [MASK], are one token and one word,
    <mask>.
    """

    encoding = "blanks"

    @property
    def mask(self) -> int:
        return self.id(WORD_START + MASK)

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        tokens, words, read = [], 0, 0
        for blank in BLANK.finditer(text):
            tokens += self.between(text, read, blank.start(), words)
            words = 1 + max((token.word for token in tokens), default=-1)
            tokens.append(Token(MASK, self.mask, *blank.span(), True, words))
            words, read = words + 1, blank.end()
        return add_frame(tokens + self.between(text, read, len(text), words), len(text), start, end)

    def between(self, text: str, start: int, end: int, words: int) -> list[Token]:
        """The tokens of text[start:end], which has no blanks; the number of its first word is
        `words`.
        """
        return [
            Token(
                token.text,
                token.id,
                start + token.start,
                start + token.end,
                False,
                words + cast(int, token.word),  # only <s> and </s> belong to no word
            )
            for token in super().encode(text[start:end])
        ]


def fit(sentences: list[str], vocabulary_size: int) -> MaskedTextTokenizer:
    """A byte-pair encoding of `sentences` as text.fit makes it, with <mask> as the last piece."""
    described = json.loads(fit_pieces(sentences, vocabulary_size - 1).backend.to_str())
    vocabulary = described["model"]["vocab"]
    vocabulary[WORD_START + MASK] = len(vocabulary)
    return MaskedTextTokenizer(Tokenizer.from_str(json.dumps(described)))
