"""The same weights in torch.nn give the same numbers: an oracle that many people have used for
years.
"""

import pytest
import torch
from torch import nn

from model.config import Config
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.layers.block import Block
from model.layers.context import Context
from model.trace import Recorder
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from tests.model.support.small import small
from tests.rounding import same

ATTENTION_MASKS = {
    "full": lambda n: masks.full(n),
    "causal": lambda n: masks.causal(n),
    "padding": lambda n: masks.padding(n, [n, n - 3])[:, 0],
}


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """torch keeps W transposed, and the three projections of the input one above the other."""
    projections = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([p.weight.mT for p in projections]).clone()
    theirs.in_proj_bias.data = torch.cat([p.bias for p in projections]).clone()
    theirs.out_proj.weight.data, theirs.out_proj.bias.data = (
        ours.output.weight.mT.clone(),
        ours.output.bias.clone(),
    )


def copy_norm(ours: nn.Module, theirs: nn.LayerNorm) -> None:
    theirs.weight.data, theirs.bias.data = ours.gain.clone(), ours.bias.clone()


def copy_block(
    ours: Block, theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer
) -> None:
    copy_attention(ours.attention, theirs.self_attn)
    if "cross_attention" in ours.names:
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    for part, theirs_part in (
        (ours.feed_forward.hidden, theirs.linear1),
        (ours.feed_forward.output, theirs.linear2),
    ):
        theirs_part.weight.data, theirs_part.bias.data = part.weight.mT.clone(), part.bias.clone()
    for number in range(1, len(ours.names) + 1):
        copy_norm(getattr(ours, f"norm{number}"), getattr(theirs, f"norm{number}"))


def torch_transformer(model: Transformer) -> nn.Transformer:
    """nn.Transformer always adds a final norm of its own making to both stacks: a Post-LN one needs
    stacks built without.

    Kept in training mode with dropout 0: in eval mode the encoder has a second, fused
    implementation that zeroes padded rows.
    """
    config, pre = model.config, model.config.placement == "pre"
    sizes = (config.d_model, config.n_heads, config.d_ff, 0.0, config.activation)
    choices = {"norm_first": pre, "batch_first": True, "layer_norm_eps": config.norm.epsilon}
    final = [nn.LayerNorm(config.d_model, config.norm.epsilon) if pre else None for _ in range(2)]
    theirs = nn.Transformer(
        *sizes[:2],
        custom_encoder=nn.TransformerEncoder(
            nn.TransformerEncoderLayer(*sizes, **choices),
            config.n_encoder_layers,
            final[0],
            enable_nested_tensor=False,
        ),
        custom_decoder=nn.TransformerDecoder(
            nn.TransformerDecoderLayer(*sizes, **choices), config.n_decoder_layers, final[1]
        ),
        batch_first=True,
    )
    for ours, others in ((model.encoder, theirs.encoder), (model.decoder, theirs.decoder)):
        for layer, other in enumerate(others.layers):
            copy_block(ours[layer], other)
        if pre:
            copy_norm(ours.norm, others.norm)
    return theirs.train()


@pytest.mark.parametrize("mask", ATTENTION_MASKS)
def test_self_attention_is_that_of_torch(mask):
    model = small(dtype=torch.float32, d_model=64, n_heads=8)
    ours, theirs = model.encoder[0].attention, nn.MultiheadAttention(64, 8, batch_first=True)
    copy_attention(ours, theirs)
    x = torch.randn(2, 11, 64, generator=torch.Generator().manual_seed(1))
    allowed = ATTENTION_MASKS[mask](11)
    as_torch_wants = (
        {"key_padding_mask": ~allowed} if mask == "padding" else {"attn_mask": ~allowed}
    )
    each_query = allowed[:, None] if mask == "padding" else allowed
    compare_attention(ours, theirs, x, x, each_query, as_torch_wants)


def test_cross_attention_is_that_of_torch():
    model = small(dtype=torch.float32, d_model=64, n_heads=8)
    ours, theirs = model.decoder[0].cross_attention, nn.MultiheadAttention(64, 8, batch_first=True)
    copy_attention(ours, theirs)
    generator = torch.Generator().manual_seed(1)
    x, memory = (
        torch.randn(2, 5, 64, generator=generator),
        torch.randn(2, 9, 64, generator=generator),
    )
    compare_attention(ours, theirs, x, memory, torch.ones(5, 9, dtype=torch.bool), {})


def compare_attention(
    ours: MultiHeadAttention, theirs: nn.MultiheadAttention, x, memory, mask, as_torch_wants
) -> None:
    output, pattern = theirs(x, memory, memory, average_attn_weights=False, **as_torch_wants)
    trace = Recorder()
    mine = ours.attend(x, memory, mask, trace)
    same(trace.values["pattern"], pattern, scale=1)
    same(mine, output, scale=1)


def test_a_query_that_may_look_nowhere_gets_zeros_where_torch_has_not_a_number():
    model = small(dtype=torch.float32, d_model=64, n_heads=8)
    ours, theirs = model.encoder[0].attention, nn.MultiheadAttention(64, 8, batch_first=True)
    copy_attention(ours, theirs)
    x = torch.randn(1, 4, 64, generator=torch.Generator().manual_seed(1))
    allowed = masks.causal(4).tril(-1)
    assert theirs(x, x, x, attn_mask=~allowed)[0][0, 0].isnan().all()
    trace = Recorder()
    output = ours(x, Context(allowed), trace)
    assert (trace.values["pattern"][0, :, 0] == 0).all()
    assert torch.equal(output[0, 0], ours.output.bias)


@pytest.mark.parametrize("placement", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-11)])
def test_six_and_six_layers_with_padding_are_those_of_torch(
    placement, activation, dtype, tolerance
):
    config = {
        "d_model": 64,
        "d_ff": 128,
        "n_encoder_layers": 6,
        "n_decoder_layers": 6,
        "placement": placement,
        "activation": activation,
    }
    model = small(dtype=dtype, seed=3, **config)
    theirs = torch_transformer(model)
    generator = torch.Generator().manual_seed(1)
    source, target = (
        torch.randn(3, 9, 64, generator=generator, dtype=dtype),
        torch.randn(3, 7, 64, generator=generator, dtype=dtype),
    )
    real = masks.padding(9, [9, 6, 2])
    memory_mask, causal = real, masks.causal(7)[None]
    with torch.no_grad():
        memory = model.encoder(source, Context(memory_mask))
        ours = model.decoder(target, Context(causal, memory, memory_mask))
        hidden = ~real[:, 0]
        padding = {"src_key_padding_mask": hidden, "memory_key_padding_mask": hidden}
        expected_memory = theirs.encoder(source, src_key_padding_mask=hidden)
        expected = theirs(source, target, tgt_mask=~masks.causal(7), **padding)
    same(memory, expected_memory, scale=1)
    same(ours, expected, scale=1)


def test_layers_do_not_start_equal_as_those_of_torch_do():
    config = Config(
        family="encoder-only", vocabulary_size=5, d_model=16, n_heads=2, d_ff=8, n_encoder_layers=2
    )
    ours = initialise(Transformer(config), torch.Generator().manual_seed(0)).encoder
    theirs = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(16, 2, 8), 2, enable_nested_tensor=False
    ).layers
    assert torch.equal(theirs[0].linear1.weight, theirs[1].linear1.weight)
    assert not torch.equal(ours[0].feed_forward.hidden.weight, ours[1].feed_forward.hidden.weight)
