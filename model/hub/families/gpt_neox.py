"""GPT-NeoX (Black et al. 2022), the family of Pythia: a Pre-LN decoder with rotary positions in a
part of each head's channels, and with attention and feed-forward network in parallel.
"""

from torch import Tensor

from model.config import Config
from model.hub.family import Family, Head
from model.hub.keys import activation, silent, size, unbiased
from model.hub.rotary import rotary_keys
from model.hub.weights import (
    FREQUENCIES,
    MASK,
    Ours,
    linear,
    norm,
    pairs_side_by_side,
    table,
    unembedding,
)

KEYS = {
    "vocab_size": size("vocabulary_size", 50432),
    "hidden_size": size("d_model"),
    "intermediate_size": size("d_ff", 24576),
    "num_hidden_layers": size("n_decoder_layers", 44),
    "num_attention_heads": size("n_heads"),
    "hidden_act": activation("gelu"),
    "max_position_embeddings": size("max_length", 2048),
    "layer_norm_eps": size("norm_epsilon", 1e-5),
    "tie_word_embeddings": size("tied_unembedding", False),
    "use_parallel_residual": size("parallel", True),
    "attention_bias": unbiased("query_key_value", "attention_output", default=True),
    **rotary_keys(base="rotary_emb_base", share="rotary_pct", default=0.25),
    **silent("attention_dropout hidden_dropout classifier_dropout rope_theta"),
}


def queries_keys_values(config: Config, leaf: str, x: Tensor) -> Ours:
    """One map with the query, key, and value of each head concatenated."""
    columns = x.t() if leaf == "weight" else x
    by_head = columns.unflatten(-1, (config.n_heads, 3, config.d_head))
    query, key, value = (part.flatten(-2) for part in by_head.unbind(-2))
    return {
        f"decoder.*.attention.query.{leaf}": pairs_side_by_side(query, config),
        f"decoder.*.attention.key.{leaf}": pairs_side_by_side(key, config),
        f"decoder.*.attention.value.{leaf}": value,
    }


WEIGHTS = {
    "embed_in": table("embedding.token"),
    "layers.*.input_layernorm": norm("decoder.*.norm1"),
    "layers.*.attention.query_key_value": queries_keys_values,
    "layers.*.attention.dense": linear("decoder.*.attention.output"),
    "layers.*.post_attention_layernorm": norm("decoder.*.norm2"),
    "layers.*.mlp.dense_h_to_4h": linear("decoder.*.feed_forward.hidden"),
    "layers.*.mlp.dense_4h_to_h": linear("decoder.*.feed_forward.output"),
    "final_layer_norm": norm("decoder.norm"),
    "layers.*.attention.bias": MASK,
    "layers.*.attention.masked_bias": MASK,
    "layers.*.attention.rotary_emb.inv_freq": FREQUENCIES,
}

FAMILIES = {
    "gpt_neox": Family(
        name="GPT-NeoX",
        prefix="gpt_neox.",
        heads={
            "GPTNeoXForCausalLM": Head("next word", weights={"embed_out": unembedding}),
            "GPTNeoXModel": Head("none"),
        },
        keys=KEYS,
        weights=WEIGHTS,
        choices={
            "family": "decoder-only",
            "placement": "pre",
            "positions": "none",
            "relative": "rope",
            "scaled_embedding": False,
        },
    )
}
