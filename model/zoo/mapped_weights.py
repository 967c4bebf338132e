"""Weights shared by the processes of one machine: a float32 file that the system keeps in memory
once, however many processes map it.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


class Mapped:
    """The folder of mapped files for this process; None if it keeps its own weights."""

    folder: Path | None = None


def with_mapped_weights(network: Network, sha256: str) -> Network:
    """`network`, whose weights came from the file with this digest, with equal weights that are
    memory-mapped. If there is no folder, or it is not writable, `network` unchanged.
    """
    if Mapped.folder is not None:
        with suppress(OSError, SafetensorError):
            state = network.state_dict()
            tensors = load_file(weights_file(Mapped.folder / f"{sha256}.safetensors", state))
            if all(torch.equal(state[name], value) for name, value in tensors.items()):
                network.load_state_dict(tensors, assign=True)
    return network


def weights_file(file: Path, weights: dict[str, torch.Tensor]) -> Path:
    """The file of `weights`, written atomically by whichever process comes first."""
    if not file.exists():
        part = file.with_suffix(f".{os.getpid()}")
        save_file({name: value.contiguous() for name, value in weights.items()}, part)
        part.replace(file)
    return file
