"""T5 of `transformers` with random weights, and ours with the same weights."""

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


def t5(heads: int = HEADS, d_head: int = D // HEADS) -> tuple[nn.Module, Transformer]:
    """A tiny T5 with `heads` heads of `d_head` channels, made from a config, and our encoder and
    decoder with its weights, drawn from the global generator.
    """
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=D,
        d_kv=d_head,
        d_ff=48,
        num_layers=LAYERS,
        num_decoder_layers=2,
        num_heads=heads,
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
        "n_heads": heads,
        "head_dim": d_head,
        "d_ff": 48,
        "n_encoder_layers": LAYERS,
        "n_decoder_layers": 2,
    }
    own = {"scaled_embedding": False, "tied_unembedding": False, "norm_epsilon": 1e-6}
    return theirs, filled(
        config_of(family="encoder-decoder", vocabulary_size=VOCABULARY, **sizes, **choices, **own),
        ours,
    )
