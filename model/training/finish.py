"""`finish`: the last step of every recipe, which measures the trained model and writes it with its
card.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from model.training.checkpoint import State
from model.training.loop import Recipe, Task
from model.training.model_card import write_model
from model.transformer import Transformer
from model.zoo.files import write_atomically


def finish(
    recipe: Recipe,
    task: Task,
    model: Transformer,
    state: State,
    weights: Path,
    seed: int = 0,
    **checkpoints: Path,
) -> dict[str, Any]:
    """Measures `model` as specified by `recipe`, writes it to `weights`/`recipe.id`, and returns
    the content of its card.json.

    A recipe that stores checkpoints gets their folder as `checkpoints`.
    """
    assert recipe.describe is not None, "a teacher is trained without a card of its own"
    card = recipe.describe(task, model, state.done, **checkpoints)
    folder = weights / recipe.id
    for name, content in card.files.items():
        write_atomically(folder / name, content)
    entries = {
        "id": recipe.id,
        "name": card.name,
        "modality": card.modality,
        "task": card.task,
        "kind": "trained",
        "limits": card.limits,
        "columns": card.columns,
        "quality": card.quality,
        "training": training_record(recipe, state, seed) | card.training,
        "kept": card.kept,
        "split": card.split,
        "data_notice": card.data_notice,
        "data_sha256": task.digest,
        "examples": card.examples,
        "held_out": card.held_out,
    }
    stated = {name: value for name, value in entries.items() if value is not None}
    return write_model(folder, model, task.tokenizer, stated)


def training_record(recipe: Recipe, state: State, seed: int) -> dict[str, Any]:
    """Duration, steps, seed, learning-rate cycles, and machine of a training; time and cycles
    include those of the teacher.
    """
    threads = torch.get_num_threads()
    cycles = (*(recipe.teacher.cycles if recipe.teacher else ()), *recipe.cycles)
    return {
        "minutes": round(state.seconds / 60, 1),
        "steps": state.done,
        "seed": seed,
        "cycles": [asdict(cycle) for cycle in cycles],
        "machine": f"{threads} thread{'s' if threads > 1 else ''} of a shared two-core CPU",
    }
