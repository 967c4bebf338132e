"""Llama (Touvron et al. 2023) and similar models: Mistral, Qwen2, SmolLM. A Pre-LN decoder with
RMSNorm, rotary positions, a gated feed-forward network, and grouped-query attention.
"""

from dataclasses import replace
from typing import Any

from model.display_limits import LONGEST
from model.hub.family import Family, Head
from model.hub.keys import Fields, Key, Keys, Unread, activation, only, silent, size, unbiased
from model.hub.rotary import rotary_keys
from model.hub.weights import FREQUENCIES, linear, norm, rotated, table, unembedding


def window(value: Any, keys: Keys) -> Fields:
    """An attention window hides nothing in a text that fits into it. Longer texts are not read;
    models with a window shorter than our limit are rejected.
    """
    longest = keys.get("max_position_embeddings", 4096 * 32)
    if value is None or value >= longest:
        return {}
    if value < LONGEST:
        raise Unread("window-too-short", value=value, least=LONGEST)
    return {"max_length": value}


def window_of_some_layers(value: Any, keys: Keys) -> Fields:
    """Whether some layers have an attention window."""
    return window(keys.get("sliding_window", 4096), keys) if value else {}


def kinds_of_layers(value: Any, keys: Keys) -> Fields:
    """Every layer attends to the whole text, or through a window stated in the file."""
    windowed = keys.get("use_sliding_window", "sliding_window" in keys)
    known = ("full_attention", "sliding_attention") if windowed else ("full_attention",)
    for kind in value or ():
        if kind not in known:
            raise Unread("rope-not-read", kind=repr(kind), known=known)
    return {}


KEYS = {
    "vocab_size": size("vocabulary_size", 32000),
    "hidden_size": size("d_model", 4096),
    "intermediate_size": size("d_ff", 11008),
    "num_hidden_layers": size("n_decoder_layers", 32),
    "num_attention_heads": size("n_heads", 32),
    "num_key_value_heads": Key(lambda value, keys: {"n_kv_heads": value or 0}, None),
    "head_dim": Key(lambda value, keys: {"head_dim": value or 0}, None),
    "hidden_act": activation("silu"),
    "max_position_embeddings": size("max_length", 2048),
    "rms_norm_eps": size("norm_epsilon", 1e-6),
    "tie_word_embeddings": size("tied_unembedding", False),
    "attention_bias": unbiased("query_key_value", "attention_output", default=False),
    "mlp_bias": unbiased("feed_forward", default=False),
    "rope_interleaved": only(False, None),
    **rotary_keys(),
    **silent("attention_dropout pretraining_tp is_llama_config"),
}
MISTRAL = KEYS | {
    "intermediate_size": size("d_ff", 14336),
    "num_key_value_heads": Key(lambda value, keys: {"n_kv_heads": value or 0}, 8),
    "max_position_embeddings": size("max_length", 4096 * 32),
    "sliding_window": Key(window, 4096),
    "layer_types": Key(kinds_of_layers, None),
}
QWEN2 = KEYS | {
    "vocab_size": size("vocabulary_size", 151936),
    "intermediate_size": size("d_ff", 22016),
    "num_key_value_heads": Key(lambda value, keys: {"n_kv_heads": value or 0}, 32),
    "max_position_embeddings": size("max_length", 32768),
    "attention_bias": unbiased("attention_output", default=False),
    "use_sliding_window": Key(window_of_some_layers, False),
    "use_mrope": only(False, None),
    "layer_types": Key(kinds_of_layers, None),
    **silent("sliding_window max_window_layers"),
}

WEIGHTS = {
    "embed_tokens": table("embedding.token"),
    "layers.*.input_layernorm": norm("decoder.*.norm1"),
    "layers.*.self_attn.q_proj": rotated("decoder.*.attention.query"),
    "layers.*.self_attn.k_proj": rotated("decoder.*.attention.key"),
    "layers.*.self_attn.v_proj": linear("decoder.*.attention.value"),
    "layers.*.self_attn.o_proj": linear("decoder.*.attention.output"),
    "layers.*.post_attention_layernorm": norm("decoder.*.norm2"),
    "layers.*.mlp.gate_proj": linear("decoder.*.feed_forward.gate"),
    "layers.*.mlp.up_proj": linear("decoder.*.feed_forward.hidden"),
    "layers.*.mlp.down_proj": linear("decoder.*.feed_forward.output"),
    "norm": norm("decoder.norm"),
    "layers.*.self_attn.rotary_emb.inv_freq": FREQUENCIES,
}

LLAMA = Family(
    name="Llama",
    prefix="model.",
    heads={
        "LlamaForCausalLM": Head("next word", weights={"lm_head": unembedding}),
        "LlamaModel": Head("none"),
    },
    keys=KEYS,
    weights=WEIGHTS,
    choices={
        "family": "decoder-only",
        "placement": "pre",
        "norm": "rms",
        "positions": "none",
        "relative": "rope",
        "gated": True,
        "scaled_embedding": False,
    },
)


def relative_of_llama(name: str, keys: dict[str, Key]) -> Family:
    """A family whose architecture names begin with its own name."""
    heads = {their.replace("Llama", name): head for their, head in LLAMA.heads.items()}
    return replace(LLAMA, name=name, heads=heads, keys=keys)


FAMILIES = {
    "llama": LLAMA,
    "mistral": relative_of_llama("Mistral", MISTRAL),
    "qwen2": relative_of_llama("Qwen2", QWEN2),
}
