"""The recipe of the included trainings: `python -m model.processes.shipped_warmup` runs all of
them, on all cores, and writes their losses to one file.
"""

from concurrent.futures import ProcessPoolExecutor
from typing import Any

import torch
from jaxtyping import Float
from safetensors.torch import save_file
from torch import Tensor

from model.clinics.warmup import trained
from model.measure.stored_trainings import DEFAULT, RECIPE, SHIPPED, STEPS, title_of


def losses(question: dict[str, Any]) -> Float[Tensor, "arm seed step"]:
    """Runs the included training for a question."""
    torch.set_num_threads(1)
    return trained(question, STEPS)


def main() -> None:
    questions = [DEFAULT | question for question in RECIPE]
    with ProcessPoolExecutor() as pool:
        found = pool.map(losses, questions)
        save_file(dict(zip(map(title_of, questions), found, strict=True)), SHIPPED)


if __name__ == "__main__":
    main()
