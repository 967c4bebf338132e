"""The required form of the card of a user's own model. The file is untrusted: everything that a
page or an answer uses is validated once, when it is read.
"""

from collections.abc import Callable, Mapping
from typing import Any

from model.config import Config
from model.errors import NotRead
from model.layers.choice_names import NORMS_AT

Fits = Callable[[Any], bool]

MAX_PARTS = 4_096
"""The maximum number of layers, or of heads in a layer: each is drawn."""
LARGEST = 2**62


def text(value: Any) -> bool:
    return isinstance(value, str)


def count(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST


def number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < LARGEST


def some(fits: Fits) -> Fits:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def named(fits: Fits) -> Fits:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def record(**parts: Fits) -> Fits:
    """An object that has all these fields."""
    return lambda value: (
        isinstance(value, dict)
        and all(name in value and fits(value[name]) for name, fits in parts.items())
    )


def stamped(value: Any) -> bool:
    """Whether this is the size and time of a file, or None for a missing one."""
    return value is None or (some(number)(value) and len(value) in (0, 2))


def plain(value: Any) -> bool:
    """Whether this is a valid value of a configuration field."""
    return value is None or isinstance(value, str | bool | list) or number(value)


def head(value: Any) -> bool:
    return value in ("next word", "masked word", "none", "classes")


EITHER = {
    "config": named(plain),
    "encoding": text,
    "parameters": count,
    "weights_sha256": text,
}
ADDED = EITHER | {
    "kind": lambda value: value == "yours",
    "files": named(stamped),
    "folder": text,
    "source": text,
    "bytes": count,
    "architecture": text,
    "head": head,
    "classes": some(text),
    "precision": text,
    "vocabulary": count,
}
"""The fields of a card written by `vitrine add`."""
TRAINED = EITHER | {
    **dict.fromkeys(("name", "modality", "task", "kind", "family"), text),
    "limits": named(count),
    "quality": named(record(value=number)),
    "training": record(minutes=number, steps=count, seed=count),
    "examples": some(record(id=text, input=named(text), look_for=text)),
    "columns": some(record(name=text)),
}
"""The fields of a card written by `vitrine train table`."""
MAYBE = {
    **dict.fromkeys(("licence", "split", "data_notice"), text),
    "left_aside": named(text),
    "files": named(stamped),
    "held_out": named(lambda value: True),
}
"""Optional fields."""


def check_form(card: Mapping[str, Any]) -> None:
    """Raises NotRead if a field is missing or malformed, and VitrineError or a Python error for an
    invalid configuration.
    """
    needed = TRAINED if "training" in card else ADDED
    maybe = {name: fits for name, fits in MAYBE.items() if card.get(name) is not None}
    for name, fits in (needed | maybe).items():
        if name not in card or not fits(card[name]):
            raise NotRead("card-field-missing", name=name)
    config = Config.from_dict(card["config"])
    parts = (config.n_encoder_layers, config.n_decoder_layers, config.n_heads)
    if max(parts) > MAX_PARTS or config.placement not in NORMS_AT:
        raise NotRead("card-of-no-model")
