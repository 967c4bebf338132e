"""`train_table`: turns a table into a model that every page about rows can show."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from model.errors import InvalidInput, NotRead
from model.inputs.table_files import Table, read_frame
from model.training.finish import finish
from model.training.loop import train_after_teacher
from model.training.own_tables.choices import Choices
from model.training.own_tables.parts import log_loss
from model.training.own_tables.recipe import About, at_best, findings, recipe_of, slug
from model.training.own_tables.task import TableTask, chances
from model.zoo.cards import own_file, stamp, trained_here
from model.zoo.files import write_json
from model.zoo.own_models import check_name


def train_table(
    table: Any,
    choices: Choices,
    name: str,
    models: Path,
    work: Path = Path("checkpoints"),
    *,
    threads: int = 1,
    stop_after: int | None = None,
    say: Any = print,
) -> dict[str, Any] | None:
    """Trains a model of `table`, a Table or a data frame, writes it to `models`/`name`, and returns
    its card. Findings about the table are passed to `say`.

    `work` holds the checkpoints from which an interrupted training resumes; returns None if
    `stop_after` ends it before its last step. With `choices.pretrain`, the same training is also
    run without pre-training, and the card has both log losses.

    Raises InvalidInput or UnknownName, with one sentence.
    """
    check_free(name)
    torch.set_num_threads(threads)
    task = TableTask(table if isinstance(table, Table) else read_frame(table), choices)
    for line in findings(task):
        say(line)
    about = About(
        title=name,
        row="a row",
        predicts=f"the value of {choices.target}",
        notice="Trained on your own table. The rows in the examples are from it.",
    )
    folder = work / f"{slug(name)}-{task.digest[:8]}"
    without = None
    if choices.pretrain:
        without = loss_without(task, about, folder, stop_after)
        if without is None:
            return None
    recipe = recipe_of(name, task, about, without=without)
    whole = train_after_teacher(recipe, Path(), folder, choices.seed, stop_after)
    if whole is None:
        return None
    _, model, state = whole
    saved = folder / name / "kept"
    card = finish(recipe, task, model, state, models, choices.seed, checkpoints=saved)
    return write_own_card(models / name, card)


def check_free(name: str) -> None:
    """Raises InvalidInput for a name that is not valid in a URL, or that is taken by another
    model.
    """
    check_name(name)
    other = own_file(name)
    if isinstance(other, NotRead):
        raise InvalidInput("card-of-the-name-not-read", why=other)
    if other is not None and not trained_here(other):
        raise InvalidInput("name-of-an-added-model", name=name)


def write_own_card(folder: Path, card: dict[str, Any]) -> dict[str, Any]:
    """Updates the file digests in the card of a user's own table, and returns it."""
    files = ("model.safetensors", "tokenizer.json")
    card["files"] = {name: list(stamp(folder / name) or ()) for name in files}
    write_json(folder / "card.json", card)
    return card


def loss_without(
    task: TableTask, about: About, folder: Path, stop_after: int | None
) -> float | None:
    """The log loss on the test rows of a model without pre-training; None if `stop_after` ends its
    training.
    """
    plain = replace(recipe_of("without-pretraining", task, about), teacher=None)
    whole = train_after_teacher(plain, Path(), folder, task.choices.seed, stop_after)
    if whole is None:
        return None
    _, model, _ = whole
    at_best(task, model, folder / plain.id / "kept")
    return float(log_loss(chances(task, model, task.test.rows), task.test.classes).mean())
