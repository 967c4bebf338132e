"""The recipe of the recorded trials of /amplification: `python -m
model.processes.shipped_amplification` measures them and writes them to one file.
"""

import json

import torch
from safetensors.torch import save_file

from model.clinics.amplification import trials
from model.layers.choice_names import PLACEMENT_NAMES
from model.measure.recorded_amplification import (
    MAX_DEPTH,
    RECORDED,
    RECORDED_SEEDS,
    USUAL,
)


def main() -> None:
    torch.set_num_threads(1)
    names = tuple(PLACEMENT_NAMES)
    measured = trials(names, MAX_DEPTH, range(RECORDED_SEEDS), **USUAL)
    numbers = torch.tensor(
        [[[trial.change, trial.dependency] for trial in placements] for placements in measured]
    )  # [seed, placement, change or dependency, sub-layer]
    about = {"question": json.dumps(USUAL), "placements": json.dumps(names)}
    save_file({"trials": numbers}, RECORDED, about)


if __name__ == "__main__":
    main()
