"""Sentence pairs: read, split by source sentence before anything is fitted, and cut into batches of
like length.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from model.errors import InvalidInput
from model.inputs.text import END, START, TextTokenizer, pad_ids

Pair = tuple[str, str]
EncodedPair = tuple[list[int], list[int]]


def read_pairs(path: Path, most_words: int) -> list[Pair]:
    """The pairs whose sides both have at most `most_words` words, a word being what stands between
    spaces.
    """
    if not path.is_file():
        raise InvalidInput(f"The training text {path.name} is not in {path.parent}.")
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [(source, target) for source, target in (line.split("\t") for line in lines)]
    return [pair for pair in pairs if all(len(side.split()) <= most_words for side in pair)]


def sentence_key(sentence: str) -> str:
    """What makes two source sentences the same: their words in lower case."""
    return " ".join(sentence.lower().split())


@dataclass(frozen=True)
class Split:
    train: list[Pair]
    validation: dict[str, list[str]]  # source sentence -> its references
    test: dict[str, list[str]]


def split_by_source(
    pairs: list[Pair], n_validation: int, n_test: int, references: int | None = None
) -> Split:
    """Whole source sentences, with all their translations, are held out; which ones depends on
    their digest alone.

    Those for the test have just as many translations as `references` says, if it is given; those
    for validation are of all that is left.
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
    expected: Int[Tensor, "batch target"]  # y_1 … y_m </s>: what it should say next


def make_batch(pairs: list[EncodedPair]) -> Batch:
    return Batch(
        source=pad_ids([[START, *source, END] for source, _ in pairs]),
        target=pad_ids([[START, *target] for _, target in pairs]),
        expected=pad_ids([[*target, END] for _, target in pairs]),
    )


def drop_full_stop(pair: Pair) -> Pair:
    """Both sides lose their full stop: people who type an example often leave it out."""
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
    """One pass in an order drawn from `generator`. Pairs of like length share a batch; a share
    `no_full_stop` loses its full stops.
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
    yield from batches_of_like_length(list(zip(*sides, strict=True)), batch_size, generator)


def batches_of_like_length(
    encoded: list[EncodedPair], batch_size: int, generator: torch.Generator
) -> Iterator[Batch]:
    """Neighbours of like length share a batch; the order of the batches is drawn from
    `generator`.
    """
    pool = batch_size * 40
    batches = []
    for start in range(0, len(encoded), pool):
        alike = sorted(encoded[start : start + pool], key=lambda pair: (len(pair[1]), len(pair[0])))
        batches += [alike[i : i + batch_size] for i in range(0, len(alike), batch_size)]
    for i in torch.randperm(len(batches), generator=generator).tolist():
        yield make_batch(batches[i])
