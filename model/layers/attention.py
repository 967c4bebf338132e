"""Multi-head attention (Vaswani et al. 2017, section 3.2).

Queries come from the residual stream `x`. Keys and values come from `memory`: `x` itself in
self-attention, the encoder's output in cross-attention. The equation is the same for both.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor, nn

from model.activations.activation import (
    Activation,
    linear_operands,
    plus_bias,
)
from model.activations.derivation import (
    SUM,
    Cell,
    Rule,
    Step,
    copy,
    product,
    rule,
    typeset,
)
from model.activations.derivation import softmax as softmax_steps
from model.activations.site import Site
from model.config import Config
from model.layers.attention_scores import SCORES, Score, softmax
from model.layers.context import Context, Mask
from model.layers.kv_cache import Cache, no_cache
from model.layers.linear import make_linear
from model.layers.persistent_memory import no_slots
from model.layers.relative_positions import (
    NoRelativePositions,
    RelativePositions,
    with_relative,
)
from model.trace import OFF, Trace

Heads = Float[Tensor, "*batch head position d_head"]
GroupedHeads = Float[Tensor, "*batch kv_head position d_head"]
Queries = Float[Tensor, "*batch head query d_head"]
Keys = Float[Tensor, "*batch head key d_head"]
Pattern = Float[Tensor, "*batch head query key"]

KVSource = Callable[[Tensor, Context, Trace], tuple[Tensor, Mask, Cache]]
"""A function of (x, context, trace) that returns the memory, mask, and cache of an attention layer.
"""


def self_source(x: Tensor, context: Context, trace: Trace) -> tuple[Tensor, Mask, Cache]:
    """Self-attention attends to x. With segment recurrence it also attends to the stored inputs of
    earlier segments, which come first.
    """
    return context.cache.recall(x, trace), context.mask, context.cache.attention


def encoder_source(x: Tensor, context: Context, trace: Trace) -> tuple[Tensor, Mask, Cache]:
    """Cross-attention attends to the encoder's output."""
    assert context.memory is not None, "cross-attention needs the encoder's output as memory"
    assert context.memory_mask is not None, "cross-attention needs memory_mask [query, memory]"
    return context.memory, context.memory_mask, context.cache.cross_attention


