"""Pre-training: some values of a row are changed, and the model predicts the original values, or
which were changed, from the rest of the row, before any class is known. Predictions use only the
column vectors, so no learned parameters are thrown away later.

    mask       a value is hidden, and predicted. For a category of column j, the probabilities are
               softmax(x_j W_j^T), where W_j has the vectors of its categories, like words in a
               masked language model (Devlin et al. 2019); a number is x_j · w_j / d_model.
    replace    a value is replaced with that of another row in the same column. The odds that the
               value of column j was replaced are exp(x_j · b_j), where b_j is the column's
               vector: replaced token detection (Clark et al. 2020).

Huang et al. (2020) pre-train TabTransformer in both ways; Somepalli et al. (2021) pre-train SAINT
by denoising mixed rows. Rubachev et al. (2022) compare predicting values with predicting which were
replaced, and sample replacements from the column as here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from model.layers import masks
from model.layers.tabular_embedding import FeatureTokenizer, Rows
from model.trace import OFF, Trace
from model.training.own_tables.parts import shuffled_batches
from model.training.own_tables.task import TableTask, exchange, hide, missing_options
from model.transformer import Transformer

SHARE = 0.25  # fraction of the known values to change


@dataclass(frozen=True)
class Changed:
    """The original rows, the same rows with some values changed as `inputs`, and which numbers and
    categories those are.
    """

    rows: Rows
    inputs: Rows
    numbers: Tensor
    categories: Tensor


class Pretraining(ABC):
    """The training rows of `task`, without their classes."""

    def __init__(self, task: TableTask):
        self.task, self.tokenizer, self.config = task, task.tokenizer, task.config
        self.digest = task.digest

    def epoch(self, generator: torch.Generator) -> Iterator[Changed]:
        train = self.task.train
        for chosen in shuffled_batches(len(train), self.task.batch, generator):
            rows = train.rows.at(chosen)
            inputs, (numbers, categories) = self.change(rows, generator)
            yield Changed(rows, inputs, numbers, categories)

    @abstractmethod
    def change(self, rows: Rows, generator: torch.Generator) -> tuple[Rows, tuple[Tensor, Tensor]]:
        """The rows with some values changed, and which numbers and which categories those are."""


class MaskedTask(Pretraining):
    """Values are hidden, and predicted."""

    def change(self, rows: Rows, generator: torch.Generator) -> tuple[Rows, tuple[Tensor, Tensor]]:
        return hide(rows, self.tokenizer, SHARE, generator)

    def loss(self, model: Transformer, batch: Changed, trace: Trace) -> Float[Tensor, ""]:
        """The mean over the hidden values of -ln p of a category, or of the squared error of a
        number in standard deviations.
        """
        x = model.encode(batch.inputs, masks.full(model.config.max_length), trace)
        columns = model.embedding.token
        table, start, losses = columns.categories.table, 0, []
        for j, size in enumerate(self.config.columns.categories):
            hidden = batch.categories[:, j]
            scores = x[hidden, j - len(self.config.columns.categories)] @ table[start:][:size].mT
            wanted = batch.rows.categories[hidden, j] - start
            losses.append(cross_entropy(scores, wanted, reduction="none"))
            start += size
        if isinstance(columns, FeatureTokenizer):
            n = self.config.columns.n_numeric
            read = (x[:, 1 : 1 + n] * columns.numbers.weight).mean(-1)
            losses.append((read - batch.rows.numbers)[batch.numbers] ** 2)
        every = torch.cat(losses)
        return every.sum() / max(1, len(every))


class ReplacedTask(Pretraining):
    """Values are replaced with those of other rows, and the model predicts which."""

    def change(self, rows: Rows, generator: torch.Generator) -> tuple[Rows, tuple[Tensor, Tensor]]:
        return exchange(rows, self.task.train.rows, self.tokenizer, SHARE, generator)

    def loss(self, model: Transformer, batch: Changed, trace: Trace) -> Float[Tensor, ""]:
        """The mean over the known values of -ln p of whether each was replaced."""
        log_odds, exchanged = self.log_odds(model, batch, trace)
        return binary_cross_entropy_with_logits(log_odds, exchanged.float())

    def log_odds(
        self, model: Transformer, batch: Changed, trace: Trace = OFF
    ) -> tuple[Float[Tensor, " value"], Bool[Tensor, " value"]]:
        """The log-odds that each known value of a column in the stack was replaced, and whether it
        was.
        """
        x = model.encode(batch.inputs, masks.full(model.config.max_length), trace)
        columns, n = model.embedding.token, batch.categories.shape[-1]
        known = batch.rows.categories != missing_options(self.tokenizer)
        of_categories = (x[:, x.shape[1] - n :] * columns.categories.column).sum(-1)
        log_odds, exchanged = [of_categories[known]], [batch.categories[known]]
        if isinstance(columns, FeatureTokenizer):
            known = batch.rows.known > 0
            of_numbers = (x[:, 1 : 1 + known.shape[-1]] * columns.numbers.bias).sum(-1)
            log_odds.append(of_numbers[known])
            exchanged.append(batch.numbers[known])
        return torch.cat(log_odds), torch.cat(exchanged)


TASKS: dict[str, Callable[[TableTask], MaskedTask | ReplacedTask]] = {
    "mask": MaskedTask,
    "replace": ReplacedTask,
}
"""The pre-training tasks by name, as in PRETRAININGS of choices.py."""

SENTENCES = {
    "mask": "some values hidden, each known one with probability {share}, and read back",
    "replace": (
        "some values exchanged for those of other rows, each known one with probability {share},"
        " and told from those that were not"
    ),
}
"""The sentence in a card for each."""
