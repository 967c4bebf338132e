"""An image is read, cut into patches with labels, and run through a model of which every analysis
can be asked.
"""

from dataclasses import astuple
from pkgutil import iter_modules

import numpy as np
import pytest
import torch

from model import analyses
from model.analyses import answer, function_of, parameters_by_type
from model.analyses.activations import activations
from model.analyses.attention import attention
from model.analyses.explain import explain
from model.analyses.generate import generate
from model.analyses.logits import logits
from model.analyses.masks import masks as masks_of
from model.analyses.positions import positions
from model.analyses.residual import residual
from model.analyses.tokens import tokens
from model.errors import InvalidInput, UnknownName
from model.inputs.images import PatchTokenizer, image_text
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.training.model_card import write_model
from model.zoo.models import load_model
from tests.model.support.image_runs import IMAGE, PIXELS, TOKENIZER, image_model, image_run
from tests.model.support.recomputed import assert_axes_fit, assert_every_number_follows
from tests.model.support.runs import small_model
from tests.rounding import SHIPPED, SINGLE, same

CHOICES = [
    {},
    {"biases": False, "unembedding_bias": True, "normed_embedding": True},
    {"placement": "post", "positions": "sinusoidal", "norm": "layer", "unembedding_bias": True},
]


def test_a_patch_is_labelled_by_its_row_and_its_column_and_cls_stands_before_all():
    cls, first, *others = TOKENIZER.encode()
    assert astuple(cls) == ("[CLS]", 0, True, None, None)
    assert astuple(first) == ("1,1", 1, False, 1, 1)
    assert [patch.text for patch in others[:4]] == ["1,2", "1,3", "1,4", "2,1"]
    assert (others[-1].text, others[-1].id, len(others)) == ("4,4", 16, 15)


def test_an_image_is_read_row_by_row_and_written_as_it_was_read():
    assert TOKENIZER.read(IMAGE) == PIXELS
    assert TOKENIZER.read(image_text(TOKENIZER.read(IMAGE))) == PIXELS
    assert image_text([[0.0, 1.0], [0.5, 1 / 3]]) == "0,1,0.5,0.3333333333333333"


def test_an_image_may_have_a_sign_for_each_pixel():
    signs = "".join(
        "0123456789abcdefg"[(7 * row + 3 * column) % 17] for row in range(8) for column in range(8)
    )
    assert TOKENIZER.read(signs) == PIXELS
    assert torch.equal(
        run_model(image_model(), Input(image=signs)).trace["logits"], image_run().trace["logits"]
    )
    with pytest.raises(InvalidInput, match="Row 1, column 1 of the image is 'h'"):
        run_model(image_model(), Input(image="h" + signs[1:]))
    with pytest.raises(UnknownName):
        run_model(image_model(), Input(image=signs[1:]))


def with_first(value: str) -> str:
    return ",".join([value, *IMAGE.split(",")[1:]])


