"""The Transformer: one set of parts for encoders, decoders, both together, and prefix models."""

import math
from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from model.config import Config
from model.errors import InvalidInput
from model.layers.box_head import Boxes, BoxHead
from model.layers.choices import check_choices
from model.layers.context import Context, Mask, Memory, MemoryMask
from model.layers.embedding import Embedding, Ids, ModelInput
from model.layers.kv_cache import BlockCache, CrossAttentionCache, KVCache
from model.layers.norms import Stream
from model.layers.rotary_positions import Start
from model.layers.stack import Stack, StackCache
from model.layers.tabular_embedding import Rows
from model.layers.tabular_head import Bypass, Bypassed
from model.layers.transform import make_transform
from model.trace import OFF, Trace

Target = Int[Tensor, "*batch target"]
Masks = Mapping[str, Bool[Tensor, "..."]]
Logits = Float[Tensor, "*batch answer vocabulary"]
"""`answer` is a position of the last stack; in a TabTransformer there is one answer for a row."""


class Transformer(nn.Module):
    """logits = unembed(decode(target, encode(source))). A model of one stack has unembed(encode(
    source)) or unembed(decode(target)).

    Weights are zero until `initialise` or `load_state_dict` fills them. Raises UnknownName for a
    choice that no layer has, and InvalidInput for choices that do not go together.
    """

    def __init__(self, config: Config):
        super().__init__()
        check_choices(config)
        self.config = config
        self.embedding = Embedding(config, config.stacks[0])
        self.queries = Embedding(config, "decoder") if config.n_queries else None
        self.target = (
            Embedding(config, "decoder", self.embedding) if config.target_embedding else None
        )
        self.encoder = Stack(config, "encoder") if "encoder" in config.stacks else None
        self.decoder = Stack(config, "decoder") if "decoder" in config.stacks else None
        self.untied = (
            nn.Parameter(torch.zeros(config.n_logits, config.d_model))
            if config.has_unembedding
            else None
        )
        self.unembedding_bias = (
            nn.Parameter(torch.zeros(config.n_logits)) if config.unembedding_bias else 0.0
        )
        self.transform = make_transform(config)
        self.bypass = Bypass(config) if config.bypass else None
        self.box = BoxHead(config) if config.n_queries else None

    def forward(
        self, source: ModelInput | None, target: Target | None, masks: Masks, trace: Trace = OFF
    ) -> Logits:
        """The logits at every position of the last stack.

        `masks` has "encoder.attention" [source, source], "decoder.attention" [target, target] and
        "decoder.cross_attention" [target, source], those of them that the model has: True where a
        query may look. An encoder-only model reads its input as `source`, a decoder-only or
        prefix model as `target`. A model without a head answers with its last stream.
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
        """The logits; in a model without a head the last stream itself."""
        return x if self.config.headless else self.unembed(x, trace)

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
        """`start` is the position of the first of the target's ids, or that of each row: more than
        0 when a cache holds those before.
        """
        trace = trace / "decoder"
        x = self.target_embedding(target, trace / "embedding", start)
        if memory_mask is not None:
            memory_mask = memory_mask.to(x.device)
        context = Context(mask.to(x.device), memory, memory_mask)
        return self.stack("decoder")(x, context, trace, cache)

    def unembed(self, x: Stream, trace: Trace = OFF, bypassed: Bypassed | None = None) -> Logits:
        """logits = x W_U + b. With tied weights W_U is the transpose of the embedding W_E (Press
        and Wolf 2017). A head may have a transform, one more layer before W_U. In a classifier that
        reads [CLS], the logits at [CLS] are those of the classes. In a TabTransformer an MLP takes
        the place of W_U. It reads all tokens of the row and `bypassed`, its normalised numeric
        columns, which do not go through the stack.

        Raises InvalidInput for a model without a head.
        """
        if self.config.headless:
            raise InvalidInput("This model has no head: it gives streams, and no logits.")
        if self.transform is not None:
            x = self.transform(x, trace / "transform")
        if self.bypass is None:
            x = x / math.sqrt(self.config.d_model) if self.config.scaled_unembedding else x
            logits = x @ self.answer_vectors.mT + self.unembedding_bias
        else:
            logits = self.bypass(x, bypassed, trace / "bypass")
        logits = trace("logits", logits)
        trace.lazy("probabilities", lambda: logits.softmax(-1))
        return logits

    def predict_boxes(self, x: Stream, trace: Trace = OFF) -> Boxes:
        """The box of the object that each query has found, [*batch, query, 4]."""
        assert self.box is not None, "only a model with object queries predicts boxes"
        return self.box(x, trace / "box")

    def bypassing(self, rows: Rows, trace: Trace = OFF) -> Bypassed | None:
        """The numbers of a row that go past the stack in a TabTransformer; None in other models."""
        return None if self.bypass is None else self.bypass.bypassed(rows, trace / "bypass")

    def stack(self, name: str) -> Stack:
        """The encoder or the decoder, of a model that has one."""
        stack = {"encoder": self.encoder, "decoder": self.decoder}[name]
        assert stack is not None, f"this model is {self.config.family} and has no {name}"
        return stack

    @property
    def device(self) -> torch.device:
        """Where the weights lie."""
        return next(self.parameters()).device

    @property
    def target_embedding(self) -> Embedding:
        """A target is embedded as the source is, unless it has positions of its own; object queries
        have vectors of their own.
        """
        return self.queries or self.target or self.embedding

    @property
    def unembedding(self) -> Float[Tensor, "... d_model vocabulary"]:
        """W_U, divided by sqrt(d_model) where the configuration says so."""
        w = self.answer_vectors.mT
        return w / math.sqrt(self.config.d_model) if self.config.scaled_unembedding else w

    @property
    def answer_vectors(self) -> Float[Tensor, "... vocabulary d_model"]:
        """A vector for each answer: that of the embedding, where both are tied, or its own."""
        return self.embedding.token if self.untied is None else self.untied

    def new_cache(self) -> StackCache:
        """An empty cache for each block of the decoder."""
        relations = [block.attention.relation for block in self.stack("decoder").blocks]
        return [BlockCache(KVCache(one.turn), CrossAttentionCache()) for one in relations]
