"""A long text, read without its attention maps.

A run records n x n weights of every head, which 4,096 tokens make 16.8 million a head. Here no map
is written: torch goes through the keys in pieces and keeps running sums (Dao et al. 2022, algorithm
1). What is kept is the stream at the bottom of every layer, [layer, position, channel], as far up
as somebody has asked, and the keys and values of the layers that have been read. The queries of a
layer follow from its stream when they are asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from model import progress
from model.activations.site import Site
from model.display_limits import LONGEST
from model.errors import InvalidInput
from model.inputs.input import Input
from model.layers.attention import Heads, MultiHeadAttention, concat_heads
from model.layers.block import Block
from model.layers.context import Context
from model.layers.kv_cache import KeysValues
from model.layers.norms import Stream
from model.layers.relative_positions import RELATIVE_POSITIONS
from model.runs.framing import check_text, read
from model.runs.run import Run, id_tensor, text_axis
from model.runs.text import remarks
from model.trace import OFF, Trace
from model.transformer import Transformer
from model.zoo.models import SINGLE, Model

MAX_BYTES = 512 * 2**20
"""What is kept of a long text takes no more, so that it stays between two questions: of 4,096
tokens of SmolLM2 the streams of 30 layers take 293 MB, and the keys and values of 3 heads 189 MB.
"""
WITHOUT_MAPS = (
    "The text is read without writing its attention maps. The streams are those of a run with its"
    " maps up to the rounding of single precision."
)
UNUSED = torch.ones(1, 1, dtype=torch.bool)
"""The mask of a context whose attention is causal in any case."""


class WithoutMap(nn.Module):
    """Causal self-attention softmax(q k^T / sqrt(d_head) + mask) v with the weights of `attention`,
    whose pattern is never written. `keys_values` are the keys and values of what it has read.
    """

    def __init__(self, attention: MultiHeadAttention):
        super().__init__()
        self.attention = attention
        self.keys_values: KeysValues

    def forward(self, x: Stream, context: Context, trace: Trace = OFF) -> Stream:
        attention = self.attention
        k, v = self.keys_values = attention.keys_and_values(x, 0)
        q, k, v = queries(attention, x), attention.repeat_kv(k), attention.repeat_kv(v)
        z = scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        return attention.output(concat_heads(z))


def queries(attention: MultiHeadAttention, x: Stream) -> Heads:
    """q = x W_Q of every head, rotated where positions do so."""
    return attention.relation.rotate(attention.split_heads(attention.query(x)))


class LongText(Mapping[str, Tensor]):
    """The activations of a text of the ids `ids` [position] by name, each computed when it is first
    asked for: `residual.in` and `residual.out` of every layer, and `q` and `k` of its attention.
    `overviews` keep what was seen of a whole map from far away, by layer and head.
    """

    def __init__(self, transformer: Transformer, ids: Int[Tensor, " position"]):
        self.stack, self.config = transformer.stack("decoder"), transformer.config
        layers, width = self.stack.n_layers, self.config.d_model
        first = transformer.target_embedding(ids, OFF, 0)
        self.streams = first.new_empty(layers + 1, len(ids), width)
        heads = 2, self.config.kv_heads, len(ids), self.config.d_head
        self.keys_and_values = first.new_empty(layers, *heads)
        self.streams[0], self.known = first, 0
        self.latest: tuple[int, Heads, Heads] | None = None
        self.overviews: dict[tuple[int, int], Tensor] = {}

    def __getitem__(self, name: str) -> Tensor:
        site = Site.parse(name)
        if name not in self.names:
            raise KeyError(name)
        return COMPUTE[f"{site.part}.{site.value}"](self, site.layer)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def names(self) -> list[str]:
        """What is computed, layer by layer."""
        layers = range(self.stack.n_layers)
        return [f"decoder.{layer}.{name}" for layer in layers for name in COMPUTE]

    @torch.inference_mode()
    def stream(self, layer: int) -> Float[Tensor, "position channel"]:
        """The stream at the bottom of layer `layer`; at n_layers, that above the last. The layers
        below that are not known yet are read, with a checkpoint after each.
        """
        while (done := self.known) < layer:
            above, (keys, values) = read_layer(self.stack[done], self.streams[done])
            self.streams[done + 1] = above
            self.keys_and_values[done, 0], self.keys_and_values[done, 1] = keys, values
            self.known = max(self.known, done + 1)
            progress.arrive(self.known / layer)
        return self.streams[layer]

    @torch.inference_mode()
    def queries_and_keys(self, layer: int) -> tuple[Heads, Heads]:
        """q and k [head, position, d_head] of a layer; those of the latest layer are kept."""
        latest = self.latest
        if latest is None or latest[0] != layer:
            block = self.stack[layer]
            x = self.stream(layer)
            x = block.norm1(x) if self.config.placement == "pre" else x
            keys = block.attention.keys_and_values(x, 0)[0]
            self.latest = latest = (
                layer,
                queries(block.attention, x),
                block.attention.repeat_kv(keys),
            )
        return latest[1:]


COMPUTE: dict[str, Callable[[LongText, Any], Tensor]] = {
    "residual.in": lambda text, layer: text.stream(layer),
    "attention.q": lambda text, layer: text.queries_and_keys(layer)[0],
    "attention.k": lambda text, layer: text.queries_and_keys(layer)[1],
    "residual.out": lambda text, layer: text.stream(layer + 1),
}
"""How the activations of a layer are computed."""


@dataclass(frozen=True)
class LongRun(Run):
    """A run without attention maps, masks and logits: its activations are those of a LongText."""

    @property
    def bytes(self) -> int:
        """What its numbers take once every layer is read."""
        text = cast(LongText, self.trace)
        return text.streams.nbytes + text.keys_and_values.nbytes

    @property
    def prediction(self) -> str:
        """Nothing is said of the answer, which needs all layers."""
        return ""


@torch.inference_mode()
def run_long(model: Model, input: Input) -> LongRun:
    """The run of a text without its maps. Raises InvalidInput where the model cannot read it so."""
    check_readable(model)
    tokens = read(model, "text", check_text(model, input), end=False, most=longest(model))
    text = LongText(model.transformer, id_tensor(tokens))
    notes = [*remarks(model, {"text": tokens}), WITHOUT_MAPS]
    axes, texts = {"text": text_axis(tokens)}, {"text": input.text or ""}
    return LongRun(model, texts, axes, {"text": tokens}, text, {}, tokens[1:], notes=notes)


def longest(model: Model) -> int:
    """How many tokens a model reads without its maps. Of a shipped model whose positions have no
    end, `max_length` bounds the cost of its maps, and does not count here.
    """
    config = model.config
    layers, of_head = config.layers("decoder"), 2 * config.kv_heads * config.d_head
    numbers = (layers + 1) * config.d_model + layers * of_head  # of one position
    most = min(LONGEST, MAX_BYTES // (SINGLE * numbers))
    return most if is_endless(model) else min(most, config.max_length)


def is_endless(model: Model) -> bool:
    """Whether `max_length` is no bound of a model's positions, but of what its maps cost."""
    return model.kind == "trained" and model.config.positions.absolute != "learned"


