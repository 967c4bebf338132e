"""Multi-head attention (Vaswani et al. 2017, section 3.2).

Queries come from `x`, keys and values from `memory`: the same tensor for self-attention, the
encoder's output for cross-attention. Nothing else differs between the two.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers import random_features
from model.layers.attention_scores import Score, softmax
from model.layers.kv_cache import Cache, no_cache
from model.layers.linear import make_linear
from model.layers.persistent_memory import no_slots
from model.layers.relative_positions import Untold
from model.trace import OFF, Trace

Heads = Float[Tensor, "*batch head position d_head"]
Queries = Float[Tensor, "*batch head query d_head"]
Keys = Float[Tensor, "*batch head key d_head"]
Pattern = Float[Tensor, "*batch head query key"]
AdditiveMask = Float[Tensor, "*#batch #query #key"]


class Attention(nn.Module):
    """`relation` is what the heads are told of the distance of a query and a key, `slots` what they
    see besides the tokens.
    """

    def __init__(
        self, config: Config, relation: Untold | None = None, slots: nn.Module | None = None
    ):
        super().__init__()
        d, d_kv = config.d_model, config.kv_heads * config.d_head
        self.query = make_linear(config, d, d)
        self.key, self.value = make_linear(config, d, d_kv), make_linear(config, d, d_kv)
        self.output = make_linear(config, d, d)
        self.n_heads, self.d_head, self.sharing = (
            config.n_heads,
            config.d_head,
            config.n_heads // config.kv_heads,
        )
        self.score = Score(config)
        self.relation = relation or Untold()
        self.slots = slots or no_slots

    def split(self, x: Float[Tensor, "*batch position width"]) -> Heads:
        """The width is cut into pieces of d_head, one for each head; the head axis then steps out
        in front of the positions.
        """
        return x.unflatten(-1, (-1, self.d_head)).transpose(-3, -2)

    def shared(self, x: Float[Tensor, "*batch position d_kv"]) -> Heads:
        """Keys and values, the same for `sharing` heads in a row: 1 in multi-head attention
        (grouped: Ainslie et al. 2023).
        """
        heads = self.split(x)
        return heads if self.sharing == 1 else heads.repeat_interleave(self.sharing, dim=-3)

    def forward(
        self,
        x: Float[Tensor, "*batch query d_model"],
        memory: Float[
            Tensor, "*batch new d_model"
        ],  # with a cache, what is new: the keys are these and those kept
        mask: AdditiveMask,
        trace: Trace = OFF,
        cache: Cache = no_cache,
    ) -> Float[Tensor, "*batch query d_model"]:
        z = self.gathered(x, memory, mask, trace, cache)
        trace.aside("head_out", lambda: self.head_out(z))
        return trace("out", self.output(z.transpose(-3, -2).flatten(-2)))

    def gathered(
        self,
        x: Float[Tensor, "*batch query width"],
        memory: Float[Tensor, "*batch new width"],
        mask: AdditiveMask,
        trace: Trace,
        cache: Cache,
    ) -> Queries:
        """z = pattern v: what each head has gathered for each query."""
        q = self.split(self.query(x))
        k, v = cache(lambda: (self.shared(self.key(memory)), self.shared(self.value(memory))))
        q, k = self.relation.turn(q, start=k.shape[-2] - q.shape[-2]), self.relation.turn(k)
        k, v, mask = self.slots(k, v, mask)
        q, k, v = trace("q", q), trace("k", k), trace("v", v)
        return trace("z", self.pattern(q, k, mask, trace) @ v)

    def pattern(self, q: Queries, k: Keys, mask: AdditiveMask, trace: Trace) -> Pattern:
        """softmax(q k^T / sqrt(d_head) + mask) (equation 1)."""
        scores = trace("scores", self.relation.add(self.score(q, k), q, trace))
        masked_scores = trace("masked_scores", scores + mask.unsqueeze(-3))
        return trace("pattern", softmax(masked_scores))

    def head_out(self, z: Heads) -> Float[Tensor, "*batch head position d_model"]:
        """What each head alone writes: concat(z) W_O is a sum over heads, because W_O is a stack of
        h blocks of rows.
        """
        w_o = self.output.weight.unflatten(0, (self.n_heads, -1))
        return torch.einsum("...hpd,hdm->...hpm", z, w_o)


class FavorAttention(Attention):
    """The pattern estimated from random features of queries and keys, FAVOR+ (Choromanski et al.
    2021).

    Here the map is written out, so that it can be seen: `performer` has the same numbers at a cost
    linear in the length.
    """

    def __init__(
        self, config: Config, relation: Untold | None = None, slots: nn.Module | None = None
    ):
        super().__init__(config, relation, slots)
        self.features, self.draws = (
            random_features.FEATURES[config.features],
            random_features.DRAWS[config.draws],
        )
        self.projections = nn.Parameter(
            torch.zeros(config.n_features, config.d_head), requires_grad=False
        )

    def draw(self, generator: torch.Generator) -> None:
        """The projections, once and for all; they are not learned."""
        self.projections.copy_(self.draws(1, *self.projections.shape, generator)[0])

    def pattern(self, q: Queries, k: Keys, mask: AdditiveMask, trace: Trace) -> Pattern:
        """kernel / sum of kernel, kernel = phi(q / d_head^(1/4)) phi(k / d_head^(1/4))^T where the
        mask allows.
        """
        fourth_root = math.sqrt(math.sqrt(self.d_head))
        q_features = trace("q_features", self.features(q / fourth_root, self.projections))
        k_features = trace("k_features", self.features(k / fourth_root, self.projections))
        kernel = trace("kernel", q_features @ k_features.mT * mask.exp().unsqueeze(-3))
        whole = kernel.sum(-1, keepdim=True)
        return trace("pattern", kernel / whole.masked_fill(whole == 0, 1.0))


ATTENTIONS = {"softmax": Attention, "favor": FavorAttention}


def make_attention(
    config: Config, relation: Untold | None = None, slots: nn.Module | None = None
) -> Attention:
    return ATTENTIONS[config.weighing](config, relation, slots)
