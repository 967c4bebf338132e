"""Reversers: five networks of like size that learned one task, to write a word backwards.

Four of them are recurrent, with and without Bahdanau's attention, and the fifth is a Transformer.
They are no models of the zoo: a page of their own compares them. `record.json` beside their weights
holds what was measured of them when they were trained, and the digests of their files.
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
LONGEST = 20  # letters of a word that the networks are asked
TRAINED = 10  # letters of the longest word that they have seen
TRAININGS = 3  # of each network, with seeds of their own
TRUNCATIONS = (2, 4, 8)  # steps that the gradient of the truncated networks passes


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
"""The network that is also trained with truncated back-propagation."""


class TransformerReverser(nn.Module):
    """A Transformer that is called as a recurrent encoder-decoder is: it sees the whole word and
    what it has written itself.
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
    """The network `name` of NETWORKS before its weights are drawn or loaded."""
    config = NETWORKS[name]
    if isinstance(config, Config):
        return TransformerReverser(config)
    return EncoderDecoder(config)


def fresh_reverser(name: str, draws: torch.Generator) -> Reverser:
    """The network `name` with weights that are drawn and not trained."""
    return initialise(make_reverser(name), draws)


@dataclass(frozen=True)
class Record:
    """What was measured of the networks after their training. `entries` is the whole of
    record.json; the tensors are shares of letters or words from 0 to 1.
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
    """The trained network `name` of the training with seed `training`. Raises CorruptWeights for a
    file that is not the one that was measured.
    """
    file = file_name(name, training)
    sha256 = read_record(folder).entries["sha256"][file]
    network = make_reverser(name)
    load_weights(network, (folder / FOLDER / file).read_bytes(), sha256)
    return network.eval().requires_grad_(False)