def room_behind(model: Model, tokens: int) -> int:
    """How many tokens a model can write behind so many that it has read without their maps."""
    return LONGEST if is_endless(model) else model.config.max_length - tokens


def read_layer(block: Block, x: Stream) -> tuple[Stream, KeysValues]:
    """The stream after a block, whose attention writes no map, and its keys and values."""
    attention, without_map = WithoutMap(block.attention), copy(block)
    without_map._modules = block._modules | {"attention": attention}
    return without_map(x, Context(UNUSED)), attention.keys_values


def check_readable(model: Model) -> None:
    """Raises InvalidInput for a model whose attention is not softmax(q k^T / sqrt(d_head) + mask)
    over one text from its beginning.
    """
    config = model.config
    causal = config.family == "decoder-only" and config.inputs == "tokens"
    relative = config.positions.relative
    usual = (config.attention.score, config.attention.kernel.name) == ("scaled_dot", "softmax")
    reasons = {
        "causal": not causal,
        "segments": config.segments is not None,
        "slots": config.attention.slots > 0,
        "bias": RELATIVE_POSITIONS[relative].bias is not None,
        "score": not usual,
    }
    for reason, holds in reasons.items():
        if holds:
            values = {"model": model.id, "reason": reason, "relative": relative}
            raise InvalidInput("not-without-maps", field="model", **values)
