"""Multi-head attention (Vaswani et al. 2017, section 3.2).

Queries come from the stream `x`, keys and values from `memory`: the same tensor in self-attention,
the output of the encoder in cross-attention. Nothing else differs between the two.
"""

from collections.abc import Callable

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.attention_scores import Score, softmax
from model.layers.context import Context, Mask
from model.layers.kv_cache import Cache, no_cache
from model.layers.linear import make_linear
from model.layers.persistent_memory import no_slots
from model.layers.relative_positions import NoRelativePositions
from model.trace import OFF, Trace

Heads = Float[Tensor, "*batch head position d_head"]
GroupedHeads = Float[Tensor, "*batch kv_head position d_head"]
Queries = Float[Tensor, "*batch head query d_head"]
Keys = Float[Tensor, "*batch head key d_head"]
Pattern = Float[Tensor, "*batch head query key"]

LooksAt = Callable[[Tensor, Context, Trace], tuple[Tensor, Mask, Cache]]
"""What an attention looks at, from the stream and the context: its memory, mask and cache."""


def own_stream(x: Tensor, context: Context, trace: Trace) -> tuple[Tensor, Mask, Cache]:
    """Self-attention looks at its own stream, and at what is remembered of the segment before."""
    return context.cache.recall(x, trace), context.mask, context.cache.attention


def encoder_output(x: Tensor, context: Context, trace: Trace) -> tuple[Tensor, Mask, Cache]:
    """Cross-attention looks at the output of the encoder."""
    assert context.memory is not None, "cross-attention looks at the output of an encoder"
    assert context.memory_mask is not None, "the mask says where"
    return context.memory, context.memory_mask, context.cache.cross_attention


class MultiHeadAttention(nn.Module):
    """MultiHead(x, memory) = concat(head_1, …, head_h) W_O, where

        head_i = softmax(q_i k_i^T / sqrt(d_head) + mask) v_i        (equation 1)
        q_i = x W_Q_i, k_i = memory W_K_i, v_i = memory W_V_i        (section 3.2.2)

    and d_head = d_model / h, unless the configuration says otherwise. W_Q_1 … W_Q_h stand side by
    side in `query.weight` [d_model, h d_head]; `key.weight` and `value.weight` are as wide as there
    are heads of keys and values, fewer than h in grouped-query attention (Ainslie et al. 2023). W_O
    is `output.weight` [h d_head, d_model].

    `looks_at` says what the memory is: the stream itself, unless stated. `relation` turns queries
    and keys by their positions, or adds to the scores what their offset is worth; `slots` puts
    persistent keys and values behind those of the tokens.
    """

    def __init__(
        self,
        config: Config,
        looks_at: LooksAt = own_stream,
        relation: NoRelativePositions | None = None,
        slots: nn.Module | None = None,
    ):
        super().__init__()
        d_model, d_q, d_kv = config.d_model, config.d_q, config.kv_heads * config.d_head
        self.query = make_linear(config, d_model, d_q)
        self.key = make_linear(config, d_model, d_kv)
        self.value = make_linear(config, d_model, d_kv)
        self.output = make_linear(config, d_q, d_model)
        self.n_heads, self.d_head = config.n_heads, config.d_head
        self.group_size = config.n_heads // config.kv_heads
        self.looks_at = looks_at
        self.score = Score(config)
        self.relation = relation or NoRelativePositions()
        self.slots = slots or no_slots

    def forward(
        self, x: Float[Tensor, "*batch query channel"], context: Context, trace: Trace = OFF
    ) -> Float[Tensor, "*batch query channel"]:
        """MultiHead(x, memory) of the memory that the context holds for this attention."""
        memory, mask, cache = self.looks_at(x, context, trace)
        return self.attend(x, memory, mask, trace, cache)

    def attend(
        self,
        x: Float[Tensor, "*batch query channel"],
        memory: Float[Tensor, "*batch new channel"],
        mask: Mask,
        trace: Trace = OFF,
        cache: Cache = no_cache,
    ) -> Float[Tensor, "*batch query channel"]:
        """MultiHead(x, memory). `mask` is True where a query may look. With a cache `memory` is
        what is new: the keys are those kept and these.
        """
        z = self.gather(x, memory, mask, trace, cache)
        trace.lazy("head_out", lambda: self.head_out(z))
        return trace("out", self.output(concat_heads(z)))

    def gather(
        self,
        x: Float[Tensor, "*batch query channel"],
        memory: Float[Tensor, "*batch new channel"],
        mask: Mask,
        trace: Trace,
        cache: Cache,
    ) -> Queries:
        """z = pattern v: for each head and query, the values that it has gathered."""
        q = self.split_heads(self.query(x))
        k, v = cache(lambda start: self.keys_and_values(memory, start))
        q = self.relation.rotate(q, start=k.shape[-2] - q.shape[-2])
        k, v, mask = self.slots(self.repeat_kv(k), self.repeat_kv(v), mask)
        q, k, v = trace("q", q), trace("k", k), trace("v", v)
        return trace("z", self.pattern(q, k, mask, trace) @ v)

    def keys_and_values(
        self, memory: Float[Tensor, "*batch new channel"], start: int
    ) -> tuple[GroupedHeads, GroupedHeads]:
        """k = memory W_K, rotated by its positions from `start` on, and v = memory W_V; one of each
        for every group of queries.
        """
        k, v = self.split_heads(self.key(memory)), self.split_heads(self.value(memory))
        return self.relation.rotate(k, start), v

    def pattern(self, q: Queries, k: Keys, mask: Mask, trace: Trace) -> Pattern:
        """softmax(q k^T / sqrt(d_head) + mask): the mask adds -inf where a query may not look."""
        scores = trace("scores", self.relation.add_bias(self.score(q, k), q, trace))
        masked_scores = scores + torch.where(mask.unsqueeze(-3), 0.0, -torch.inf)
        return trace("pattern", softmax(trace("masked_scores", masked_scores)))

    def split_heads(self, x: Float[Tensor, "*batch position channel"]) -> Heads:
        """Cuts the channels into pieces of d_head, one for each head."""
        axes = "... position (head d_head) -> ... head position d_head"
        return rearrange(x, axes, d_head=self.d_head)

    def repeat_kv(self, x: GroupedHeads) -> Heads:
        """Keys or values, each head of them repeated for the `group_size` queries that share it."""
        return x if self.group_size == 1 else x.repeat_interleave(self.group_size, dim=-3)

    def head_out(self, z: Heads) -> Float[Tensor, "*batch head position channel"]:
        """What each head alone writes: concat(z) W_O is a sum over heads, because W_O is a stack of
        h blocks of rows.
        """
        axes = "(head d_head) d_model -> head d_head d_model"
        w_o = rearrange(self.output.weight, axes, head=self.n_heads)
        axes = "... head position d_head, head d_head d_model -> ... head position d_model"
        return einsum(z, w_o, axes)


def concat_heads(z: Heads) -> Float[Tensor, "*batch position channel"]:
    """The heads of each position side by side."""
    return rearrange(z, "... head position d_head -> ... position (head d_head)")
