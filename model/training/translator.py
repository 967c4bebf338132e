"""`translator`: English to French, the encoder-decoder of the paper at a size a laptop can train and a class can read."""

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from model import masks
from model.config import Config
from model.inputs.text import PAD, TextCodec, fit
from model.trace import Trace
from model.training.loop import Recipe
from model.training.optimisation import Schedule, smoothed_cross_entropy
from model.training.pairs import Batch, Split, epoch_of_batches, read_pairs, split_by_source
from model.transformer import Transformer

DATA = "english-french.tsv"
MOST_WORDS = 10
VOCABULARY = 6000
BATCH = 96
BARE = 0.15  # this share of the pairs loses its full stops
SMOOTHING = 0.1


class Translation:
    """Sentence pairs to learn from; the encoding is fitted on the training side of the split only."""

    def __init__(self, data: Path):
        self.path = data / DATA
        self.split: Split = split_by_source(read_pairs(self.path, MOST_WORDS), n_validation=300, n_test=1000)
        self.codec: TextCodec = fit([side for pair in self.split.train for side in pair], VOCABULARY)
        self.digest = hashlib.sha256(self.path.read_bytes()).hexdigest()

    @cached_property
    def config(self) -> Config:
        return Config(
            family="encoder-decoder",
            vocabulary_size=self.codec.size,
            d_model=128,
            n_heads=4,
            d_ff=512,
            n_encoder_layers=3,
            n_decoder_layers=3,
            max_length=64,
            placement="post",
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Batch]:
        return epoch_of_batches(self.split.train, self.codec, BATCH, BARE, generator)

    def loss(self, model: Transformer, batch: Batch, trace: Trace) -> Float[Tensor, ""]:
        """Teacher forcing: every target position learns at once, each seeing only what came before it."""
        source_mask = masks.additive((batch.source != PAD)[:, None, :])
        target_mask = masks.additive(masks.causal(batch.target.shape[1]))[None]
        memory = model.encode(batch.source, source_mask, trace)
        x = model.decode(batch.target, target_mask, memory, source_mask, trace)
        real = batch.expected != PAD
        return smoothed_cross_entropy(model.unembed(x[real]), batch.expected[real], SMOOTHING)


def finish(*args, **kwargs) -> dict:
    from model.training.measure import write_translator

    return write_translator(*args, **kwargs)


RECIPE = Recipe(
    id="translator",
    schedule=Schedule(peak=1.5e-3, warmup=800, steps=15_000),
    dropout=0.1,
    prepare=Translation,
    finish=finish,
)
