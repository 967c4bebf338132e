"""The recipe `shapes`: what is drawn is what it promises, what is measured is counted by hand, and
what is learned is on the card.
"""

import json
import random
from dataclasses import replace

import pytest
import torch

from model.detection.hungarian_matching import Truth, pad_truth
from model.inputs.input import Input
from model.inputs.scenes import CLASSES, read_scene, scene_text
from model.runs.run_model import run_model
from model.trace import OFF
from model.training.data.random_scenes import HIDDEN, MAX_SHAPES, SIZES, TOKENIZER, part, scene
from model.training.finish import finish
from model.training.loop import train
from model.training.losses.set_prediction import set_loss
from model.training.metrics.average_precision import agreement, average_precision
from model.training.recipes.shapes import RECIPE, Shapes, decoded, prior, read
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from tests.rounding import SINGLE, near, same


@pytest.fixture(scope="module")
def model() -> Transformer:
    return initialise(Transformer(Shapes().config), torch.Generator().manual_seed(0))


def shared(a, b) -> float:
    sides = [
        max(
            0.0,
            min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2)
            - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2),
        )
        for i in (0, 1)
    ]
    return sides[0] * sides[1] / min(a[2] * a[3], b[2] * b[3])


def test_a_scene_has_one_to_four_shapes_in_the_picture_that_hide_little_of_one_another():
    draw = random.Random(0)
    scenes = [scene(draw) for _ in range(300)]
    assert {len(shapes) for shapes in scenes} == set(range(1, MAX_SHAPES + 1))
    assert {shape.name for shapes in scenes for shape in shapes} == set(CLASSES)
    for shapes in scenes:
        assert read_scene(scene_text(shapes)) == shapes
        assert all(SIZES[0] <= side <= SIZES[1] for shape in shapes for side in shape.box[2:])
        assert all(
            shared(a.box, b.box) <= HIDDEN + 1e-9 for i, a in enumerate(shapes) for b in shapes[:i]
        )


def test_the_same_seed_draws_the_same_pictures_and_another_draws_others():
    assert torch.equal(part("a", 5).pictures, part("a", 5).pictures)
    assert part("a", 5).scenes != part("b", 5).scenes
    assert Shapes().digest == Shapes().digest
    assert not set(part("test", 200).scenes) & {
        shapes for i in range(20) for shapes in part(f"batch {i}", 32).scenes
    }


def test_the_truth_is_what_was_drawn():
    some = part("a", 9)
    for row, shapes in enumerate(some.scenes):
        assert some.truth.counts[row] == len(shapes)
        assert [CLASSES[kind] for kind in some.truth.classes[row, : len(shapes)]] == [
            shape.name for shape in shapes
        ]
        same(some.truth.boxes[row, : len(shapes)], [shape.box for shape in shapes])


def test_the_loss_is_the_mean_over_the_layers(model):
    batch, some = 5, part("batch 5", 32)
    noise = torch.randn(some.pictures.shape, generator=torch.Generator().manual_seed(batch))
    streams = decoded(model, some.pictures + 0.03 * noise)
    each = [
        set_loss(
            model.unembed(model.decoder.norm(x)),
            model.predict_boxes(model.decoder.norm(x)),
            some.truth,
            0.4,
        ).item()
        for x in streams
    ]
    assert len(each) == 3
    boxes_alone = Shapes().loss(model, batch, OFF).item()
    near(
        boxes_alone, sum(each) / 3, "the weights of the classes differ between layers", rel=0.001
    )  # the cross-entropy's weights differ a little between layers


def test_no_query_of_a_batch_knows_of_the_other_pictures(model):
    some = part("a", 4)
    chances, boxes = read(model, some.pictures)
    for row in range(4):
        single = read(model, some.pictures[row : row + 1])
        same(single[0][0], chances[row], SINGLE, scale=1)
        same(single[1][0], boxes[row], SINGLE, scale=1)


