"""ViT (Dosovitskiy et al. 2021): a Pre-LN encoder of patches that predicts a class at [CLS]."""

from collections.abc import Collection
from typing import Any

from torch import Tensor

from model.config import Config
from model.hub.family import Family, Head, number_of_classes
from model.hub.keys import Fields, Key, Keys, Unread, activation, silent, size, unbiased
from model.hub.weights import POOLER, Aside, Ours, linear, norm, unembedding


def side(value: Any) -> int:
    """The side of a square, which may be given twice. Raises NotRead."""
    sides = value if isinstance(value, list) else [value, value]
    if len(sides) != 2 or sides[0] != sides[1] or not isinstance(sides[0], int) or sides[0] < 1:
        raise Unread("only-squares", value=repr(value))
    return sides[0]


def image(value: Any, keys: Keys) -> Fields:
    """The side of the image, with [CLS] and the patches as positions."""
    patches = (side(value) // side(keys.get("patch_size", 16))) ** 2
    return {"image_side": side(value), "max_length": patches + 1}


KEYS = {
    "hidden_size": size("d_model", 768),
    "num_hidden_layers": size("n_encoder_layers", 12),
    "num_attention_heads": size("n_heads", 12),
    "intermediate_size": size("d_ff", 3072),
    "hidden_act": activation("gelu"),
    "layer_norm_eps": size("norm_epsilon", 1e-12),
    "image_size": Key(image, 224),
    "patch_size": Key(lambda value, keys: {"patch_side": side(value)}, 16),
    "num_channels": size("colours", 3),
    "qkv_bias": unbiased("query_key_value", default=True),
    **silent(
        "hidden_dropout_prob attention_probs_dropout_prob encoder_stride pooler_act"
        " pooler_output_size tie_word_embeddings"
    ),
}


def patch_map(config: Config, leaf: str, x: Tensor) -> Ours:
    """A convolution with kernel and stride of one patch is a linear map of its pixels."""
    return {f"embedding.token.patch.{leaf}": x.flatten(1).mT if leaf == "weight" else x}


BLOCK = "encoder.layer.*"
WEIGHTS = {
    "embeddings.cls_token": lambda config, leaf, x: {"embedding.token.cls": x[0, 0]},
    "embeddings.position_embeddings": lambda config, leaf, x: {"embedding.learned": x[0]},
    "embeddings.patch_embeddings.projection": patch_map,
    f"{BLOCK}.layernorm_before": norm("encoder.*.norm1"),
    f"{BLOCK}.attention.attention.query": linear("encoder.*.attention.query"),
    f"{BLOCK}.attention.attention.key": linear("encoder.*.attention.key"),
    f"{BLOCK}.attention.attention.value": linear("encoder.*.attention.value"),
    f"{BLOCK}.attention.output.dense": linear("encoder.*.attention.output"),
    f"{BLOCK}.layernorm_after": norm("encoder.*.norm2"),
    f"{BLOCK}.intermediate.dense": linear("encoder.*.feed_forward.hidden"),
    f"{BLOCK}.output.dense": linear("encoder.*.feed_forward.output"),
    "layernorm": norm("encoder.norm"),
    "pooler.dense": POOLER,
    "embeddings.mask_token": Aside("the vector of a masked patch, which no whole image has"),
}


def of_image(fields: Fields, keys: Keys, tensors: Collection[str]) -> Fields:
    return {"vocabulary_size": number_of_classes(keys), "unembedding_bias": True}


FAMILIES = {
    "vit": Family(
        name="ViT",
        prefix="vit.",
        heads={
            "ViTForImageClassification": Head("classes", of_image, {"classifier": unembedding}),
            "ViTModel": Head("none"),
        },
        keys=KEYS,
        weights=WEIGHTS,
        choices={
            "family": "encoder-only",
            "inputs": "patches",
            "placement": "pre",
            "positions": "learned",
            "scaled_embedding": False,
            "tied_unembedding": False,
        },
    )
}
