"""Calls of the library `tokenizers` with a file that somebody else wrote. Whatever it does there is
one kind of error: a panic of its Rust is no Exception, and a rule may make a text a million times
as long.

As a program it tries a file in a process of its own, with little time and memory, before anybody
else reads it: `python -m model.inputs.foreign_tokenizer FILE`.
"""

import json
import math
import string
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tokenizers import Encoding, Tokenizer, normalizers

from model.errors import InvalidInput, NotRead

LONGER = 64
"""How many times as long the rules of a tokenizer may make a text. Unicode itself makes one sign 18
at most (U+FDFA).
"""
PROBE_LENGTH = 2000
PROBE_SECONDS, PROBE_BYTES = 10, 3_000_000_000
"""What reading the file and cutting all probes may take. One with 262,000 pieces and 511,000 merges
takes 2.2 s and 0.33 GB.
"""
MIXED = ("a cat sat. ", "0123456789", "e\u0301", "日本", "🙂", "\n\n ", "<|a|>", "\ufdfa")


@contextmanager
def library(message: str, **values: str) -> Generator[None]:
    """Raises NotRead with a message, which says `why`, for all that the library raises but a
    TypeError or UnicodeError, which are about the text.
    """
    try:
        yield
    except (UnicodeError, TypeError, NotRead, KeyboardInterrupt):
        raise
    except BaseException as error:
        why = str(error).strip().split("\n")[0].rstrip(".")[:200] or type(error).__name__
        raise NotRead(message, why=why, **values) from error


def encoded_by(backend: Tokenizer, text: str) -> Encoding:
    """The text as `backend` cuts it. Raises InvalidInput for a text that is not Unicode, and
    NotRead where the tokenizer fails on it.
    """
    try:
        with library("tokenizer-fails"):
            check_length(backend, text)
            return backend.encode(text, add_special_tokens=False)
    except (UnicodeError, TypeError) as error:
        raise InvalidInput("half-a-surrogate-pair") from error


def check_length(backend: Tokenizer, text: str) -> None:
    """Raises NotRead where the rules that come before the pieces make a text too long."""
    most = LONGER * (len(text) + 1)
    for rule in rules(backend.normalizer):
        text = rule.normalize_str(text)
        if len(text) > most:
            raise NotRead("makes-text-longer", most=LONGER)


def rules(normalizer: Any) -> Iterator[Any]:
    """The rules of a normalizer, one after the other."""
    if isinstance(normalizer, normalizers.Sequence):
        for at in range(len(normalizer)):
            yield from rules(normalizer[at])
    elif normalizer is not None:
        yield normalizer


def check_rules(backend: Tokenizer) -> None:
    """Raises NotRead where what the rules write in place of one sign is too long: a single one of
    them could take all memory before its text can be measured.
    """
    whole = json.loads(backend.to_str())
    longest = max(growth(whole[part] or {}) for part in ("normalizer", "decoder"))
    if longest > LONGER:
        raise NotRead("rules-make-text-longer", longest=longest, most=LONGER)


def growth(rule: dict[str, Any]) -> int:
    """How many times as long a rule, with those inside it, may make a text."""
    piece = rule.get("content") or rule.get("prepend") or ""
    inside = rule.get("normalizers") or rule.get("decoders") or ()
    return max(1, len(piece)) * math.prod(map(growth, inside))


def probe(file: Path) -> None:
    """Tries the tokenizer of a file in a process of its own. Raises NotRead where it fails, makes a
    text too long, or takes too much time or memory.
    """
    if not file.is_file():
        return  # the folder reads pictures, or has lists of pieces
    name = f"{file.name} in {file.parent.name}"
    command = (sys.executable, "-m", __name__, str(file))
    try:
        ended = subprocess.run(command, capture_output=True, timeout=3 * PROBE_SECONDS, text=True)
    except subprocess.TimeoutExpired as error:
        raise NotRead("tokenizer-too-slow", name=name, seconds=3 * PROBE_SECONDS) from error
    if ended.returncode == REFUSED:
        raise NotRead("tokenizer-not-read", name=name, why=ended.stdout.strip())
    if ended.returncode:
        raise NotRead(
            "tokenizer-too-costly",
            name=name,
            seconds=PROBE_SECONDS,
            gigabytes=PROBE_BYTES / 1e9,
            length=PROBE_LENGTH,
        )


REFUSED = 3


def main(file: str) -> int:
    """Reads the tokenizer and cuts each probe. Says what is wrong, and returns REFUSED."""
    limit()
    try:
        with library("is-no-tokenizer"):
            backend = Tokenizer.from_file(file)
        check_rules(backend)
        backend.no_truncation()
        for text in probes():
            try_text(backend, text)
    except NotRead as error:
        print(error)
        return REFUSED
    return 0


def try_text(backend: Tokenizer, text: str) -> None:
    """Cuts a text and writes it again. Raises NotRead for a panic or a text that grows; one that
    the tokenizer refuses, such as a sign without a piece, is no fault of the whole.
    """
    try:
        ids = encoded_by(backend, text).ids
        with library("tokenizer-writes-no-text"):
            backend.decode(ids)
    except NotRead as error:
        if not isinstance(error.__cause__, Exception):
            raise NotRead("fails-on-repeated", why=error, text=text[:4]) from error


def probes() -> Iterator[str]:
    """Each printable sign, and some rows of them, repeated: what rules that go back and forth over
    a text are slow at.
    """
    for row in (*string.printable, *MIXED):
        yield (row * PROBE_LENGTH)[:PROBE_LENGTH]
        yield (row * PROBE_LENGTH)[: PROBE_LENGTH - 1] + "!"


def limit() -> None:
    """Bounds the time and, where the system does, the memory of this process."""
    import resource

    for what, most in ((resource.RLIMIT_CPU, PROBE_SECONDS), (resource.RLIMIT_AS, PROBE_BYTES)):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
