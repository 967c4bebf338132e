"""What a decoded token costs with grouped keys and values beside 512 tokens that are kept: as they
are kept, one key for each group and rotated, and as they could be kept, repeated for every query
and rotated at each step.
"""

import torch

from app.compute.allocator import keep_freed_memory
from model.config import NO_BIASES, Config, NormChoices, PositionChoices
from model.generation.decoding import IncrementalDecoder
from model.layers.attention import MultiHeadAttention
from model.layers.kv_cache import KVCache
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from tests.benchmarks.timing import Row, medians

CACHED, ROUNDS, CALLS = 512, 40, 10
CONFIG = Config(
    family="decoder-only",
    vocabulary_size=1000,
    d_model=256,
    n_heads=8,
    n_kv_heads=2,
    d_ff=688,
    n_decoder_layers=4,
    max_length=CACHED + 1,
    placement="pre",
    norm=NormChoices(name="rms"),
    positions=PositionChoices(absolute="none", relative="rope"),
    activation="silu",
    gated=True,
    unbiased=NO_BIASES,
)


class KeptRepeated(MultiHeadAttention):
    """The same attention, whose cache holds a key and a value for every query head, not rotated."""

    def gather(self, x, memory, mask, trace, cache):
        q = self.split_heads(self.query(x))
        k, v = cache(
            lambda start: tuple(
                self.repeat_kv(self.split_heads(part(memory))) for part in (self.key, self.value)
            )
        )
        q = self.relation.rotate(q, start=k.shape[-2] - q.shape[-2])
        k = self.relation.rotate(k)
        return self.pattern(q, k, mask, trace) @ v


class OneToken:
    """A decoder that has read KEPT tokens, and reads the same next token at each call."""

    def __init__(self, attention: type[MultiHeadAttention] | None = None):
        model = initialise(Transformer(CONFIG), torch.Generator().manual_seed(0))
        for layer in range(CONFIG.n_decoder_layers) if attention else ():
            model.stack("decoder")[layer].attention.__class__ = attention
        self.decoder = IncrementalDecoder(model.eval().requires_grad_(False))
        self.decoder.read(torch.arange(CACHED)[None])
        self.caches = [block.attention for block in self.decoder.cache]
        self.past = [cache.past for cache in self.caches if isinstance(cache, KVCache)]

    def __call__(self) -> torch.Tensor:
        for cache, past in zip(self.caches, self.past, strict=True):
            cache.past = past
        self.decoder.n_read = self.decoder.n_cached = CACHED
        return self.decoder.read(torch.tensor([[7]]))

    @property
    def bytes(self) -> int:
        return sum(part.nbytes for past in self.past for part in past)


@torch.inference_mode()
def rows() -> list[Row]:
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    grouped, repeated = OneToken(), OneToken(KeptRepeated)
    assert (grouped() - repeated()).abs().max() < 1e-4
    seconds = medians({"grouped": grouped, "repeated": repeated}, rounds=ROUNDS, calls=CALLS)
    of = f"{CONFIG.n_heads} heads on {CONFIG.kv_heads} keys and values, {CACHED} tokens kept"
    return [
        Row(
            f"bytes of the cache, once a group / repeated; {of}",
            grouped.bytes / repeated.bytes,
            CONFIG.kv_heads / CONFIG.n_heads,
            note=f"{grouped.bytes / 1e6:.3g} and {repeated.bytes / 1e6:.3g} MB",
        ),
        Row(
            "a decoded token, keys kept once a group and rotated / repeated and rotated each step",
            seconds["grouped"] / seconds["repeated"],
            1,
            note=f"{seconds['grouped'] * 1e3:.3g} and {seconds['repeated'] * 1e3:.3g} ms",
        ),
    ]
