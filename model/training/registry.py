"""The recipes, keyed by the id of the model they train, and `train_model`, which runs one."""

from pathlib import Path

import torch

from model.calibration.record import FILE
from model.errors import UnknownName
from model.training import head_records
from model.training.finish import finish
from model.training.loop import train_after_teacher
from model.training.recipes import (
    digits,
    fill_in,
    flights,
    induction,
    penguins,
    pronouncer,
    shakespeare,
    shakespeare_xl,
    shapes,
    speller,
    translator,
)
from model.training.texts import record
from model.zoo import head_record

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
        flights.RECIPE,
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
    """Trains the model `id` on the folder `data` from the checkpoint in `work`, if there is one,
    and returns the card written to `weights`. Raises UnknownName.

    Returns None if `stop_after` ends the training before its last cycle: the checkpoint stays in
    `work`, and no model is written. The order of sums, and with it the last bits of the weights,
    depends on `threads`.
    """
    if id not in RECIPES:
        raise UnknownName("unknown-recipe", id, RECIPES)
    torch.set_num_threads(threads)
    recipe = RECIPES[id]
    whole = train_after_teacher(recipe, data, work, seed, stop_after)
    if whole is None:
        return None
    task, model, state = whole
    checkpoints = {"checkpoints": work / id / "kept"} if recipe.saved_steps else {}
    stored = model.to(recipe.stored).float()
    for file in (FILE, head_record.FILE):
        (weights / id / file).unlink(missing_ok=True)  # measured with the previous weights
    card = finish(recipe, task, stored, state, weights, seed, **checkpoints)
    record(id, data, weights)
    head_records.record(id, data, weights)
    return card
