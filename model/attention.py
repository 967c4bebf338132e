"""Multi-head attention (Vaswani et al. 2017, section 3.2).

Queries come from `x`, keys and values from `memory`: the same tensor for self-attention, the encoder's output for
cross-attention. Nothing else differs between the two.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.cache import Cache, no_cache
from model.config import Config
from model.linear import Linear
from model.scores import SCORES, softmax
from model.trace import OFF, Trace

Heads = Float[Tensor, "*batch head position d_head"]


class Attention(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        d = config.d_model
        self.query, self.key, self.value, self.output = (Linear(d, d) for _ in range(4))
        self.n_heads = config.n_heads
        self.score = SCORES[config.score]

    def split(self, x: Float[Tensor, "*batch position d_model"]) -> Heads:
        """d_model is cut into n_heads pieces of d_head; the head axis then steps out in front of the positions."""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(-3, -2)

    def forward(
        self,
        x: Float[Tensor, "*batch query d_model"],
        memory: Float[Tensor, "*batch new d_model"],  # with a cache, what is new: the keys are these and those kept
        mask: Float[Tensor, "*#batch #query key"],
        trace: Trace = OFF,
        cache: Cache = no_cache,
    ) -> Float[Tensor, "*batch query d_model"]:
        q = trace("q", self.split(self.query(x)))
        k, v = cache(lambda: (self.split(self.key(memory)), self.split(self.value(memory))))
        k, v = trace("k", k), trace("v", v)
        scores = trace("scores", self.score(q, k))
        masked_scores = trace("masked_scores", scores + mask.unsqueeze(-3))
        pattern = trace("pattern", softmax(masked_scores))
        z = trace("z", pattern @ v)
        trace.aside("head_out", lambda: self.head_out(z))
        return trace("out", self.output(z.transpose(-3, -2).flatten(-2)))

    def head_out(self, z: Heads) -> Float[Tensor, "*batch head position d_model"]:
        """What each head alone writes: concat(z) W_O is a sum over heads, because W_O is a stack of h blocks of rows."""
        w_o = self.output.weight.unflatten(0, (self.n_heads, -1))
        return torch.einsum("...hpd,hdm->...hpm", z, w_o)
