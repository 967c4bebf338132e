"""The digits: what is held out is held out, what is moved is moved by a pixel, and what the card
says is measured.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from model.analyses.images import images
from model.analytic.local_attention import local_attention
from model.inputs.images import image_text
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.trace import OFF
from model.training.finish import finish
from model.training.loop import train
from model.training.recipes.digits import (
    MISREAD,
    NAMES,
    RECIPE,
    TOKENIZER,
    Digits,
    Part,
    accuracy,
    chances,
    interpolated,
    local,
    logits,
    moved,
    regression,
)
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model
from model.zoo.resize_position_embedding import for_grid, resample
from tests.rounding import SINGLE, same

FEW = 6
"""Images that are looked at one by one."""


@pytest.fixture(scope="module")
def task() -> Digits:
    return Digits()


def rows(images: torch.Tensor) -> set[bytes]:
    return {image.numpy().tobytes() for image in images}


def test_no_image_is_in_two_parts_and_every_one_is_in_one(task):
    parts = [rows(part.images) for part in (task.train, task.validation, task.test)]
    assert not parts[0] & parts[1]
    assert not (parts[0] | parts[1]) & parts[2]
    assert [len(part.images) for part in (task.train, task.validation, task.test)] == [
        1257,
        180,
        360,
    ]
    assert set.union(*parts) == rows(torch.from_numpy(load_digits().images)[:, None].float() / 16)


def test_the_split_does_not_depend_on_the_order_of_the_images(task, monkeypatch):
    found = load_digits()
    backwards = type(found)(images=found.images[::-1].copy(), target=found.target[::-1].copy())
    monkeypatch.setattr("model.training.recipes.digits.load_digits", lambda: backwards)
    again = Digits()
    assert torch.equal(again.test.images, task.test.images)
    assert torch.equal(again.test.classes, task.test.classes)
    assert again.digest == task.digest


def test_every_image_keeps_its_digit(task):
    found = load_digits()
    digit = {
        image.tobytes(): target
        for image, target in zip((found.images / 16).astype(np.float32), found.target, strict=True)
    }
    for part in (task.train, task.validation, task.test):
        assert [
            digit[image.numpy().tobytes()] for image in part.images[:, 0]
        ] == part.classes.tolist()


def test_an_image_is_moved_by_up_to_a_pixel_and_paper_comes_in(task):
    images = task.train.images[:200]
    shifts = set()
    for before, after in zip(
        images[:, 0].numpy(),
        moved(images, torch.Generator().manual_seed(0))[:, 0].numpy(),
        strict=True,
    ):
        wide = np.pad(before, 1)
        ways = [
            (r, c)
            for r in range(3)
            for c in range(3)
            if np.array_equal(wide[r : r + 8, c : c + 8], after)
        ]
        assert ways
        shifts.update(ways)
    assert len(shifts) == 9


def test_an_epoch_shows_every_image_once(task):
    batches = list(task.epoch(torch.Generator().manual_seed(0)))
    assert sum(len(batch.images) for batch in batches) == len(task.train.images)
    counts = torch.cat([batch.classes for batch in batches]).bincount()
    assert torch.equal(counts, task.train.classes.bincount())


def test_an_epoch_moves_about_half_of_the_images(task):
    epoch_rows = rows(
        torch.cat([batch.images for batch in task.epoch(torch.Generator().manual_seed(0))])
    )
    still = len(epoch_rows & rows(task.train.images)) / len(task.train.images)
    assert (
        1 / 2 < still < 1 / 2 + 1 / 9 + 0.05
    )  # a ninth of the moves is no move, and digits seldom look like others


def test_the_class_is_read_at_cls(task):
    model = initialise(Transformer(task.config), torch.Generator().manual_seed(0))
    everywhere = {"encoder.attention": torch.ones(1, 17, 17, dtype=torch.bool)}
    output = model(task.test.images[:3], None, everywhere)
    same(logits(model, task.test.images[:3]), output[:, 0], SINGLE, scale=1)
    expected = -output[:, 0].log_softmax(-1)[range(3), task.test.classes[:3]].mean()
    same(
        task.loss(model, Part(task.test.images[:3], task.test.classes[:3]), OFF),
        expected,
    )


def test_the_baseline_is_a_logistic_regression_that_reads_most_digits(task):
    assert 0.9 < regression(task) < 1


def test_a_short_training_learns_and_its_card_says_what_was_measured(task, tmp_path, monkeypatch):
    torch.set_num_threads(1)
    monkeypatch.setattr("model.training.recipes.digits.GRIDS", (4, 8))
    recipe = replace(
        RECIPE, cycles=(Cycle(peak=2e-3, warmup=10, steps=24, dropout=Dropout(numbers=0.0)),)
    )
    model, state = train(recipe, task, tmp_path / "work")
    card = finish(RECIPE, task, model, state, tmp_path, 0)
    assert card == json.loads((tmp_path / "digits" / "card.json").read_text(encoding="utf-8"))
    read = load_model("digits", tmp_path)
    assert read.tokenizer == TOKENIZER
    assert (
        card["quality"]["accuracy"]["value"]
        == accuracy(chances(read.transformer, task.test), task.test)
        > 0.3
    )
    finer = card["quality"]["interpolated"]
    assert (
        dict(zip(finer["sides"], finer["accuracy"], strict=True))[4]
        == card["quality"]["accuracy"]["value"]
    )
    for example in card["examples"]:
        of = run_model(read, Input(image=example["id"]))
        label = str(of.trace["probabilities"][0].argmax().item())
        assert (
            f"The model predicts {label} with probability {of.trace['probabilities'][0].max():.2f}"
            in example["look_for"]
        )
        assert (NAMES[int(label)] == example["id"]) == (example["id"] != MISREAD)


def test_what_another_grid_costs_is_said_as_it_is_measured_one_image_after_another(task):
    shipped, right = load_model("digits"), 0
    for image, digit in zip(
        task.test.images[:FEW, 0].tolist(), task.test.classes[:FEW].tolist(), strict=True
    ):
        right += images(run_model(shipped, Input(image=image_text(image))), grid=8).fields["says"][
            "class"
        ] == str(digit)
    measured = dict(
        zip(
            shipped.card["quality"]["interpolated"]["sides"],
            shipped.card["quality"]["interpolated"]["accuracy"],
            strict=True,
        )
    )
    first = Part(task.test.images[:FEW], task.test.classes[:FEW])
    finer = Part(resample(first.images, 16), first.classes)
    assert right == round(FEW * accuracy(chances(for_grid(shipped.transformer, 8), finer), finer))
    assert interpolated(task, shipped.transformer) == shipped.card["quality"]["interpolated"]
    note = images(run_model(shipped, Input(image="seven")), grid=8).fields["notes"][1]
    assert (
        note == f"Of held-out images {100 * measured[8]:.0f}% are read right at 8 x 8 patches, and"
        f" {100 * measured[4]:.0f}% at 4 x 4."
    )


def test_what_local_attention_costs_is_said_as_it_is_measured_one_image_after_another(task):
    shipped = load_model("digits")
    known = shipped.card["quality"]["local_attention"]
    assert local(task, shipped.transformer) == known
    assert known["accuracy"][-1] == shipped.card["quality"]["accuracy"]["value"]
    first = Part(task.test.images[:FEW], task.test.classes[:FEW])
    for window, block in ((0, 1), (1, 1), (1, 2)):
        right = sum(
            images(
                run_model(shipped, Input(image=image_text(image))), window=window, block=block
            ).fields["says"]["class"]
            == str(digit)
            for image, digit in zip(
                first.images[:, 0].tolist(), first.classes.tolist(), strict=True
            )
        )
        allowed = local_attention(4, window, block)
        read = chances(shipped.transformer, first, allowed)
        assert right == round(FEW * accuracy(read, first))
    (note,) = images(run_model(shipped, Input(image="seven")), window=1).fields["notes"]
    assert f"{100 * known['accuracy'][1]:.0f}% are read right so" in note
