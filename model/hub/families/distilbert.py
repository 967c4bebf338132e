"""DistilBERT (Sanh et al. 2019): BERT with half of its layers and without segment vectors."""

from model.hub.family import Family, Head, classes, masked_word
from model.hub.keys import activation, only, silent, size
from model.hub.weights import POSITIONS, linear, norm, table, unembedding

KEYS = {
    "vocab_size": size("vocabulary_size", 30522),
    "dim": size("d_model", 768),
    "n_layers": size("n_encoder_layers", 6),
    "n_heads": size("n_heads", 12),
    "hidden_dim": size("d_ff", 3072),
    "activation": activation("gelu"),
    "max_position_embeddings": size("max_length", 512),
    "tie_word_embeddings": size("tied_unembedding", True),
    "sinusoidal_pos_embds": only(False, True),  # the file has the table either way
    **silent("attention_dropout dropout qa_dropout seq_classif_dropout tie_weights_"),
}

BLOCK = "transformer.layer.*"
WEIGHTS = {
    "embeddings.word_embeddings": table("embedding.token"),
    "embeddings.position_embeddings": table("embedding.learned"),
    "embeddings.LayerNorm": norm("embedding.norm"),
    f"{BLOCK}.attention.q_lin": linear("encoder.*.attention.query"),
    f"{BLOCK}.attention.k_lin": linear("encoder.*.attention.key"),
    f"{BLOCK}.attention.v_lin": linear("encoder.*.attention.value"),
    f"{BLOCK}.attention.out_lin": linear("encoder.*.attention.output"),
    f"{BLOCK}.sa_layer_norm": norm("encoder.*.norm1"),
    f"{BLOCK}.ffn.lin1": linear("encoder.*.feed_forward.hidden"),
    f"{BLOCK}.ffn.lin2": linear("encoder.*.feed_forward.output"),
    f"{BLOCK}.output_layer_norm": norm("encoder.*.norm2"),
    "embeddings.position_ids": POSITIONS,
}

HEADS = {
    "DistilBertForMaskedLM": Head(
        "masked word",
        masked_word(),
        {
            "vocab_transform": linear("transform.dense"),
            "vocab_layer_norm": norm("transform.norm"),
            "vocab_projector": unembedding,
        },
    ),
    "DistilBertForSequenceClassification": Head(
        "classes",
        classes("relu"),
        {"pre_classifier": linear("transform.dense"), "classifier": unembedding},
    ),
    "DistilBertModel": Head("none"),
}

FAMILIES = {
    "distilbert": Family(
        name="DistilBERT",
        prefix="distilbert.",
        heads=HEADS,
        keys=KEYS,
        weights=WEIGHTS,
        choices={
            "family": "encoder-only",
            "placement": "post",
            "positions": "learned",
            "normed_embedding": True,
            "scaled_embedding": False,
            "norm_epsilon": 1e-12,
        },
    )
}
