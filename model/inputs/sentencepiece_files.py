"""SentencePiece models (Kudo and Richardson 2018); a Marian folder has two, a T5 folder one. They
contain pieces with log-probabilities. A text is split into the pieces with the highest total
log-probability (Kudo 2018).

A file is a Protocol Buffers message, with field numbers from sentencepiece_model.proto.
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
"""The parts of a model that are read."""
TEXT, SCORE, KIND = 1, 2, 3
"""The fields of a piece."""
NORMAL, UNKNOWN, CONTROL, UNUSED = 1, 2, 3, 5
"""The supported kinds of pieces; a text is split into the first two."""
UNTYPED = " "
"""The unknown piece is a space, which never occurs in the text to split, so a typed <unk> stays
text.
"""
CHARACTERS = 2
"""The normalizer's field with the character map."""
KNOWN = {
    TRAINER: {
        3: ("model_type", 1),
        24: ("treat_whitespace_as_suffix", 0),
        35: ("byte_fallback", 0),
    },
    NORMALIZER: {3: ("add_dummy_prefix", 1), 4: ("remove_extra_whitespaces", 1)},
}
"""Fields that change how a text is split, each with the only value supported, its default."""


@dataclass(frozen=True)
class SentencePiece:
    """`pieces` holds all pieces of a model in the order of their ids. `cutter` splits texts as the
    model does; its ids are internal.
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
    except Exception as error:  # other kinds of files can fail anywhere
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
    """Raises NotRead for a model that splits texts in an unsupported way."""
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
    """The fields of a message, each as its number and value: an integer, or the bytes of anything
    else. Integers have 7 bits per byte, the lowest first.
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
