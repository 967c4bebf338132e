"""The recipe of a tabular model, and its card: what was trained on which columns, and how it
compares with the baselines.
"""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.table_rows import Values, row_text
from model.runs.run_model import run_model
from model.training.loop import Recipe
from model.training.model_card import Card
from model.training.own_tables import measures
from model.training.own_tables.baselines import baselines
from model.training.own_tables.choices import ARCHITECTURES
from model.training.own_tables.parts import log_loss, values_at
from model.training.own_tables.pretraining import SENTENCES, SHARE, TASKS
from model.training.own_tables.task import HIDDEN, Chances, TableTask, chances
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.models import Model

PEAK = 2e-3
TENTHS = 10  # number of checkpoints evaluated on the validation rows
TRIED = 10_000  # maximum number of validation rows
SHOWN_CLASSES = 5
SHOWN_ROWS = 2_000  # evenly spaced candidates for examples


@dataclass(frozen=True)
class About:
    """The description of a table: its `title`, what one row is, what the model `predicts`, and the
    source of the rows.
    """

    title: str
    row: str
    predicts: str
    notice: str


def recipe_of(id: str, task: TableTask, about: About, **measured: Any) -> Recipe:
    """The recipe of the model `id`. With `pretrain`, it continues from a pre-trained model."""
    steps, pretraining = task.steps, task.choices.pretraining
    teacher = (
        Recipe(
            id=f"{id}-pretraining",
            cycles=(cycle(max(1, steps // 2)),),
            prepare=lambda data: TASKS[pretraining](task),
        )
        if pretraining
        else None
    )
    return Recipe(
        id=id,
        cycles=(cycle(steps),),
        prepare=lambda data, teacher=None: task,
        describe=partial(describe, id=id, about=about, **measured),
        teacher=teacher,
        checkpoint_every=max(1, min(250, steps // TENTHS)),
        saved_steps=tried(steps),
    )


def tried(steps: int) -> tuple[int, ...]:
    """The steps whose weights are stored, to be evaluated on the validation rows."""
    return tuple(sorted({max(1, steps * n // TENTHS) for n in range(1, TENTHS + 1)}))


def cycle(steps: int) -> Cycle:
    return Cycle(peak=PEAK, warmup=max(1, steps // 10), steps=steps, dropout=Dropout(numbers=0.1))


def at_best(task: TableTask, model: Transformer, folder: Path) -> int:
    """Loads the stored weights with the smallest validation loss into `model`, and returns their
    step.
    """
    losses, part = {}, task.validation.some(TRIED // (10 if task.references else 1))
    for file in sorted(folder.glob("*.safetensors")):
        model.load_state_dict(load_file(file))
        losses[file] = float(log_loss(chances(task, model, part.rows), part.classes).mean())
    best = min(losses, key=losses.__getitem__)
    model.load_state_dict(load_file(best))
    return int(best.stem)


def describe(
    task: TableTask,
    model: Transformer,
    steps: int,
    checkpoints: Path,
    *,
    id: str,
    about: About,
    without: float | None = None,
) -> Card:
    """The card of the model at its best step, with measures on the test rows. `without` is the log
    loss of the same training without pre-training.
    """
    best = at_best(task, model, checkpoints)
    read, beside = chances(task, model, task.test.rows), baselines(task)
    quality = measures.quality(task, read, beside)
    if without is not None:
        quality["log_loss"]["without_pretraining"] = round(without, 4)
    numbers, categories = task.tokenizer.numbers, task.tokenizer.categories
    pretraining = task.choices.pretraining
    first = {"pretraining": SENTENCES[pretraining].format(share=SHARE)} if pretraining else {}
    return Card(
        name=f"{about.title}: {ARCHITECTURES[task.choices.architecture].name}",
        modality="table",
        task=(
            f"predicts from {counted(len(numbers), 'number')} and"
            f" {counted(len(categories), 'category', 'categories')} {about.predicts}"
        ),
        limits={"tokens": task.config.max_length, "trained_tokens": task.config.max_length},
        columns=task.tokenizer.accepted,
        quality=quality,
        training={
            "rows": len(task.train),
            "passes": round(steps * task.batch / len(task.train), 1),
            "batch": task.batch,
            "best_step": best,
            "hidden": f"each known value with probability {HIDDEN}, drawn anew in every pass",
            "left_out": task.kinds.left_out,
            **first,
        },
        split=split_words(task),
        data_notice=about.notice,
        examples=examples(id, task, model, read, beside["boosting"]),
        held_out={"row": about.row, **measures.held_out(task, model, read, beside)},
    )


def counted(n: int, singular: str, several: str = "") -> str:
    """1 number, 12 numbers."""
    return f"{n} {singular if n == 1 else several or f'{singular}s'}"


def split_words(task: TableTask) -> str:
    parts = (
        f"{len(task.test):,} rows for the figures, {len(task.validation):,} for choosing the step,"
        f" {len(task.train):,} to learn from"
    )
    if task.choices.group:
        return (
            f"by {task.choices.group} with seed {task.choices.seed}, so that no"
            f" {task.choices.group} is in two parts: {parts}"
        )
    return f"by row with seed {task.choices.seed}, each class alike: {parts}"


def examples(
    id: str, task: TableTask, model: Transformer, read: Chances, trees: Chances
) -> list[dict[str, Any]]:
    """Held-out rows to try: for each class, the one with the highest confidence of the model, the
    one with the lowest probability from the trees, and the one with the most missing values.
    """
    of = Model(id, task.config, model, task.tokenizer, {})
    found = []
    for name, lead, place in chosen(task, read, trees):
        row = row_text(values_at(task.tokenizer, task.table, task.test.places[place]))
        label = task.classes[task.test.classes[place]]
        chance, best = run_model(of, Input(row=row)).trace["probabilities"][0].max(-1)
        found.append(
            {
                "id": name,
                "input": {"row": row},
                "look_for": (
                    f"{lead} Its class is {label}. The model predicts {task.classes[best]} with"
                    f" probability {chance:.2f}."
                ),
            }
        )
    return found


def chosen(task: TableTask, read: Chances, trees: Chances) -> list[tuple[str, str, int]]:
    """The id, the introduction, and the index of each example, from some test rows that a person
    could type.
    """
    classes, every = task.test.classes, range(len(task.test))
    some = every[:: max(1, len(every) // SHOWN_ROWS)]
    able = [i for i in some if readable(task, task.test.places[i])]
    right = torch.tensor([bool(read[i].argmax() == classes[i]) for i in able])
    at = torch.tensor(able)
    found: dict[str, tuple[str, int]] = {}
    for number, name in enumerate(task.classes[:SHOWN_CLASSES]):
        mine = at[right & (classes[at] == number)]
        if len(mine):
            surest = int(mine[read[mine, number].argmax()])
            found[slug(f"{task.choices.target} {name}")] = (
                "A held-out row about which the model is confident.",
                surest,
            )
    hardest = int(at[trees[at, classes[at]].argmin()])
    found["hardest"] = (
        "A held-out row whose true class gets little probability from boosted trees.",
        hardest,
    )
    gaps = [missing(task, task.test.places[i]) for i in able]
    if max(gaps):
        most = able[gaps.index(max(gaps))]
        found["gaps"] = f"A row with {counted(max(gaps), 'missing value')}.", most
    return [(id, *rest) for id, rest in found.items()]


def readable(task: TableTask, place: int) -> bool:
    """Whether a row has a value, and none so extreme that it would be treated as an error."""
    try:
        task.tokenizer.read(row_text(values_at(task.tokenizer, task.table, place)))
    except InvalidInput:
        return False
    return True


def missing(task: TableTask, place: int) -> int:
    """The number of missing values in a row."""
    values: Values = values_at(task.tokenizer, task.table, place)
    return sum(value is None for value in values.values())


def slug(name: str) -> str:
    """A name as an id: lowercase letters, digits, and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "row"


def findings(task: TableTask) -> list[str]:
    """The findings about a table, in sentences."""
    kinds = {
        "numbers": [(number.name, "") for number in task.tokenizer.numbers],
        "categories": [
            (column.name, f"{len(column.options)} options") for column in task.tokenizer.categories
        ],
    }
    lines = [
        f"{kind}: {', '.join(described(task, *item) for item in found)}"
        for kind, found in kinds.items()
        if found
    ]
    lines += [f"left out: {name}, because {why}" for name, why in task.kinds.left_out.items()]
    unused = sum(not cell for cell in task.table.columns[task.choices.target])
    return [
        *lines,
        *([f"not used: {counted(unused, 'row')} without a class"] if unused else []),
        f"classes of {task.choices.target}: {', '.join(task.classes)}",
        f"split {split_words(task)}",
    ]


def described(task: TableTask, name: str, options: str) -> str:
    """A column with its description: city (16 options, 3 missing)."""
    gaps = sum(not cell for cell in task.table.columns[name])
    facts = (task.notations.get(name), options, f"{gaps:,} missing" if gaps else "")
    known = [fact for fact in facts if fact]
    return f"{name} ({', '.join(known)})" if known else name
