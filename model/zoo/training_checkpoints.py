"""Training checkpoints included with a model: the weights of selected steps in one file next to the
model's own weights, with tensors named <step>.<weight>.

The file also holds measures on held-out texts, named held_out.<measure>; their first axis is the
step.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import load, load_file, save
from torch import Tensor

from model.errors import InvalidInput
from model.transformer import Transformer
from model.zoo.models import WEIGHTS, Model, check_digest, load_model

FILE = "kept.safetensors"
HELD_OUT = "held_out"


@dataclass(frozen=True)
class TrainingHistory:
    """The model at each stored step, in order, and its measures on held-out texts by name, [step,
    …].
    """

    models: dict[int, Model]
    held_out: dict[str, Tensor]


def read_rounded(folder: Path, stored: torch.dtype) -> dict[int, dict[str, Tensor]]:
    """The weights of every step in `folder`, rounded to `stored`. Each file is named after its
    step.
    """
    files = {int(path.stem): load_file(path) for path in sorted(folder.glob("*.safetensors"))}
    return {
        step: {name: tensor.to(stored) for name, tensor in weights.items()}
        for step, weights in files.items()
    }


def pack_checkpoints(steps: dict[int, dict[str, Tensor]], held_out: dict[str, Tensor]) -> bytes:
    """The content of a checkpoint file: the weights of each of `steps` and the measures
    `held_out`.
    """
    scopes = {str(step): weights for step, weights in steps.items()} | {HELD_OUT: held_out}
    return save(
        {
            f"{scope}.{name}": tensor
            for scope, tensors in scopes.items()
            for name, tensor in tensors.items()
        }
    )


@cache
def load_checkpoints(id: str, folder: Path = WEIGHTS) -> TrainingHistory:
    """The training history of the included model `id`. Raises UnknownName and CorruptWeights, like
    `load_model`.
    """
    model = load_model(id, folder)
    content = (folder / id / FILE).read_bytes()
    check_digest("kept weights", content, model.card["kept"]["sha256"])
    tensors: dict[str, dict[str, Tensor]] = defaultdict(dict)
    for whole, tensor in load(content).items():
        scope, _, name = whole.partition(".")
        tensors[scope][name] = tensor
    held_out = tensors.pop(HELD_OUT)
    return TrainingHistory(
        {
            step: replace(model, transformer=with_weights(model, tensors[str(step)]))
            for step in sorted(map(int, tensors))
        },
        held_out,
    )


def check_step(step: int, steps: Sequence[int]) -> int:
    """The step, if its weights are stored. Raises InvalidInput otherwise."""
    if step not in steps:
        raise InvalidInput("step-not-kept", field="step", limit=steps[-1], given=step, kept=steps)
    return step


def with_weights(model: Model, weights: dict[str, Tensor]) -> Transformer:
    """A transformer with the configuration of `model` and other weights, ready to run."""
    transformer = Transformer(model.config)
    transformer.load_state_dict(weights)
    return transformer.eval().requires_grad_(False)
