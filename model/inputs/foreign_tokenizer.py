"""Calls of the library `tokenizers` with an untrusted file. Every failure becomes one kind of
error: a panic in its Rust code is not an Exception, and a rule may expand a text a million times.

As a program, it tries a file in a separate process with limited time and memory before anything
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
"""The maximum factor by which a tokenizer's rules may lengthen a text. Unicode normalization itself
expands one character to at most 18 (U+FDFA).
"""
PROBE_LENGTH = 2000
PROBE_SECONDS, PROBE_BYTES = 10, 3_000_000_000
"""The limits for reading the file and tokenizing all probes. A file with 262,000 pieces and 511,000
merges takes 2.2 s and 0.33 GB.
"""
MIXED = ("a cat sat. ", "0123456789", "e\u0301", "日本", "🙂", "\n\n ", "<|a|>", "\ufdfa")


@contextmanager
def library(message: str, **values: str) -> Generator[None]:
    """Raises NotRead with a message, and the library's error as `why`, for every error except
    TypeError and UnicodeError, which are caused by the text.
    """
    try:
        yield
    except (UnicodeError, TypeError, NotRead, KeyboardInterrupt):
        raise
    except BaseException as error:
        why = str(error).strip().split("\n")[0].rstrip(".")[:200] or type(error).__name__
        raise NotRead(message, why=why, **values) from error


def encoded_by(backend: Tokenizer, text: str) -> Encoding:
    """The text as tokenized by `backend`. Raises InvalidInput for a text that is not valid Unicode,
    and NotRead if the tokenizer fails on it.
    """
    try:
        with library("tokenizer-fails"):
            check_length(backend, text)
            return backend.encode(text, add_special_tokens=False)
    except (UnicodeError, TypeError) as error:
        raise InvalidInput("half-a-surrogate-pair") from error


def check_length(backend: Tokenizer, text: str) -> None:
    """Raises NotRead if the normalization rules make a text too long."""
    most = LONGER * (len(text) + 1)
    for rule in rules(backend.normalizer):
        text = rule.normalize_str(text)
        if len(text) > most:
            raise NotRead("makes-text-longer", most=LONGER)


def rules(normalizer: Any) -> Iterator[Any]:
    """The rules of a normalizer, in order."""
    if isinstance(normalizer, normalizers.Sequence):
        for at in range(len(normalizer)):
            yield from rules(normalizer[at])
    elif normalizer is not None:
        yield normalizer


def check_rules(backend: Tokenizer) -> None:
    """Raises NotRead if a rule replaces one character with too long a text: a single such rule
    could exhaust memory before the result is measured.
    """
    whole = json.loads(backend.to_str())
    longest = max(growth(whole[part] or {}) for part in ("normalizer", "decoder"))
    if longest > LONGER:
        raise NotRead("rules-make-text-longer", longest=longest, most=LONGER)


def growth(rule: dict[str, Any]) -> int:
    """The factor by which a rule, including nested ones, may lengthen a text."""
    piece = rule.get("content") or rule.get("prepend") or ""
    inside = rule.get("normalizers") or rule.get("decoders") or ()
    return max(1, len(piece)) * math.prod(map(growth, inside))


def probe(file: Path) -> None:
    """Tries the tokenizer of a file in a separate process. Raises NotRead if it fails, makes a text
    too long, or takes too much time or memory.
    """
    if not file.is_file():
        return  # the folder reads images, or has vocabulary files
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
    """Loads the tokenizer and tokenizes each probe. Prints errors and returns REFUSED for them."""
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
    """Encodes and decodes a text. Raises NotRead for a panic or a text that grows too long. A text
    that the tokenizer rejects, such as a character without a piece, is not a failure.
    """
    try:
        ids = encoded_by(backend, text).ids
        with library("tokenizer-writes-no-text"):
            backend.decode(ids)
    except NotRead as error:
        if not isinstance(error.__cause__, Exception):
            raise NotRead("fails-on-repeated", why=error, text=text[:4]) from error


def probes() -> Iterator[str]:
    """Every printable character, and repeated sequences of some: slow cases for rules that
    backtrack.
    """
    for row in (*string.printable, *MIXED):
        yield (row * PROBE_LENGTH)[:PROBE_LENGTH]
        yield (row * PROBE_LENGTH)[: PROBE_LENGTH - 1] + "!"


def limit() -> None:
    """Limits the time and, if the system supports it, the memory of this process."""
    import resource

    for what, most in ((resource.RLIMIT_CPU, PROBE_SECONDS), (resource.RLIMIT_AS, PROBE_BYTES)):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
