"""The choices of a model: the table of each, in the layer that computes it, and which of them do
not go together.
"""

from collections.abc import Mapping
from typing import Any

from model.config import Config, RotarySizes
from model.errors import InvalidInput, UnknownName
from model.layers.attention_scores import SCORES
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.favor_attention import KERNELS
from model.layers.feed_forward import ACTIVATIONS
from model.layers.heads import TRANSFORMS
from model.layers.norms import NORMS
from model.layers.positional_encodings import POSITIONS
from model.layers.random_features import FEATURES, PROJECTIONS
from model.layers.relative_positions import RELATIVE_POSITIONS

CHOICES: dict[str, Mapping[str, Any]] = {
    "placement": PLACEMENT_NAMES,
    "norm": NORMS,
    "positions": POSITIONS,
    "relative": RELATIVE_POSITIONS,
    "score": SCORES,
    "weighing": KERNELS,
    "features": FEATURES,
    "draws": PROJECTIONS,
    "activation": ACTIVATIONS,
    "transform": TRANSFORMS,
}
"""The table of every choice, by the name of its field in Config. The keys of a table are the names
that can be chosen.
"""


def check_choices(config: Config) -> None:
    """Raises UnknownName for a choice that no layer has, and InvalidInput for choices that do not
    go together.
    """
    for choice, table in CHOICES.items():
        if config.choice(choice) not in table:
            raise UnknownName(choice, str(config.choice(choice)), table)
    attention, relative = config.attention, config.positions.relative
    rotary = config.positions.rotary
    scheme = RELATIVE_POSITIONS[relative]
    if scheme.rotation and config.d_head % 2:
        raise InvalidInput(
            f"Rotary positions rotate channels in pairs, and d_head is {config.d_head}: it has to"
            " be even."
        )
    if rotary.channels % 2 or rotary.channels > config.d_head:
        raise InvalidInput(
            f"rotary_dim is {rotary.channels}; channels are rotated in pairs, and a head has"
            f" {config.d_head}."
        )
    if config.head.classes and config.head.tied:
        raise InvalidInput("Classes are no tokens: their unembedding cannot be the embedding.")
    if config.head.scaled and config.head.bias:
        raise InvalidInput("Logits that are divided by sqrt(d_model) have no bias in any model.")
    if config.embedding.own_target and (not config.cross or config.n_queries):
        raise InvalidInput("Only a model that translates has a target with positions of its own.")
    if config.parallel and (config.placement != "pre" or config.cross):
        raise InvalidInput(
            "Sub-layers that all read the input of their block are those of a Pre-LN model without"
            " cross-attention."
        )
    if rotary.base != RotarySizes.base and not scheme.rotation:
        raise InvalidInput(
            f"rope_base is {rotary.base:g}, and only rotary positions have a base: relative"
            f" is {relative}."
        )
    if rotary.high <= rotary.low:
        raise InvalidInput(
            f"Rotary positions turn slow pairs of up to {rotary.low:g} turns, and others"
            f" from {rotary.high:g} on: the second number has to be larger."
        )
    if attention.slots and scheme.bias:
        raise InvalidInput(
            f"Persistent slots have no position, and {relative} needs one of every key."
        )
    if attention.kernel.name == "favor" and (attention.score != "scaled_dot" or scheme.bias):
        raise InvalidInput(
            "FAVOR+ estimates exp of the scaled dot product; nothing can be added to a score or"
            " put in its place."
        )
