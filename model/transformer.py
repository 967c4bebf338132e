"""The Transformer: one set of parts for encoders, decoders, encoder-decoders, and prefix models."""

from typing import cast

import torch
from jaxtyping import Int
from torch import Tensor

from model.config import Config
from model.layers.choices import check_choices
from model.layers.context import Context, Mask, Masks, Memory, MemoryMask
from model.layers.embedding import Embedding, Ids, ModelInput
from model.layers.heads import HEADS, Head, Logits
from model.layers.kv_cache import BlockCache, CrossAttentionCache, KVCache
from model.layers.norms import Stream
from model.layers.rotary_positions import Start
from model.layers.stack import Stack, StackCache
from model.layers.tabular_head import Bypassed
from model.trace import OFF, Trace

Target = Int[Tensor, "*batch target"]


class Transformer(Head):
    """logits = unembed(decode(target, encode(source))); with a single stack,
    unembed(encode(source)) or unembed(decode(target)).

    Weights are zero until `initialise` or `load_state_dict` sets them. Raises UnknownName for an
    unknown choice, and InvalidInput for choices that are incompatible.
    """

    def __init__(self, config: Config):
        super().__init__()
        check_choices(config)
        self.config = config
        self.embedding = Embedding(config, config.stacks[0])
        if config.reads_target_with != "embedding":
            embedding = Embedding(config, "decoder", self.embedding)
            self.add_module(config.reads_target_with, embedding)
        for stack in config.stacks:
            self.add_module(stack, Stack(config, stack))
        self.add_head(config)

    def forward(
        self, source: ModelInput | None, target: Target | None, masks: Masks, trace: Trace = OFF
    ) -> Logits:
        """The logits at every position of the last stack.

        `masks` contains those of "encoder.attention" [source, source], "decoder.attention" [target,
        target], and "decoder.cross_attention" [target, source] that the model has. They are True
        where a query may attend. An encoder-only model reads its input as `source`, a decoder-only
        or prefix model as `target`. A model without a head returns its last stream.
        """
        memory = x = None
        if source is not None:
            memory = x = self.encode(source, masks["encoder.attention"], trace)
        if target is not None:
            memory_mask = masks.get("decoder.cross_attention")
            x = self.decode(target, masks["decoder.attention"], memory, memory_mask, trace)
        assert x is not None, "a model reads a source, a target or both"
        return self.answer(x, trace)

    def answer(self, x: Stream, trace: Trace = OFF) -> Logits:
        """The logits, or the last stream in a model without a head."""
        return x if self.config.head.absent else self.unembed(x, trace)

    def encode(self, source: ModelInput, mask: Mask, trace: Trace = OFF) -> Stream:
        trace = trace / "encoder"
        x = self.embedding(source, trace / "embedding")
        return self.stack("encoder")(x, Context(mask.to(x.device)), trace)

    def decode(
        self,
        target: Ids,
        mask: Mask,
        memory: Memory | None = None,
        memory_mask: MemoryMask | None = None,
        trace: Trace = OFF,
        start: Start = 0,
        cache: StackCache | None = None,
    ) -> Stream:
        """`start` is the position of the first target id, possibly one per row; it is more than 0
        when a cache holds the earlier ones.
        """
        trace = trace / "decoder"
        x = self.target_embedding(target, trace / "embedding", start)
        if memory_mask is not None:
            memory_mask = memory_mask.to(x.device)
        context = Context(mask.to(x.device), memory, memory_mask)
        return self.stack("decoder")(x, context, trace, cache)

    def unembed(self, x: Stream, trace: Trace = OFF, bypassed: Bypassed | None = None) -> Logits:
        """logits = x W_U + b, or the result of another of the `HEADS`, from x and the numeric
        columns that bypass the stacks. Raises InvalidInput for a model without a head.
        """
        logits = trace("logits", HEADS[self.config.head_kind].logits(self, x, trace, bypassed))
        trace.lazy("probabilities", lambda: logits.softmax(-1))
        return logits

    def stack(self, name: str) -> Stack:
        """The encoder or the decoder, if the model has it."""
        assert name in self.config.stacks, f"this model is {self.config.family} and has no {name}"
        return cast(Stack, self.get_submodule(name))

    @property
    def target_embedding(self) -> Embedding:
        """The module that embeds the target: the source embedding, or one with its own positions or
        vectors.
        """
        return cast(Embedding, self.get_submodule(self.config.reads_target_with))

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.parameters()).device

    def new_cache(self) -> StackCache:
        """An empty cache for each block of the decoder."""
        relations = [block.attention.relation for block in self.stack("decoder").blocks]
        return [BlockCache(KVCache(r.shift), CrossAttentionCache()) for r in relations]
