"""`learned-positions`: two small translators that differ in their absolute positions alone,
sinusoidal and learned, trained on the same pairs of sentences in the same order (Vaswani et al.
2017, section 3.5 and Table 3, row E).
"""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config
from model.inputs.text import PAD, fit
from model.layers import masks
from model.training.data.sentence_pairs import (
    Batch,
    EncodedPair,
    Pair,
    make_batch,
    read_pairs,
    split_by_source,
)
from model.training.experiments.experiment import Experiment, losses_along
from model.training.recipes.translator import DATA, MAX_WORDS, NOTICE
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.initialisation import initialise

VOCABULARY = 1000
BATCH = 64
HELD_OUT = 512
STEPS = (0, 50, 100, 200, 300, 400, 500, 600)
"""The steps after which the held-out loss is measured."""
CYCLE = Cycle(peak=4e-3, warmup=100, steps=STEPS[-1], dropout=Dropout(numbers=0.0))
BASE = Config(
    family="encoder-decoder",
    vocabulary_size=VOCABULARY,
    d_model=64,
    n_heads=4,
    d_ff=256,
    n_encoder_layers=2,
    n_decoder_layers=2,
    max_length=64,
    placement="pre",
)
MEMBERS = {name: replace(BASE, positions=name) for name in ("sinusoidal", "learned")}


class LearnedPositions:
    """Pairs of sentences. The tokenizer is fitted on those for training."""

    def __init__(self, data: Path):
        path = data / DATA
        split = split_by_source(read_pairs(path, MAX_WORDS), HELD_OUT, 0)
        held_out = [(source, references[0]) for source, references in split.validation.items()]
        self.tokenizer = fit([side for pair in split.train for side in pair], VOCABULARY)
        self.train = self.encoded(split.train)
        self.test = make_batch(self.encoded(held_out))
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()

    def encoded(self, pairs: list[Pair]) -> list[EncodedPair]:
        sides = [
            [one.ids for one in self.tokenizer.backend.encode_batch([pair[side] for pair in pairs])]
            for side in (0, 1)
        ]
        return list(zip(*sides, strict=True))

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "pairs": {"train": len(self.train), "held_out": len(self.test.source)},
            "batch": BATCH,
            "peak_rate": CYCLE.peak,
            "warmup": CYCLE.warmup,
            "layers": BASE.n_encoder_layers,
            "d_model": BASE.d_model,
            "notice": NOTICE,
        }

    def measure(self, member: str, seed: int) -> list[float]:
        """The held-out loss in nats a token after each of `STEPS`."""
        model = initialise(Transformer(MEMBERS[member]), torch.Generator().manual_seed(seed))
        # The order of the pairs is the same for all members of a seed.
        order = torch.Generator().manual_seed(1_000_003 * (seed + 1))
        return losses_along(
            model,
            CYCLE,
            STEPS,
            lambda: loss(model, self.batch(order)),
            lambda: loss(model, self.test),
        )

    def batch(self, order: torch.Generator) -> Batch:
        chosen = torch.randint(len(self.train), (BATCH,), generator=order).tolist()
        return make_batch([self.train[i] for i in chosen])


def loss(model: Transformer, batch: Batch) -> Float[Tensor, ""]:
    """The mean of -ln p over the French tokens, given the English sentence and those before."""
    words = (batch.source != PAD)[:, None, :]
    memory = model.encode(batch.source, words)
    mask = masks.causal(batch.target.shape[1])
    logits = model.unembed(model.decode(batch.target, mask, memory, words))
    return cross_entropy(logits.flatten(0, 1), batch.expected.flatten(), ignore_index=PAD)


EXPERIMENT = Experiment(
    id="learned-positions",
    members=tuple(MEMBERS),
    seeds=3,
    axis="steps",
    points=STEPS,
    prepare=LearnedPositions,
)
