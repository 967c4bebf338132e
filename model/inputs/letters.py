"""Single letters as tokens, for models of order, spelling, or pronunciation."""

import string
from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from model.errors import InvalidInput
from model.inputs.text import SIGNS, TextTokenizer, Token


class LetterTokenizer(TextTokenizer):
    """The letters a to z, each one a token and a word. Spaces and case are ignored; `encode` raises
    InvalidInput for any other character.
    """

    encoding = "letters"
    alphabet = string.ascii_lowercase

    def label(self, id: int) -> str:
        return self.piece(id)

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        unknown = next(
            (c for c in text if c.lower() not in self.alphabet and c not in string.whitespace), None
        )
        if unknown is not None:
            known = "word" if "'" in self.alphabet else "letters"
            raise InvalidInput("letter-not-read", field="text", given=unknown, alphabet=known)
        return super().encode(text, start=start, end=end)


class WordTokenizer(LetterTokenizer):
    """One word of the letters a to z and apostrophes, straight or curly. `encode` raises
    InvalidInput for more than one word.
    """

    encoding = "word"
    alphabet = LetterTokenizer.alphabet + "'"

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        n = len(text.split())
        if n > 1:
            raise InvalidInput("one-word-is-read", field="text", limit=1, given=n)
        return super().encode(text.replace("’", "'"), start=start, end=end)


def letters() -> LetterTokenizer:
    """A tokenizer of <pad>, <s>, </s> and the 26 letters."""
    return LetterTokenizer(written_together(letter_by_letter(LetterTokenizer.alphabet)))


def word() -> WordTokenizer:
    """A tokenizer of <pad>, <s>, </s>, the 26 letters, and the apostrophe."""
    return WordTokenizer(written_together(letter_by_letter(WordTokenizer.alphabet)))


def letter_by_letter(pieces: Iterable[str]) -> Tokenizer:
    """A tokenizer that encodes letter by letter, ignoring case and spaces, and decodes with spaces
    between pieces.
    """
    vocabulary = {piece: id for id, piece in enumerate([*SIGNS, *pieces])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Lowercase(), normalizers.Replace(Regex(r"\s"), "")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), behavior="isolated")
    return tokenizer


def written_together(tokenizer: Tokenizer) -> Tokenizer:
    """Makes `tokenizer` decode without spaces between pieces, and returns it."""
    tokenizer.decoder = decoders.Fuse()
    return tokenizer
