"""Masked text: sentences with blanks to fill. The vocabulary is the pieces of text.py and <mask>,
which is typed as [MASK] or as ___.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from tokenizers import Tokenizer

from model.inputs.text import WORD_START, TextTokenizer, Token
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
        mask = Token(MASK, self.mask, 0, 0, True, None)
        tokens = read_blanks(text, BLANK, mask, super().encode)
        return self.framed(tokens, len(text), start, end)


def read_blanks(
    text: str, blank: re.Pattern, mask: Token, read: Callable[[str], list[Token]]
) -> list[Token]:
    """The tokens of a text in which what `blank` finds, or its group of this name, is the token
    `mask` and a word. `read` returns the tokens of the text between two blanks.
    """
    tokens, words, done = [], 0, 0
    for found in [*blank.finditer(text), None]:
        between = text[done : found.start() if found else len(text)]
        tokens += [moved(token, done, words) for token in read(between)]
        words = 1 + max((token.word for token in tokens), default=-1)
        if found:
            start, end = found.span("blank" if "blank" in blank.groupindex else 0)
            tokens.append(replace(mask, start=start, end=end, word=words))
            words, done = words + 1, found.end()
    return tokens


def moved(token: Token, by: int, words: int) -> Token:
    """The token of a text that stands `by` characters and `words` words further behind."""
    word = words + cast(int, token.word)  # only the frame belongs to no word
    return replace(token, start=by + token.start, end=by + token.end, word=word)


def fit(sentences: list[str], vocabulary_size: int) -> MaskedTextTokenizer:
    """A byte-pair encoding of `sentences` as text.fit makes it, with <mask> as the last piece."""
    described = json.loads(fit_pieces(sentences, vocabulary_size - 1).backend.to_str())
    vocabulary = described["model"]["vocab"]
    vocabulary[WORD_START + MASK] = len(vocabulary)
    return MaskedTextTokenizer(Tokenizer.from_str(json.dumps(described)))
