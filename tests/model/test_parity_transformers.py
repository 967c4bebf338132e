"""The same parts with the weights of GPT-2, Llama, T5, BERT and ViT give the numbers of
`transformers` (tiny ones, made from a config).
"""

import pytest
import torch
import transformers
from torch import Tensor

from model.layers import masks
from tests.model.support.hub import (
    HEADS,
    LAYERS,
    TARGET,
    TEXT,
    TOLERANCE,
    VOCABULARY,
    D,
    N,
    drawn,
    filled,
    gain,
    gpt_2,
    linear,
)
from tests.model.support.hub_encoders import bert, vit
from tests.model.support.hub_t5 import t5
from tests.model.support.small import config_of


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng():  # transformers draws its weights from the global generator
        torch.manual_seed(0)
        yield


def largest(a: Tensor, b: Tensor) -> float:
    assert a.shape == b.shape
    assert b.abs().max() > 0.5
    return (a - b).abs().max().item()


def test_gpt_2():
    theirs, model = gpt_2()
    logits = model.unembed(model.decode(TEXT, masks.causal(N)))
    with torch.no_grad():
        assert largest(logits, theirs(TEXT[None]).logits[0]) < TOLERANCE


def pairs_side_by_side(weight: Tensor, d_head: int) -> Tensor:
    """Llama turns channel i with channel i + d_head/2 of a head, we 2i with 2i + 1 as in the paper:
    the columns change places.
    """
    halves = weight.unflatten(-1, (-1, 2, d_head // 2))
    return halves.transpose(-1, -2).flatten(-3)


@pytest.mark.parametrize(
    ("base", "d_head"), [(10000.0, D // HEADS), (500.0, D // HEADS), (500.0, 12)]
)
def test_llama(base: float, d_head: int):
    """Llama 3 has another base of its rotary positions, and heads may be wider than their share."""
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=D,
        intermediate_size=48,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        head_dim=d_head,
        rope_parameters={"rope_type": "default", "rope_theta": base},
        max_position_embeddings=16,
        rms_norm_eps=1e-5,
        attn_implementation="eager",
    )
    theirs = drawn(transformers.LlamaForCausalLM(config))
    weights = theirs.model.state_dict()
    ours = {
        "embedding.token": weights["embed_tokens.weight"],
        "untied": theirs.lm_head.weight.data,
        **gain("norm", weights, "decoder.norm"),
    }
    for i in range(LAYERS):
        here, there = f"decoder.{i}", f"layers.{i}"
        for name, part in (
            ("query", "q_proj"),
            ("key", "k_proj"),
            ("value", "v_proj"),
            ("output", "o_proj"),
        ):
            weight = weights[f"{there}.self_attn.{part}.weight"].T
            ours[f"{here}.attention.{name}.weight"] = (
                pairs_side_by_side(weight, d_head) if name in ("query", "key") else weight
            )
        for name, part in (("gate", "gate_proj"), ("hidden", "up_proj"), ("output", "down_proj")):
            ours |= linear(f"{there}.mlp.{part}", weights, f"{here}.feed_forward.{name}")
        ours |= gain(f"{there}.input_layernorm", weights, f"{here}.norm1")
        ours |= gain(f"{there}.post_attention_layernorm", weights, f"{here}.norm2")
    choices = {
        "placement": "pre",
        "norm": "rms",
        "positions": "none",
        "relative": "rope",
        "rope_base": base,
        "gated": True,
        "activation": "silu",
        "biases": False,
    }
    sizes = {
        "d_model": D,
        "n_heads": HEADS,
        "n_kv_heads": 2,
        "head_dim": d_head,
        "d_ff": 48,
        "n_decoder_layers": LAYERS,
    }
    own = {"scaled_embedding": False, "tied_unembedding": False}
    model = filled(
        config_of(family="decoder-only", vocabulary_size=VOCABULARY, **sizes, **choices, **own),
        ours,
    )
    logits = model.unembed(model.decode(TEXT, masks.causal(N)))
    with torch.no_grad():
        assert largest(logits, theirs(TEXT[None]).logits[0]) < TOLERANCE


@pytest.mark.parametrize(("heads", "d_head"), [(HEADS, D // HEADS), (6, 8)])
def test_t5(heads: int, d_head: int):
    """The small T5 of Flan has 6 heads of 64 channels in a width of 512, and not 8."""
    theirs, model = t5(heads, d_head)
    everywhere = torch.ones(1, N, dtype=torch.bool)
    memory = model.encode(TEXT, everywhere)
    logits = model.unembed(model.decode(TARGET, masks.causal(len(TARGET)), memory, everywhere))
    with torch.no_grad():
        expected = theirs(input_ids=TEXT[None], decoder_input_ids=TARGET[None])
    assert largest(memory, expected.encoder_last_hidden_state[0]) < TOLERANCE
    assert largest(logits, expected.logits[0]) < TOLERANCE


def test_bert():
    theirs, model = bert()
    with torch.no_grad():
        expected = theirs.bert(TEXT[None]).last_hidden_state[0]
    assert largest(model.encode(TEXT, torch.ones(1, N, dtype=torch.bool)), expected) < TOLERANCE


def test_vit():
    theirs, model = vit()
    images = torch.rand(5, 3, 8, 8, generator=torch.Generator().manual_seed(2))
    logits = model.unembed(model.encode(images, torch.ones(1, 17, 17, dtype=torch.bool)))
    with torch.no_grad():
        assert largest(logits[:, 0], theirs(images).logits) < TOLERANCE
