"""Masked text: sentences with blanks to fill in. The vocabulary is that of text.py plus <mask>,
typed as [MASK] or ___.
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
    """Tokenizes text; two or more underscores, or [MASK], become the single token and word
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
    """The tokens of a text in which matches of `blank`, or of its group of this name, become the
    token `mask` and one word. `read` returns the tokens of the text between two blanks.
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
    """The token moved by `by` characters and `words` words."""
    word = words + cast(int, token.word)  # only special tokens belong to no word
    return replace(token, start=by + token.start, end=by + token.end, word=word)


def fit(sentences: list[str], vocabulary_size: int) -> MaskedTextTokenizer:
    """A byte-pair encoding of `sentences` as in text.fit, with <mask> as the last piece."""
    described = json.loads(fit_pieces(sentences, vocabulary_size - 1).backend.to_str())
    vocabulary = described["model"]["vocab"]
    vocabulary[WORD_START + MASK] = len(vocabulary)
    return MaskedTextTokenizer(Tokenizer.from_str(json.dumps(described)))
