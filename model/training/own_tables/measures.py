"""Measures of a tabular model on its held-out rows: accuracy, calibration, and the importance of
each column.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from model.calibration import reliability
from model.calibration.reliability import (
    calibration_error,
    group_numbers,
    independent,
    interval,
    wilson,
)
from model.layers.tabular_embedding import Rows
from model.trace import Trace
from model.training.own_tables.parts import Part, log_loss
from model.training.own_tables.task import Chances, TableTask, chances
from model.transformer import Transformer

MAX_REREAD = 5_000  # maximum number of held-out rows run again without a column
MEASURES = {
    "accuracy": "Fraction of {n} held-out rows whose true class gets the highest probability",
    "log_loss": "Mean of −ln p of the true class over {n} held-out rows",
    "calibration_error": (
        "Expected calibration error of the most probable class over {n} held-out rows, in"
        f" {reliability.BINS} bins with equally many rows"
    ),
}


def groups_of(task: TableTask, part: Part) -> list[str] | None:
    """The group of each row, if rows are held out in groups."""
    name = task.choices.group
    return [task.table.columns[name][place] for place in part.places] if name else None


def quality(
    task: TableTask, read: Chances, beside: Mapping[str, Chances]
) -> dict[str, dict[str, Any]]:
    """Accuracy, log loss, and expected calibration error of the probabilities `read` on the test
    rows, each with its interval, and of every baseline.
    """
    groups, n = groups_of(task, task.test), len(task.test)
    found: dict[str, dict[str, Any]] = {}
    for name, how in MEASURES.items():
        low, high = ends_of(name, task, read, groups)
        found[name] = {
            "value": round(measure(name, task, read), 4),
            **{other: round(measure(name, task, p), 4) for other, p in beside.items()},
            "interval": [round(low, 4), round(high, 4)],
            "how": how.format(n=f"{n:,}"),
        }
    found["log_loss"]["unit"] = "nats"
    return found


def ends_of(
    name: str, task: TableTask, read: Chances, groups: list[str] | None
) -> tuple[float, float]:
    """The interval of a measure; for a fraction, Wilson's, which has a width even at 100%."""
    if name != "accuracy":
        return interval(lambda w: measure(name, task, read, w), len(task.test), groups)
    right = (read.argmax(1) == task.test.classes).double().numpy()
    n = independent(right, group_numbers(groups)) if groups else len(right)
    return wilson(float(right.mean()), n)


def measure(name: str, task: TableTask, read: Chances, weights: np.ndarray | None = None) -> float:
    """One measure on the test rows, counted as often as in `weights`."""
    classes = task.test.classes
    if name == "log_loss":
        return float(np.average(log_loss(read, classes).double().numpy(), weights=weights))
    best = read.double().max(-1)
    right = (best.indices == classes).numpy()
    if name == "accuracy":
        return float(np.average(right, weights=weights))
    return calibration_error(best.values.numpy(), right, weights)


def held_out(
    task: TableTask, model: Transformer, read: Chances, beside: Mapping[str, Chances]
) -> dict[str, Any]:
    """What the tables page shows about the held-out rows: the reliability of each class, for the
    model and the boosted trees, and the importance of each column.
    """
    groups = groups_of(task, task.test)
    return {
        "rows": len(task.test),
        "groups": len(set(groups)) if groups else 0,
        "reliability": {
            name: [curve(task, chances, c, groups) for c in range(len(task.classes))]
            for name, chances in {"model": read, "boosting": beside["boosting"]}.items()
        },
        "worth": worth(task, model),
    }


def curve(
    task: TableTask, read: Chances, number: int, groups: list[str] | None
) -> list[dict[str, float]]:
    """The bins of the probability of class number `number`."""
    believed, happened = read[:, number].double().numpy(), (task.test.classes == number).numpy()
    return [rounded(asdict(bin)) for bin in reliability.reliability(believed, happened, groups)]


