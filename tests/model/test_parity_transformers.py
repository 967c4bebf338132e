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


def pairs_side_by_side(weight: Tensor) -> Tensor:
    """Llama turns channel i with channel i + d_head/2 of a head, we 2i with 2i + 1 as in the paper:
    the columns change places.
    """
    halves = weight.unflatten(-1, (-1, 2, D // HEADS // 2))
    return halves.transpose(-1, -2).flatten(-3)


def test_llama():
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=D,
        intermediate_size=48,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
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
                pairs_side_by_side(weight) if name in ("query", "key") else weight
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
        "gated": True,
        "activation": "silu",
        "biases": False,
    }
    sizes = {
        "d_model": D,
        "n_heads": HEADS,
        "n_kv_heads": 2,
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


def test_t5():
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=D,
        d_kv=D // HEADS,
        d_ff=48,
        num_layers=LAYERS,
        num_decoder_layers=2,
        num_heads=HEADS,
        feed_forward_proj="relu",
        attn_implementation="eager",
    )
    theirs = drawn(transformers.T5ForConditionalGeneration(config))
    weights = theirs.state_dict()
    ours = {
        "embedding.token": weights["shared.weight"],
        "untied": weights["lm_head.weight"].clone(),
    }
    if theirs.config.tie_word_embeddings:
        ours["untied"] = weights["shared.weight"] * D**-0.5
    for stack, layers in (("encoder", LAYERS), ("decoder", 2)):
        ours |= gain(f"{stack}.final_layer_norm", weights, f"{stack}.norm")
        table = weights[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        parts = {"attention": "SelfAttention"} | (
            {"cross_attention": "EncDecAttention"} if stack == "decoder" else {}
        )
        for i in range(layers):
            here, there = f"{stack}.{i}", f"{stack}.block.{i}.layer"
            ours[f"{here}.attention.relation.weight"] = table  # T5's layers share the first one's
            for number, (attention, part) in enumerate(parts.items()):
                for name, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
                    ours |= linear(
                        f"{there}.{number}.{part}.{letter}", weights, f"{here}.{attention}.{name}"
                    )
                ours |= gain(f"{there}.{number}.layer_norm", weights, f"{here}.norm{number + 1}")
            last = len(parts)
            ours |= linear(
                f"{there}.{last}.DenseReluDense.wi", weights, f"{here}.feed_forward.hidden"
            )
            ours |= linear(
                f"{there}.{last}.DenseReluDense.wo", weights, f"{here}.feed_forward.output"
            )
            ours |= gain(f"{there}.{last}.layer_norm", weights, f"{here}.norm{last + 1}")
    choices = {
        "placement": "pre",
        "norm": "rms",
        "positions": "none",
        "relative": "t5",
        "score": "dot",
        "biases": False,
    }
    sizes = {
        "d_model": D,
        "n_heads": HEADS,
        "d_ff": 48,
        "n_encoder_layers": LAYERS,
        "n_decoder_layers": 2,
    }
    own = {"scaled_embedding": False, "tied_unembedding": False, "norm_epsilon": 1e-6}
    model = filled(
        config_of(family="encoder-decoder", vocabulary_size=VOCABULARY, **sizes, **choices, **own),
        ours,
    )
    everywhere = torch.ones(1, N, dtype=torch.bool)
    memory = model.encode(TEXT, everywhere)
    logits = model.unembed(model.decode(TARGET, masks.causal(len(TARGET)), memory, everywhere))
    with torch.no_grad():
        expected = theirs(input_ids=TEXT[None], decoder_input_ids=TARGET[None])
    assert largest(memory, expected.encoder_last_hidden_state[0]) < TOLERANCE
    assert largest(logits, expected.logits[0]) < TOLERANCE


def test_bert():
    config = transformers.BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=D,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=48,
        max_position_embeddings=16,
        layer_norm_eps=1e-12,
        attn_implementation="eager",
    )
    theirs = drawn(transformers.BertModel(config, add_pooling_layer=False))
    weights = theirs.state_dict()
    first_segment = weights["embeddings.token_type_embeddings.weight"][
        0
    ]  # one text: its segment's vector is a constant
    ours = {
        "embedding.token": weights["embeddings.word_embeddings.weight"],
        "embedding.learned": weights["embeddings.position_embeddings.weight"] + first_segment,
        **gain("embeddings.LayerNorm", weights, "embedding.norm"),
    }
    parts = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "output": "attention.output.dense",
    }
    for i in range(LAYERS):
        here, there = f"encoder.{i}", f"encoder.layer.{i}"
        for name, part in parts.items():
            ours |= linear(f"{there}.{part}", weights, f"{here}.attention.{name}")
        ours |= linear(f"{there}.intermediate.dense", weights, f"{here}.feed_forward.hidden")
        ours |= linear(f"{there}.output.dense", weights, f"{here}.feed_forward.output")
        ours |= gain(f"{there}.attention.output.LayerNorm", weights, f"{here}.norm1")
        ours |= gain(f"{there}.output.LayerNorm", weights, f"{here}.norm2")
    choices = {
        "positions": "learned",
        "activation": "gelu",
        "scaled_embedding": False,
        "normed_embedding": True,
        "norm_epsilon": 1e-12,
    }
    sizes = {
        "d_model": D,
        "n_heads": HEADS,
        "d_ff": 48,
        "n_encoder_layers": LAYERS,
        "max_length": 16,
    }
    model = filled(
        config_of(family="encoder-only", vocabulary_size=VOCABULARY, **sizes, **choices), ours
    )
    with torch.no_grad():
        expected = theirs(TEXT[None]).last_hidden_state[0]
    assert largest(model.encode(TEXT, torch.ones(1, N, dtype=torch.bool)), expected) < TOLERANCE


