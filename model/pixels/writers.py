"""Pixel writers: decoders of the same size that generate a handwritten digit pixel by pixel, row by
row, and differ in the pixels that they attend to (Image Transformer: Parmar et al. 2018).

A token is one of 17 gray values of a pixel; the first token is the digit to generate. Position i
reads the token before pixel i and predicts pixel i, so the key at position j holds pixel j - 1.
They are not in the model zoo; a separate page compares them. `record.json` next to their weights
has their measures from training and the digests of their files.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import Config, EmbeddingChoices, HeadChoices, PositionChoices
from model.inputs.images import SIGNS
from model.layers import masks
from model.layers.masks import Allowed
from model.trace import OFF, Trace
from model.transformer import Transformer
from model.zoo.models import WEIGHTS, load_weights

FOLDER, RECORD = "pixels", "record.json"
SIDE = 8
PIXELS = SIDE**2
LEVELS = len(SIGNS)  # gray values, from 0 (paper) to 16 (ink)
CLASSES = 10  # the digits, whose tokens come after the gray values
WINDOW = 13  # positions visible to a query in a 1-D window
ABOVE = BESIDE = 2  # rows and columns in a 2-D window, also 13 positions
TRAININGS = 3  # per network; the weights of the first are included

Levels = Int[Tensor, "image pixel"]
DigitIds = Int[Tensor, " image"]
Logits = Float[Tensor, "image pixel level"]

CONFIG = Config(
    family="decoder-only",
    vocabulary_size=LEVELS + CLASSES,
    d_model=48,
    n_heads=4,
    d_ff=96,
    n_decoder_layers=2,
    max_length=PIXELS,
    placement="pre",
    positions=PositionChoices(absolute="learned"),
    activation="gelu",
    embedding=EmbeddingChoices(scaled=False),
    head=HeadChoices(tied=False),
)

NETWORKS: dict[str, Callable[[int], Allowed]] = {
    "line": lambda n: masks.window(n, WINDOW),
    "block": lambda n: masks.window_2d(n, SIDE, ABOVE, BESIDE),
    "all": masks.causal,
}
"""The mask of each network over n positions."""


def allowed(name: str) -> Allowed:
    """The mask of the network `name`. Every position also attends to the first, the digit; Parmar
    et al. 2018 instead add a class embedding to every position.
    """
    mask = NETWORKS[name](PIXELS)
    mask[:, 0] = True
    return mask


def tokens(levels: Levels, digits: DigitIds) -> Int[Tensor, "image position"]:
    """The input of a network: the digit, then every pixel except the last."""
    return torch.cat([LEVELS + digits[:, None], levels[:, :-1]], dim=1)


def grey_logits(
    network: Transformer, name: str, levels: Levels, digits: DigitIds, trace: Trace = OFF
) -> Logits:
    """The logits of the gray values at every pixel, given the previous ones. Digit tokens are
    excluded, because no pixel is a digit.
    """
    masks = {"decoder.attention": allowed(name)}
    return network(None, tokens(levels, digits), masks, trace)[..., :LEVELS]


@torch.no_grad()
def bits(
    network: Transformer, name: str, levels: Levels, digits: DigitIds
) -> Float[Tensor, "image pixel"]:
    """-log2 p of every pixel, given the previous ones."""
    found = grey_logits(network, name, levels, digits).log_softmax(-1)
    return -found.gather(-1, levels[..., None])[..., 0] / math.log(2)


@dataclass(frozen=True)
class Record:
    """The measures of the networks after training: the content of record.json."""

    entries: dict[str, Any]

    def measured(self, measure: str) -> Tensor:
        """One of the measures, in bits per pixel: `bits` [training, network], `by_pixel` [network,
        pixel], and `baselines_by_pixel` [baseline, pixel], among others.
        """
        return torch.tensor(self.entries["measured"][measure])


@cache
def read_record(folder: Path = WEIGHTS) -> Record:
    return Record(json.loads((folder / FOLDER / RECORD).read_text(encoding="utf-8")))


def file_name(name: str) -> str:
    return f"{name}.safetensors"


@cache
def load_writer(name: str, folder: Path = WEIGHTS) -> Transformer:
    """The trained network `name`. Raises CorruptWeights if the file is not the one that was
    measured.
    """
    sha256 = read_record(folder).entries["sha256"][file_name(name)]
    content = (folder / FOLDER / file_name(name)).read_bytes()
    return load_weights(Transformer(CONFIG), content, sha256).eval().requires_grad_(False)
