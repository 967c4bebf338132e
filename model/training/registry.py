"""The recipes by the id of the model they train, and the one way to run one."""

from pathlib import Path

import torch

from model.errors import UnknownName
from model.training.checkpoint import State
from model.training.loop import Recipe, Task, train
from model.training.recipes import (
    digits,
    fill_in,
    induction,
    penguins,
    pronouncer,
    shakespeare,
    shakespeare_xl,
    shapes,
    speller,
    translator,
)
from model.transformer import Transformer

RECIPES = {
    recipe.id: recipe
    for recipe in (
        *translator.RECIPES,
        shakespeare.RECIPE,
        shakespeare_xl.RECIPE,
        fill_in.RECIPE,
        pronouncer.RECIPE,
        speller.RECIPE,
        digits.RECIPE,
        shapes.RECIPE,
        *penguins.RECIPES.values(),
        *induction.RECIPES,
    )
}


def train_model(
    id: str,
    data: Path,
    work: Path,
    weights: Path,
    seed: int = 0,
    threads: int = 1,
    stop_after: int | None = None,
) -> dict | None:
    """Trains `id` on the folder `data`, going on from the checkpoint in `work`, if any; returns the
    card written to `weights`.

    The order of sums, and with it the last bits of the weights, depends on `threads`. None if
    `stop_after` ends it before its last cycle does: the checkpoint is kept, nothing is shipped.
    """
    if id not in RECIPES:
        raise UnknownName("recipe", id, RECIPES)
    torch.set_num_threads(threads)
    recipe = RECIPES[id]
    whole = trained(recipe, data, work, seed, stop_after)
    if whole is None:
        return None
    task, model, state = whole
    assert recipe.finish is not None, "only a teacher is trained without a card of its own"
    kept = {"kept": work / id / "kept"} if recipe.kept else {}
    return recipe.finish(task, model.to(recipe.stored).float(), state, weights, seed, **kept)


def trained(
    recipe: Recipe, data: Path, work: Path, seed: int, stop_after: int | None
) -> tuple[Task, Transformer, State] | None:
    """The task, the model and all that it took, its teacher's training with it; None if
    `stop_after` ends a part before its last cycle.
    """
    teacher, before = None, State()
    if recipe.teacher:
        first = trained(recipe.teacher, data, work, seed, stop_after)
        if first is None:
            return None
        _, teacher, before = first
    task = recipe.prepare(data, teacher) if teacher else recipe.prepare(data)
    model, state = train(recipe, task, work / recipe.id, seed, stop_after, teacher)
    return (task, model, before + state) if state.done >= recipe.steps else None