def rounded(numbers: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in numbers.items()}


def worth(task: TableTask, model: Transformer) -> dict[str, Any]:
    """The importance of each column, on at most 5,000 held-out rows, or fewer if rows attend to one
    another: the increase of the log loss when its values are cleared, and when they are shuffled
    among the rows (Breiman 2001; Fisher, Rudin and Dominici 2019), each with its interval; and the
    attention it gets from [CLS], mean and middle 80% of the rows, by layer.
    """
    part = task.test.some(MAX_REREAD // (10 if task.references else 1))
    groups, generator = groups_of(task, part), torch.Generator().manual_seed(task.choices.seed)
    before = log_loss(chances(task, model, part.rows), part.classes)
    columns = []
    for j, name in enumerate(task.tokenizer.columns):
        fields: dict[str, Any] = {"name": name}
        order = torch.randperm(len(part), generator=generator)
        for way, rows in (
            ("cleared", cleared(task, part.rows, j)),
            ("shuffled", shuffled(task, part.rows, j, order)),
        ):
            rise = (log_loss(chances(task, model, rows), part.classes) - before).double().numpy()
            low, high = interval(
                lambda w, rise=rise: float(np.average(rise, weights=w)), len(part), groups, -np.inf
            )
            fields[way] = [round(x, 5) for x in (float(rise.mean()), low, high)]
        columns.append(fields)
    return {"rows": len(part), "columns": columns, "attention": attention(task, model, part)}


def cleared(task: TableTask, rows: Rows, column: int) -> Rows:
    """The rows without their values in a column; numeric columns are counted first, then
    categorical ones.
    """
    n = len(task.tokenizer.numbers)
    numbers, known, categories = (x.clone() for x in (rows.numbers, rows.known, rows.categories))
    if column < n:
        numbers[:, column] = known[:, column] = 0
    else:
        categories[:, column - n] = sum(task.tokenizer.sizes[: column - n + 1]) - 1
    return Rows(numbers, known, categories)


def shuffled(task: TableTask, rows: Rows, column: int, order: Tensor) -> Rows:
    """The rows with the values of a column in another order."""
    n = len(task.tokenizer.numbers)
    numbers, known, categories = (x.clone() for x in (rows.numbers, rows.known, rows.categories))
    if column < n:
        numbers[:, column], known[:, column] = numbers[order, column], known[order, column]
    else:
        categories[:, column - n] = categories[order, column - n]
    return Rows(numbers, known, categories)


def attention(task: TableTask, model: Transformer, part: Part) -> list[dict[str, Any]]:
    """By layer, the weight of [CLS] on each other token, averaged over heads. In a TabTransformer,
    which has no [CLS], the mean weight of all tokens on it.
    """
    config, maps = model.config, {}

    def keep(name: str, value: Tensor) -> Tensor:
        if name.endswith(".attention.pattern"):
            maps.setdefault(name, []).append(value[:, 0] if task.references else value)
        return value

    chances(task, model, part.rows, Trace(keep))
    names = list(task.tokenizer.columns)
    return [
        {
            "columns": names[len(names) - config.max_length :] if config.bypass else names,
            **of_rows(torch.cat(maps[f"encoder.{layer}.attention.pattern"]), bypass=config.bypass),
        }
        for layer in range(config.n_encoder_layers)
    ]


def of_rows(
    pattern: Float[Tensor, "row head query key"], *, bypass: bool
) -> dict[str, list[float]]:
    """Mean and middle 80% over the rows of the weight on each column."""
    weights = pattern.mean(1).mean(1) if bypass else pattern.mean(1)[:, 0, 1:]
    ends = torch.quantile(weights, torch.tensor([0.1, 0.9]), dim=0)
    return {
        name: [round(x, 4) for x in value.tolist()]
        for name, value in (("mean", weights.mean(0)), ("low", ends[0]), ("high", ends[1]))
    }
