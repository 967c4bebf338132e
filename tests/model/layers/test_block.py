"""A block: its sub-layers are called alike, and each has a norm and a scale of its own."""

from inspect import signature

import torch
from torch import nn

from model.config import Config
from model.layers.block import SUBLAYERS, Block, block_with_placement
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.context import Context
from tests.model.support.small import config_of

D = 8
EVERYWHERE = Context(torch.ones(1, 4, 4, dtype=torch.bool))


def config(placement: str = "post", **choices) -> Config:
    sizes = {"vocabulary_size": 5, "d_model": D, "n_heads": 2, "d_ff": 12, "n_encoder_layers": 1}
    return config_of(family="encoder-only", placement=placement, **sizes, **choices)


def random_block(block: Block) -> tuple[Block, torch.Tensor]:
    """The block with random weights, and a stream for it."""
    draws = torch.Generator().manual_seed(0)
    for parameter in block.parameters():
        parameter.data.copy_(torch.randn(parameter.shape, generator=draws))
    return block.requires_grad_(False), torch.randn(1, 4, D, generator=draws)


def test_every_sub_layer_is_called_with_the_stream_its_context_and_the_trace():
    of_rows = {"inputs": "columns", "n_numeric": 3, "positions": "none", "max_length": 4}
    table_config = config(**of_rows, tied_unembedding=False, between_rows=True)
    for part in SUBLAYERS.values():
        sublayer = part.make(table_config, "encoder")
        assert list(signature(sublayer.forward).parameters) == ["x", "context", "trace"]


def test_a_further_parameter_of_a_block_is_no_scale():
    block = Block(config(shortcut=0.9), "encoder")
    block.register_parameter("further", nn.Parameter(torch.zeros(D)))
    assert [block.residual_scale(number) for number in (1, 2)] == [0.9, 0.9]
    admin = Block(config("admin"), "encoder")
    admin.register_parameter("further", nn.Parameter(torch.zeros(D)))
    assert admin.residual_scale(1) is admin.shortcut1
    assert admin.residual_scale(2) is admin.shortcut2


def test_a_block_under_another_placement_shares_the_weights_and_leaves_the_block_as_it_was():
    block, x = random_block(Block(config("post"), "encoder"))
    before = block(x, EVERYWHERE)
    for placement in PLACEMENT_NAMES:
        other, plain = block_with_placement(block, placement), Block(config(placement), "encoder")
        plain.load_state_dict(block.state_dict(), strict=False)
        assert torch.equal(other(x, EVERYWHERE), plain(x, EVERYWHERE)), placement
        assert all(a is b for a, b in zip(other.parameters(), block.parameters(), strict=True))
    assert torch.equal(block(x, EVERYWHERE), before)


def test_the_bottom_of_a_block_is_added_at_its_top_alone():
    """Takase et al. 2022: x = norm(x + f(x)) below, norm(x + f(x) + bottom) at the top."""
    block, x = random_block(Block(config("b2t"), "encoder"))
    middle = block.norm1(x + block.attention(x, EVERYWHERE))
    top = block.norm2(middle + block.feed_forward(middle) + x)
    assert torch.equal(block(x, EVERYWHERE), top)
