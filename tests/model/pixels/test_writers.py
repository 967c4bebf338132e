"""The networks of /pixels against NumPy and loops by hand: what they see, what they say of a pixel,
and that the record is what the shipped weights and the counts measure.
"""

import math
import shutil
from collections import Counter

import numpy as np
import pytest
import torch
from scipy.special import erf

from model.errors import CorruptWeights
from model.pixels.baselines import count_independent, count_markov
from model.pixels.train import as_levels
from model.pixels.writers import (
    FOLDER,
    NETWORKS,
    allowed,
    bits,
    file_name,
    grey_logits,
    load_writer,
    read_record,
)
from model.training.recipes.digits import Digits
from model.zoo.models import WEIGHTS
from tests.rounding import SINGLE, same

every_network = pytest.mark.parametrize("name", NETWORKS)


@pytest.fixture(scope="module")
def data() -> Digits:
    return Digits()


def may_look(name: str, query: int, key: int) -> bool:
    """The rule in words, for positions of an image of 8 columns."""
    if key == 0:
        return True  # the digit
    if key > query:
        return False
    (row, column), (above, beside) = divmod(query, 8), divmod(key, 8)
    return {
        "line": query - key < 13,
        "block": row - above <= 2 and abs(column - beside) <= 2,
        "all": True,
    }[name]


@every_network
def test_a_position_sees_the_digit_and_its_window_and_nothing_later(name: str):
    rule = [[may_look(name, query, key) for key in range(64)] for query in range(64)]
    assert allowed(name).tolist() == rule


def test_a_line_and_a_block_have_as_many_pixels():
    most = {name: int(allowed(name)[:, 1:].sum(-1).max()) for name in NETWORKS}
    assert most == {"line": 13, "block": 13, "all": 63}


