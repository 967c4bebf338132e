"""Sentence pairs: reading them, splitting them by source sentence before anything is fitted, and
batching pairs of similar length.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from model.errors import InvalidInput
from model.inputs.text import Frame, TextTokenizer, pad_ids

Pair = tuple[str, str]
EncodedPair = tuple[list[int], list[int]]


def read_pairs(path: Path, most_words: int) -> list[Pair]:
    """The pairs in the file `path` with at most `most_words` words, separated by spaces, on each
    side. Raises InvalidInput if the file does not exist.
    """
    if not path.is_file():
        raise InvalidInput("training-text-missing", file=path.name, folder=path.parent)
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [(source, target) for source, target in (line.split("\t") for line in lines)]
    return [pair for pair in pairs if all(len(side.split()) <= most_words for side in pair)]


def sentence_key(sentence: str) -> str:
    """The words of `sentence` in lower case: sentences with the same key count as one."""
    return " ".join(sentence.lower().split())


@dataclass(frozen=True)
class Split:
    train: list[Pair]
    validation: dict[str, list[str]]  # source sentence -> its references
    test: dict[str, list[str]]


def split_by_source(
    pairs: list[Pair], n_validation: int, n_test: int, references: int | None = None
) -> Split:
    """Holds out `n_test` and `n_validation` source sentences with all their translations. Which
    sentences are held out depends only on their digests.

    If `references` is given, test sentences have exactly that many translations. Validation
    sentences are taken from all the others.
    """
    targets: dict[str, list[str]] = {}
    spelling: dict[str, str] = {}
    for source, target in pairs:
        targets.setdefault(sentence_key(source), []).append(target)
        spelling.setdefault(sentence_key(source), source)
    shuffled = sorted(targets, key=lambda key: hashlib.sha256(key.encode()).digest())
    test = [key for key in shuffled if references in (None, len(targets[key]))][:n_test]
    tested = set(test)
    validation = [key for key in shuffled if key not in tested][:n_validation]
    held_out = {*test, *validation}
    return Split(
        train=[pair for pair in pairs if sentence_key(pair[0]) not in held_out],
        validation={spelling[key]: targets[key] for key in validation},
        test={spelling[key]: targets[key] for key in test},
    )


@dataclass(frozen=True)
class Batch:
    source: Int[Tensor, "batch source"]
    target: Int[Tensor, "batch target"]  # <s> y_1 … y_m: what the decoder reads
    expected: Int[Tensor, "batch target"]  # y_1 … y_m </s>: what it should predict
    pad: int  # the padding id


def make_batch(pairs: list[EncodedPair], frame: Frame) -> Batch:
    """One padded batch of `pairs`, with the special tokens of `frame`."""
    return Batch(
        source=pad_ids([frame.around(source) for source, _ in pairs], frame.pad),
        target=pad_ids([[frame.start, *target] for _, target in pairs], frame.pad),
        expected=pad_ids([[*target, frame.end] for _, target in pairs], frame.pad),
        pad=frame.pad,
    )


def drop_full_stop(pair: Pair) -> Pair:
    """`pair` without the full stops of both sides, because people often omit them; a pair without
    two final full stops is unchanged.
    """
    source, target = pair
    return (
        (source.removesuffix("."), target.removesuffix("."))
        if source.endswith(".") and target.endswith(".")
        else pair
    )


def epoch_of_batches(
    pairs: list[Pair],
    tokenizer: TextTokenizer,
    batch_size: int,
    no_full_stop: float,
    generator: torch.Generator,
) -> Iterator[Batch]:
    """The batches of one pass through `pairs`, in random order from `generator`. Pairs of similar
    length share a batch, and a fraction `no_full_stop` of the pairs loses its full stops.
    """
    order = torch.randperm(len(pairs), generator=generator).tolist()
    drop = torch.rand(len(pairs), generator=generator) < no_full_stop
    chosen = [drop_full_stop(pairs[i]) if drop[i] else pairs[i] for i in order]
    sides = [
        [
            encoding.ids
            for encoding in tokenizer.backend.encode_batch([pair[side] for pair in chosen])
        ]
        for side in (0, 1)
    ]
    encoded = list(zip(*sides, strict=True))
    yield from batches_of_like_length(encoded, batch_size, tokenizer.frame, generator)


def batches_of_like_length(
    encoded: list[EncodedPair], batch_size: int, frame: Frame, generator: torch.Generator
) -> Iterator[Batch]:
    """Batches of pairs of similar length, in random order from `generator`. Pairs are sorted by
    length within groups of 40 batches.
    """
    pool = batch_size * 40
    batches = []
    for start in range(0, len(encoded), pool):
        alike = sorted(encoded[start : start + pool], key=lambda pair: (len(pair[1]), len(pair[0])))
        batches += [alike[i : i + batch_size] for i in range(0, len(alike), batch_size)]
    for i in torch.randperm(len(batches), generator=generator).tolist():
        yield make_batch(batches[i], frame)
