"""BERT and ViT of `transformers` with random weights, and ours with the same weights."""

import transformers
from torch import nn

from model.transformer import Transformer
from tests.model.support.hub import (
    HEADS,
    LAYERS,
    VOCABULARY,
    D,
    drawn,
    filled,
    gain,
    linear,
)
from tests.model.support.small import config_of


def bert() -> tuple[nn.Module, Transformer]:
    """A tiny BERT made from a config, and our encoder with its weights, drawn from the global
    generator. Their head for masked words is left aside.
    """
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
    theirs = drawn(transformers.BertForMaskedLM(config))
    weights = theirs.bert.state_dict()
    # One text has one segment, whose vector is the same at every position.
    first_segment = weights["embeddings.token_type_embeddings.weight"][0]
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
    return theirs, filled(
        config_of(family="encoder-only", vocabulary_size=VOCABULARY, **sizes, **choices), ours
    )


def vit() -> tuple[nn.Module, Transformer]:
    """A tiny ViT made from a config, and our encoder with its weights, drawn from the global
    generator.
    """
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
    return theirs, filled(
        config_of(family="encoder-only", vocabulary_size=10, **sizes, **choices, **image, **own),
        ours,
    )
