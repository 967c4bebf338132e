"""Reversers: five networks of similar size trained on one task, spelling a word backwards.

Four of them are recurrent, with and without Bahdanau's attention, and the fifth is a Transformer.
They are not in the model zoo; a separate page compares them. `record.json` next to their weights
has their measures from training and the digests of their files.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from model.config import Config
from model.inputs.letters import letters
from model.layers import masks
from model.recurrent.encoder_decoder import EncoderDecoder, Logits, RecurrentConfig, Source, Target
from model.trace import OFF, Trace
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import WEIGHTS, load_weights

FOLDER, RECORD = "reversers", "record.json"
TOKENIZER = letters()
LONGEST = 20  # maximum letters of a word in a question
TRAINED = 10  # maximum letters in training
TRAININGS = 3  # per network, each with its own seed
TRUNCATIONS = (2, 4, 8)  # steps that the gradient passes through with truncation


def recurrent(cell: str, attention: bool, n_hidden: int) -> RecurrentConfig:
    return RecurrentConfig(
        cell=cell,
        attention=attention,
        vocabulary_size=TOKENIZER.size,
        d_embedding=32,
        n_hidden=n_hidden,
    )


NETWORKS: dict[str, RecurrentConfig | Config] = {
    "rnn": recurrent("rnn", False, 120),
    "lstm": recurrent("lstm", False, 56),
    "rnn-attention": recurrent("rnn", True, 80),
    "lstm-attention": recurrent("lstm", True, 44),
    "transformer": Config(
        family="encoder-decoder",
        vocabulary_size=TOKENIZER.size,
        d_model=32,
        n_heads=4,
        d_ff=64,
        n_encoder_layers=2,
        n_decoder_layers=2,
        max_length=LONGEST + 1,
        placement="pre",
    ),
}
"""The sizes are chosen so that each network has about 42,000 parameters."""

TRUNCATED = "lstm"
"""The network that is also trained with truncated backpropagation."""


class TransformerReverser(nn.Module):
    """A Transformer with the interface of a recurrent encoder-decoder: it attends to the whole word
    and to its own output so far.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.transformer = Transformer(config)

    def forward(
        self, source: Source, target: Target, trace: Trace = OFF, truncation: int | None = None
    ) -> Logits:
        assert truncation is None, "nothing in a Transformer goes back step by step"
        n, m = source.shape[-1], target.shape[-1]
        allowed = {
            "encoder.attention": masks.full(n),
            "decoder.attention": masks.causal(m),
            "decoder.cross_attention": torch.ones(m, n, dtype=torch.bool),
        }
        return self.transformer(source, target, allowed, trace)


Reverser = EncoderDecoder | TransformerReverser


def make_reverser(name: str) -> Reverser:
    """The network `name` of NETWORKS, before its weights are sampled or loaded."""
    config = NETWORKS[name]
    if isinstance(config, Config):
        return TransformerReverser(config)
    return EncoderDecoder(config)


def fresh_reverser(name: str, draws: torch.Generator) -> Reverser:
    """The network `name` with random, untrained weights."""
    return initialise(make_reverser(name), draws)


@dataclass(frozen=True)
class Record:
    """The measures of the networks after training. `entries` is the content of record.json; the
    tensors are fractions of letters or words from 0 to 1.
    """

    entries: dict[str, Any]

    def measured(self, measure: str) -> Tensor:
        """One of the measures: `letters` and `words` are [training, network, length], and
        `truncated` is [training, truncation, letter].
        """
        return torch.tensor(self.entries["measured"][measure])


@cache
def read_record(folder: Path = WEIGHTS) -> Record:
    return Record(json.loads((folder / FOLDER / RECORD).read_text(encoding="utf-8")))


def file_name(name: str, training: int) -> str:
    return f"{name}-{training}.safetensors"


@cache
def load_reverser(name: str, training: int, folder: Path = WEIGHTS) -> Reverser:
    """The network `name` from the training with seed `training`. Raises CorruptWeights if the file
    is not the one that was measured.
    """
    file = file_name(name, training)
    sha256 = read_record(folder).entries["sha256"][file]
    network = make_reverser(name)
    load_weights(network, (folder / FOLDER / file).read_bytes(), sha256)
    return network.eval().requires_grad_(False)
