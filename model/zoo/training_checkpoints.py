"""Weights kept along a training: one file beside a model's own, with each tensor named
<step>.<weight>.

With them are measures of those steps on held-out texts, named held_out.<measure>, the step their
first axis.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import load, load_file, save
from torch import Tensor

from model.transformer import Transformer
from model.zoo.models import WEIGHTS, Model, check_digest, load_model

FILE = "kept.safetensors"
HELD_OUT = "held_out"


@dataclass(frozen=True)
class Kept:
    """A model at each kept step, the first step first, and by measure what it was found to be at
    each.
    """

    models: dict[int, Model]
    held_out: dict[str, Tensor]


def rounded(folder: Path, stored: torch.dtype) -> dict[int, dict[str, Tensor]]:
    """The weights of every step kept in `folder`, whose files are named after it, as they are
    stored.
    """
    files = {int(path.stem): load_file(path) for path in sorted(folder.glob("*.safetensors"))}
    return {
        step: {name: tensor.to(stored) for name, tensor in weights.items()}
        for step, weights in files.items()
    }


def in_one_file(steps: dict[int, dict[str, Tensor]], held_out: dict[str, Tensor]) -> bytes:
    """The weights of each step, and the measures."""
    scopes = {str(step): weights for step, weights in steps.items()} | {HELD_OUT: held_out}
    return save(
        {
            f"{scope}.{name}": tensor
            for scope, tensors in scopes.items()
            for name, tensor in tensors.items()
        }
    )


@cache
def load_kept(id: str, folder: Path = WEIGHTS) -> Kept:
    """Of the shipped model `id`. Raises as `load_model` does."""
    model = load_model(id, folder)
    content = (folder / id / FILE).read_bytes()
    check_digest("kept weights", content, model.card["kept"]["sha256"])
    tensors: dict[str, dict[str, Tensor]] = defaultdict(dict)
    for whole, tensor in load(content).items():
        scope, _, name = whole.partition(".")
        tensors[scope][name] = tensor
    held_out = tensors.pop(HELD_OUT)
    return Kept(
        {
            step: replace(model, transformer=with_weights(model, tensors[str(step)]))
            for step in sorted(map(int, tensors))
        },
        held_out,
    )


def with_weights(model: Model, weights: dict[str, Tensor]) -> Transformer:
    transformer = Transformer(model.config)
    transformer.load_state_dict(weights)
    return transformer.eval().requires_grad_(False)
