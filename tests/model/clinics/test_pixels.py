"""What /pixels answers: images of its networks, one pixel of them, and the bits of the record."""

import pytest
import torch

from model.clinics.pixels import pixels
from model.errors import InvalidInput, UnknownName
from model.pixels.train import as_levels
from model.pixels.writers import NETWORKS, grey_logits, load_writer, read_record
from model.trace import Recorder
from model.training.recipes.digits import Digits
from tests.rounding import SINGLE, same
from tests.thorough import mostly


@pytest.fixture(scope="module")
def answer():
    return pixels(seeds=2)


REACHED = {"line": 25, "block": 25, "all": 63}


def finding(answer, name: str):
    return next(candidate for candidate in answer.fields["findings"] if candidate.name == name)


def test_a_completion_begins_with_a_held_out_image_of_the_digit(answer):
    levels, digits = as_levels(Digits().test)
    whole = answer.tensors["held_out"].data
    (place,) = (levels == whole.flatten()).all(-1).nonzero()[0].tolist()
    assert digits[place] == 3
    completed = answer.tensors["completed"].data
    assert torch.equal(completed[:, :4], whole[:4].expand(2, -1, -1))
    assert not torch.equal(completed[0, 4:], completed[1, 4:])


def test_without_a_beginning_a_completion_is_the_sample_of_its_digit():
    answer = pixels(digit=7, given=0, seeds=1)
    samples, completed = (answer.tensors[name].data for name in ("samples", "completed"))
    assert torch.equal(samples[:, 7], completed)


@pytest.mark.thorough  # tests/app/test_clinics.py asks it of the page of every clinic
def test_the_same_seed_writes_the_same_images_and_another_writes_others(answer):
    samples = answer.tensors["samples"].data
    assert torch.equal(pixels(seeds=2).tensors["samples"].data, samples)
    assert torch.equal(pixels(seeds=1).tensors["samples"].data, samples[:1])
    assert not torch.equal(pixels(seeds=1, seed=1).tensors["samples"].data, samples[:1])


def test_one_pixel_is_that_of_the_first_image(answer):
    network, image = load_writer("block"), answer.tensors["completed"].data[0].flatten()
    trace = Recorder()
    logits = grey_logits(network, "block", image[None], torch.tensor([3]), trace)
    same(answer.tensors["next"].data.float(), logits[0, 36].softmax(-1), scale=1)
    for layer, heads in enumerate(answer.tensors["looks"].data):
        pattern = trace.values[f"decoder.{layer}.attention.pattern"]
        assert torch.equal(heads, pattern[0, :, 36])
        hidden = answer.tensors["sees"].data == 0
        assert (heads[:, hidden] == 0).all()
        same(heads.sum(-1), torch.ones(4))
    assert answer.fields["written"] == image[36]
    assert answer.axes["position"].labels[:2] == ["digit", "1,1"]
    assert answer.axes["position"].labels[36] == "5,4"  # the pixel before that of row 5, column 5


def test_bits_are_those_of_the_record(answer):
    record = read_record()
    each = answer.tensors["bits.by_training"].data
    assert torch.equal(each[:, 2:], record.measured("bits"))
    assert set(answer.axes["model"].labels) == {"independent", "markov", *NETWORKS}
    for name, cost in record.entries["measured"]["baselines"].items():
        place = answer.axes["model"].labels.index(name)
        same(each[:, place].tolist(), [cost] * 3, SINGLE)
    same(answer.tensors["by_pixel"].data.mean((1, 2))[:2], each.mean(0)[:2], scale=1)
    less = each[:, 3] - each[:, 0]
    same(finding(answer, "block.less_independent").values, less)


@pytest.mark.parametrize(
    ("network", "reached"),
    mostly((cases := [pytest.param(*row) for row in REACHED.items()]), cases[0], cases[2]),
)
def test_the_last_pixel_depends_on_as_much_as_two_layers_reach(network: str, reached: int):
    """Of a line 2 x 12 + 1 positions; of a block 5 rows of 5; of all, all but the digit."""
    answer = pixels(network=network, seeds=1, pixel=63)
    assert finding(answer, "reach").value == reached
    assert (answer.tensors["influence"].data[1:] > 0).sum() == reached
    assert {finding(answer, name).value for name in ("later", "outside")} == {0}


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"digit": 10}, "between 0 and 9"),
        ({"digit": -1}, "between 0 and 9"),
        ({"given": 8}, "between 0 and 7"),
        ({"pixel": 64}, "between 0 and 63"),
        ({"temperature": -0.1}, "temperature"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_a_sentence(question, sentence: str):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        pixels(**question)
    assert refused.value.field == next(iter(question))


def test_an_unknown_network_is_refused_with_those_that_exist():
    with pytest.raises(UnknownName, match="network"):
        pixels(network="square")
