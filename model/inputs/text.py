"""Text as tokens: byte-pair encoding (Sennrich et al. 2016) with a vocabulary shared by both
languages, as in Vaswani et al. 2017.

A text is split into words at spaces, punctuation, and elisions (j' ai, it 's), and a word into
pieces; a frequent word is one piece. A piece inside a word has the label ##piece. No word is
unknown: a rare character becomes its UTF-8 bytes, such as <0xE2>. Typed text never becomes <s> or
</s>; these are reserved for the frame.
"""

import json
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Bool, Int
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


@dataclass(frozen=True)
class Frame:
    """The special tokens around a text. Typed text never becomes one of them.

        an encoder reads     before  x1 … xn  after
        a decoder reads      start   y1 … ym
        and should generate  y1 … ym  end

    If an encoder reads other ids before a text, as in BART, the decoder reads them after the start.
    Some files force the first generated id, or forbid the decoder to generate some ids or sequences
    of ids.

    `pad` fills up the rows of a batch. `before` and `after` surround a text, `start` is what a
    decoder reads first, and each of `ends` ends a generated text. `special` contains all ids that
    are not text. `first` is the forced first id, if there is one. `never` contains ids that are
    never generated, and `never_rows` sequences whose last id is never generated after the others.
    """

    pad: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    start: int
    ends: frozenset[int]
    special: frozenset[int]
    first: int | None = None
    never: frozenset[int] = frozenset()
    never_rows: tuple[tuple[int, ...], ...] = ()

    @property
    def end(self) -> int:
        """The id to generate at the end of a text: the first of `ends`."""
        assert self.ends, "a model that writes a target knows how it ends"
        return min(self.ends)

    @property
    def opening(self) -> tuple[int, ...]:
        """The ids that a decoder reads before a target."""
        return self.start, *(id for id in self.before if id != self.start)

    @property
    def closing(self) -> frozenset[int]:
        """The ids that end a text, whether read or generated."""
        return self.ends | set(self.after)

    @property
    def signs(self) -> frozenset[int]:
        """The ids before a text and after it."""
        return self.closing | {self.start, *self.before}

    def around(self, ids: Iterable[int]) -> list[int]:
        """The ids of a text with the special tokens around it."""
        return [*self.before, *ids, *self.after]

    def ended(self, ids: Int[Tensor, "*some"]) -> Bool[Tensor, "*some"]:
        """Which of `ids` end a text."""
        return among(self.ends, ids)

    def permits(self, id: int, step: int, before: Sequence[int]) -> bool:
        """Whether `id` may be generated at this step, after the ids `before`."""
        if step == 0 and self.first is not None:
            return id == self.first
        return id not in self.forbidden(before)

    def forbidden(self, before: Sequence[int]) -> frozenset[int]:
        """The ids that may not be generated after the ids `before`."""
        rows = (row for row in self.never_rows if (*before[1 - len(row) :],) == row[:-1])
        return self.never.union(row[-1] for row in rows)

    def is_text(self, ids: Int[Tensor, "*some"]) -> Bool[Tensor, "*some"]:
        """Which of `ids` are text."""
        return ~among(self.special, ids)


def among(known: frozenset[int], ids: Int[Tensor, "*some"]) -> Bool[Tensor, "*some"]:
    return torch.isin(ids, torch.tensor(sorted(known), dtype=torch.long, device=ids.device))


SIGNS = ["<pad>", "<s>", "</s>"]
"""The first pieces of every vocabulary made here."""
FRAME = Frame(
    pad=0,
    before=(1,),
    after=(2,),
    start=1,
    ends=frozenset({2}),
    special=frozenset(range(len(SIGNS))),
)
"""The frame made of these, with ids that are indices in `SIGNS`."""
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
WORD_START = "▁"
PRINTABLE = string.digits + string.ascii_lowercase + string.punctuation
CONTRACTION = r"'(?:s|m|re|ve|ll|d|t)\b"
WORD = rf"\w+'(?!(?:s|m|re|ve|ll|d|t)\b)(?=\w|$)|{CONTRACTION}|\w+|[^\w\s]"


