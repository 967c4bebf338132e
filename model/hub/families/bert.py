"""BERT (Devlin et al. 2019), and RoBERTa (Liu et al. 2019) with its derivatives XLM-RoBERTa
(Conneau et al. 2020) and CamemBERT (Martin et al. 2020): Post-LN encoders with learned positions,
segment vectors, and a norm of the embedding.
"""

from dataclasses import replace
from typing import Any

from model.hub.family import Family, Head, classes, masked_word
from model.hub.keys import Fields, Key, Keys, activation, only, silent, size
from model.hub.weights import (
    POOLER,
    POSITIONS,
    Aside,
    Rule,
    bias_of_words,
    linear,
    norm,
    table,
    unembedding,
)

KEYS = {
    "vocab_size": size("vocabulary_size", 30522),
    "hidden_size": size("d_model", 768),
    "num_hidden_layers": size("n_encoder_layers", 12),
    "num_attention_heads": size("n_heads", 12),
    "intermediate_size": size("d_ff", 3072),
    "hidden_act": activation("gelu"),
    "max_position_embeddings": size("max_length", 512),
    "type_vocab_size": size("token_types", 2),
    "layer_norm_eps": size("norm_epsilon", 1e-12),
    "tie_word_embeddings": size("tied_unembedding", True),
    **silent(
        "hidden_dropout_prob attention_probs_dropout_prob classifier_dropout directionality"
        " pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head"
        " pooler_type"
    ),
}

BEFORE_THE_FIRST = 2
"""Unused rows at the start of RoBERTa's position table: the first token has the row after that of
the pad id, 1.
"""


def positions_behind_the_pad(value: Any, keys: Keys) -> Fields:
    return {"max_length": value - BEFORE_THE_FIRST}


ROBERTA = KEYS | {
    "vocab_size": size("vocabulary_size", 50265),
    "max_position_embeddings": Key(positions_behind_the_pad, 512),
    "pad_token_id": only(1),
}


def weights(first_position: int = 0) -> dict[str, Rule]:
    """The tensors of the encoder; the first token has the position row `first_position`."""
    block = "encoder.layer.*"
    return {
        "embeddings.word_embeddings": table("embedding.token"),
        "embeddings.position_embeddings": table("embedding.learned", first_position),
        "embeddings.token_type_embeddings": table("embedding.token_type"),
        "embeddings.LayerNorm": norm("embedding.norm"),
        f"{block}.attention.self.query": linear("encoder.*.attention.query"),
        f"{block}.attention.self.key": linear("encoder.*.attention.key"),
        f"{block}.attention.self.value": linear("encoder.*.attention.value"),
        f"{block}.attention.output.dense": linear("encoder.*.attention.output"),
        f"{block}.attention.output.LayerNorm": norm("encoder.*.norm1"),
        f"{block}.intermediate.dense": linear("encoder.*.feed_forward.hidden"),
        f"{block}.output.dense": linear("encoder.*.feed_forward.output"),
        f"{block}.output.LayerNorm": norm("encoder.*.norm2"),
        "embeddings.position_ids": POSITIONS,
        "pooler.dense": POOLER,
    }


WEIGHTS, ROBERTA_WEIGHTS = weights(), weights(BEFORE_THE_FIRST)

MASKED_WORD = Head(
    "masked word",
    masked_word(),
    {
        "cls.predictions.transform.dense": linear("transform.dense"),
        "cls.predictions.transform.LayerNorm": norm("transform.norm"),
        "cls.predictions.decoder": unembedding,
        "cls.predictions.bias": bias_of_words,
        "cls.seq_relationship": Aside("the head for the next sentence, which is not read"),
    },
)
HEADS = {
    "BertForMaskedLM": MASKED_WORD,
    "BertForPreTraining": MASKED_WORD,
    "BertForSequenceClassification": Head(
        "classes",
        classes("tanh"),
        {"pooler.dense": linear("transform.dense"), "classifier": unembedding},
    ),
    "BertModel": Head("none"),
}
ROBERTA_HEADS = {
    "RobertaForMaskedLM": Head(
        "masked word",
        masked_word("gelu"),
        {
            "lm_head.dense": linear("transform.dense"),
            "lm_head.layer_norm": norm("transform.norm"),
            "lm_head.decoder": unembedding,
            "lm_head.bias": bias_of_words,
        },
    ),
    "RobertaForSequenceClassification": Head(
        "classes",
        classes("tanh"),
        {"classifier.dense": linear("transform.dense"), "classifier.out_proj": unembedding},
    ),
    "RobertaModel": Head("none"),
}
CHOICES: Fields = {
    "family": "encoder-only",
    "placement": "post",
    "positions": "learned",
    "normed_embedding": True,
    "scaled_embedding": False,
}

ROBERTA_FAMILY = Family("RoBERTa", "roberta.", ROBERTA_HEADS, ROBERTA, ROBERTA_WEIGHTS, CHOICES)


def relative_of_roberta(name: str, theirs: str) -> Family:
    """A family derived from RoBERTa, whose architecture names begin with `theirs`."""
    heads = {name.replace("Roberta", theirs): head for name, head in ROBERTA_HEADS.items()}
    keys = ROBERTA | {"vocab_size": size("vocabulary_size", 30522)}
    return replace(ROBERTA_FAMILY, name=name, heads=heads, keys=keys)


FAMILIES = {
    "bert": Family("BERT", "bert.", HEADS, KEYS, WEIGHTS, CHOICES),
    "roberta": ROBERTA_FAMILY,
    "xlm-roberta": relative_of_roberta("XLM-RoBERTa", "XLMRoberta"),
    "camembert": relative_of_roberta("CamemBERT", "Camembert"),
}
