"""Checkpoints: everything that a training needs to resume as if it had never stopped. A checkpoint
is written atomically, so that an interruption leaves either the old or the new one complete.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from model.errors import CorruptWeights
from model.zoo.files import write_atomically, write_json


def save_weights(model: torch.nn.Module) -> bytes:
    """The weights of `model` as the content of a safetensors file, in float16 if that represents
    every number exactly.
    """
    state = {name: value.detach().contiguous() for name, value in model.state_dict().items()}
    halved = {name: value.half() for name, value in state.items()}
    exact = all(torch.equal(halved[name].to(value.dtype), value) for name, value in state.items())
    return save(halved if exact else state)


@dataclass
class State:
    """The progress of a training: the number of steps `done` and the `seconds` that they took."""

    done: int = 0
    seconds: float = 0.0

    def __add__(self, later: "State") -> "State":
        return State(self.done + later.done, self.seconds + later.seconds)


def save_checkpoint(
    folder: Path,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    dropout: torch.Generator,
    state: State,
    run: dict,
) -> None:
    """Writes a checkpoint to `folder` and removes the previous one. `run` names what must not
    change between sessions: recipe, seed, cycles, and the digest of the data. The order of the data
    follows from the seed and the step.
    """
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": value for name, value in moments.items()}
    tensors["random.dropout"] = dropout.get_state()
    content = save({name: value.contiguous() for name, value in tensors.items()})
    name = f"step-{state.done:06d}.safetensors"
    write_atomically(folder / name, content)
    manifest = {
        "file": name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "done": state.done,
        "seconds": state.seconds,
        "run": run,
    }
    write_json(folder / "manifest.json", manifest)
    for old in folder.glob("step-*.safetensors"):
        if old.name != name:
            old.unlink()


def load_checkpoint(
    folder: Path,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    dropout: torch.Generator,
    run: dict,
) -> State:
    """Restores model, optimizer, and generator from the checkpoint in `folder` and returns its
    state, or a new state if there is none. Raises CorruptWeights for a damaged checkpoint or one of
    another run.
    """
    if not (folder / "manifest.json").is_file():
        return State()
    manifest = json.loads((folder / "manifest.json").read_text())
    if manifest["run"] != run:
        runs = {"other": str(manifest["run"]), "run": str(run)}
        raise CorruptWeights("checkpoint-of-another-run", folder=folder, **runs)
    content = (folder / manifest["file"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != manifest["sha256"]:
        raise CorruptWeights("checkpoint-damaged", file=manifest["file"])
    tensors: dict[str, Tensor] = load_file(folder / manifest["file"])
    model.load_state_dict(section(tensors, "model."))
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in section(tensors, "optimizer.").items():
        index, moment = name.split(".")
        moments.setdefault(int(index), {})[moment] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    dropout.set_state(tensors["random.dropout"])
    return State(done=manifest["done"], seconds=manifest["seconds"])


def section(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with `prefix`, named without it."""
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }
