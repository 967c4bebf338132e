"""What a clinic says of all seeds together is made of what it says of each, and says which."""

import math

import pytest
import torch
from torch import Tensor

from model.answers.answer import Answer
from model.answers.measurements import Finding
from tests.model.clinics.every_clinic import OF_SEEDS, SEEDS, SMALL, reported_answer
from tests.rounding import SINGLE, same
from tests.thorough import mostly

every_clinic = pytest.mark.parametrize("clinic", OF_SEEDS)

ALREADY = {
    ("pixels", "completed"),
    ("pixels", "samples"),
    ("scaling", "products"),
    ("warmup", "loss"),
}
"""Tensors that have the seeds among their axes, and no sibling that takes them together."""
SHARED_OUT = {"scaling", "memory"}
"""How many numbers, or how much of a corpus, a seed gets depends on how many seeds there are."""

STEADY = [clinic for clinic in OF_SEEDS if clinic not in SHARED_OUT]
DEAR = {"gradients", "kv_cache", "pixels", "several_heads"}
"""Clinics that take long for one seed more, and go from seed to seed as the others do."""


def mean(each: Tensor) -> Tensor:
    return each.mean(0)


def root_mean_square(each: Tensor) -> Tensor:
    return each.square().mean(0).sqrt()


def geometric(each: Tensor) -> Tensor:
    return each.log().mean(0).exp()


TAKEN_TOGETHER = {
    ("norms", "stream"): root_mean_square,
    ("norms", "stream.all"): root_mean_square,
    ("performer", "error"): root_mean_square,
    ("complexity", "gradient_by_distance"): geometric,
    **{("gradients", name): geometric for name in ("last", "parameter", "residual")},
    **{("amplification", name): geometric for name in ("change", "sum", "constant", "share")},
}
"""How the seeds are taken together, where not by their mean."""
OTHERWISE = {
    ("memory", "firing"),  # the largest of the corpus, which has the examples too
    ("circuits_theory", "baseline"),  # a mean and a standard deviation, of all pairs
    ("scaling", "jacobian"),  # quantiles and a mean, of all queries
}


def statistical(answer: Answer) -> list[Finding]:
    every = [*answer.fields.get("findings", [])]
    every += [finding for claim in answer.fields.get("claims", []) for finding in claim["findings"]]
    return [finding for finding in every if finding.kind == "statistical"]


@every_clinic
def test_tensors_by_seed_make_the_tensor_of_all_seeds(clinic):
    answer = reported_answer(clinic).answer
    siblings = [name for name in answer.tensors if name.endswith(".by_seed")]
    assert siblings or clinic in ("basis", "kv_cache", "pixels", "warmup")
    for name in siblings:
        each, together = answer.tensors[name], answer.tensors[name.removesuffix(".by_seed")]
        assert each.axes == ("seed", *together.axes)
        assert each.data.shape == (SEEDS, *together.data.shape)
        assert not torch.equal(each.data[0], each.data[1]), "seeds differ"
        known = clinic, name.removesuffix(".by_seed")
        if known not in OTHERWISE:
            same(TAKEN_TOGETHER.get(known, mean)(each.data), together.data, scale=1)
    by_seed = {name for name, tensor in answer.tensors.items() if "seed" in tensor.axes}
    assert {(clinic, name) for name in by_seed - set(siblings)} <= ALREADY
    assert clinic in ("basis", "kv_cache") or answer.axes["seed"].values == list(range(SEEDS))


def test_what_is_no_mean_lies_where_single_seeds_do():
    """A mean of all pairs or queries is that of the seeds' means."""
    tensors = reported_answer("circuits_theory").answer.tensors
    same(tensors["baseline.by_seed"].data[..., 0].mean(0), tensors["baseline"].data[..., 0])
    tensors = reported_answer("scaling").answer.tensors
    same(tensors["jacobian.by_seed"].data[:, :, -1].mean(0), tensors["jacobian"].data[:, -1])
    tensors = reported_answer("memory").answer.tensors
    assert (tensors["firing.by_seed"].data.amax(0) <= tensors["firing"].data).all()


@pytest.mark.parametrize("clinic", SMALL)
def test_the_numbers_of_single_seeds_make_the_finding(clinic):
    findings = statistical(reported_answer(clinic).answer)
    assert findings or clinic == "kv_cache", "no number of a cache depends on chance"
    for finding in findings:
        assert len(finding.values) == finding.seeds
        known = [value for value in finding.values if value is not None]
        assert all(map(math.isfinite, known))
        assert (finding.min, finding.max) == (min(known, default=None), max(known, default=None))
        if finding.method == "t":
            same(finding.mean, sum(known) / len(known))
        if finding.method == "t on logarithms":
            same(finding.mean, math.exp(sum(map(math.log, known)) / len(known)))
        if finding.interval:
            assert finding.interval[0] <= finding.mean <= finding.interval[1]


@pytest.mark.parametrize("clinic", mostly(STEADY, *(id for id in STEADY if id not in DEAR)))
def test_a_seed_gives_the_same_numbers_however_many_follow(clinic):
    single, first_of_three = reported_answer(clinic, 1).answer, reported_answer(clinic).answer
    for name, tensor in single.tensors.items():
        if name.endswith(".by_seed"):
            assert torch.equal(tensor.data[0], first_of_three.tensors[name].data[0]), name
            together = single.tensors[name.removesuffix(".by_seed")].data
            same(together, tensor.data[0], scale=1)
    for finding, other in zip(statistical(single), statistical(first_of_three), strict=True):
        assert finding.name == other.name
        same(finding.values[0], other.values[0], SINGLE, what=finding.name)
