"""GPT-2 (Radford et al. 2019): a Pre-LN decoder with learned positions and a tied embedding."""

from torch import Tensor

from model.config import Config
from model.hub.family import Family, Head
from model.hub.keys import Key, activation, only, silent, size
from model.hub.weights import MASK, Ours, norm, product, table, unembedding

KEYS = {
    "vocab_size": size("vocabulary_size", 50257),
    "n_positions": size("max_length", 1024),
    "n_embd": size("d_model", 768),
    "n_layer": size("n_decoder_layers", 12),
    "n_head": size("n_heads", 12),
    "n_inner": Key(lambda value, keys: {"d_ff": value or 4 * keys.get("n_embd", 768)}, None),
    "activation_function": activation("gelu_new"),
    "layer_norm_epsilon": size("norm_epsilon", 1e-5),
    "tie_word_embeddings": size("tied_unembedding", True),
    "scale_attn_weights": Key(
        lambda value, keys: {"score": "scaled_dot" if value else "dot"}, True
    ),
    "scale_attn_by_inverse_layer_idx": only(False),
    **silent(
        "n_ctx resid_pdrop embd_pdrop attn_pdrop reorder_and_upcast_attn summary_type"
        " summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout"
    ),
}


def queries_keys_values(config: Config, leaf: str, x: Tensor) -> Ours:
    """One map for concatenated queries, keys, and values."""
    parts = x.unflatten(-1, (3, -1)).unbind(-2)
    names = ("query", "key", "value")
    return {
        f"decoder.*.attention.{name}.{leaf}": part for name, part in zip(names, parts, strict=True)
    }


WEIGHTS = {
    "wte": table("embedding.token"),
    "wpe": table("embedding.learned"),
    "h.*.ln_1": norm("decoder.*.norm1"),
    "h.*.attn.c_attn": queries_keys_values,
    "h.*.attn.c_proj": product("decoder.*.attention.output"),
    "h.*.ln_2": norm("decoder.*.norm2"),
    "h.*.mlp.c_fc": product("decoder.*.feed_forward.hidden"),
    "h.*.mlp.c_proj": product("decoder.*.feed_forward.output"),
    "ln_f": norm("decoder.norm"),
    "h.*.attn.bias": MASK,
    "h.*.attn.masked_bias": MASK,
}

FAMILIES = {
    "gpt2": Family(
        name="GPT-2",
        prefix="transformer.",
        heads={
            "GPT2LMHeadModel": Head("next word", weights={"lm_head": unembedding}),
            "GPT2Model": Head("none"),
        },
        keys=KEYS,
        weights=WEIGHTS,
        choices={
            "family": "decoder-only",
            "placement": "pre",
            "positions": "learned",
            "scaled_embedding": False,
        },
    )
}
