"""Long texts, read without their attention maps.

A run records n x n weights for every head, which is 16.8 million per head for 4,096 tokens. Here no
map is stored: torch processes the keys in blocks with running sums (Dao et al. 2022, algorithm 1).
What is stored is the stream before every layer, [layer, position, channel], up to the highest layer
requested so far, and the keys and values of these layers. A layer's queries are computed from its
stream on request.
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
from model.runs.run import Run, id_tensor, text_axis
from model.runs.text import check_text, read, remarks
from model.trace import OFF, Trace
from model.transformer import Transformer
from model.zoo.models import SINGLE, Model

MAX_BYTES = 512 * 2**20
"""The maximum memory of a long text, so that it can stay cached between two questions: for 4,096
tokens of SmolLM2, the streams of 30 layers take 293 MB, and the keys and values of 3 heads 189 MB.
"""
WITHOUT_MAPS = (
    "The text is read without writing its attention maps. The streams are those of a run with its"
    " maps up to the rounding of single precision."
)
UNUSED = torch.ones(1, 1, dtype=torch.bool)
"""The mask of a context whose attention is always causal."""


class WithoutMap(nn.Module):
    """Causal self-attention softmax(q k^T / sqrt(d_head) + mask) v with the weights of `attention`,
    without storing its pattern. `keys_values` are the keys and values of what it has read.
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
    """q = x W_Q of every head, rotated if positions do so."""
    return attention.relation.rotate(attention.split_heads(attention.query(x)))


class LongText(Mapping[str, Tensor]):
    """The activations of a text with the ids `ids` [position] by name, each computed on request:
    `residual.in` and `residual.out` of every layer, and `q` and `k` of its attention. `overviews`
    caches overviews of whole maps, by layer and head.
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
        """The names of the activations, layer by layer."""
        layers = range(self.stack.n_layers)
        return [f"decoder.{layer}.{name}" for layer in layers for name in COMPUTE]

    @torch.inference_mode()
    def stream(self, layer: int) -> Float[Tensor, "position channel"]:
        """The stream before layer `layer`; for n_layers, after the last. Unknown layers below it
        are computed first, with a checkpoint after each.
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
        """q and k [head, position, d_head] of a layer; those of the latest layer are cached."""
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
    """A run without attention maps, masks, and logits: its activations are those of a LongText."""

    @property
    def bytes(self) -> int:
        """The size of its numbers once every layer is read."""
        text = cast(LongText, self.trace)
        return text.streams.nbytes + text.keys_and_values.nbytes

    @property
    def prediction(self) -> str:
        """No prediction, which would need all layers."""
        return ""


@torch.inference_mode()
def run_long(model: Model, input: Input) -> LongRun:
    """The run of a text without its maps. Raises InvalidInput if the model does not support it."""
    check_readable(model)
    tokens = read(model, "text", check_text(model, input), end=False, most=longest(model))
    text = LongText(model.transformer, id_tensor(tokens))
    notes = [*remarks(model, {"text": tokens}), WITHOUT_MAPS]
    axes, texts = {"text": text_axis(tokens)}, {"text": input.text or ""}
    return LongRun(model, texts, axes, {"text": tokens}, text, {}, tokens[1:], notes=notes)


def longest(model: Model) -> int:
    """How many tokens a model can read without its maps. In an included model with unbounded
    positions, `max_length` only limits the cost of the maps, and does not apply here.
    """
    config = model.config
    layers, of_head = config.layers("decoder"), 2 * config.kv_heads * config.d_head
    numbers = (layers + 1) * config.d_model + layers * of_head  # per position
    most = min(LONGEST, MAX_BYTES // (SINGLE * numbers))
    return most if is_endless(model) else min(most, config.max_length)


def is_endless(model: Model) -> bool:
    """Whether `max_length` limits only the cost of a model's maps, not its positions."""
    return model.kind == "trained" and model.config.positions.absolute != "learned"


def room_behind(model: Model, tokens: int) -> int:
    """How many tokens a model can generate after reading so many without their maps."""
    return LONGEST if is_endless(model) else model.config.max_length - tokens


def read_layer(block: Block, x: Stream) -> tuple[Stream, KeysValues]:
    """The stream after a block, without storing its attention map, and its keys and values."""
    attention, without_map = WithoutMap(block.attention), copy(block)
    without_map._modules = block._modules | {"attention": attention}
    return without_map(x, Context(UNUSED)), attention.keys_values


def check_readable(model: Model) -> None:
    """Raises InvalidInput for a model whose attention is not softmax(q k^T / sqrt(d_head) + mask)
    over one sequence from its beginning.
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
