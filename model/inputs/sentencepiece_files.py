"""Models of SentencePiece (Kudo and Richardson 2018), of which a folder of Marian has two and that
of T5 has one: pieces with their log-probabilities. A text is cut into the pieces whose sum is
largest (Kudo 2018).

A file is a message of Protocol Buffers, whose fields have the numbers of sentencepiece_model.proto.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from model.errors import NotRead
from model.inputs.reading import read_bytes
from model.inputs.text import WORD_START

PIECE, TRAINER, NORMALIZER = 1, 2, 3
"""The parts of a model."""
TEXT, SCORE, KIND = 1, 2, 3
"""The fields of a piece."""
NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5
"""The kinds of pieces that are read: a text is cut into the first two."""
UNTYPED = " "
"""The unknown piece: a space, which no text has where it is cut, so that <unk> is a typed text."""
CHARACTERS = 2
"""The field of the normalizer that says which characters stand for others."""
KNOWN = {
    TRAINER: {
        3: ("model_type", 1),
        24: ("treat_whitespace_as_suffix", 0),
        35: ("byte_fallback", 0),
    },
    NORMALIZER: {3: ("add_dummy_prefix", 1), 4: ("remove_extra_whitespaces", 1)},
}
"""Fields that change how a text is cut, each with the value that is read alone, its default."""


@dataclass(frozen=True)
class SentencePiece:
    """`pieces` are all pieces of a model in the order of their numbers. `cutter` cuts texts as the
    model does; the numbers that it gives are its own.
    """

    pieces: list[str]
    cutter: Tokenizer


def read_sentencepiece(file: Path) -> SentencePiece:
    """The model in `file`. Raises NotRead."""
    try:
        parts = list(fields(read_bytes(file)))
        usual: dict[int, Any] = {KIND: NORMAL}
        pieces = [usual | dict(fields(value)) for part, value in parts if part == PIECE]
        settings = {part: dict(fields(value)) for part, value in parts if part in KNOWN}
        check_settings(file, settings, {piece[KIND] for piece in pieces})
        names = [piece[TEXT].decode() for piece in pieces]
        known = [
            (name, struct.unpack("<f", piece[SCORE])[0])
            for name, piece in zip(names, pieces, strict=True)
            if piece[KIND] == NORMAL
        ]
        backend = Tokenizer(models.Unigram([(UNTYPED, 0.0), *known], unk_id=0))
        characters = settings[NORMALIZER].get(CHARACTERS)
        mapped = [normalizers.Precompiled(characters)] if characters else []
    except NotRead:
        raise
    except Exception as error:  # a file of another kind may fail anywhere
        raise NotRead(
            "no-model-of-sentencepiece", file=file.name, parent=file.parent.name
        ) from error
    backend.normalizer = normalizers.Sequence(
        [
            *mapped,
            normalizers.Replace(Regex(f"^ +|[ {WORD_START}]+$"), ""),
            normalizers.Replace(Regex(" +"), WORD_START),
            normalizers.Prepend(WORD_START),
        ]
    )
    backend.pre_tokenizer = pre_tokenizers.Split(WORD_START, "merged_with_next")
    return SentencePiece(names, backend)


def check_settings(file: Path, settings: dict[int, dict[int, Any]], kinds: set[int]) -> None:
    """Raises NotRead for a model that cuts texts in another way."""
    of = {"file": file.name, "parent": file.parent.name}
    for part, known in KNOWN.items():
        for field, (name, value) in known.items():
            found = settings[part].get(field, value)
            if found != value:
                raise NotRead(
                    "setting-of-pieces", **of, name=name, found=str(found), value=str(value)
                )
    if others := kinds - {NORMAL, UNKNOWN, CONTROL, UNUSED}:
        raise NotRead("kind-of-pieces", **of, kind=min(others))


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message, each as its number and its value: a whole number, or the bytes of
    anything else. A whole number has 7 bits in each byte, the lowest first.
    """
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte, at = message[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("A whole number has at most 64 bits.")

    while at < len(message):
        field, kind = divmod(number(), 8)
        if kind == 0:
            yield field, number()
        else:
            size = number() if kind == 2 else {1: 8, 5: 4}[kind]
            yield field, message[at : at + size]
            at += size
    if at > len(message):
        raise ValueError("The message is cut off.")
