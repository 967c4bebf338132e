"""Deciphering: the task of /warmup, a substitution cipher, and the network that learns it under one
norm placement.
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from model.config import Config, HeadChoices
from model.layers import masks
from model.layers.context import Context
from model.measure.initialised_stacks import HEADS, MAX_SEEDS, generator, profile
from model.transformer import Transformer
from model.zoo.initialisation import initialise

LETTERS, D_MODEL, POSITIONS = 8, 16, 32

Letters = Int[Tensor, "*member position"]


class Decipherer(nn.Module):
    """A network that reads letters and learns to predict the image of each. A decoder attends to
    the letter itself, earlier letters, and the output of an encoder with the same depth and
    placement that reads the same text.
    """

    def __init__(self, placement: str, layers: int, draws: torch.Generator, stack: str):
        super().__init__()
        sizes: dict[str, Any] = {
            "d_model": D_MODEL,
            "n_heads": HEADS,
            "d_ff": 4 * D_MODEL,
            "n_encoder_layers": layers,
            "max_length": POSITIONS,
            "placement": placement,
        }
        sizes |= (
            {"family": "encoder-only"}
            if stack == "encoder"
            else {"family": "encoder-decoder", "n_decoder_layers": layers}
        )
        config = Config(vocabulary_size=LETTERS, head=HeadChoices(tied=False), **sizes)
        self.model = initialise(Transformer(config), draws)

    def forward(self, ids: Letters, expected: Letters) -> Float[Tensor, "*member"]:
        everywhere = masks.full(POSITIONS)
        where = {
            "encoder.attention": everywhere,
            "decoder.attention": masks.causal(POSITIONS),
            "decoder.cross_attention": everywhere,
        }
        target = ids if "decoder" in self.model.config.stacks else None
        logits = self.model(ids, target, where)
        return (
            cross_entropy(logits.flatten(0, -2), expected.flatten(), reduction="none")
            .view_as(expected)
            .mean(-1)
        )


class Cipher:
    """The task of one seed: a permutation of the letters, and an endless stream of random texts."""

    def __init__(self, seed: int, number: int):
        self.draws = generator(seed, MAX_SEEDS + number)  # not the generator of the weights
        self.image = torch.randperm(LETTERS, generator=self.draws)

    def text(self) -> tuple[Letters, Letters]:
        ids = torch.randint(LETTERS, (POSITIONS,), generator=self.draws)
        return ids, self.image[ids]


def decipherer(
    placement: str, layers: int, seed: int, number: int, stack: str = "encoder"
) -> Decipherer:
    """A freshly initialized network, with the same matrices under every placement. Admin's omegas
    are profiled on texts that are not used in training, starting with those of the encoder.
    """
    fresh = Decipherer(placement, layers, generator(seed, number), stack)
    if placement == "admin":
        ids, _ = Cipher(seed, MAX_SEEDS + number).text()
        with torch.no_grad():
            x = fresh.model.embedding(ids)[None]
            encoder = fresh.model.stack("encoder")
            profile(encoder, x)
            if stack == "decoder":
                memory = encoder(x, Context(masks.full(POSITIONS)[None]))
                profile(fresh.model.stack("decoder"), x, memory)
    return fresh
