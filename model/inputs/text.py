"""Texts as tokens: one byte-pair encoding (Sennrich et al. 2016), which both languages share, as in
Vaswani et al. 2017.

A text is split into words at spaces, punctuation and elisions (j' ai, it 's), and a word into
pieces; a frequent word is one piece. A piece inside a word has the label ##piece. No word is
unknown: a rare character becomes its UTF-8 bytes, <0xE2>. Nothing that is typed can become <s> or
</s>; only the frame of a text uses them.
"""

import json
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Int
from tokenizers import (
    Encoding,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from model.inputs.foreign_tokenizer import encoded_by, library
from model.inputs.frame import Frame

SIGNS = ["<pad>", "<s>", "</s>"]
"""The first pieces of every vocabulary that is made here."""
FRAME = Frame(
    pad=0,
    before=(1,),
    after=(2,),
    start=1,
    ends=frozenset({2}),
    special=frozenset(range(len(SIGNS))),
)
"""Their frame, by their places in `SIGNS`."""
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
WORD_START = "▁"
PRINTABLE = string.digits + string.ascii_lowercase + string.punctuation
CONTRACTION = r"'(?:s|m|re|ve|ll|d|t)\b"
WORD = rf"\w+'(?!(?:s|m|re|ve|ll|d|t)\b)(?=\w|$)|{CONTRACTION}|\w+|[^\w\s]"


@dataclass(frozen=True)
class Token:
    """One token. `text` is its label, `start` and `end` are its place in the characters of the
    input, and `word` is the number of the word that it is a piece of; <s> and </s> belong to no
    word.
    """

    text: str
    id: int
    start: int
    end: int
    special: bool
    word: int | None


class TextTokenizer:
    """Text to tokens and back. `backend` is the tokenizer of the tokenizers library that does the
    work; this class adds labels, words and the frame of <s> and </s>.
    """

    encoding = "pieces"  # its name on a card
    frame: Frame = FRAME

    def __init__(self, backend: Tokenizer):
        self.backend = backend

    @classmethod
    def load(cls, path: Path) -> "TextTokenizer":
        return cls(Tokenizer.from_file(str(path)))

    def to_str(self) -> str:
        """The vocabulary and the merges as JSON, which `load` reads."""
        return self.backend.to_str(pretty=False)

    @property
    def size(self) -> int:
        return self.backend.get_vocab_size()

    def piece(self, id: int) -> str:
        """The piece of the vocabulary with the id `id`."""
        piece = self.backend.id_to_token(id)
        assert piece is not None, f"no piece has the id {id}"
        return piece

    def id(self, piece: str) -> int:
        """The id of the piece `piece` of the vocabulary."""
        id = self.backend.token_to_id(piece)
        assert id is not None, f"{piece!r} is no piece of the vocabulary"
        return id

    def label(self, id: int) -> str:
        """The text that is shown for the token `id`."""
        piece = self.piece(id)
        if piece in SIGNS or piece in BYTES or piece == WORD_START:
            return piece
        return piece.removeprefix(WORD_START) if piece.startswith(WORD_START) else f"##{piece}"

    @property
    def mask(self) -> int | None:
        """The id of a blank, in a vocabulary that has one."""
        return None

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        """The tokens of `text`, with the frame's ids in front if `start` and behind if `end`.
        Raises InvalidInput for a text that is not Unicode.
        """
        encoding = self.encoded(text)
        tokens = [
            Token(self.label(id), id, a, b, False, word)
            for id, (a, b), word in zip(
                encoding.ids, encoding.offsets, encoding.word_ids, strict=True
            )
        ]
        return self.framed(tokens, len(text), start, end)

    def encoded(self, text: str) -> Encoding:
        """The text as the backend cuts it. Raises InvalidInput for a text that is not Unicode, and
        NotRead where the backend fails on it.
        """
        return encoded_by(self.backend, text)

    def framed(self, tokens: list[Token], length: int, start: bool, end: bool) -> list[Token]:
        """The tokens of a text of `length` characters, with the frame's ids in front if `start` and
        behind if `end`.
        """
        before = [self.token(id) for id in self.frame.before if start]
        after = [
            replace(self.token(id), start=length, end=length) for id in self.frame.after if end
        ]
        return before + tokens + after

    def tokenizer_for(self, name: str) -> "TextTokenizer":
        """The tokenizer of the input `name`. It is this one, unless the model writes in another
        alphabet than it reads.
        """
        return self

    def token(self, id: int) -> Token:
        """The token `id` as the model has generated it, without a place in the input."""
        return Token(self.label(id), id, 0, 0, id in self.frame.special, None)

    def decode(self, ids: list[int]) -> str:
        """The text of the tokens `ids`, with spaces between words as the model sees them: j' ai
        froid .
        """
        return self.text_of(ids).strip()

    def text_of(self, ids: list[int]) -> str:
        """The text of the tokens `ids` as the backend decodes it, without those of the frame."""
        known = [id for id in ids if id not in self.frame.special]
        with library("tokenizer-writes-no-text"):
            return self.backend.decode(known, skip_special_tokens=False)


def pad_ids(rows: Iterable[Sequence[int]], pad: int) -> Int[Tensor, "row position"]:
    """The ids of several texts as one tensor; `pad` fills each row behind its last id."""
    return pad_sequence(
        [torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True, padding_value=pad
    )


def tidy(text: str) -> str:
    """`text` with the spacing that people use: j'ai froid. instead of j' ai froid ."""
    for mark in (".", ",", "...", "'s", "'m", "'re", "'ve", "'ll", "'d", "'t"):
        text = text.replace(f" {mark}", mark)
    return text.replace("' ", "'").replace(" - ", "-")


def fit(sentences: list[str], vocabulary_size: int) -> TextTokenizer:
    """A byte-pair encoding of `sentences` with `vocabulary_size` pieces, which include the special
    ones and the 256 bytes.
    """
    tokenizer = build_backend(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size - len(BYTES) - len(PRINTABLE),
        special_tokens=SIGNS,
        initial_alphabet=list(PRINTABLE),
        limit_alphabet=200,
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    learned = json.loads(tokenizer.to_str())["model"]
    merges = [tuple(merge) for merge in learned["merges"]]
    merges += [
        (WORD_START, mark) for mark in PRINTABLE if WORD_START + mark not in learned["vocab"]
    ]
    pieces = [*learned["vocab"], *("".join(merge) for merge in merges), *BYTES]
    vocabulary = {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}
    return TextTokenizer(
        build_backend(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True))
    )


def build_backend(bpe: models.BPE) -> Tokenizer:
    """A tokenizer around `bpe`: it lower-cases the text, unifies apostrophes and spaces, splits
    words and marks the start of each.
    """
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Lowercase(),
            normalizers.Replace("’", "'"),
            normalizers.Replace(Regex(r"\s"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex(WORD), behavior="removed", invert=True),
            pre_tokenizers.Metaspace(prepend_scheme="always", split=False),
        ]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="never"), decoders.Fuse()]
    )
    return tokenizer
