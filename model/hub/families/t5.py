"""T5 (Raffel et al. 2020) and its later gated version, as in Flan-T5: a Pre-LN encoder and decoder
with RMSNorm, a learned bias for each offset, unscaled scores, and no biases.
"""

from collections.abc import Collection
from typing import Any

from torch import Tensor

from model.config import Config
from model.hub.family import Family, Head
from model.hub.keys import ACTIVATIONS, Fields, Key, Keys, Unread, only, silent, size
from model.hub.weights import Aside, Ours, Rule, linear, norm, table, unembedding


def feed_forward(value: Any, keys: Keys) -> Fields:
    """The activation function of the feed-forward network; the prefix "gated-" means a gate."""
    gate, _, name = str(value).rpartition("-")
    if value == "gated-gelu":
        name = "gelu_new"  # despite the name, T5 uses the approximation
    if gate not in ("", "gated") or name not in ACTIVATIONS:
        raise Unread("activation-not-read-or-gated", value=repr(value), known=ACTIVATIONS)
    return {"activation": ACTIVATIONS[name], "gated": bool(gate)}


def scaled(value: Any, keys: Keys) -> Fields:
    """T5 divides its last stream by sqrt(d_model). The later version, with an untied embedding,
    does not.
    """
    stated = keys.get("scale_decoder_outputs")
    return {"scaled_unembedding": value is not False if stated is None else stated}


def decoder_layers(value: Any, keys: Keys) -> Fields:
    return {"n_decoder_layers": keys.get("num_layers", 6) if value is None else value}


KEYS = {
    "vocab_size": size("vocabulary_size", 32128),
    "d_model": size("d_model", 512),
    "d_kv": size("head_dim", 64),
    "d_ff": size("d_ff", 2048),
    "num_layers": size("n_encoder_layers", 6),
    "num_decoder_layers": Key(decoder_layers, None),
    "num_heads": size("n_heads", 8),
    "n_positions": size("max_length", 512),
    "layer_norm_epsilon": size("norm_epsilon", 1e-6),
    "feed_forward_proj": Key(feed_forward, "relu"),
    "tie_word_embeddings": Key(scaled, None),
    "relative_attention_num_buckets": only(32),
    "relative_attention_max_distance": only(128),
    **silent(
        "dropout_rate classifier_dropout dense_act_fn is_gated_act scale_decoder_outputs"
        " is_encoder_decoder"
    ),
}


def offsets(stack: str) -> Rule:
    """The biases of the offsets, shared by all layers of a stack."""

    def rule(config: Config, leaf: str, x: Tensor) -> Ours:
        layers = range(config.layers(stack))
        return {f"{stack}.{layer}.attention.relation.weight": x for layer in layers}

    return rule


def attention(theirs: str, ours: str) -> dict[str, Rule]:
    """The four maps of an attention layer."""
    names = {"q": "query", "k": "key", "v": "value", "o": "output"}
    return {f"{theirs}.{key}": linear(f"{ours}.{name}") for key, name in names.items()}


def feed_forwards(theirs: str, ours: str) -> dict[str, Rule]:
    """The maps of a feed-forward network in either version."""
    return {
        f"{theirs}.wi": linear(f"{ours}.hidden"),
        f"{theirs}.wi_0": linear(f"{ours}.gate"),
        f"{theirs}.wi_1": linear(f"{ours}.hidden"),
        f"{theirs}.wo": linear(f"{ours}.output"),
    }


ENCODER, DECODER = "encoder.block.*.layer", "decoder.block.*.layer"
WEIGHTS: dict[str, Rule] = {
    "shared": table("embedding.token"),
    "encoder.embed_tokens": table("embedding.token"),
    "decoder.embed_tokens": table("embedding.token"),
    **attention(f"{ENCODER}.0.SelfAttention", "encoder.*.attention"),
    f"{ENCODER}.0.SelfAttention.relative_attention_bias": offsets("encoder"),
    f"{ENCODER}.0.layer_norm": norm("encoder.*.norm1"),
    **feed_forwards(f"{ENCODER}.1.DenseReluDense", "encoder.*.feed_forward"),
    f"{ENCODER}.1.layer_norm": norm("encoder.*.norm2"),
    "encoder.final_layer_norm": norm("encoder.norm"),
    **attention(f"{DECODER}.0.SelfAttention", "decoder.*.attention"),
    f"{DECODER}.0.SelfAttention.relative_attention_bias": offsets("decoder"),
    f"{DECODER}.0.layer_norm": norm("decoder.*.norm1"),
    **attention(f"{DECODER}.1.EncDecAttention", "decoder.*.cross_attention"),
    f"{DECODER}.1.layer_norm": norm("decoder.*.norm2"),
    **feed_forwards(f"{DECODER}.2.DenseReluDense", "decoder.*.feed_forward"),
    f"{DECODER}.2.layer_norm": norm("decoder.*.norm3"),
    "decoder.final_layer_norm": norm("decoder.norm"),
    f"{DECODER}.1.EncDecAttention.relative_attention_bias": Aside(
        "offsets between two texts, which no model reads"
    ),
}


def next_word(fields: Fields, keys: Keys, tensors: Collection[str]) -> Fields:
    """Whether there is an unembedding matrix can be seen in the weights, not in the keys."""
    return {"tied_unembedding": "lm_head.weight" not in tensors}


def encoder_alone(fields: Fields, keys: Keys, tensors: Collection[str]) -> Fields:
    return {"family": "encoder-only", "n_decoder_layers": 0}


FAMILIES = {
    "t5": Family(
        name="T5",
        prefix="",
        heads={
            "T5ForConditionalGeneration": Head("next word", next_word, {"lm_head": unembedding}),
            "T5Model": Head("none"),
            "T5EncoderModel": Head("none", encoder_alone),
        },
        keys=KEYS,
        weights=WEIGHTS,
        choices={
            "family": "encoder-decoder",
            "placement": "pre",
            "norm": "rms",
            "positions": "none",
            "relative": "t5",
            "score": "dot",
            "biases": False,
            "scaled_embedding": False,
        },
    )
}