class MultiHeadAttention(nn.Module):
    """MultiHead(x, memory) = concat(head_1, …, head_h) W_O, where

        head_i = softmax(q_i k_i^T / sqrt(d_head) + mask) v_i        (equation 1)
        q_i = x W_Q_i, k_i = memory W_K_i, v_i = memory W_V_i        (section 3.2.2)

    and d_head = d_model / h, unless the configuration sets it. In the equation, mask is 0 where a
    query may attend and -inf elsewhere; in the code it is True and False. `config.attention` can
    replace the scaled dot product with another score. W_Q_1 … W_Q_h are the column blocks of
    `query.weight` [d_model, h d_head]. In grouped-query attention (Ainslie et al. 2023),
    `key.weight` and `value.weight` have fewer blocks than h. W_O is `output.weight` [h d_head,
    d_model].

    `kv_source` returns the memory, by default x itself. `relation` is the scheme of relative
    positions. It rotates queries and keys by their positions, or adds a bias to each score that
    depends on the offset: key position minus query position. `slots` appends learned persistent
    keys and values, the same for every input.
    """

    def __init__(
        self,
        config: Config,
        kv_source: KVSource = self_source,
        relation: NoRelativePositions | None = None,
        slots: nn.Module | None = None,
    ):
        super().__init__()
        d_model, d_q, d_kv = config.d_model, config.d_q, config.kv_heads * config.d_head
        self.query = make_linear(config, d_model, d_q, "query_key_value")
        self.key = make_linear(config, d_model, d_kv, "query_key_value")
        self.value = make_linear(config, d_model, d_kv, "query_key_value")
        self.output = make_linear(config, d_q, d_model, "attention_output")
        self.n_heads, self.d_head = config.n_heads, config.d_head
        self.group_size = config.n_heads // config.kv_heads
        self.kv_source = kv_source
        self.score = Score(config)
        self.relation = relation or NoRelativePositions()
        self.slots = slots or no_slots

    def forward(
        self, x: Float[Tensor, "*batch query channel"], context: Context, trace: Trace = OFF
    ) -> Float[Tensor, "*batch query channel"]:
        """MultiHead(x, memory), with the memory that the context holds for this layer."""
        memory, mask, cache = self.kv_source(x, context, trace)
        return self.attend(x, memory, mask, trace, cache)

    def attend(
        self,
        x: Float[Tensor, "*batch query channel"],
        memory: Float[Tensor, "*batch new channel"],
        mask: Mask,
        trace: Trace = OFF,
        cache: Cache = no_cache,
    ) -> Float[Tensor, "*batch query channel"]:
        """MultiHead(x, memory). `mask` is True where a query may attend. With the KV cache of
        self-attention, `memory` holds only the new positions, and the cache prepends the keys and
        values of the earlier ones.
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
        """z = pattern v: for each head and query, the attention-weighted sum of the values."""
        q = self.split_heads(self.query(x))
        k, v = cache(lambda start: self.keys_and_values(memory, start))
        # With a cache there are more keys than queries; the last query has the last key's position.
        q = self.relation.rotate(q, start=k.shape[-2] - q.shape[-2])
        k, v, mask = self.slots(self.repeat_kv(k), self.repeat_kv(v), mask)
        q, k, v = trace("q", q), trace("k", k), trace("v", v)
        return trace("z", self.pattern(q, k, mask, trace) @ v)

    def keys_and_values(
        self, memory: Float[Tensor, "*batch new channel"], start: int
    ) -> tuple[GroupedHeads, GroupedHeads]:
        """k = memory W_K and v = memory W_V, one of each per group of query heads. RoPE rotates k
        by its positions, which count from `start`.
        """
        k, v = self.split_heads(self.key(memory)), self.split_heads(self.value(memory))
        return self.relation.rotate(k, start), v

    def pattern(self, q: Queries, k: Keys, mask: Mask, trace: Trace) -> Pattern:
        """The attention weights, softmax(q k^T / sqrt(d_head) + bias + mask). The bias comes from
        relative positions (ALiBi, T5, Shaw) and is 0 without them. The mask adds -inf where a query
        may not attend.
        """
        scores = trace("scores", self.relation.add_bias(self.score(q, k), q, trace))
        masked_scores = scores + torch.where(mask.unsqueeze(-3), 0.0, -torch.inf)
        return trace("pattern", softmax(trace("masked_scores", masked_scores)))

    def split_heads(self, x: Float[Tensor, "*batch position channel"]) -> Heads:
        """Splits the channels into heads of d_head channels each."""
        axes = "... position (head d_head) -> ... head position d_head"
        return rearrange(x, axes, d_head=self.d_head)

    def repeat_kv(self, x: GroupedHeads) -> Heads:
        """Keys or values, each head repeated for the `group_size` query heads that share it."""
        return x if self.group_size == 1 else x.repeat_interleave(self.group_size, dim=-3)

    def head_out(self, z: Heads) -> Float[Tensor, "*batch head position channel"]:
        """The contribution of each head to the output, z_i W_O_i. W_O is h blocks W_O_i [d_head,
        d_model] stacked vertically, so concat(z) W_O = z_1 W_O_1 + … + z_h W_O_h.
        """
        axes = "(head d_head) d_model -> head d_head d_model"
        w_o = rearrange(self.output.weight, axes, head=self.n_heads)
        axes = "... head position d_head, head d_head d_model -> ... head position d_model"
        return einsum(z, w_o, axes)


def concat_heads(z: Heads) -> Float[Tensor, "*batch position channel"]:
    """Concatenates the heads of each position."""
    return rearrange(z, "... head position d_head -> ... position (head d_head)")


PROJECTIONS = "query_key_value"


@typeset("Σ {sum} + {1} = {value}")
@typeset("Σ {value}")
@rule
def sum_all(cell: Cell, parts: Tensor, bias: Tensor | float = 0.0) -> list[Step]:
    """The sum over all heads, plus the bias if there is one."""
    return [
        Step("sum", "sum over heads", parts.sum()),
        Step("value", "sum + bias", parts.sum() + bias),
    ]


@dataclass(frozen=True)
class AttentionSite:
    """The attention layer `scope`. Its queries come from the stream `x` and are on the axis
    `query`; its keys and values come from the stream `memory` and are on the axis `key`.
    """

    config: Config
    scope: str
    x: str
    memory: str
    query: str
    key: str
    positions: RelativePositions

    def grid(
        self, name: str, formula: str, sentence: str, rule: Rule, *operands: str
    ) -> Activation:
        """An activation [head, query, key]."""
        index, axes = ("head", "query", "key"), ("head", self.query, self.key)
        return Activation(f"{self.scope}.{name}", index, axes, formula, sentence, rule, operands)

    @property
    def mask(self) -> str:
        """The mask as an operand; all layers of a stack share it."""
        return f"{Site.parse(f'{self.scope}.mask').of_stack}[query key]"


def recalled_activation(name: str, x: str, axis: str) -> Activation:
    """The cached inputs of a layer, followed by its current input `x` (Dai et al. 2019)."""
    site = Site.parse(name)
    operand = f"{site.stack}.{site.layer}.memory[memory channel]"
    return Activation(
        name,
        ("position", "channel"),
        ("recalled", "channel"),
        "[memory, x]",
        "What the layer remembers of the segments before, and its own segment.",
        copy,
        (f"{x}[{axis} channel]",),
        parts={"memory": (copy, (operand,))},
    )


def attention_activations(
    site: AttentionSite, pattern: Iterable[Activation]
) -> Iterator[Activation]:
    """The activations of an attention layer, in the order of computation. `pattern` holds those
    from queries and keys to the attention weights.
    """
    config, scope = site.config, site.scope
    sentence = "Queries: what each token looks for."
    yield rotated(site, "q", "query", "head", site.x, site.query, sentence)
    sentence = "Keys: what each token offers to be found by."
    yield rotated(site, "k", "key", "kv_head", site.memory, site.key, sentence)
    sentence = "Values: what each token hands over when it is found."
    yield projected(site, "v", "value", "kv_head", site.memory, site.key, sentence)
    yield from pattern

    def head_activation(
        name: str, width: str, formula: str, sentence: str, *operands: str
    ) -> Activation:
        index, axes = ("head", "query", width), ("head", site.query, width)
        return Activation(f"{scope}.{name}", index, axes, formula, sentence, product, operands)

    yield head_activation(
        "z",
        "head_channel",
        "pattern v",
        "What each head has gathered: the values, mixed by the pattern.",
        f"{scope}.pattern[head query *]",
        f"{scope}.v[head * head_channel]",
    )
    yield head_activation(
        "head_out",
        "channel",
        "z W_O[head]",
        "What each head writes to the stream.",
        f"{scope}.z[head query *]",
        f"{scope}.output.weight[(head *) channel]",
    )
    yield Activation(
        f"{scope}.out",
        ("query", "channel"),
        (site.query, "channel"),
        f"sum of head_out over heads{plus_bias(config, 'b_O', 'attention_output')}",
        "What all heads together write.",
        sum_all,
        (
            f"{scope}.head_out[* query channel]",
            *((f"{scope}.output.bias[channel]",) if config.has_biases("attention_output") else ()),
        ),
    )


def projected(
    site: AttentionSite, name: str, part: str, head: str, x: str, axis: str, sentence: str
) -> Activation:
    """Queries, keys or values: the linear map `part` of the stream `x`, for the heads `head`."""
    rule, operands = linear_operands(
        site.config,
        f"{x}[position *]",
        f"{site.scope}.{part}",
        f"({head} head_channel)",
        PROJECTIONS,
    )
    letter = name.upper()
    return Activation(
        f"{site.scope}.{name}",
        ("head", "position", "head_channel"),
        ("head", axis, "head_channel"),
        f"x W_{letter}{plus_bias(site.config, f'b_{letter}', PROJECTIONS)}",
        sentence,
        rule,
        operands,
    )


def rotated(
    site: AttentionSite, name: str, part: str, head: str, x: str, axis: str, sentence: str
) -> Activation:
    """Queries or keys. If positions rotate them, an entry depends on its pair of channels, so the
    operands are those of the whole head.
    """
    plain, rotation = projected(site, name, part, head, x, axis, sentence), site.positions.rotation
    if rotation is None:
        return plain
    _, operands = linear_operands(
        site.config, f"{x}[position *]", f"{site.scope}.{part}", f"({head} *)", PROJECTIONS
    )
    formula = rotation.formula.format(plain.formula)
    return replace(plain, formula=formula, rule=rotation.rule, operands=operands)


def softmax_activations(site: AttentionSite) -> Iterator[Activation]:
    """Scores, masked scores, and the pattern of softmax attention."""
    config, scope = site.config, site.scope
    score, bias = SCORES[config.attention.score], site.positions.bias
    formula, rule = score.formula, score.rule
    operands = tuple(operand.format(scope) for operand in score.operands)
    if bias is not None:
        yield site.grid(
            "relative",
            bias.formula,
            "What the offset of query and key adds to their score.",
            bias.rule_of(config.both_ways(str(Site.parse(f"{scope}.relative").stack))),
            *(operand.format(scope) for operand in bias.operands),
        )
        formula, rule = f"{formula} + relative", with_relative(rule)
        operands = (f"{scope}.relative[head query key]", *operands)
    yield site.grid("scores", formula, "How well each query fits each key.", rule, *operands)
    yield site.grid(
        "masked_scores",
        f"{formula} + mask",
        "The scores, with -inf where a query may not look.",
        SUM,
        f"{scope}.scores[head query key]",
        site.mask,
    )
    yield site.grid(
        "pattern",
        f"softmax({formula} + mask)",
        "How much each query takes from each key; a row sums to 1.",
        softmax_steps,
        f"{scope}.masked_scores[head query *]",
    )