def test_vit():
    config = transformers.ViTConfig(
        hidden_size=D,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=48,
        image_size=8,
        patch_size=2,
        num_channels=3,
        num_labels=10,
        attn_implementation="eager",
    )
    theirs = drawn(transformers.ViTForImageClassification(config))
    weights = theirs.vit.state_dict()
    ours = {
        "embedding.token.cls": weights["embeddings.cls_token"][0, 0],
        "embedding.token.patch.weight": (
            weights["embeddings.patch_embeddings.projection.weight"].flatten(1).T
        ),
        "embedding.token.patch.bias": weights["embeddings.patch_embeddings.projection.bias"],
        "embedding.learned": weights["embeddings.position_embeddings"][0],
        **gain("layernorm", weights, "encoder.norm"),
        "untied": theirs.classifier.weight.data,
        "unembedding_bias": theirs.classifier.bias.data,
    }
    parts = {
        **{
            f"attention.{name}": f"attention.{name[0]}_proj"
            for name in ("query", "key", "value", "output")
        },
        "feed_forward.hidden": "mlp.fc1",
        "feed_forward.output": "mlp.fc2",
    }
    for i in range(LAYERS):
        here, there = f"encoder.{i}", f"layers.{i}"
        for name, part in parts.items():
            ours |= linear(f"{there}.{part}", weights, f"{here}.{name}")
        ours |= gain(f"{there}.layernorm_before", weights, f"{here}.norm1")
        ours |= gain(f"{there}.layernorm_after", weights, f"{here}.norm2")
    choices = {
        "placement": "pre",
        "positions": "learned",
        "activation": "gelu",
        "norm_epsilon": config.layer_norm_eps,
    }
    sizes = {
        "d_model": D,
        "n_heads": HEADS,
        "d_ff": 48,
        "n_encoder_layers": LAYERS,
        "max_length": 17,
    }
    image = {"inputs": "patches", "image_side": 8, "patch_side": 2, "colours": 3}
    own = {"scaled_embedding": False, "tied_unembedding": False, "unembedding_bias": True}
    model = filled(
        config_of(family="encoder-only", vocabulary_size=10, **sizes, **choices, **image, **own),
        ours,
    )
    images = torch.rand(5, 3, 8, 8, generator=torch.Generator().manual_seed(2))
    logits = model.unembed(model.encode(images, torch.ones(1, 17, 17, dtype=torch.bool)))
    with torch.no_grad():
        assert largest(logits[:, 0], theirs(images).logits) < TOLERANCE
