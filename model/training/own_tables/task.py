"""`TableTask`: a table as the task of a training: the loss is -ln p of a row's class, and some
known values are hidden, so that a missing value is learned as well.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config
from model.inputs.column_kinds import (
    category_column,
    find_classes,
    find_kinds,
    number_column,
    number_of,
)
from model.inputs.table_files import Table
from model.inputs.table_rows import Reference, RowTokenizer, row_text
from model.inputs.written_numbers import read_numbers
from model.layers import masks
from model.layers.tabular_embedding import Rows
from model.runs.table_row import tensors
from model.trace import OFF, Trace
from model.training.own_tables.choices import Choices, config_of
from model.training.own_tables.parts import Part, shuffled_batches, split, tensors_of, values_at
from model.transformer import Transformer

HIDDEN = 0.1
REFERENCES = 24  # reference rows of all classes together, where rows read one another
MIN_OF_CLASS = 10  # rows of a class
FEW, MANY = 32, 256  # rows of a batch, of a table of less and of more than so many rows
LARGE = 5_000
AT_ONCE = 2_048  # rows that are read together without gradients

Chances = Float[Tensor, "row class"]


class TableTask:
    """The rows of `table` in three parts, read by a tokenizer that was made of the rows for
    learning. Rows without a class are not used. `notations` says of columns how their numbers are
    written.
    """

    def __init__(self, table: Table, choices: Choices):
        besides = (choices.target, choices.group, *choices.categories, *choices.drop)
        table, self.notations, self.units = read_numbers(table, besides)
        self.table, self.choices = table, choices
        self.classes = find_classes(table, choices.target, MIN_OF_CLASS)
        self.kinds = find_kinds(
            table, choices.target, choices.drop, choices.categories, choices.group
        )
        labels = table.columns[choices.target]
        groups = table.columns[choices.group] if choices.group else None
        places = split(labels, groups, choices.seed)
        self.tokenizer = self.make_tokenizer(places["train"])
        numbers = {name: i for i, name in enumerate(self.classes)}
        self.test, self.validation, self.train = (
            Part(
                places[name],
                tensors_of(self.tokenizer, table, places[name]),
                torch.tensor([numbers[labels[place]] for place in places[name]]),
            )
            for name in ("test", "validation", "train")
        )
        self.references = [self.tokenizer.read(ref.row) for ref in self.tokenizer.references]
        self.config: Config = config_of(self.tokenizer, choices)
        self.digest = digest(table, choices)

    def make_tokenizer(self, train: list[int]) -> RowTokenizer:
        """The columns as the rows for learning have them, and the first rows of each class with the
        most known values for reference.
        """
        cells = {name: [column[i] for i in train] for name, column in self.table.columns.items()}
        numbers = [
            replace(
                number_column(name, [x for x in map(number_of, cells[name]) if x is not None]),
                unit=self.choices.units.get(name, self.units.get(name, "")),
            )
            for name in self.kinds.numbers
        ]
        categories = [category_column(name, cells[name]) for name in self.kinds.categories]
        plain = RowTokenizer(tuple(numbers), tuple(categories), self.classes)
        return replace(
            plain, references=self.reference_rows(plain, train) if self.choices.between_rows else ()
        )

    def reference_rows(self, tokenizer: RowTokenizer, train: list[int]) -> tuple[Reference, ...]:
        labels, found = self.table.columns[self.choices.target], []
        for name in self.classes:
            rows = [
                values_at(tokenizer, self.table, place)
                for place in [place for place in train if labels[place] == name][:200]
            ]
            rows.sort(key=lambda values: sum(value is None for value in values.values()))
            each = max(1, REFERENCES // len(self.classes))
            found += [Reference(row_text(values), name) for values in rows[:each]]
        return tuple(found)

    @property
    def batch(self) -> int:
        """The rows of a batch."""
        return FEW if len(self.train) < LARGE else MANY

    @property
    def steps(self) -> int:
        """The steps of a training: about 40 passes over few rows, fewer over many."""
        return self.choices.steps or min(6_000, max(400, 40 * len(self.train) // self.batch))

    def epoch(self, generator: torch.Generator) -> Iterator[Part]:
        """The rows of one pass, in batches. Some of the known values are hidden."""
        for chosen in shuffled_batches(len(self.train), self.batch, generator):
            rows, _ = hide(self.train.rows.at(chosen), self.tokenizer, HIDDEN, generator)
            yield Part([], rows, self.train.classes[chosen])

    def loss(self, model: Transformer, batch: Part, trace: Trace) -> Float[Tensor, ""]:
        return cross_entropy(logits(model, batch.rows, trace), batch.classes)


def digest(table: Table, choices: Choices) -> str:
    """The digest of all cells and of what is chosen."""
    found = hashlib.sha256(json.dumps(asdict(choices), sort_keys=True).encode())
    for name, cells in table.columns.items():
        found.update("\x1f".join((name, *cells, "\x1e")).encode())
    return found.hexdigest()


def hide(
    rows: Rows, tokenizer: RowTokenizer, share: float, generator: torch.Generator
) -> tuple[Rows, tuple[Tensor, Tensor]]:
    """`rows` with each known value hidden with the probability `share`, and which numbers and which
    categories were.
    """
    missing = missing_options(tokenizer)
    numbers = (torch.rand(rows.known.shape, generator=generator) < share) & (rows.known > 0)
    categories = torch.rand(rows.categories.shape, generator=generator) < share
    categories &= rows.categories != missing
    known = rows.known * ~numbers
    return (
        Rows(rows.numbers * known, known, torch.where(categories, missing, rows.categories)),
        (numbers, categories),
    )


def exchange(
    rows: Rows, others: Rows, tokenizer: RowTokenizer, share: float, generator: torch.Generator
) -> tuple[Rows, tuple[Tensor, Tensor]]:
    """`rows` with each known value exchanged, with the probability `share`, for what its column has
    in one of `others`, each drawn for itself; and which numbers and which categories are now other
    values. Where nothing is known in the row that was drawn, the value stays.
    """
    missing = missing_options(tokenizer)

    def draw(shape: torch.Size) -> tuple[Tensor, Tensor]:
        chosen = torch.rand(shape, generator=generator) < share
        return chosen, torch.randint(len(others.numbers), shape, generator=generator)

    chosen, at = draw(rows.numbers.shape)
    values, known = others.numbers.gather(0, at), others.known.gather(0, at)
    numbers = chosen & (rows.known * known > 0) & (values != rows.numbers)
    chosen, at = draw(rows.categories.shape)
    options = others.categories.gather(0, at)
    both = (rows.categories != missing) & (options != missing)
    categories = chosen & both & (options != rows.categories)
    exchanged = Rows(
        torch.where(numbers, values, rows.numbers),
        rows.known,
        torch.where(categories, options, rows.categories),
    )
    return exchanged, (numbers, categories)


def missing_options(tokenizer: RowTokenizer) -> Tensor:
    """The number of the option of each column of categories that stands for what is missing."""
    return torch.tensor(tokenizer.sizes, dtype=torch.int64).cumsum(0) - 1


def logits(model: Transformer, rows: Rows, trace: Trace = OFF) -> Float[Tensor, "*batch class"]:
    """The logits of each row, at [CLS] or, with the read-out `bypass`, from the whole row."""
    x = model.encode(rows, masks.full(model.config.max_length), trace)
    return model.unembed(x, trace, model.bypassing(rows, trace))[..., 0, :]


@torch.no_grad()
def chances(task: TableTask, model: Transformer, rows: Rows, trace: Trace = OFF) -> Chances:
    """The probabilities of the classes for each of the rows: read alone, or each beside the
    reference rows, as the model is served.
    """
    pieces = torch.arange(len(rows.numbers)).split(AT_ONCE // (1 + len(task.references)))
    if not task.references:
        return torch.cat([logits(model, rows.at(piece), trace) for piece in pieces]).softmax(-1)
    others = tensors(task.tokenizer, task.references)
    read = [logits(model, with_others(rows.at(piece), others), trace)[:, 0] for piece in pieces]
    return torch.cat(read).softmax(-1)


def with_others(rows: Rows, others: Rows) -> Rows:
    """A table for each of the rows: the row itself and behind it all others."""

    def tables(first: Tensor, second: Tensor) -> Tensor:
        return torch.cat([first[:, None], second.expand(len(first), *second.shape)], dim=1)

    return Rows(
        tables(rows.numbers, others.numbers),
        tables(rows.known, others.known),
        tables(rows.categories, others.categories),
    )
