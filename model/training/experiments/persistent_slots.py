"""`persistent-slots`: three small decoders, trained on the same English sentences in the same
order.

`feed_forward` has feed-forward networks. `slots` instead has persistent keys and values in every
attention layer, with the same number of parameters (Sukhbaatar et al. 2019, section 4.2), and
`attention` has neither.
"""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import AttentionChoices, Config
from model.inputs.text import TextTokenizer, fit, pad_ids
from model.layers import masks
from model.training.data.sentence_pairs import read_pairs
from model.training.experiments.experiment import Experiment, losses_along
from model.training.recipes.fill_in import split
from model.training.recipes.translator import DATA, MAX_WORDS, NOTICE
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.initialisation import initialise

VOCABULARY = 1000
BATCH = 64
HELD_OUT = 512
STEPS = (0, 25, 50, 100, 150, 200, 250, 300)
"""The steps after which the held-out loss is measured."""
CYCLE = Cycle(peak=4e-3, warmup=50, steps=STEPS[-1], dropout=Dropout(numbers=0.0))
BASE = Config(
    family="decoder-only",
    vocabulary_size=VOCABULARY,
    d_model=64,
    n_heads=4,
    d_ff=256,
    n_decoder_layers=2,
    max_length=48,
    placement="pre",
)
SLOTS = BASE.d_ff
"""With 2 d_ff vectors of d_model numbers in both, slots replace a feed-forward network's weights
one for one; only its biases have no counterpart.
"""
MEMBERS = {
    "feed_forward": BASE,
    "slots": replace(BASE, d_ff=0, attention=AttentionChoices(slots=SLOTS)),
    "attention": replace(BASE, d_ff=0),
}

FRAME = TextTokenizer.frame
Ids = Int[Tensor, "sentence position"]


class PersistentSlots:
    """English sentences; the tokenizer is fitted on the training sentences."""

    def __init__(self, data: Path):
        path = data / DATA
        train, test = split(english for english, _ in read_pairs(path, MAX_WORDS))
        self.tokenizer = fit(train, VOCABULARY)
        encode = self.tokenizer.backend.encode_batch
        self.train = [encoding.ids for encoding in encode(train)]
        self.test = framed([encoding.ids for encoding in encode(test[:HELD_OUT])])
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "parameters": {
                name: sum(weights.numel() for weights in Transformer(config).parameters())
                for name, config in MEMBERS.items()
            },
            "sentences": {"train": len(self.train), "held_out": len(self.test)},
            "batch": BATCH,
            "peak_rate": CYCLE.peak,
            "warmup": CYCLE.warmup,
            "notice": NOTICE,
        }

    def measure(self, member: str, seed: int) -> list[float]:
        """The held-out loss in nats per token after each of `STEPS`."""
        model = initialise(Transformer(MEMBERS[member]), torch.Generator().manual_seed(seed))
        # All members of a seed read the sentences in the same order.
        order = torch.Generator().manual_seed(1_000_003 * (seed + 1))
        return losses_along(
            model,
            CYCLE,
            STEPS,
            lambda: loss(model, self.batch(order)),
            lambda: loss(model, self.test),
        )

    def batch(self, order: torch.Generator) -> Ids:
        chosen = torch.randint(len(self.train), (BATCH,), generator=order).tolist()
        return framed([self.train[i] for i in chosen])


def framed(sentences: list[list[int]]) -> Ids:
    return pad_ids(map(FRAME.around, sentences), FRAME.pad)


def loss(model: Transformer, ids: Ids) -> Float[Tensor, ""]:
    """The mean of -ln p over the tokens after <s>, including </s>."""
    read, following = ids[:, :-1], ids[:, 1:]
    logits = model.unembed(model.decode(read, masks.causal(read.shape[1])))
    return cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=FRAME.pad)


EXPERIMENT = Experiment(
    id="persistent-slots",
    members=tuple(MEMBERS),
    seeds=3,
    axis="steps",
    points=STEPS,
    prepare=PersistentSlots,
)
