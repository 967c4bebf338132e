"""Splits a table into training, validation, and test rows, by row or by groups of rows."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.errors import InvalidInput
from model.inputs.column_kinds import number_of, option_of
from model.inputs.table_files import Table
from model.inputs.table_rows import RowTokenizer, Values
from model.layers.tabular_embedding import Rows

SHARES = {"test": 0.2, "validation": 0.1}
"""The fraction of the rows, or of the groups, that is held out for each purpose."""

Classes = Int[Tensor, " row"]


@dataclass(frozen=True)
class Part:
    """Some rows of a table: their indices, tensors, and classes."""

    places: Sequence[int]
    rows: Rows
    classes: Classes

    def __len__(self) -> int:
        return len(self.places)

    def some(self, most: int) -> "Part":
        """At most `most` of the rows, evenly spaced."""
        at = torch.arange(len(self))[:: max(1, -(-len(self) // most))]
        return Part([self.places[i] for i in at.tolist()], self.rows.at(at), self.classes[at])


def split(labels: Sequence[str], groups: Sequence[str] | None, seed: int) -> dict[str, list[int]]:
    """The indices of the rows of "test", "validation", and "train", by `seed`. `labels` has the
    class of every row, "" if unknown: such a row is in no part. Without `groups`, each class is
    split separately; with them, all rows of a group are in one part.

    Raises InvalidInput if a part lacks a class, or if there are too few groups.
    """
    draws, parts = random.Random(seed), {"test": [], "validation": [], "train": []}
    units: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        if label:
            units.setdefault(groups[place] if groups else label, []).append(place)
    if groups:
        deal([units[name] for name in sorted(units)], parts, draws)
    else:
        for name in sorted(units):
            deal([[place] for place in units[name]], parts, draws)
    for name, places in parts.items():
        absent = set(filter(None, labels)) - {labels[place] for place in places}
        if absent:
            raise InvalidInput("part-without-class", part=name, rare=min(absent), groups=len(units))
        places.sort()
    return parts


def deal(units: list[list[int]], parts: dict[str, list[int]], draws: random.Random) -> None:
    """Assigns units of rows to parts by their fractions, at least one to each part."""
    draws.shuffle(units)
    start = 0
    for name, share in SHARES.items():
        end = start + max(1, round(share * len(units)))
        parts[name] += [place for unit in units[start:end] for place in unit]
        start = end
    parts["train"] += [place for unit in units[start:] for place in unit]


def tensors_of(tokenizer: RowTokenizer, table: Table, places: Sequence[int]) -> Rows:
    """The rows at `places` as tensors, one column at a time: the same result as
    `runs.table_row.tensors` for the values of each row.
    """
    numbers = torch.zeros(len(places), len(tokenizer.numbers))
    known = torch.zeros_like(numbers)
    for j, column in enumerate(tokenizer.numbers):
        cells = table.columns[column.name]
        values = [number_of(cells[place]) if cells[place] else None for place in places]
        known[:, j] = torch.tensor([float(value is not None) for value in values])
        numbers[:, j] = torch.tensor(
            [0.0 if value is None else (value - column.mean) / column.deviation for value in values]
        )
    categories = torch.zeros(len(places), len(tokenizer.categories), dtype=torch.int64)
    start = 0
    for j, column in enumerate(tokenizer.categories):
        cells = table.columns[column.name]
        rows = {None: len(column.options)} | {o: i for i, o in enumerate(column.options)}
        of = {cell: start + rows[option_of(column, cell)] for cell in set(cells)}
        categories[:, j] = torch.tensor([of[cells[place]] for place in places])
        start += len(rows)
    return Rows(numbers, known, categories)


def values_at(tokenizer: RowTokenizer, table: Table, place: int) -> Values:
    """The values of one row."""
    values: Values = {}
    for number in tokenizer.numbers:
        values[number.name] = number_of(table.columns[number.name][place])
    for category in tokenizer.categories:
        values[category.name] = option_of(category, table.columns[category.name][place])
    return values


def shuffled_batches(n: int, size: int, generator: torch.Generator) -> Sequence[Tensor]:
    """The indices of `n` rows in random order, in batches."""
    return torch.randperm(n, generator=generator).split(size)


def log_loss(chances: Float[Tensor, "row class"], classes: Classes) -> Float[Tensor, " row"]:
    """-ln p of the class of each row, in nats."""
    return -chances[torch.arange(len(classes)), classes].clamp_min(1e-12).log()
