"""preprocessor_config.json of an image model: how a picture is resized and normalized. An unknown
key is rejected by name, like those of config.json.
"""

import math
from pathlib import Path
from typing import Any

from model.config import Config
from model.errors import NotRead
from model.hub.families.vit import side
from model.hub.keys import Fields, Key, Keys, Unread, fields_of, only, silent
from model.inputs.pictures import PictureTokenizer
from model.inputs.reading import read_object

FILE = "preprocessor_config.json"
COLOURS = (1, 3)
RESAMPLED = {0: "nearest-exact", 2: "bilinear", 3: "bicubic"}
"""Resampling methods by Pillow's numbers, with PyTorch's names for those that it supports."""


def flag(value: Any, keys: Keys) -> Fields:
    """Whether a step is applied; the key of its numbers reads this."""
    if not isinstance(value, bool):
        raise Unread("true-or-false", value=repr(value))
    return {}


def switched(name: str, ours: str, off: float, default: float) -> Key:
    """A number, or one per color channel, that applies if the key `name` is true, the default;
    otherwise the number is `off`.
    """

    def says(value: Any, keys: Keys) -> Fields:
        several = value if isinstance(value, list) else [value]
        for x in several:
            if type(x) not in (int, float) or not math.isfinite(x) or (off and not x):
                raise Unread("number-for-each-colour", value=repr(value))
        return {ours: tuple(map(float, several)) if keys.get(name, True) else (off,)}

    return Key(says, default)


def resampled(value: Any, keys: Keys) -> Fields:
    if type(value) is not int or value not in RESAMPLED:
        known = ", ".join(f"{number} ({name})" for number, name in RESAMPLED.items())
        raise Unread("not-of-these", value=repr(value), known=known)
    return {"resample": RESAMPLED[value]}


def stated_side(value: Any, keys: Keys) -> Fields:
    """The side of the square that a picture is resized to."""
    if isinstance(value, dict):
        if value.keys() != {"height", "width"}:
            raise Unread("only-height-and-width", value=repr(value))
        value = [value["height"], value["width"]]
    return {"image_side": side(value)}


KEYS = {
    "image_processor_type": only(
        *("ViTImageProcessor", "ViTImageProcessorFast", "ViTImageProcessorPil"),
        *("ViTFeatureExtractor", None),
    ),
    "feature_extractor_type": only("ViTFeatureExtractor", None),
    "do_resize": Key(flag, True),  # pictures of another size are resized here anyway
    "size": Key(stated_side, 224),
    "default_to_square": only(True, None),
    "resample": Key(resampled, 2),
    "do_rescale": Key(flag, True),
    "rescale_factor": switched("do_rescale", "factor", 1.0, 1 / 255),
    "do_normalize": Key(flag, True),
    "image_mean": switched("do_normalize", "mean", 0.0, 0.5),
    "image_std": switched("do_normalize", "std", 1.0, 0.5),
    "do_center_crop": only(None, False),
    "do_pad": only(None, False),
    "data_format": only("channels_first", None),
    **silent(
        "crop_size pad_size do_convert_rgb input_data_format device return_tensors"
        " disable_grouping processor_class"
    ),
}


def picture_tokenizer(folder: Path, config: Config, classes: list[str]) -> PictureTokenizer:
    """How the model in `folder` reads a picture. Raises NotRead."""
    image = config.image
    if image.colours not in COLOURS:
        raise NotRead("colours-not-read", colours=image.colours)
    if not (folder / FILE).is_file():
        raise NotRead("no-preprocessor", folder=folder.name, file=FILE)
    facts = fields_of(read_object(folder / FILE), KEYS, FILE)
    if facts["image_side"] != image.side:
        raise NotRead("other-image-size", size=str(facts["image_side"]), file=FILE, side=image.side)
    for name in ("mean", "std"):
        if len(facts[name]) == 1:
            facts[name] *= image.colours
        if len(facts[name]) != image.colours:
            raise NotRead(
                "numbers-for-other-colours",
                name=name,
                numbers=len(facts[name]),
                file=FILE,
                colours=image.colours,
            )
    if len(facts["factor"]) != 1:
        raise NotRead("rescale-no-number", file=FILE)
    (facts["factor"],) = facts["factor"]
    return PictureTokenizer(
        patch_side=image.patch_side, classes=tuple(classes), colours=image.colours, **facts
    )
