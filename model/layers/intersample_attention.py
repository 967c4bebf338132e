"""Attention between the rows of a table: a row is one vector, its tokens one after another (SAINT:
Somepalli et al. 2021, section 3.1).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.config import Config
from model.layers.attention import MultiHeadAttention, concat_heads
from model.layers.context import Context
from model.layers.kv_cache import no_cache
from model.layers.linear import make_linear
from model.trace import OFF, Trace

Table = Float[Tensor, "*batch row position channel"]


class RowAttention(MultiHeadAttention):
    """Intersample attention: softmax(q k^T / sqrt(d_head)) v over rows; the maps read a whole row
    and write a whole row.

    A head is as wide as between columns, so that W_Q, W_K, W_V are [positions d_model, h d_head]
    and W_O [h d_head, positions d_model].
    """

    def __init__(self, config: Config):
        super().__init__(config)
        width = config.max_length * config.d_model
        self.query, self.key, self.value = (
            make_linear(config, width, config.d_q) for _ in range(3)
        )
        self.output = make_linear(config, config.d_q, width)
        self.columns, self.group_size = config.max_length, 1

    def forward(self, x: Table, context: Context | None = None, trace: Trace = OFF) -> Table:
        """Every row sees every row, and nothing else."""
        rows = trace("rows", x).flatten(-2)
        every_row = torch.ones(1, 1, dtype=torch.bool, device=x.device)
        z = self.gather(rows, rows, every_row, trace, no_cache)
        trace.lazy(
            "head_out", lambda: self.head_out(z).transpose(-3, -2).unflatten(-1, (self.columns, -1))
        )
        return trace("out", self.output(concat_heads(z)).unflatten(-1, (self.columns, -1)))
