"""A small text in the form of the plays, and a training that stops on the way."""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from model.training.checkpoint import State

SPEECH = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n\n"
TEXT = "".join(
    f"{SPEECH}KING {'ABCDEFGHIJ'[i % 10]}:\nI have {i} men, and they have {i * 7 % 91}.\nGo!\n\n"
    for i in range(400)
)


def write_plays(folder: Path) -> Path:
    (folder / "shakespeare.txt").write_text(TEXT, encoding="utf-8")
    return folder


def check_resumed(train: Callable[[Path, int], tuple[nn.Module, State]], folder: Path) -> None:
    """A training that stops after step 2 and is started again has, after step 4, the bits of one
    that did not stop. `train` is called with the folder of its checkpoints and its last step.
    """
    torch.set_num_threads(1)
    whole, _ = train(folder / "whole", 4)
    train(folder / "parts", 2)
    parts, state = train(folder / "parts", 4)
    assert state.done == 4
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parts.state_dict()[name]), name
