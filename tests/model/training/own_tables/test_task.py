"""A table as a task: its parts, its tensors, what is hidden, and its baselines."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, log_loss

from model.errors import InvalidInput, UnknownName
from model.runs.table_row import tensors
from model.trace import OFF
from model.training.own_tables import measures, parts
from model.training.own_tables.baselines import baselines, plain_columns
from model.training.own_tables.choices import PRETRAININGS, Choices
from model.training.own_tables.parts import SHARES, split, values_at
from model.training.own_tables.pretraining import TASKS, MaskedTask, ReplacedTask
from model.training.own_tables.task import TableTask, exchange, hide
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from tests.model.support.made_table import made_table
from tests.rounding import PRINTED, SINGLE, near, same

CHOICES = Choices(target="bought", drop=("day",), categories=("hour",))


@pytest.fixture(scope="module")
def task() -> TableTask:
    return TableTask(made_table(), CHOICES)


def test_every_row_is_in_one_part_and_each_class_is_dealt_alike(task: TableTask):
    places = [*task.test.places, *task.validation.places, *task.train.places]
    assert sorted(places) == list(range(300))
    of_class = {part: (getattr(task, part).classes == 1).float().mean() for part in SHARES}
    assert max(of_class.values()) - min(of_class.values()) < 0.03
    labels = task.table.columns["bought"]
    assert split(labels, None, 0) == split(labels, None, 0) != split(labels, None, 1)


def test_rows_of_a_group_are_in_one_part_and_rows_without_a_class_in_none():
    labels, groups = ["yes", "no", ""] * 40, [f"{n // 6}" for n in range(120)]
    found = split(labels, groups, 3)
    of = {name: {groups[place] for place in places} for name, places in found.items()}
    assert not of["test"] & of["train"]
    assert not (of["test"] | of["train"]) & of["validation"]
    assert sum(map(len, found.values())) == 80
    with pytest.raises(InvalidInput, match="2 groups are too few"):
        split(labels, ["a", "b"] * 60, 0)


def test_the_tensors_are_those_that_a_page_makes_of_the_same_rows(task: TableTask):
    values = [values_at(task.tokenizer, task.table, place) for place in task.test.places]
    assert any(None in row.values() for row in values)
    assert {row["city"] for row in values} == {"Oslo", "Paris", "Rome; IT", None}
    rows = tensors(task.tokenizer, values)
    for name in ("numbers", "known", "categories"):
        assert torch.equal(getattr(rows, name), getattr(task.test.rows, name))


def test_what_is_hidden_was_known_and_is_read_as_missing(task: TableTask):
    rows = task.train.rows
    after, (numbers, categories) = hide(rows, task.tokenizer, 0.3, torch.Generator().manual_seed(1))
    assert (numbers <= (rows.known > 0)).all()
    assert torch.equal(after.known, rows.known * ~numbers)
    missing = torch.tensor([3, 8])
    assert (after.categories[categories] == missing.expand_as(rows.categories)[categories]).all()
    assert torch.equal(after.categories[~categories], rows.categories[~categories])
    assert 0.25 < numbers.sum() / rows.known.sum() < 0.35


def test_what_is_exchanged_was_known_and_is_another_value_of_the_column(task: TableTask):
    rows, others = task.test.rows, task.train.rows
    draws = torch.Generator().manual_seed(1)
    after, (numbers, categories) = exchange(rows, others, task.tokenizer, 0.5, draws)
    assert torch.equal(after.numbers != rows.numbers, numbers)
    assert torch.equal(after.categories != rows.categories, categories)
    assert torch.equal(after.known, rows.known)
    missing = torch.tensor([3, 8])
    assert not (numbers & (rows.known == 0)).any()
    assert not (categories & ((rows.categories == missing) | (after.categories == missing))).any()
    for j in range(2):
        there = others.numbers[others.known[:, j] > 0, j]
        assert set(after.numbers[numbers[:, j], j].tolist()) <= set(there.tolist())
        assert set(after.categories[:, j].tolist()) <= set(others.categories[:, j].tolist())
    assert 0.4 < numbers.sum() / rows.known.sum() < 0.55


def test_the_baselines_are_measured_as_scikit_learn_measures_them(task: TableTask):
    labels, beside = task.test.classes.numpy(), baselines(task)
    found = measures.quality(task, beside["boosting"], beside)
    for name, read in beside.items():
        near(found["log_loss"][name], log_loss(labels, read.numpy()), PRINTED, abs=1e-4)
        right = accuracy_score(labels, read.argmax(1).numpy())
        same(found["accuracy"][name], right, scale=1)
    assert found["accuracy"]["boosting"] > 0.8 > 0.6 > found["accuracy"]["most_frequent"]
    shares = torch.bincount(task.train.classes) / len(task.train)
    same(beside["most_frequent"][0].tolist(), shares.tolist(), SINGLE)
    low, high = found["log_loss"]["interval"]
    assert low < found["log_loss"]["value"] < high


def test_trees_are_given_gaps_as_they_are(task: TableTask):
    columns = plain_columns(task, task.test.rows)
    cells = [task.table.columns["size"][place] for place in task.test.places]
    assert [str(x) == "nan" for x in columns[:, 0]] == [not cell for cell in cells]
    assert set(columns[:, 2]) == {0, 1, 2, 3}


def test_a_column_is_cleared_or_shuffled_and_no_other(task: TableTask):
    rows, order = task.test.rows, torch.randperm(len(task.test))
    for column, part, place in ((0, "known", 0), (3, "categories", 1)):
        for changed in (
            measures.cleared(task, rows, column),
            measures.shuffled(task, rows, column, order),
        ):
            before, after = getattr(rows, part), getattr(changed, part)
            assert not torch.equal(after[:, place], before[:, place])
            others = [j for j in range(before.shape[1]) if j != place]
            assert torch.equal(after[:, others], before[:, others])
    assert measures.cleared(task, rows, 3).categories[:, 1].unique().tolist() == [8]


def test_hidden_values_are_read_back_with_the_vectors_of_their_column(task: TableTask):
    masked = MaskedTask(task)
    model = initialise(Transformer(task.config), torch.Generator().manual_seed(0))
    batch = next(masked.epoch(torch.Generator().manual_seed(0)))
    x = model.encode(batch.inputs, torch.ones(5, 5, dtype=torch.bool))
    losses = []
    with torch.no_grad():
        for row in range(len(batch.numbers)):
            for j in range(2):
                if batch.numbers[row, j]:
                    read = (x[row, 1 + j] * model.embedding.token.numbers.weight[j]).mean()
                    losses.append((read - batch.rows.numbers[row, j]) ** 2)
            for j, (start, size) in enumerate(((0, 4), (4, 5))):
                if batch.categories[row, j]:
                    vectors = model.embedding.token.categories.table[start : start + size]
                    log_p = (vectors @ x[row, 3 + j]).log_softmax(-1)
                    losses.append(-log_p[batch.rows.categories[row, j] - start])
    expected = float(torch.stack(losses).mean())
    same(masked.loss(model, batch, OFF).item(), expected, SINGLE)


@pytest.mark.parametrize("architecture", ["ft", "tab"])
def test_the_odds_that_a_value_was_exchanged_are_read_with_the_vector_of_its_column(architecture):
    task = TableTask(made_table(), replace(CHOICES, architecture=architecture))
    replaced = ReplacedTask(task)
    model = initialise(Transformer(task.config), torch.Generator().manual_seed(0))
    columns, numbers = model.embedding.token, 2 if architecture == "ft" else 0
    for vector in [columns.categories.column, *([columns.numbers.bias] if numbers else [])]:
        torch.nn.init.normal_(vector, generator=torch.Generator().manual_seed(3))
    batch = next(replaced.epoch(torch.Generator().manual_seed(0)))
    n = task.config.max_length
    losses = []
    with torch.no_grad():
        x = model.encode(batch.inputs, torch.ones(n, n, dtype=torch.bool))
        for row in range(len(batch.numbers)):
            pairs = [
                (x[row, 1 + j] @ columns.numbers.bias[j], batch.numbers[row, j])
                for j in range(numbers)
                if batch.rows.known[row, j]
            ]
            pairs += [
                (x[row, n - 2 + j] @ columns.categories.column[j], batch.categories[row, j])
                for j, missing in enumerate((3, 8))
                if batch.rows.categories[row, j] != missing
            ]
            for odds, exchanged in pairs:
                losses.append(np.logaddexp(0.0, -float(odds) if exchanged else float(odds)))
        same(replaced.loss(model, batch, OFF).item(), np.mean(losses), SINGLE)


def test_architectures_that_do_not_go_with_a_table_are_refused():
    with pytest.raises(UnknownName, match="no architecture named 'tabnet'"):
        Choices(target="bought", architecture="tabnet")
    with pytest.raises(UnknownName, match="no pre-training named 'shuffle'"):
        Choices(target="bought", pretrain="shuffle")
    assert tuple(TASKS) == PRETRAININGS
    assert [Choices(target="x", pretrain=on).pretraining for on in (False, True)] == ["", "mask"]
    choices = Choices(target="bought", architecture="tab", drop=("day", "city", "hour"))
    with pytest.raises(
        InvalidInput, match="TabTransformer needs both categories and numbers; this"
    ):
        TableTask(made_table(), choices)


def test_log_loss_is_bounded_where_a_model_is_sure_and_wrong():
    found = parts.log_loss(torch.tensor([[1.0, 0.0]]), torch.tensor([1]))
    same(float(found), -np.log(1e-12), SINGLE)
