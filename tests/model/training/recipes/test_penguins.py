"""The penguins: what is held out is held out, what is hidden is hidden, and what the cards say is
measured.
"""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_iris

from model.inputs.input import Input
from model.runs.run_model import run_model
from model.training.finish import finish
from model.training.loop import train
from model.training.recipes.penguins import (
    CATEGORIES,
    CHOICES,
    CLASSES,
    FILE,
    RECIPES,
    UNITS,
    Penguins,
    accuracy,
    chances,
    hidden,
    regression,
)
from model.training.schedule import Cycle, Dropout
from model.zoo.models import load_model
from tests.rounding import SINGLE, same
from tests.thorough import mostly

HEAD = ["species", *list(CATEGORIES)[:1], *UNITS, *list(CATEGORIES)[1:]]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """344 flowers dressed as penguins: three kinds, four lengths each, drawn from those of
    scikit-learn with a little noise.
    """
    iris, draws = load_iris(), np.random.default_rng(0)
    rows = []
    for n in range(344):
        kind = int(iris.target[n % 150])
        lengths = iris.data[n % 150] * np.array([6, 6, 40, 2000]) + draws.normal(0, 0.5, 4) + 5
        numbers = [
            "" if (n + 11 * place) % 40 == 7 else f"{value:.1f}"
            for place, value in enumerate(lengths)
        ]
        rows.append(
            [
                CLASSES[kind],
                CATEGORIES["island"][int(draws.integers(3))],
                *numbers,
                "" if n % 30 == 3 else ("MALE", "FEMALE")[n % 2],
            ]
        )
    folder = tmp_path_factory.mktemp("data")
    with (folder / FILE).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])
    return folder


def keys(part) -> set[tuple]:
    return {tuple(values.values()) for values in part.values}


def test_no_row_is_in_two_parts_and_every_one_is_in_one_whatever_their_order(data, tmp_path):
    task = Penguins("penguins-ft", data)
    assert [len(part.values) for part in (task.train, task.validation, task.test)] == [200, 44, 100]
    assert not keys(task.train) & (keys(task.validation) | keys(task.test))
    head, *lines = (data / FILE).read_text(encoding="utf-8").splitlines()
    (tmp_path / FILE).write_text("\n".join([head, *reversed(lines)]), encoding="utf-8")
    again = Penguins("penguins-ft", tmp_path)
    assert again.test.values == task.test.values
    assert again.digest == task.digest


def test_numbers_are_standardised_by_the_rows_learned_from(data):
    task = Penguins("penguins-ft", data)
    known = task.train.rows.known.bool()
    for column in range(4):
        numbers = task.train.rows.numbers[known[:, column], column]
        same(numbers.mean(), 0, SINGLE, scale=1)
        same(numbers.std(correction=0), 1, SINGLE, scale=1)
    assert not known.all()
    assert (task.train.rows.numbers[~known] == 0).all()


def test_a_share_of_what_is_known_is_hidden_and_nothing_becomes_known(data):
    task = Penguins("penguins-ft", data)
    rows = task.train.rows
    after = hidden(rows, task.tokenizer, torch.Generator().manual_seed(0))
    assert (after.known <= rows.known).all()
    assert 0.8 < after.known.sum() / rows.known.sum() < 0.9
    assert (after.numbers == rows.numbers * after.known).all()
    changed = after.categories != rows.categories
    assert changed.any()
    assert (
        (after.categories[changed][:, None] == torch.tensor([3, 6])).any(1).all()
    )  # the last of three islands, of two sexes


def test_the_reference_rows_are_learned_from_and_whole_and_as_many_of_each_species(data):
    task = Penguins("penguins-saint", data)
    assert [reference.said for reference in task.tokenizer.references] == [
        name for name in CLASSES for _ in range(8)
    ]
    assert all(
        tuple(values.values()) in keys(task.train) and None not in values.values()
        for values in task.references
    )
    assert Penguins("penguins-ft", data).tokenizer.references == ()


@pytest.mark.parametrize("id", mostly(CHOICES, "penguins-tab", "penguins-saint"))
def test_a_short_training_learns_and_its_card_says_what_was_measured(id, data, tmp_path):
    torch.set_num_threads(1)
    recipe = replace(
        RECIPES[id], cycles=(Cycle(peak=3e-3, warmup=10, steps=24, dropout=Dropout(numbers=0.0)),)
    )
    task = Penguins(id, data)
    model, state = train(recipe, task, tmp_path / "work")
    card = finish(recipe, task, model, state, tmp_path, 0)
    assert card == json.loads((tmp_path / id / "card.json").read_text(encoding="utf-8"))
    read = load_model(id, tmp_path)
    assert read.tokenizer == task.tokenizer
    assert [column["name"] for column in card["columns"]] == list(task.tokenizer.columns)
    assert (
        card["quality"]["accuracy"]["value"]
        == accuracy(chances(task, read.transformer, task.test), task.test)
        > 0.6
    )
    assert card["quality"]["accuracy"]["baseline"] == accuracy(regression(task), task.test) > 0.8
    for example in card["examples"]:
        chance, best = run_model(read, Input(row=example["id"])).trace["probabilities"][0].max(-1)
        predicts = f"The model predicts {CLASSES[best]} with probability {chance:.2f}"
        assert predicts in example["look_for"]
