"""Sentences with blanks to fill: the pieces of text.py and one token more, <mask>, which is typed
as [MASK] or as ___.
"""

import json
import re
from typing import cast

from tokenizers import Tokenizer

from model.inputs.text import WORD_START, TextTokenizer, Token, framed
from model.inputs.text import fit as fit_pieces

BLANK = re.compile(r"\[MASK\]|_{2,}")
MASK = "<mask>"


class MaskedTextTokenizer(TextTokenizer):
    """Two or more underscores, or [MASK], are a blank and a word of its own; nothing else that is
    typed is one.
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
        return framed(tokens + self.between(text, read, len(text), words), len(text), start, end)

    def between(self, text: str, start: int, end: int, words: int) -> list[Token]:
        """The tokens of a part of the text without blanks, after so many `words`."""
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
    """The pieces of text.fit, and <mask> as the last."""
    described = json.loads(fit_pieces(sentences, vocabulary_size - 1).backend.to_str())
    vocabulary = described["model"]["vocab"]
    vocabulary[WORD_START + MASK] = len(vocabulary)
    return MaskedTextTokenizer(Tokenizer.from_str(json.dumps(described)))
