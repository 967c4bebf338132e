"""The recipe of the shipped trainings: `python -m model.clinics._warmup_recipe` trains what is
missing, on all cores, and writes the losses of each training into a file of its own.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import torch
from safetensors.torch import save_file

from model.clinics._shared.stored_trainings import (
    DEFAULT,
    RECIPE,
    SHIPPED,
    STEPS,
    is_shipped,
    name_of,
)
from model.clinics.warmup import trained


def make(question: dict[str, Any]) -> None:
    """Trains what is shipped for a question, and writes its losses [arm, seed, step]."""
    torch.set_num_threads(1)
    whole = DEFAULT | question
    about = {"question": json.dumps(whole, sort_keys=True)}
    save_file({"loss": trained(whole, STEPS)}, SHIPPED / f"{name_of(whole)}.safetensors", about)


def main() -> None:
    SHIPPED.mkdir(exist_ok=True)
    missing = [one for one in RECIPE if not is_shipped(one, STEPS)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(make, missing))


if __name__ == "__main__":
    main()
