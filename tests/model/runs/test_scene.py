"""A scene is read in words, drawn, cut into patches, and run through a model of which every
analysis can be asked.
"""

import numpy as np
import pytest
import torch

from model.analyses.activations import activations
from model.analyses.attention import attention
from model.analyses.generate import generate
from model.analyses.logits import logits
from model.analyses.masks import masks as masks_of
from model.analyses.positions import positions
from model.analyses.residual import residual
from model.analyses.tokens import tokens
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.inputs.scene_rendering import LIGHT, render
from model.inputs.scenes import CLASSES, COLOURS, KINDS, Shape, read_scene, scene_text
from model.layers import masks
from model.runs.run_model import run_model
from model.training.model_card import write_model
from model.zoo.models import load_model
from tests.model.support.recomputed import assert_axes_fit, assert_every_number_follows
from tests.model.support.scene_runs import SCENE, TOKENIZER, scene_model, scene_run
from tests.rounding import PIXELS, SINGLE, near, same

CHOICES = [
    {},
    {"placement": "post", "positions": "sinusoidal", "unembedding_bias": False},
    {"biases": False, "norm": "rms"},
]


def test_a_scene_is_read_in_words_and_written_as_it_was_read():
    assert read_scene(SCENE) == (
        Shape("ellipse", "red", 0.3, 0.4, 0.2, 0.3),
        Shape("triangle", "blue", 0.7, 0.6, 0.3, 0.25),
    )
    assert scene_text(read_scene(SCENE)) == SCENE
    assert read_scene(" rectangle  yellow .5 .5 1 1 ;; ") == (
        Shape("rectangle", "yellow", 0.5, 0.5, 1.0, 1.0),
    )


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        ("", "The scene has 0 shapes; give 1 to 8. Write a shape as"),
        ("; ;", "has 0 shapes"),
        (";".join(["ellipse red 0.5 0.5 0.1 0.1"] * 9), "has 9 shapes"),
        ("ellipse red 0.5 0.5 0.1", "Shape 1 has 5 words. Write a shape as `ellipse red 0.3"),
        (
            f"{SCENE}; circle red 0.5 0.5 0.1 0.1",
            "Shape 3 is 'circle'; use one of",
        ),
        ("ellipse pink 0.5 0.5 0.1 0.1", "Shape 1 is 'pink'; use one of"),
        ("ellipse red 0.5 nan 0.1 0.1", "has a position or size that is not a number from 0 to 1."),
        (
            "ellipse red 0.5 1e400 0.1 0.1",
            "has a position or size that is not a number from 0 to 1.",
        ),
        (
            "ellipse red 0.5 -0.5 0.1 0.1",
            "has a position or size that is not a number from 0 to 1.",
        ),
        ("ellipse red 0.5 x 0.1 0.1", "has a position or size that is not a number from 0 to 1."),
        ("ellipse red 0.5 0.5 0.1 0.04", "Shape 1 is smaller than 0.05 of the image’s side"),
        ("ellipse red 0.04 0.5 0.1 0.1", "Shape 1 extends beyond the image."),
        ("ellipse red 0.5 0.96 0.1 0.1", "Shape 1 extends beyond the image."),
    ],
)
def test_what_is_no_scene_is_refused_in_a_sentence(scene, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        run_model(scene_model(), Input(image=scene))
    assert refused.value.field == "image"


def test_an_example_is_named_by_its_id():
    by_id = run_model(scene_model(), Input(image="two"))
    assert torch.equal(by_id.trace["logits"], scene_run().trace["logits"])
    assert by_id.input == {"image": SCENE}
    with pytest.raises(UnknownName, match=r"There is no example named 'tow'. Did you mean two"):
        run_model(scene_model(), Input(image="tow"))


def test_a_picture_is_asked_for_and_nothing_else():
    for input, sentence in [
        (Input(), "give an `image`"),
        (Input(text="a"), "not `text`"),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            run_model(scene_model(), input)


def test_a_rectangle_covers_the_pixels_it_covers():
    """Of a side of 8 pixels, from 2 to 5.5 and from 1 to 4: half of the pixels in column 5."""
    expected = np.zeros((8, 8))
    expected[1:4, 2:5], expected[1:4, 5] = 1, 0.5
    light = np.array(LIGHT["green"])[:, None, None]
    picture = render((Shape("rectangle", "green", 3.75 / 8, 2.5 / 8, 3.5 / 8, 3 / 8),), 8)
    same(picture.numpy(), 1 - expected * (1 - light), SINGLE, scale=1)


@pytest.mark.parametrize(
    ("kind", "share"), [("rectangle", 1), ("ellipse", np.pi / 4), ("triangle", 1 / 2)]
)
def test_a_shape_covers_its_share_of_its_box_and_nothing_beside_it(kind, share):
    """A blue shape takes 1 - .84 of the blue light where it lies."""
    darkness = (1 - render((Shape(kind, "blue", 0.55, 0.45, 0.6, 0.5),), 64)[2]) / (
        1 - LIGHT["blue"][2]
    )
    near(darkness.mean().item(), share * 0.6 * 0.5, PIXELS, rel=0.02)
    rows, columns = darkness.nonzero(as_tuple=True)
    box = [columns.min() / 64, (columns.max() + 1) / 64, rows.min() / 64, (rows.max() + 1) / 64]
    near(box, [0.25, 0.85, 0.2, 0.7], PIXELS, abs=1.5 / 64)


def test_a_triangle_stands_on_its_base():
    rows = (1 - render((Shape("triangle", "blue", 0.5, 0.5, 0.8, 0.8),), 32)[0]).sum(1)
    assert (rows[4:27].diff() > 0).all()


def test_what_comes_later_lies_over_what_was_there():
    below, above = (
        Shape("rectangle", "red", 0.5, 0.5, 0.5, 0.5),
        Shape("rectangle", "yellow", 0.5, 0.5, 0.25, 0.25),
    )
    same(render((below, above), 16)[:, 8, 8].tolist(), LIGHT["yellow"], SINGLE)
    same(render((above, below), 16)[:, 8, 8].tolist(), LIGHT["red"], SINGLE)


def test_there_is_a_class_for_every_colour_and_kind_and_one_for_nothing():
    assert len(CLASSES) == len(COLOURS) * len(KINDS) == TOKENIZER.size - 1
    assert TOKENIZER.label(TOKENIZER.size - 1) == "nothing"
    assert {Shape(kind, colour, 0, 0, 0, 0).name for kind in KINDS for colour in COLOURS} == set(
        CLASSES
    )


@pytest.mark.parametrize("choices", CHOICES)
def test_every_number_follows_from_its_operands_the_boxes_too(choices):
    of = scene_run(**choices)
    assert_axes_fit(of)
    assert_every_number_follows(of)


def test_a_box_is_three_maps_and_a_sigmoid_of_the_querys_vector():
    of, weights = (
        scene_run(),
        {
            name: value.double().numpy()
            for name, value in scene_model().transformer.state_dict().items()
        },
    )
    x = of.trace["decoder.norm.out"].double().numpy()
    for number in (1, 2):
        x = np.maximum(
            0, x @ weights[f"box.hidden{number}.weight"] + weights[f"box.hidden{number}.bias"]
        )
    box = 1 / (1 + np.exp(-(x @ weights["box.output.weight"] + weights["box.output.bias"])))
    same(box, of.trace["box.out"].numpy(), SINGLE, scale=1)


def test_the_queries_are_slots_and_the_picture_is_patches():
    answer = attention(scene_run(), layer=1)
    assert answer.tensors["decoder.1.cross_attention.pattern"].axes == ("head", "queries", "image")
    assert answer.tensors["decoder.1.attention.pattern"].axes == ("head", "queries", "queries")
    queries, image = answer.axes["queries"], answer.axes["image"]
    assert (queries.kind, queries.size, queries.labels[:2]) == ("slot", 5, ["q0", "q1"])
    assert (image.kind, image.size, image.grid, image.labels[:2]) == (
        "patch",
        16,
        [4, 4],
        ["1,1", "1,2"],
    )
    assert answer.fields["distance"]["decoder.1.attention"] is None
    assert answer.fields["expected"] == []


def test_no_query_is_masked_and_none_comes_first():
    """Two queries that change places change what is found in no other way."""
    model = scene_model().transformer
    of = scene_run()
    assert all(mask.all() for mask in of.masks.values())
    memory = of.trace["encoder.norm.out"]
    order = torch.tensor([2, 0, 4, 1, 3])
    x = model.decode(order, masks.full(5), memory, torch.ones(5, 16, dtype=torch.bool))
    same(x, of.trace["decoder.norm.out"][order], SINGLE, scale=1)
    same(model.predict_boxes(x), of.trace["box.out"][order], SINGLE, scale=1)


def test_tokens_activations_the_stream_and_the_logits_are_served():
    rows = tokens(scene_run()).fields["tokens"]
    assert [row["text"] for row in rows["queries"]] == [f"q{n}" for n in range(5)]
    assert len(rows["image"]) == 16
    assert activations(scene_run(), names="box.out").tensors["box.out"].axes == ("queries", "side")
    for stack in ("encoder", "decoder"):
        assert (
            residual(scene_run(), stack=stack, position=3).fields["largest_difference"]["value"]
            < 1e-5
        )
    answer = logits(scene_run(), top=3, lens=True, full=True, attribution=True, token=7)
    best = scene_run().trace["logits"][0].topk(3)
    assert answer.fields["top_tokens"][0] == [TOKENIZER.label(id) for id in best.indices.tolist()]
    same(
        answer.tensors["attribution"].data.sum(0).tolist(),
        scene_run().trace["logits"][:, 7].tolist(),
        SINGLE,
        scale=1,
    )


def test_what_writes_or_reads_text_refuses_a_picture(monkeypatch):
    with pytest.raises(InvalidInput, match="does not generate text"):
        generate(scene_model(), Input(image=SCENE))
    monkeypatch.setattr("model.analyses.masks.load_model", lambda name: scene_model())
    with pytest.raises(InvalidInput, match="small does not take text"):
        masks_of(model="small", pattern="causal")


def test_the_positions_of_the_patches_are_served(monkeypatch):
    monkeypatch.setattr("model.analyses.positions.load_model", lambda name: scene_model())
    answer = positions(model="small", image=SCENE)
    assert answer.tensors["encoding"].data.shape == (16, 16)


def test_a_model_of_scenes_is_written_and_read_with_its_encoding(tmp_path):
    model = scene_model()
    write_model(tmp_path / "tiny", model.transformer, TOKENIZER, {"id": "tiny", **model.card})
    read = load_model("tiny", tmp_path)
    assert read.tokenizer == TOKENIZER
    assert torch.equal(
        run_model(read, Input(image="two")).trace["box.out"], scene_run().trace["box.out"]
    )