@pytest.mark.parametrize(
    ("image", "sentence"),
    [
        ("", "The image has 0 gray values; this model needs 8 × 8 ="),
        ("0.5,0.5", "has 2 gray values"),
        (IMAGE + ",0", "has 65 gray values"),
        (
            with_first("1.01"),
            ("Row 1, column 1 of the image is '1.01'; it must be from 0"),
        ),
        (with_first("12"), "divide by 16"),
        (with_first("-0.5"), "Row 1, column 1 of the image is '-0.5'"),
        (with_first("nan"), "'nan'"),
        (with_first("-inf"), "'-inf'"),
        (with_first("1e400"), "'1e400'"),
        (with_first(""), "Row 1, column 1 of the image is ''"),
        (with_first("ink"), "'ink'"),
        (with_first("\ud800"), "it must be from 0"),
        (IMAGE[: IMAGE.rindex(",")] + ",2", "Row 8, column 8"),
    ],
)
def test_what_is_no_image_is_refused_in_a_sentence(image, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        run_model(image_model(), Input(image=image))
    assert refused.value.field == "image"


def test_an_example_is_named_by_its_id_and_told_by_its_numbers():
    by_id = run_model(image_model(), Input(image="waves"))
    assert torch.equal(by_id.trace["logits"], image_run().trace["logits"])
    assert by_id.input == image_run().input
    with pytest.raises(UnknownName, match=r"There is no example named 'wave'. Did you mean waves"):
        run_model(image_model(), Input(image="wave"))


def test_text_and_images_are_refused_by_models_of_the_other():
    for input, sentence in [
        (Input(text="a"), "not `text`"),
        (Input(source="a", image=IMAGE), "not `source`"),
        (Input(), "takes images: give an `image`."),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            run_model(image_model(), input)
    for family in ("encoder-decoder", "decoder-only", "encoder-only"):
        with pytest.raises(InvalidInput, match="not `image`"):
            run_model(small_model(family), Input(image=IMAGE))


ABOUT_AN_INPUT = [
    module.name
    for module in iter_modules(analyses.__path__)
    if not module.ispkg and parameters_by_type(function_of(module.name)).keys() & {Run, Input}
]


def test_all_that_is_asked_of_a_model_is_checked_before_it_is_asked(monkeypatch):
    monkeypatch.setattr("model.analyses.load_model", lambda name: small_model())
    assert {"attention", "generate", "tables"} <= set(ABOUT_AN_INPUT)
    for word in ABOUT_AN_INPUT:
        with pytest.raises(InvalidInput, match="not `image`"):
            answer(word, {"model": "small", "source": "a", "image": IMAGE})


def test_a_mask_is_tried_on_a_text(monkeypatch):
    monkeypatch.setattr("model.analyses.masks.load_model", lambda name: image_model())
    with pytest.raises(InvalidInput, match="small does not take text"):
        masks_of(model="small", pattern="causal")


def test_an_encoder_of_images_writes_nothing():
    with pytest.raises(InvalidInput, match="does not generate text"):
        generate(image_model(), Input(image=IMAGE))


@pytest.mark.parametrize("choices", CHOICES)
def test_every_number_of_an_image_follows_from_its_operands(choices):
    of = image_run(**choices)
    assert_axes_fit(of)
    assert_every_number_follows(of)


def test_a_patch_is_made_of_its_pixels_and_cls_of_no_pixel():
    patch = explain(image_run(), name="encoder.embedding.token", at="6,3").fields
    pixels, weight, bias = patch["operands"]
    assert (pixels["name"], pixels["kind"], pixels["index"]) == ("patches", "input", [5, None])
    assert pixels["values"] == [
        PIXELS[2][2],
        PIXELS[2][3],
        PIXELS[3][2],
        PIXELS[3][3],
    ]  # row 2, column 2 of the grid
    assert patch["labels"] == {"position": "2,2"}
    same(patch["value"], np.dot(pixels["values"], weight["values"]) + bias["values"], SINGLE)
    cls = explain(image_run(), name="encoder.embedding.token", at="0,3").fields
    assert [(operand["name"], operand["index"]) for operand in cls["operands"]] == [
        ("embedding.token.cls", [3])
    ]
    assert cls["rule"] == "copy"


def test_the_axis_of_an_image_is_the_patches_with_their_grid():
    result = attention(image_run(), layer=1)
    axis = result.axes["image"]
    assert (axis.kind, axis.size, axis.grid, axis.labels[:3], axis.ids[:3]) == (
        "patch",
        17,
        [4, 4],
        ["[CLS]", "1,1", "1,2"],
        [0, 1, 2],
    )
    assert result.tensors["encoder.1.attention.pattern"].axes == ("head", "image", "image")
    assert result.tensors["encoder.attention.mask"].data.all()
    assert result.fields["distance"] == {"encoder.1.attention": None}
    assert result.fields["expected"] == []


def test_tokens_activations_and_the_stream_of_an_image_are_served():
    assert [row["text"] for row in tokens(image_run()).fields["tokens"]["image"]] == [
        patch.text for patch in TOKENIZER.encode()
    ]
    assert activations(image_run(), names="encoder.embedding.token").tensors[
        "encoder.embedding.token"
    ].data.shape == (17, 16)
    result = residual(image_run(), position=3)
    assert result.axes["image"].labels == ["1,3"]
    assert result.fields["largest_difference"]["value"] < 1e-5


@pytest.mark.parametrize("choices", CHOICES[::2])
def test_the_class_is_read_at_cls_and_nothing_is_expected_next(choices):
    of = image_run(**choices)
    result = logits(of, top=3, lens=True, full=True, attribution=True, token=7)
    best = of.trace["logits"][0].topk(3)
    assert result.fields["top_tokens"][0] == [str(id) for id in best.indices.tolist()]
    assert result.fields["expected"] == []
    assert result.tensors["expected_probability"].data.shape == (0,)
    same(
        result.tensors["attribution"].data.sum(0),
        of.trace["logits"][:, 7],
        SINGLE,
        n=SHIPPED,
        scale=1,
    )
    assert (
        result.axes["part"].size
        == len(result.axes["part"].labels)
        == len(result.tensors["attribution"].data)
    )


def test_a_model_of_images_is_written_and_read_with_its_encoding(tmp_path):
    model = image_model()
    card = write_model(
        tmp_path / "tiny", model.transformer, TOKENIZER, {"id": "tiny", **model.card}
    )
    assert card["encoding"] == "patches"
    read = load_model("tiny", tmp_path)
    assert isinstance(read.tokenizer, PatchTokenizer)
    assert read.tokenizer == TOKENIZER
    assert torch.equal(
        run_model(read, Input(image="waves")).trace["logits"], image_run().trace["logits"]
    )


def test_the_table_of_positions_of_an_image_is_served_with_the_lengths_of_its_patches(monkeypatch):
    monkeypatch.setattr("model.analyses.positions.load_model", lambda name: image_model())
    result = positions(model="small", image=IMAGE)
    assert result.tensors["encoding"].data.shape == (17, 16)
    assert "vocabulary_norm" not in result.fields
    assert result.fields["grid"] == 4
    expected = image_run().trace["encoder.embedding.token"].norm(dim=-1)
    assert torch.equal(result.tensors["token_norm.image"].data, expected)
    assert result.tensors["token_norm.image"].formula == "|[CLS], then patch W + b|"
    with pytest.raises(InvalidInput, match="`image` needs a `model`"):
        positions(image=IMAGE)
