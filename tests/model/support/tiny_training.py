"""A recipe small enough for a test: the translator's own task on a few hundred sentence pairs. As a
script it is killed on the way.

python tiny_training.py DATA_FOLDER CHECKPOINT_FOLDER STEP
"""

import hashlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from model.config import Config
from model.inputs.text import fit
from model.training import loop
from model.training.checkpoint import State
from model.training.data.sentence_pairs import epoch_of_batches, read_pairs, split_by_source
from model.training.loop import Recipe, train
from model.training.recipes.translator import Translation
from model.training.schedule import Cycle, Dropout

SUBJECTS = {"i": "je", "you": "tu", "he": "il", "she": "elle", "we": "nous", "they": "ils"}
VERBS = {
    "see": "vois",
    "eat": "mange",
    "want": "veux",
    "know": "connais",
    "like": "aime",
    "take": "prends",
    "find": "trouve",
}
THINGS = {
    "the cat": "le chat",
    "a house": "une maison",
    "this book": "ce livre",
    "the water": "l'eau",
    "my friend": "mon ami",
}


def write_pairs(path: Path) -> None:
    """Every subject with every verb and thing, and some sentences in two spellings and with two
    translations.
    """
    rows = []
    for i, j in SUBJECTS.items():
        for see, vois in VERBS.items():
            for cat, chat in THINGS.items():
                rows.append((f"{i.capitalize()} {see} {cat}.", f"{j.capitalize()} {vois} {chat}."))
                if see == "like":
                    rows.append((f"{i}  {see} {cat.upper()}.", f"{j} {vois} bien {chat}."))
    path.write_text("".join(f"{source}\t{target}\n" for source, target in rows), encoding="utf-8")


class TinyTranslation(Translation):
    """Same batches and same loss; another split, encoding and size."""

    def __init__(self, data: Path):
        path = data / "pairs.tsv"
        self.split = split_by_source(read_pairs(path, 10), n_validation=10, n_test=20)
        self.tokenizer = fit([side for pair in self.split.train for side in pair], 420)
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()

    @property
    def config(self) -> Config:
        sizes = {
            "d_model": 16,
            "n_heads": 2,
            "d_ff": 32,
            "n_encoder_layers": 1,
            "n_decoder_layers": 1,
            "max_length": 32,
        }
        return Config(family="encoder-decoder", vocabulary_size=self.tokenizer.size, **sizes)

    def epoch(self, generator: torch.Generator):
        return epoch_of_batches(self.split.train, self.tokenizer, 16, 0.15, generator)


RECIPE = Recipe(
    id="tiny",
    cycles=(
        Cycle(peak=1e-2, warmup=10, steps=22, dropout=Dropout(numbers=0.1, words=0.1)),
        Cycle(peak=5e-3, warmup=5, steps=18, dropout=Dropout(numbers=0.2)),
    ),
    prepare=TinyTranslation,
    checkpoint_every=10,
)
loop.LOG_EVERY = 5


def train_tiny(data: Path, folder: Path, task: type[TinyTranslation] = TinyTranslation, **how):
    torch.set_num_threads(1)
    return train(RECIPE, task(data), folder, **how)


def check_goes_on(folder: Path, training: Callable[..., tuple[nn.Module, State]]) -> None:
    """A training that stopped on the way ends with the weights of one that did not."""
    torch.set_num_threads(1)
    whole, _ = training(folder / "whole", stop_after=4)
    training(folder / "parts", stop_after=2)
    parts, state = training(folder / "parts", stop_after=4)
    assert state.done == 4
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parts.state_dict()[name]), name


class Killed(TinyTranslation):
    """kill -9 in the middle of the named step: nothing is flushed, nothing is closed."""

    steps_left = 0

    def loss(self, *batch):
        Killed.steps_left -= 1
        if Killed.steps_left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().loss(*batch)


if __name__ == "__main__":
    Killed.steps_left = int(sys.argv[3])
    train_tiny(Path(sys.argv[1]), Path(sys.argv[2]), Killed)
