"""Shared code of the experiments with small translators: sentence pairs with a tokenizer fitted on
the training side, and the loss of a translator on a batch.
"""

import hashlib
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config
from model.inputs.text import fit
from model.layers import masks
from model.training.data.sentence_pairs import (
    Batch,
    EncodedPair,
    Pair,
    make_batch,
    read_pairs,
    split_by_source,
)
from model.training.experiments.experiment import losses_along
from model.training.recipes.translator import DATA, MAX_WORDS, NOTICE
from model.training.schedule import Cycle
from model.transformer import Transformer
from model.zoo.initialisation import initialise

VOCABULARY = 1000
HELD_OUT = 512
Members = dict[str, tuple[Config, Cycle]]


class SmallTranslators:
    """Translators trained from one seed on the same sentence pairs in the same order. Each of
    `members` has its configuration and its learning rate by step. A training step uses `size`
    pairs; the held-out loss is measured after each of `steps`.
    """

    def __init__(self, members: Members, size: int, steps: tuple[int, ...], data: Path):
        path = data / DATA
        split = split_by_source(read_pairs(path, MAX_WORDS), HELD_OUT, 0)
        held_out = [(source, references[0]) for source, references in split.validation.items()]
        self.members, self.size, self.steps = members, size, steps
        self.tokenizer = fit([side for pair in split.train for side in pair], VOCABULARY)
        self.train = self.encoded(split.train)
        self.test = make_batch(self.encoded(held_out), self.tokenizer.frame)
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()

    def encoded(self, pairs: list[Pair]) -> list[EncodedPair]:
        sides = [
            [row.ids for row in self.tokenizer.backend.encode_batch([pair[side] for pair in pairs])]
            for side in (0, 1)
        ]
        return list(zip(*sides, strict=True))

    @property
    def facts(self) -> dict[str, Any]:
        """What the members have in common; the warm-up is that of the members that have one."""
        config, cycle = max(self.members.values(), key=lambda member: member[1].warmup)
        return {
            "pairs": {"train": len(self.train), "held_out": len(self.test.source)},
            "batch": self.size,
            "peak_rate": cycle.peak,
            "warmup": cycle.warmup,
            "layers": config.n_encoder_layers,
            "d_model": config.d_model,
            "notice": NOTICE,
        }

    def measure(self, member: str, seed: int) -> list[float]:
        """The held-out loss in nats per token after each of `steps`."""
        config, cycle = self.members[member]
        model = initialise(Transformer(config), torch.Generator().manual_seed(seed))
        order = torch.Generator().manual_seed(1_000_003 * (seed + 1))
        return losses_along(
            model,
            cycle,
            self.steps,
            lambda: loss(model, self.batch(order)),
            lambda: loss(model, self.test),
        )

    def batch(self, order: torch.Generator) -> Batch:
        chosen = torch.randint(len(self.train), (self.size,), generator=order).tolist()
        return make_batch([self.train[i] for i in chosen], self.tokenizer.frame)


def loss(model: Transformer, batch: Batch) -> Float[Tensor, ""]:
    """The mean of -ln p over the French tokens, given the English sentence and earlier tokens."""
    words = (batch.source != batch.pad)[:, None, :]
    memory = model.encode(batch.source, words)
    mask = masks.causal(batch.target.shape[1])
    logits = model.unembed(model.decode(batch.target, mask, memory, words))
    return cross_entropy(logits.flatten(0, 1), batch.expected.flatten(), ignore_index=batch.pad)
