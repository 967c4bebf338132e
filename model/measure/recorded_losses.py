"""The losses of stored trainings, as tensors."""

import json
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from safetensors import safe_open
from torch import Tensor

from model.measure.stored_trainings import (
    DEFAULT,
    SHIPPED,
    is_shipped,
    live_steps,
    title_of,
)


class Live:
    """The folder in which a service keeps the steps of trainings; None outside a service."""

    runs: Path | None = None


def recorded_losses(question: dict[str, Any], steps: int) -> Float[Tensor, "arm seed step"] | None:
    """The first `steps` losses of a stored training; None if none has so many."""
    if is_shipped(question, steps):
        with safe_open(SHIPPED, "pt") as file:
            return file.get_tensor(title_of(DEFAULT | question))[..., :steps].contiguous()
    lines = live_steps(Live.runs, question) if Live.runs else []
    if len(lines) < steps:
        return None
    return torch.tensor([json.loads(line)["loss"] for line in lines[:steps]]).permute(1, 2, 0)
