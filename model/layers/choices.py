"""All choices of a model, collected from the layers that implement them, and the combinations that
are not allowed.
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
"""The table of each choice, keyed by the name of its field in Config. A table's keys are the
possible values.
"""


def check_choices(config: Config) -> None:
    """Raises UnknownName for a choice that no layer implements, and InvalidInput for an invalid
    combination.
    """
    for choice, table in CHOICES.items():
        if config.choice(choice) not in table:
            raise UnknownName("unknown-choice", str(config.choice(choice)), table, choice=choice)
    attention, relative = config.attention, config.positions.relative
    rotary = config.positions.rotary
    scheme = RELATIVE_POSITIONS[relative]
    if scheme.rotation and config.d_head % 2:
        raise InvalidInput("rotary-needs-pairs", d_head=config.d_head)
    if rotary.channels % 2 or rotary.channels > config.d_head:
        raise InvalidInput("rotary-dim-not-pairs", channels=rotary.channels, d_head=config.d_head)
    if config.head.classes and config.head.tied:
        raise InvalidInput("classes-not-tied")
    if config.head.scaled and config.head.bias:
        raise InvalidInput("divided-logits-have-no-bias")
    if config.embedding.own_target and (not config.cross or config.n_queries):
        raise InvalidInput("target-positions-need-a-translator")
    if config.parallel and (config.placement != "pre" or config.cross):
        raise InvalidInput("shared-input-needs-pre-ln")
    if rotary.base != RotarySizes.base and not scheme.rotation:
        raise InvalidInput("base-without-rotary", base=rotary.base, relative=relative)
    if rotary.high <= rotary.low:
        raise InvalidInput("turns-in-wrong-order", low=rotary.low, high=rotary.high)
    if attention.slots and scheme.bias:
        raise InvalidInput("slots-have-no-position", relative=relative)
    if attention.kernel.name == "favor" and (attention.score != "scaled_dot" or scheme.bias):
        raise InvalidInput("favor-estimates-dot-products")
