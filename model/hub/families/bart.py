"""BART (Lewis et al. 2020) and Marian (Junczys-Dowmunt et al. 2018), which share their names:
Post-LN encoders and decoders, no final norm, and a bias for each word.
"""

from collections.abc import Collection
from typing import Any

from torch import Tensor

from model.config import Config
from model.hub.family import Family, Head
from model.hub.keys import Fields, Key, Keys, Unread, activation, only, silent, size
from model.hub.weights import Aside, Ours, Rule, linear, norm, table, unembedding


def as_in_the_encoder(theirs: str) -> Key:
    """A decoder size, which must equal that of the encoder: our models have only one of each."""

    def says(value: Any, keys: Keys) -> Fields:
        if value != keys.get(theirs, value):
            raise Unread("not-equal-keys", value=str(value), theirs=theirs, other=str(keys[theirs]))
        return {}

    return Key(says, None)


def with_default(key: Key, theirs: str, default: int) -> dict[str, Key]:
    """An encoder size, and the same size of the decoder."""
    return {
        f"encoder_{theirs}": Key(key.says, default),
        f"decoder_{theirs}": Key(as_in_the_encoder(f"encoder_{theirs}").says, default),
    }


KEYS = {
    "vocab_size": size("vocabulary_size", 50265),
    "d_model": size("d_model", 1024),
    "encoder_layers": size("n_encoder_layers", 12),
    "decoder_layers": size("n_decoder_layers", 12),
    **with_default(size("n_heads"), "attention_heads", 16),
    **with_default(size("d_ff"), "ffn_dim", 4096),
    "activation_function": activation("gelu"),
    "max_position_embeddings": size("max_length", 1024),
    "scale_embedding": size("scaled_embedding", False),
    "tie_word_embeddings": only(True, None),
    "is_encoder_decoder": only(True),
    "normalize_before": only(False, None),
    "add_final_layer_norm": only(False, None),
    "add_bias_logits": only(False, None),
    **silent(
        "dropout attention_dropout activation_dropout classifier_dropout classif_dropout"
        " encoder_layerdrop decoder_layerdrop init_std num_hidden_layers hidden_size"
        " force_bos_token_to_be_generated extra_pos_embeddings save_step"
    ),
}
BART = KEYS | {
    "normalize_embedding": only(True, None),
    "static_position_embeddings": only(False, None),
}
MARIAN = KEYS | {
    "vocab_size": size("vocabulary_size", 58101),
    "decoder_vocab_size": as_in_the_encoder("vocab_size"),
    "share_encoder_decoder_embeddings": only(True, None),
    "normalize_embedding": only(False, None),
    "static_position_embeddings": only(True, None),
}

BEFORE_THE_FIRST = 2
"""Unused rows at the start of BART's position tables."""


def attention(theirs: str, ours: str) -> dict[str, Rule]:
    """The four maps of an attention layer."""
    names = {"q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "output"}
    return {f"{theirs}.{key}": linear(f"{ours}.{name}") for key, name in names.items()}


def layers(stack: str) -> dict[str, Rule]:
    """The tensors of a stack's blocks, without those of cross-attention."""
    theirs, last = f"{stack}.layers.*", 3 if stack == "decoder" else 2
    return {
        **attention(f"{theirs}.self_attn", f"{stack}.*.attention"),
        f"{theirs}.self_attn_layer_norm": norm(f"{stack}.*.norm1"),
        f"{theirs}.fc1": linear(f"{stack}.*.feed_forward.hidden"),
        f"{theirs}.fc2": linear(f"{stack}.*.feed_forward.output"),
        f"{theirs}.final_layer_norm": norm(f"{stack}.*.norm{last}"),
    }


WEIGHTS: dict[str, Rule] = {
    "shared": table("embedding.token"),
    "encoder.embed_tokens": table("embedding.token"),
    "decoder.embed_tokens": table("embedding.token"),
    **layers("encoder"),
    **layers("decoder"),
    **attention("decoder.layers.*.encoder_attn", "decoder.*.cross_attention"),
    "decoder.layers.*.encoder_attn_layer_norm": norm("decoder.*.norm2"),
    "encoder.version": Aside("the version of the code that wrote it"),
    "decoder.version": Aside("the version of the code that wrote it"),
}
BART_WEIGHTS = WEIGHTS | {
    "encoder.embed_positions": table("embedding.learned", BEFORE_THE_FIRST),
    "encoder.layernorm_embedding": norm("embedding.norm"),
    "decoder.embed_positions": table("target.learned", BEFORE_THE_FIRST),
    "decoder.layernorm_embedding": norm("target.norm"),
}
SINUSOIDS = Aside("sinusoids, which follow from the positions")
MARIAN_WEIGHTS = WEIGHTS | {
    "encoder.embed_positions": SINUSOIDS,
    "decoder.embed_positions": SINUSOIDS,
}


def final_bias(config: Config, leaf: str, x: Tensor) -> Ours:
    return {"unembedding_bias": x[0]}


def next_word(fields: Fields, keys: Keys, tensors: Collection[str]) -> Fields:
    return {"unembedding_bias": "final_logits_bias" in tensors}


NEXT_WORD = Head("next word", next_word, {"lm_head": unembedding, "final_logits_bias": final_bias})
CHOICES: Fields = {"family": "encoder-decoder", "placement": "post"}

FAMILIES = {
    "bart": Family(
        name="BART",
        prefix="model.",
        heads={"BartForConditionalGeneration": NEXT_WORD, "BartModel": Head("none")},
        keys=BART,
        weights=BART_WEIGHTS,
        choices=CHOICES
        | {"positions": "learned", "normed_embedding": True, "target_embedding": True},
    ),
    "marian": Family(
        name="Marian",
        prefix="model.",
        heads={"MarianMTModel": NEXT_WORD, "MarianModel": Head("none")},
        keys=MARIAN,
        weights=MARIAN_WEIGHTS,
        choices=CHOICES | {"positions": "sinusoidal_halves"},
    ),
}