@dataclass(frozen=True)
class Token:
    """One token. `text` is its label, `start` and `end` are its character positions in the input,
    and `word` is the index of the word it belongs to; <s> and </s> belong to no word.
    """

    text: str
    id: int
    start: int
    end: int
    special: bool
    word: int | None


class TextTokenizer:
    """Encodes and decodes text. `backend` is a tokenizer of the tokenizers library; this class adds
    labels, words, and the frame of <s> and </s>.
    """

    encoding = "pieces"  # its name in a card
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
        """The vocabulary's piece with the id `id`."""
        piece = self.backend.id_to_token(id)
        assert piece is not None, f"no piece has the id {id}"
        return piece

    def id(self, piece: str) -> int:
        """The id of the vocabulary's piece `piece`."""
        id = self.backend.token_to_id(piece)
        assert id is not None, f"{piece!r} is no piece of the vocabulary"
        return id

    def label(self, id: int) -> str:
        """The displayed text of the token `id`."""
        piece = self.piece(id)
        if piece in SIGNS or piece in BYTES or piece == WORD_START:
            return piece
        return piece.removeprefix(WORD_START) if piece.startswith(WORD_START) else f"##{piece}"

    @property
    def mask(self) -> int | None:
        """The id of the mask token, in a vocabulary that has one."""
        return None

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        """The tokens of `text`, with the frame before it if `start` and after it if `end`. Raises
        InvalidInput for text that is not valid Unicode.
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
        """The text as tokenized by the backend. Raises InvalidInput for text that is not valid
        Unicode, and NotRead if the backend fails on it.
        """
        return encoded_by(self.backend, text)

    def framed(self, tokens: list[Token], length: int, start: bool, end: bool) -> list[Token]:
        """The tokens of a text of `length` characters, with the frame before it if `start` and
        after it if `end`.
        """
        before = [self.token(id) for id in self.frame.before if start]
        after = [
            replace(self.token(id), start=length, end=length) for id in self.frame.after if end
        ]
        return before + tokens + after

    def tokenizer_for(self, name: str) -> "TextTokenizer":
        """The tokenizer of the input `name`: this one, unless source and target have different
        alphabets.
        """
        return self

    def token(self, id: int) -> Token:
        """The generated token `id`, without a position in the input."""
        return Token(self.label(id), id, 0, 0, id in self.frame.special, None)

    def decode(self, ids: list[int]) -> str:
        """The text of the tokens `ids`, with spaces between words as the model reads them: j' ai
        froid .
        """
        return self.text_of(ids).strip()

    def text_of(self, ids: list[int]) -> str:
        """The text of the tokens `ids` as the backend decodes it, without the frame."""
        known = [id for id in ids if id not in self.frame.special]
        with library("tokenizer-writes-no-text"):
            return self.backend.decode(known, skip_special_tokens=False)


def pad_ids(rows: Iterable[Sequence[int]], pad: int) -> Int[Tensor, "row position"]:
    """The ids of several texts as one tensor; shorter rows are padded with `pad`."""
    return pad_sequence(
        [torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True, padding_value=pad
    )


def tidy(text: str) -> str:
    """`text` with normal spacing: j'ai froid. instead of j' ai froid ."""
    for mark in (".", ",", "...", "'s", "'m", "'re", "'ve", "'ll", "'d", "'t"):
        text = text.replace(f" {mark}", mark)
    return text.replace("' ", "'").replace(" - ", "-")


def fit(sentences: list[str], vocabulary_size: int) -> TextTokenizer:
    """A byte-pair encoding of `sentences` with `vocabulary_size` pieces, including the special
    tokens and the 256 bytes.
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
    """A tokenizer based on `bpe` that lowercases text, normalizes apostrophes and spaces, splits
    words, and marks the start of each.
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
