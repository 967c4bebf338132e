"""Text in and out: one byte-pair encoding (Sennrich et al. 2016) shared by both languages, as in
the paper.

A word is cut from its neighbours at spaces, punctuation and elisions (j' ai, it 's), then into
pieces; frequent words are one piece. A piece inside a word is labelled ##piece. No word is unknown:
a rare character becomes its UTF-8 bytes, <0xE2>. Nothing typed can become <s> or </s>: only the
model's own frame uses them.
"""

import json
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Int
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from model.errors import InvalidInput

PAD, START, END = 0, 1, 2
SPECIAL = ["<pad>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
WORD_START = "▁"
PRINTABLE = string.digits + string.ascii_lowercase + string.punctuation
CONTRACTION = r"'(?:s|m|re|ve|ll|d|t)\b"
WORD = rf"\w+'(?!(?:s|m|re|ve|ll|d|t)\b)(?=\w|$)|{CONTRACTION}|\w+|[^\w\s]"


@dataclass(frozen=True)
class Token:
    """`text` is the label; `start` and `end` count characters of the input; `word` says which word
    it is a piece of.
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

    def __init__(self, backend: Tokenizer):
        self.backend = backend

    @classmethod
    def load(cls, path: Path) -> "TextTokenizer":
        return cls(Tokenizer.from_file(str(path)))

    def to_str(self) -> str:
        """What `load` reads."""
        return self.backend.to_str(pretty=False)

    @property
    def size(self) -> int:
        return self.backend.get_vocab_size()

    def piece(self, id: int) -> str:
        """The piece of the vocabulary that has this id."""
        piece = self.backend.id_to_token(id)
        assert piece is not None, f"no piece has the id {id}"
        return piece

    def id(self, piece: str) -> int:
        """The id of a piece of the vocabulary."""
        id = self.backend.token_to_id(piece)
        assert id is not None, f"{piece!r} is no piece of the vocabulary"
        return id

    def label(self, id: int) -> str:
        piece = self.piece(id)
        if piece in SPECIAL or piece in BYTES or piece == WORD_START:
            return piece
        return piece.removeprefix(WORD_START) if piece.startswith(WORD_START) else f"##{piece}"

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        """The tokens of `text`, framed by <s> and </s> where asked for."""
        try:
            encoding = self.backend.encode(text, add_special_tokens=False)
        except (UnicodeError, TypeError) as error:
            raise InvalidInput(
                "The text holds half of a surrogate pair, which is not a character."
            ) from error
        tokens = [
            Token(self.label(id), id, a, b, False, word)
            for id, (a, b), word in zip(
                encoding.ids, encoding.offsets, encoding.word_ids, strict=True
            )
        ]
        return framed(tokens, len(text), start, end)

    def reading(self, name: str) -> "TextTokenizer":
        """What encodes the input `name`: this, unless a model writes in another alphabet than it
        reads.
        """
        return self

    def token(self, id: int) -> Token:
        """A token that nobody typed: one the model wrote."""
        return Token(self.label(id), id, 0, 0, id < len(SPECIAL), None)

    def decode(self, ids: list[int]) -> str:
        """Words separated by spaces, as the model sees them: j' ai froid ."""
        return self.backend.decode(
            [id for id in ids if id >= len(SPECIAL)], skip_special_tokens=False
        ).strip()


def framed(tokens: list[Token], length: int, start: bool, end: bool) -> list[Token]:
    """The tokens of a text of `length` characters, with <s> before and </s> after them where asked
    for.
    """
    before = [Token(SPECIAL[START], START, 0, 0, True, None)] if start else []
    after = [Token(SPECIAL[END], END, length, length, True, None)] if end else []
    return before + tokens + after


def pad_ids(rows: Iterable[Sequence[int]]) -> Int[Tensor, "row position"]:
    """The ids of several texts as one tensor; PAD fills each row behind its last id."""
    return pad_sequence(
        [torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True, padding_value=PAD
    )


def tidy(text: str) -> str:
    """The spacing people write: j'ai froid. instead of j' ai froid ."""
    for mark in (".", ",", "...", "'s", "'m", "'re", "'ve", "'ll", "'d", "'t"):
        text = text.replace(f" {mark}", mark)
    return text.replace("' ", "'").replace(" - ", "-")


def fit(sentences: list[str], vocabulary_size: int) -> TextTokenizer:
    """A byte-pair encoding of `vocabulary_size` pieces, the special ones and the 256 bytes among
    them.
    """
    tokenizer = frame(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size - len(BYTES) - len(PRINTABLE),
        special_tokens=SPECIAL,
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
    return TextTokenizer(frame(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True)))


def frame(bpe: models.BPE) -> Tokenizer:
    """Lower case, one kind of apostrophe and space, words cut apart, each with its start marked."""
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
