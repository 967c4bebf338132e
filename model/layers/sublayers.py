"""The sub-layers that a block can have, by their names. All are called f(x, context, trace)."""

from collections.abc import Callable

from torch import nn

from model.config import Config
from model.layers.attention import MultiHeadAttention, encoder_output
from model.layers.favor_attention import make_attention
from model.layers.feed_forward import make_feed_forward
from model.layers.intersample_attention import RowAttention
from model.layers.persistent_memory import make_slots
from model.layers.relative_positions import make_relation


def self_attention(config: Config, stack: str) -> MultiHeadAttention:
    """Attention to the stream itself, the only one with relative positions and slots."""
    return make_attention(config, relation=make_relation(config, stack), slots=make_slots(config))


SUBLAYERS: dict[str, Callable[[Config, str], nn.Module]] = {
    "attention": self_attention,
    "cross_attention": lambda config, stack: make_attention(config, encoder_output),
    "feed_forward": lambda config, stack: make_feed_forward(config),
    "row_attention": lambda config, stack: RowAttention(config),
    "row_feed_forward": lambda config, stack: make_feed_forward(config),
}
"""How each is made for a stack. `Config.sublayers` says which of them a block has."""