def norm(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def by_hand(name: str, levels: list[int], digit: int) -> np.ndarray:
    """p(grey value) at each pixel, in float64, from the weights alone."""
    w = {key: value.double().numpy() for key, value in load_writer(name).state_dict().items()}
    ids = [17 + digit, *levels[:-1]]
    x = w["embedding.token"][ids] + w["embedding.learned"]
    hidden = np.array([[not may_look(name, q, k) for k in range(64)] for q in range(64)])
    for layer in range(2):
        part = f"decoder.{layer}"
        y = norm(x, w[f"{part}.norm1.gain"], w[f"{part}.norm1.bias"])
        q, k, v = (
            (y @ w[f"{part}.attention.{kind}.weight"] + w[f"{part}.attention.{kind}.bias"])
            .reshape(64, 4, 12)
            .transpose(1, 0, 2)
            for kind in ("query", "key", "value")
        )
        scores = np.where(hidden, -np.inf, q @ k.transpose(0, 2, 1) / math.sqrt(12))
        z = (softmax(scores) @ v).transpose(1, 0, 2).reshape(64, 48)
        x = x + z @ w[f"{part}.attention.output.weight"] + w[f"{part}.attention.output.bias"]
        y = norm(x, w[f"{part}.norm2.gain"], w[f"{part}.norm2.bias"])
        inner = y @ w[f"{part}.feed_forward.hidden.weight"] + w[f"{part}.feed_forward.hidden.bias"]
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        x = (
            x
            + inner @ w[f"{part}.feed_forward.output.weight"]
            + w[f"{part}.feed_forward.output.bias"]
        )
    x = norm(x, w["decoder.norm.gain"], w["decoder.norm.bias"])
    return softmax((x @ w["untied"].T)[:, :17])


@every_network
def test_the_bits_of_an_image_are_those_of_a_network_that_is_written_by_hand(name: str, data):
    levels, digits = (part[:2] for part in as_levels(data.test))
    found = bits(load_writer(name), name, levels, digits)
    for row, image, digit in zip(found, levels.tolist(), digits.tolist(), strict=True):
        p = by_hand(name, image, digit)
        expected = [-math.log2(p[place, level]) for place, level in enumerate(image)]
        same(row.tolist(), expected, SINGLE, scale=1)


@every_network
def test_the_record_is_what_the_shipped_weights_measure_on_the_held_out_images(name: str, data):
    found = bits(load_writer(name), name, *as_levels(data.test)).double()
    place, record = list(NETWORKS).index(name), read_record()
    same(record.measured("bits")[0, place].item(), found.mean().item(), SINGLE, scale=1)
    recorded = record.measured("by_pixel")[place].tolist()
    same(recorded, found.mean(0).tolist(), SINGLE, scale=1)
    assert found.shape == (record.entries["images"]["test"], 64) == (360, 64)


def test_the_baselines_of_the_record_are_those_of_counts_by_hand(data):
    (images, digits), (held_out, held_out_digits) = as_levels(data.train), as_levels(data.test)
    singles, totals, pairs, before = Counter(), Counter(), Counter(), Counter()
    for image, digit in zip(images.tolist(), digits.tolist(), strict=True):
        totals[digit] += 1
        for place, (last, level) in enumerate(zip([None, *image], image, strict=False)):
            singles[digit, place, level] += 1
            pairs[last, level] += 1
            before[last] += 1
    cost = {"independent": 0.0, "markov": 0.0}
    for image, digit in zip(held_out.tolist(), held_out_digits.tolist(), strict=True):
        for place, (last, level) in enumerate(zip([None, *image], image, strict=False)):
            share = (singles[digit, place, level] + 1) / (totals[digit] + 17)
            after = (pairs[last, level] + 1) / (before[last] + 17)
            cost["independent"] -= math.log2(share)
            cost["markov"] -= math.log2(after)
    recorded = read_record().entries["measured"]["baselines"]
    same(recorded, {name: bits / held_out.numel() for name, bits in cost.items()}, SINGLE)


@pytest.mark.parametrize("count", [count_independent, count_markov])
def test_a_baseline_gives_probabilities_that_sum_to_1(count, data):
    baseline = count(*as_levels(data.train))
    levels = torch.arange(17)[:, None].expand(17, 64).clone()
    levels[:, :-1] = 3  # the last pixel alone differs
    p = 2 ** -baseline.bits(levels, torch.full((17,), 4))[:, -1]
    same(p.sum().item(), 1, SINGLE)


@every_network
def test_a_pixel_outside_the_reach_of_two_windows_changes_nothing_at_all(name: str, data):
    levels, digits = (part[:1] for part in as_levels(data.test))
    network, query = load_writer(name), 44
    before = grey_logits(network, name, levels, digits)
    near = {key for key in range(64) if may_look(name, query, key)}
    reached = {key for middle in near for key in range(64) if may_look(name, middle, key)}
    for pixel in range(63):
        other = levels.clone()
        other[0, pixel] = (other[0, pixel] + 8) % 17
        changed = grey_logits(network, name, other, digits)
        assert torch.equal(changed[:, : pixel + 1], before[:, : pixel + 1]), "it comes later"
        same = torch.equal(changed[0, query], before[0, query])
        assert same is (pixel + 1 not in reached), pixel


def test_a_file_that_is_not_the_one_that_was_measured_is_refused(tmp_path):
    shutil.copytree(WEIGHTS / FOLDER, tmp_path / FOLDER)
    shutil.copy(tmp_path / FOLDER / file_name("line"), tmp_path / FOLDER / file_name("block"))
    with pytest.raises(CorruptWeights, match="digest"):
        load_writer("block", tmp_path)
    assert load_writer("all", tmp_path) is not None


def test_the_weights_are_small_and_the_networks_of_one_size():
    files = [*(WEIGHTS / FOLDER).glob("*.safetensors")]
    assert len(files) == len(NETWORKS)
    assert sum(file.stat().st_size for file in files) < 300_000
    counts = {sum(p.numel() for p in load_writer(name).parameters()) for name in NETWORKS}
    assert counts == {read_record().entries["parameters"]}
