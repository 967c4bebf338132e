"""The Transformer: one set of parts for encoder-only, decoder-only, encoder-decoder and prefix
models.
"""

import math
from typing import TypeVar, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.attention import FavorAttention
from model.layers.block import Block, BlockCache, Mask, Memory, MemoryMask
from model.layers.box_head import Boxes, BoxHead
from model.layers.embedding import Embedding, Given, Ids
from model.layers.kv_cache import Growing, Once
from model.layers.norms import Stream, make_final_norm
from model.layers.tabular_embedding import Rows
from model.layers.tabular_head import Bypass, Past
from model.trace import OFF, Trace

StackCache = list[BlockCache]
Part = TypeVar("Part", bound=nn.Module)


class Stack(nn.Module):
    """Blocks one after another; a Pre-LN stack ends with a norm of its own, because its last block
    leaves the sum bare.
    """

    def __init__(self, config: Config, name: str):
        super().__init__()
        self.n_layers = config.layers(name)
        for layer in range(self.n_layers):
            self.add_module(str(layer), Block(config, name))
        self.norm = make_final_norm(config)

    def __getitem__(self, layer: int) -> Block:
        return cast(Block, self.get_submodule(str(layer)))  # only blocks bear a number

    def forward(
        self,
        x: Stream,
        mask: Mask,
        memory: Memory | None = None,
        memory_mask: MemoryMask | None = None,
        trace: Trace = OFF,
        cache: StackCache | None = None,
    ) -> Stream:
        for layer in range(self.n_layers):
            x = self[layer](
                x, mask, memory, memory_mask, trace / layer, cache[layer] if cache else BlockCache()
            )
        return self.norm(x, trace / "norm")


class Transformer(nn.Module):
    """Weights are zero until `initialise` or `load_state_dict` fills them."""

    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.embedding = Embedding(config, config.stacks[0])
        self.queries = Embedding(config, "decoder") if config.n_queries else None
        self.encoder = Stack(config, "encoder") if "encoder" in config.stacks else None
        self.decoder = Stack(config, "decoder") if "decoder" in config.stacks else None
        self.untied = (
            nn.Parameter(torch.zeros(config.vocabulary_size, config.d_model))
            if config.untied
            else None
        )
        self.unembedding_bias = (
            nn.Parameter(torch.zeros(config.vocabulary_size)) if config.unembedding_bias else 0.0
        )
        self.bypass = Bypass(config) if config.readout == "bypass" else None
        self.box = BoxHead(config) if config.n_queries else None

    def stack(self, name: str) -> Stack:
        """The encoder or the decoder, of a model that has one."""
        stack = {"encoder": self.encoder, "decoder": self.decoder}[name]
        assert stack is not None, f"a model that is {self.config.family} has no {name}"
        return stack

    def encode(self, source: Given, mask: Mask, trace: Trace = OFF) -> Stream:
        trace = trace / "encoder"
        return self.stack("encoder")(self.embedding(source, trace / "embedding"), mask, trace=trace)

    def decode(
        self,
        target: Ids,
        mask: Mask,
        memory: Memory | None = None,
        memory_mask: MemoryMask | None = None,
        trace: Trace = OFF,
        start: int = 0,
        cache: StackCache | None = None,
    ) -> Stream:
        """`start` is the position of the first of the target's ids: more than 0 when a cache holds
        those before.
        """
        trace = trace / "decoder"
        x = self.target_embedding(target, trace / "embedding", start)
        return self.stack("decoder")(x, mask, memory, memory_mask, trace, cache)

    def past(self, rows: Rows, trace: Trace = OFF) -> Past | None:
        """What of a row goes past the stack to the read-out; nothing, in most models."""
        return None if self.bypass is None else self.bypass.past(rows, trace / "bypass")

    def unembed(
        self, x: Stream, trace: Trace = OFF, past: Past | None = None
    ) -> Float[Tensor, "*batch answer vocabulary"]:
        """logits = x W_U + b; tied, W_U is the transpose of the embedding (Press and Wolf 2017). At
        [CLS] it is a class.
        """
        logits = trace("logits", READOUTS[self.config.readout](self, x, past, trace))
        trace.aside("probabilities", lambda: logits.softmax(-1))
        return logits

    def locate(self, x: Stream, trace: Trace = OFF) -> Boxes:
        """Where the object is that each query has found."""
        assert self.box is not None, "only a model with object queries locates anything"
        return self.box(x, trace / "box")

    @property
    def target_embedding(self) -> Embedding:
        """A target is embedded as the source is; object queries have vectors of their own."""
        return self.embedding if self.queries is None else self.queries

    @property
    def unembedding(self) -> Float[Tensor, "... channel vocabulary"]:
        return (self.embedding.token if self.untied is None else self.untied).mT

    def new_cache(self) -> StackCache:
        return [BlockCache(Growing(), Once()) for _ in range(self.stack("decoder").n_layers)]


READOUTS = {
    "unembedding": lambda model, x, past, trace: x @ model.unembedding + model.unembedding_bias,
    "bypass": lambda model, x, past, trace: model.bypass(x, past, trace / "bypass"),
}

VECTORS = ("embedding.token", "embedding.token.cls", "embedding.learned", "queries.token", "untied")
COLUMN_VECTORS = (
    ".numbers.weight",
    ".numbers.bias",
    ".numbers.missing",
    ".categories.table",
    ".categories.column",
)


def initialise(part: Part, generator: torch.Generator) -> Part:
    """Xavier-uniform matrices, zero biases, unit gains; embeddings N(0, 1/d_model), so that times
    sqrt(d_model) they have variance 1.
    """
    for module in part.modules():
        if isinstance(module, FavorAttention):
            module.draw(generator)
    for name, parameter in part.named_parameters():
        if name in VECTORS or name.endswith(COLUMN_VECTORS):
            nn.init.normal_(parameter, std=1 / math.sqrt(parameter.shape[-1]), generator=generator)
        elif name.endswith("weight"):
            nn.init.xavier_uniform_(parameter, generator=generator)
        elif ".score." in name or ".slots." in name:
            nn.init.normal_(parameter, std=1 / math.sqrt(parameter.shape[-1]), generator=generator)
    return part
