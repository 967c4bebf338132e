"""Pre-training: values are hidden and read back from the rest of their row, before any class is
told. The vectors of a column say what stood there, so nothing is learned that is thrown away later.

A hidden category of column j is read back by softmax(x_j W_j^T), where W_j has the vectors of its
categories, as words are in a masked language model (Devlin et al. 2019); a hidden number by
x_j · w_j / d_model. Huang et al. (2020) pre-train TabTransformer by masking, Somepalli et al.
(2021) SAINT by denoising.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.layers import masks
from model.layers.tabular_embedding import FeatureTokenizer, Rows
from model.trace import Trace
from model.training.own_tables.parts import shuffled_batches
from model.training.own_tables.task import TableTask, hide
from model.transformer import Transformer

MASKED = 0.25


@dataclass(frozen=True)
class Masked:
    """Rows as they are, the same rows with some values hidden, and which numbers and categories
    those are.
    """

    rows: Rows
    seen: Rows
    numbers: Tensor
    categories: Tensor


class MaskedTask:
    """The rows for learning of `task`, without their classes."""

    def __init__(self, task: TableTask):
        self.task, self.tokenizer, self.config = task, task.tokenizer, task.config
        self.digest = task.digest

    def epoch(self, generator: torch.Generator) -> Iterator[Masked]:
        train = self.task.train
        for chosen in shuffled_batches(len(train), self.task.batch, generator):
            rows = train.rows.at(chosen)
            seen, (numbers, categories) = hide(rows, self.tokenizer, MASKED, generator)
            yield Masked(rows, seen, numbers, categories)

    def loss(self, model: Transformer, batch: Masked, trace: Trace) -> Float[Tensor, ""]:
        """The mean over the hidden values of -ln p of a category, or of the squared error of a
        number in standard deviations.
        """
        x = model.encode(batch.seen, masks.full(model.config.max_length), trace)
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
