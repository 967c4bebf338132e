"""Models of pictures that were added: their logits are those of transformers on the same pixels, a
picture is scaled as Pillow scales it, and what is not read is refused in a sentence.
"""

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from transformers.image_transforms import normalize, rescale

from model.errors import NotRead, UnknownName
from model.inputs.input import Input
from model.inputs.pictures import PictureTokenizer
from model.runs.run_model import run_model
from model.zoo import models
from model.zoo.cards import User, read_card
from model.zoo.models import load_model
from model.zoo.own_models import add_model
from tests.model.support.hub_models import ENCODERS, model_of
from tests.model.support.pictures import picture
from tests.rounding import SINGLE, same

WITH_CLASSES, STREAMS = 0, 1
"""Numbers of two drawn models, one of each kind of head."""


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(User, "folder", tmp_path / "cards")
    monkeypatch.setattr(models.InMemory, "models", models.ModelCache(2**31))


def stated(theirs: nn.Module, **changed) -> dict:
    """What a folder says of its pictures."""
    side, colours = theirs.config.image_size, theirs.config.num_channels
    return {
        "image_processor_type": "ViTImageProcessor",
        "do_resize": True,
        "size": {"height": side, "width": side},
        "resample": 2,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": [0.5] * colours,
        "image_std": [0.5] * colours,
        **changed,
    }


def saved(theirs: nn.Module, folder: Path, **changed) -> Path:
    theirs.save_pretrained(folder)
    fields = {name: value for name, value in stated(theirs, **changed).items() if value is not None}
    (folder / "preprocessor_config.json").write_text(json.dumps(fields))
    return folder


def tokenizer_of(theirs: nn.Module, folder: Path, **changed) -> PictureTokenizer:
    add_model(saved(theirs, folder, **changed), "mine", "mine", 2**31)
    tokenizer = load_model("mine").tokenizer
    assert isinstance(tokenizer, PictureTokenizer)
    return tokenizer


@pytest.mark.parametrize("number", range(5))
def test_logits_are_those_of_transformers_on_the_same_pixels(number: int, tmp_path: Path):
    theirs, draw = model_of(ENCODERS["ViT"], number), random.Random(number)
    side, colours = theirs.config.image_size, theirs.config.num_channels
    mean, std = ([draw.uniform(0.2, 0.8) for _ in range(colours)] for _ in range(2))
    factor, steps = draw.choice([1 / 255, 1 / 127.5]), draw.choice([True, False])
    more = {"rescale_factor": factor, "image_mean": mean, "image_std": std, "do_normalize": steps}
    tokenizer_of(theirs, tmp_path / "mine", **more)
    shape = side, side, colours
    pixels = np.random.default_rng(number).integers(0, 256, shape, dtype=np.uint8)
    values = rescale(pixels, factor, input_data_format="channels_last").astype(np.float32)
    if steps:
        values = normalize(values, mean, std, input_data_format="channels_last")
    image = torch.from_numpy(values).permute(2, 0, 1)[None]
    run = run_model(load_model("mine"), Input(image=picture(pixels)))
    output = theirs(pixel_values=image)
    if hasattr(output, "logits"):
        ours, expected = run.logits[0], output.logits[0]
    else:
        ours, expected = run.trace["encoder.norm.out"], output.last_hidden_state[0]
    same(ours, expected, SINGLE, scale=1)


SCALED = {
    (2, 5): "0 44 111 178 222 31 75 142 147 150 77 121 188 101 43 123 106 81 86 89 154 96 9 76 120",
    (2, 2): "71 149 107 85",
    (0, 5): "0 0 111 222 222 0 0 111 222 222 77 77 188 43 43 154 154 9 120 120 154 154 9 120 120",
    (3, 2): "66 157 111 79",
}
"""By the number of a resampling and the new side what Pillow makes of the reds of nine pixels."""


@pytest.mark.parametrize(("resample", "side"), SCALED)
def test_a_picture_of_another_side_is_scaled_as_pillow_scales_it(resample: int, side: int):
    how = {0: "nearest-exact", 2: "bilinear", 3: "bicubic"}[resample]
    pixels = (np.arange(27) * 37 % 256).astype(np.uint8).reshape(3, 3, 3)
    reds = plain(side, how=how).pixels(picture(pixels))[0].flatten().tolist()
    expected = list(map(int, SCALED[resample, side].split()))
    assert reds == expected


