"""Single words: the shared part of the recipes `pronouncer` and `speller`: the size of the model,
its loss, and the choice of held-out words.
"""

import hashlib
from collections.abc import Iterable, Sequence

from jaxtyping import Float
from torch import Tensor

from model.config import Config
from model.inputs.text import TextTokenizer
from model.trace import Trace
from model.training.data.sentence_pairs import Batch, EncodedPair
from model.training.losses.teacher_forcing import teacher_forced_loss
from model.transformer import Transformer

BATCH = 192
SMOOTHING = 0.1


class Words:
    """A task whose source is one word."""

    tokenizer: TextTokenizer

    @property
    def config(self) -> Config:
        return Config(
            family="encoder-decoder",
            vocabulary_size=self.tokenizer.size,
            d_model=128,
            n_heads=4,
            d_ff=192,
            n_encoder_layers=2,
            n_decoder_layers=2,
            max_length=64,
            placement="pre",
        )

    def loss(self, model: Transformer, batch: Batch, trace: Trace) -> Float[Tensor, ""]:
        return teacher_forced_loss(model, batch, SMOOTHING, trace)


def encoded(
    tokenizer: TextTokenizer, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]
) -> list[EncodedPair]:
    """The pairs as ids. A side is a sequence of pieces; a word is the sequence of its letters."""
    ids = tokenizer.backend.get_vocab()
    return [
        ([ids[piece] for piece in source], [ids[piece] for piece in target])
        for source, target in pairs
    ]


def set_aside(text: str, one_in: int) -> bool:
    """Whether `text` is held out: one text in `one_in` is, determined by its digest."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % one_in == 0
