"""Patch embedding: the vectors of an image's patches, and that of [CLS] in a classifier."""

from dataclasses import replace

from model.activations.activation import (
    Activation,
    SpecialCells,
    linear_operands,
    plus_bias,
    stream_activation,
)
from model.activations.derivation import copy
from model.config import Config


def patch_activation(config: Config, name: str, axis: str) -> Activation:
    """The linear map of each patch; [CLS], at position 0 of a classifier, has a learned vector."""
    rule, operands = linear_operands(
        config, "patches[patch:position *]", "embedding.token.patch", "channel"
    )
    formula = f"patch W{plus_bias(config, 'b')}"
    patches = stream_activation(name, axis, formula, "The patch's vector.", rule, *operands)
    if config.family == "encoder-decoder":
        return patches
    return replace(
        patches,
        formula=f"[CLS], then {formula}",
        sentence="The patch's vector, or that of [CLS].",
        special=(SpecialCells("position", range(1), copy, ("embedding.token.cls[channel]",)),),
    )
