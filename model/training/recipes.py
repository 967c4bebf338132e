"""The recipes by the id of the model they train, and the one way to run one."""

from pathlib import Path

import torch

from model.errors import UnknownName
from model.training import digits, fill_in, induction, pronouncer, shakespeare, speller, translator
from model.training.loop import train

RECIPES = {
    recipe.id: recipe
    for recipe in (
        translator.RECIPE,
        shakespeare.RECIPE,
        fill_in.RECIPE,
        pronouncer.RECIPE,
        speller.RECIPE,
        digits.RECIPE,
        *induction.RECIPES,
    )
}


def train_model(
    id: str, data: Path, work: Path, weights: Path, seed: int = 0, threads: int = 1, stop_after: int | None = None
) -> dict | None:
    """Trains `id` on the folder `data`, going on from the checkpoint in `work`, if any; returns the card written to `weights`.

    The order of sums, and with it the last bits of the weights, depends on `threads`.
    None if `stop_after` ends it before its last cycle does: the checkpoint is kept, nothing is shipped.
    """
    if id not in RECIPES:
        raise UnknownName("recipe", id, RECIPES)
    torch.set_num_threads(threads)
    recipe = RECIPES[id]
    task = recipe.prepare(data)
    model, state = train(recipe, task, work / id, seed, stop_after)
    if state.done < recipe.steps:
        return None
    kept = {"kept": work / id / "kept"} if recipe.kept else {}
    return recipe.finish(task, model, state, weights, seed, **kept)
