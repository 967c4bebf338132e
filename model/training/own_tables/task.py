"""`TableTask`: a table as a training task. The loss is -ln p of a row's class, and some known
values are hidden, so that the model learns to handle missing values.
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
REFERENCES = 24  # reference rows over all classes, if rows attend to one another
MIN_OF_CLASS = 10  # minimum rows per class
FEW, MANY = 32, 256  # batch sizes for small and for large tables
LARGE = 5_000
AT_ONCE = 2_048  # rows per batch without gradients

Chances = Float[Tensor, "row class"]


class TableTask:
    """The rows of `table` in three parts, read by a tokenizer fitted to the training rows. Rows
    without a class are not used. `notations` says for each column how its numbers are written.
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
        """The columns as in the training rows, and as references the first rows of each class with
        the most known values.
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
        """The number of training steps: about 40 passes over a small table, fewer over a large
        one.
        """
        return self.choices.steps or min(6_000, max(400, 40 * len(self.train) // self.batch))

    def epoch(self, generator: torch.Generator) -> Iterator[Part]:
        """The rows of one pass, in batches. Some of the known values are hidden."""
        for chosen in shuffled_batches(len(self.train), self.batch, generator):
            rows, _ = hide(self.train.rows.at(chosen), self.tokenizer, HIDDEN, generator)
            yield Part([], rows, self.train.classes[chosen])

    def loss(self, model: Transformer, batch: Part, trace: Trace) -> Float[Tensor, ""]:
        return cross_entropy(logits(model, batch.rows, trace), batch.classes)


def digest(table: Table, choices: Choices) -> str:
    """The digest of all cells and choices."""
    found = hashlib.sha256(json.dumps(asdict(choices), sort_keys=True).encode())
    for name, cells in table.columns.items():
        found.update("\x1f".join((name, *cells, "\x1e")).encode())
    return found.hexdigest()


def hide(
    rows: Rows, tokenizer: RowTokenizer, share: float, generator: torch.Generator
) -> tuple[Rows, tuple[Tensor, Tensor]]:
    """`rows` with each known value hidden with probability `share`, and which numbers and which
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
    """`rows` with each known value replaced, with probability `share`, with the value of its column
    in one of `others`, sampled independently; and which numbers and categories have changed. If the
    sampled row has no known value, the value is unchanged.
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
    """The index of the option for missing values in each categorical column."""
    return torch.tensor(tokenizer.sizes, dtype=torch.int64).cumsum(0) - 1


def logits(model: Transformer, rows: Rows, trace: Trace = OFF) -> Float[Tensor, "*batch class"]:
    """The logits of each row, at [CLS] or, with the readout `bypass`, from the whole row."""
    x = model.encode(rows, masks.full(model.config.max_length), trace)
    return model.unembed(x, trace, model.bypassing(rows, trace))[..., 0, :]


@torch.no_grad()
def chances(task: TableTask, model: Transformer, rows: Rows, trace: Trace = OFF) -> Chances:
    """The class probabilities of each row, on its own or with the reference rows, as in the served
    model.
    """
    pieces = torch.arange(len(rows.numbers)).split(AT_ONCE // (1 + len(task.references)))
    if not task.references:
        return torch.cat([logits(model, rows.at(piece), trace) for piece in pieces]).softmax(-1)
    others = tensors(task.tokenizer, task.references)
    read = [logits(model, with_others(rows.at(piece), others), trace)[:, 0] for piece in pieces]
    return torch.cat(read).softmax(-1)


def with_others(rows: Rows, others: Rows) -> Rows:
    """A table for each of the rows: the row itself, followed by all others."""

    def tables(first: Tensor, second: Tensor) -> Tensor:
        return torch.cat([first[:, None], second.expand(len(first), *second.shape)], dim=1)

    return Rows(
        tables(rows.numbers, others.numbers),
        tables(rows.known, others.known),
        tables(rows.categories, others.categories),
    )