def test_defaults_are_those_of_transformers(tmp_path: Path):
    theirs = model_of(ENCODERS["ViT"], WITH_CLASSES)
    without = dict.fromkeys(stated(theirs)) | {"size": theirs.config.image_size}
    left_out = tokenizer_of(theirs, tmp_path / "mine", **without)
    assert left_out == tokenizer_of(theirs, tmp_path / "mine")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"do_center_crop": True}, "do_center_crop is True"),
        ({"do_reduce_labels": False}, "has the unknown key 'do_reduce_labels'"),
        ({"image_processor_type": "DeiTImageProcessor"}, "image_processor_type is 'DeiT"),
        ({"resample": 1}, "resample is 1; supported are"),
        ({"size": 224}, "size is 224 in preprocessor_config.json, but image_size is"),
        ({"size": {"shortest_edge": 8}}, "it must be a height and a width."),
        ({"image_mean": [0.5, 0.5]}, "image_mean has 2 numbers"),
        ({"image_std": [0.5, 0, 0.5]}, "image_std is [0.5, 0, 0.5]"),
        ({"image_mean": ["a"]}, "image_mean is ['a']"),
        ({"rescale_factor": float("nan")}, "rescale_factor is nan"),
        ({"rescale_factor": [1, 2]}, "must be one number."),
        ({"do_normalize": "no"}, "do_normalize is 'no'; it must be true or false"),
    ],
)
def test_what_is_not_read_of_a_preprocessor_is_refused_by_name(
    changed: dict, sentence: str, tmp_path: Path
):
    theirs = model_of(ENCODERS["ViT"], WITH_CLASSES)
    with pytest.raises(NotRead) as error:
        tokenizer_of(theirs, tmp_path / "mine", **changed)
    assert sentence in str(error.value)
    assert not (tmp_path / "cards" / "mine").exists()


def test_without_a_preprocessor_nobody_knows_how_pixels_become_numbers(tmp_path: Path):
    model_of(ENCODERS["ViT"], WITH_CLASSES).save_pretrained(tmp_path / "mine")
    with pytest.raises(NotRead, match="save the model’s image processor into the folder, too"):
        add_model(tmp_path / "mine", "mine", "mine", 2**31)


def test_its_examples_are_drawn_and_nothing_is_said_of_them(tmp_path: Path):
    for number in (WITH_CLASSES, STREAMS):
        tokenizer_of(model_of(ENCODERS["ViT"], number), tmp_path / "mine")
        card = read_card("mine")
        assert (card["kind"], card["modality"], card["encoding"]) == ("yours", "image", "picture")
        for example in card["examples"]:
            assert example["id"].startswith("drawn-")
            assert example["look_for"] == ""
            named, whole = (
                run_model(load_model("mine"), Input(image=image))
                for image in (example["id"], example["input"]["image"])
            )
            assert named.input == whole.input


def plain(side: int, colours: int = 3, how: str = "bilinear") -> PictureTokenizer:
    """A tokenizer of pictures, whose numbers are their bytes."""
    return PictureTokenizer(side, 1, (), colours, how, 1.0, (0.0,) * colours, (1.0,) * colours)


def test_a_model_of_grey_pictures_reads_the_grey_of_a_colour_as_pillow_makes_it():
    pixels = np.array([[[10, 200, 30], [255, 0, 99]], [[0, 0, 0], [255, 255, 255]]], np.uint8)
    assert plain(2, colours=1).pixels(picture(pixels)).tolist() == [[[124, 88], [0, 255]]]


def test_a_name_that_no_example_has_is_said_to_be_none(tmp_path: Path):
    tokenizer_of(model_of(ENCODERS["ViT"], WITH_CLASSES), tmp_path / "mine")
    with pytest.raises(UnknownName, match="no example named 'three'"):
        run_model(load_model("mine"), Input(image="three"))


def test_a_picture_that_is_no_square_is_squeezed_into_one():
    wide = np.repeat(np.array([[[0, 0, 0], [100, 200, 40]]], np.uint8), 2, axis=1)
    assert plain(2, how="nearest-exact").pixels(picture(wide))[0].tolist() == [[0, 100], [0, 100]]
