"""The baselines for a tabular model: the most frequent class, logistic regression, and boosted
trees, all fitted on the same rows.
"""

import numpy as np
import torch
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from model.layers.tabular_embedding import Rows
from model.training.own_tables.parts import Part
from model.training.own_tables.task import Chances, TableTask

MAX_BINS = 254  # distinct categories in a tree; columns with more are treated as ordered


def baselines(task: TableTask) -> dict[str, Chances]:
    """The probabilities that each baseline predicts for the test rows."""
    return {
        "boosting": boosting(task),
        "logistic_regression": regression(task),
        "most_frequent": frequencies(task),
    }


def boosting(task: TableTask) -> Chances:
    """Gradient-boosted trees over histograms, which handle missing values natively. Training stops
    when a held-out tenth of the rows no longer improves.
    """
    numeric, sizes = len(task.tokenizer.numbers), task.tokenizer.sizes
    trees = HistGradientBoostingClassifier(
        categorical_features=[numeric + j for j, size in enumerate(sizes) if size <= MAX_BINS],
        early_stopping=len(task.train) >= 1_000,
        random_state=task.choices.seed,
    )
    trees.fit(plain_columns(task, task.train.rows), task.train.classes.numpy())
    return torch.from_numpy(trees.predict_proba(plain_columns(task, task.test.rows)))


def plain_columns(task: TableTask, rows: Rows) -> np.ndarray:
    """[row, column]: numbers, NaN if missing, and the indices of categories in their column."""
    numbers = rows.numbers.numpy().copy()
    numbers[rows.known.numpy() == 0] = np.nan
    starts = np.cumsum([0, *task.tokenizer.sizes[:-1]], dtype=int)[: len(task.tokenizer.sizes)]
    return np.concatenate([numbers, rows.categories.numpy() - starts], axis=1)


def regression(task: TableTask) -> Chances:
    """Logistic regression on the standardized numbers, 0 if missing, an indicator for missing
    values, and an indicator for each category.
    """
    fitted = LogisticRegression(max_iter=300)
    fitted.fit(signs(task, task.train), task.train.classes.numpy())
    return torch.from_numpy(fitted.predict_proba(signs(task, task.test)))


def signs(task: TableTask, part: Part) -> sparse.csr_array:
    """[row, numbers + missing + categories], as a sparse matrix."""
    categories = part.rows.categories.numpy()
    rows = np.repeat(np.arange(len(part)), categories.shape[1])
    ones = (np.ones(categories.size, dtype=np.float32), (rows, categories.ravel()))
    numbers = (part.rows.numbers.numpy(), 1 - part.rows.known.numpy())
    return sparse.hstack(
        [
            *map(sparse.csr_array, numbers),
            sparse.csr_array(ones, shape=(len(part), sum(task.tokenizer.sizes))),
        ],
        format="csr",
    )


def frequencies(task: TableTask) -> Chances:
    """The frequency of each class in the training rows, for every row."""
    counts = torch.bincount(task.train.classes, minlength=len(task.classes)).double()
    return (counts / counts.sum()).expand(len(task.test), -1)