def exact(truth: Truth, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Chances and boxes of queries that know the truth: query o says object o, the others
    nothing.
    """
    chances, boxes = (
        torch.full((len(truth.counts), n, TOKENIZER.size), 0.01),
        torch.full((len(truth.counts), n, 4), 0.5),
    )
    for i, count in enumerate(truth.counts):
        chances[i, count:, -1] = 1.0
        for o in range(count):
            chances[i, o, truth.classes[i, o]], boxes[i, o] = 1.0, truth.boxes[i, o]
    return chances, boxes


def test_what_is_found_exactly_is_measured_as_one():
    truth = part("a", 12).truth
    of = agreement(*exact(truth, 8), truth)
    same(of, {"iou": 1.0, "class": 1.0, "found": 1.0, "extra": 0.0}, SINGLE)
    same(average_precision(*exact(truth, 8), truth), 1.0)


def test_every_slip_is_counted():
    """Two objects: one box shifted to an IoU of 1/3, one class wrong, and one query too many."""
    truth = pad_truth([read_scene("ellipse red 0.3 0.3 0.4 0.4; triangle blue 0.7 0.7 0.4 0.4")])
    chances, boxes = exact(truth, 4)
    boxes[0, 0, 0] += 0.2
    chances[0, 1] = 0.01
    chances[0, 1, CLASSES.index("green triangle")] = 1.0
    chances[0, 2, -1], chances[0, 2, 0] = 0.01, 1.0
    boxes[0, 2] = torch.tensor([0.9, 0.1, 0.1, 0.1])
    of = agreement(chances, boxes, truth)
    same(of["iou"], (1 / 3 + 1) / 2, SINGLE, scale=1)
    assert (of["class"], of["found"], of["extra"]) == (0.5, 0.0, 1.0)


def test_average_precision_is_the_area_under_the_steps():
    """Four objects of one class; said, from the most to the least confident: right, wrong, right, a
    second box on the first, right.
    """
    scenes = [
        read_scene("ellipse red 0.3 0.3 0.4 0.4; ellipse red 0.75 0.75 0.4 0.4"),
        read_scene("ellipse red 0.5 0.5 0.3 0.3"),
    ]
    scenes.append(read_scene("ellipse red 0.2 0.2 0.2 0.2"))
    truth = pad_truth(scenes)
    chances, boxes = torch.zeros(3, 2, TOKENIZER.size), torch.full((3, 2, 4), 0.95)
    detections = [
        (0, 0, 0.9, truth.boxes[0, 0]),
        (1, 0, 0.8, None),
        (0, 1, 0.7, truth.boxes[0, 1]),
        (1, 1, 0.5, truth.boxes[1, 0]),
    ]
    for picture, query, chance, box in detections:
        chances[picture, query, 0] = chance
        if box is not None:
            boxes[picture, query] = box
    right = [1, 0, 1, 1, 0, 0]  # and two that say nothing
    best = [max(sum(right[: j + 1]) / (j + 1) for j in range(i, 6)) for i in range(6)]
    expected = sum(b for b, r in zip(best, right, strict=True) if r) / 4
    same(average_precision(chances, boxes, truth), expected)


def test_a_box_that_was_claimed_is_claimed_once():
    truth = pad_truth([read_scene("ellipse red 0.5 0.5 0.4 0.4")])
    chances, boxes = torch.zeros(1, 3, TOKENIZER.size), truth.boxes.expand(1, 3, 4)
    chances[0, :, 0] = torch.tensor([0.2, 0.9, 0.5])
    same(average_precision(chances, boxes, truth), 1.0)
    worse = boxes.clone()
    worse[0, 1, 0] = 0.9
    same(average_precision(chances, worse, truth), 0.5)


def test_the_baseline_is_the_same_for_every_picture_and_finds_nothing():
    chances, boxes = prior(part("prior", 200), 3)
    assert (chances == chances[:1]).all()
    assert (boxes == boxes[:1]).all()
    same(chances[0].sum(-1).tolist(), [1] * 8, SINGLE)
    of = agreement(chances, boxes, part("a", 3).truth)
    assert (of["class"], of["extra"]) == (0, 0)
    assert 0.2 < of["iou"] < 0.6


@pytest.mark.thorough  # that of the digits learns in the same loop
def test_a_short_training_learns_and_its_card_says_what_was_measured(tmp_path, monkeypatch):
    torch.set_num_threads(1)
    monkeypatch.setattr("model.training.recipes.shapes.TEST", 40)
    task = Shapes()
    recipe = replace(
        RECIPE, cycles=(Cycle(peak=1e-3, warmup=5, steps=25, dropout=Dropout(numbers=0.0)),)
    )
    model, state = train(recipe, task, tmp_path / "work")
    losses = [
        json.loads(line)["loss"]
        for line in (tmp_path / "work" / "losses.jsonl").read_text().splitlines()
    ]
    assert losses[-1] < 6.5
    card = finish(RECIPE, task, model, state, tmp_path, 0)
    assert card == json.loads((tmp_path / "shapes" / "card.json").read_text(encoding="utf-8"))
    shipped = load_model("shapes", tmp_path)
    test = part("test", 40)
    assert (
        card["quality"]["iou"]["value"]
        == agreement(*read(shipped.transformer, test.pictures), test.truth)["iou"]
    )
    for example in card["examples"]:
        assert "Found:" in example["look_for"]
        of = run_model(shipped, Input(image=example["id"]))
        assert of.trace["box.out"].shape == (8, 4)
        assert bool(of.notes) == (example["id"] == "six")
