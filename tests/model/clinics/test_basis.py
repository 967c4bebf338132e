"""Basis: which rotations of the stream leave the logits as they are, and why."""

import math

import pytest
import torch

from model.clinics import basis as clinic
from model.clinics.basis import (
    NORMS,
    ROTATIONS,
    basis,
    fixing_ones,
    fold,
    orthogonal,
    permutation,
    rotate,
    run,
    small_model,
    turning,
)
from model.errors import InvalidInput
from model.layers import feed_forward
from model.layers.norms import LayerNorm, RMSNorm
from model.measure.initialised_stacks import generator
from tests.rounding import is_same, same
from tests.thorough import mostly

FREE = {("rms", "any"), ("rms", "fixing-ones"), ("layer", "fixing-ones")}


def found(answer) -> dict[str, dict]:
    return {finding.name: finding for finding in answer.fields["findings"]}


def change(**question) -> float:
    return change_in(found(basis(**question)))


def change_in(findings: dict[str, dict]) -> float:
    finding = findings["logit_change"]
    return finding.mean if finding.value is None else finding.value


@pytest.mark.parametrize("seed", mostly([0, 1], 0))
@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_logits_stay_exactly_where_the_norm_lets_the_rotation_pass(norm, rotation, seed):
    findings = found(basis(norm=norm, rotation=rotation, seed=seed))
    assert all(finding.verdict != "fails" for finding in findings.values())
    free = (norm, rotation) in FREE
    assert findings["logit_change"].kind == ("exact" if free else "statistical")
    assert (change_in(findings) < 1e-10) == free


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_gains_that_are_not_folded_belong_to_their_channels(norm, rotation):
    findings = found(basis(norm=norm, rotation=rotation, folded=False))
    assert all(finding.verdict in ("holds", "not applicable") for finding in findings.values())
    assert change_in(findings) > 1


def test_a_general_rotation_of_a_layer_norm_model_changes_logits_by_about_one():
    assert 0.7 < change(norm="layer", seeds=8) < 1.3


@torch.no_grad()
@pytest.mark.parametrize("norm", NORMS)
def test_folding_the_gains_changes_no_logit(norm):
    model = small_model(norm, generator(0, 0))
    ids = torch.arange(12)
    _, before = run(model, ids)
    assert model.decoder.norm.gain.std() > 0.1
    fold(model)
    assert all(
        (gain == 1).all() for name, gain in model.named_parameters() if name.endswith("gain")
    )
    same(run(model, ids)[1], before, scale=1)


@torch.no_grad()
def test_a_rotation_and_its_inverse_give_the_same_model_back():
    model = small_model("layer", generator(0, 0))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    r = orthogonal(clinic.D_MODEL, generator(1, 0))
    rotate(model, r)
    unmoved = {
        name for name, value in model.state_dict().items() if torch.equal(value, before[name])
    }
    assert all(
        "gain" in name or name.split(".")[-2] in ("query", "key", "value", "hidden")
        for name in unmoved
    )
    rotate(model, r.mT)
    same(dict(model.state_dict()), before)


def test_the_stream_of_the_rotated_model_is_the_stream_rotated():
    """And nothing of the old coordinates is left: the distance is sqrt(2) lengths."""
    answer = basis()
    before, after = answer.tensors["stream"].data
    assert (before - after).abs().max() > 0.1
    same(before.norm(dim=-1), after.norm(dim=-1), scale=1)
    gram = [x @ x.mT for x in (before, after)]
    same(gram[0], gram[1], scale=1)
    same(found(answer)["stream_change"].mean, math.sqrt(2), scale=1)


@pytest.mark.parametrize("n", [2, 7, 64])
def test_rotations_are_orthogonal_and_one_kind_keeps_the_ones(n):
    ones = torch.ones(n, dtype=torch.float64)
    rotations = (
        orthogonal(n, generator(n, 0)),
        turning(n, 1.0, generator(n, 0)),
        fixing_ones(n, 1.0, generator(n, 0)),
        permutation(n, generator(n, 0)),
    )
    for r in rotations:
        same(r @ r.mT, torch.eye(n), scale=1)
    same(ones @ rotations[2], ones, scale=1)
    same(rotations[2] @ ones, ones, scale=1)
    assert (ones @ rotations[1] - ones).abs().max() > 0.1


@pytest.mark.parametrize("degrees", [0.0, 10.0, 90.0, 180.0])
def test_every_vector_moves_by_the_chord_of_the_angle_and_keeps_its_length(degrees):
    angle = math.radians(degrees)
    x = torch.randn(5, 64, dtype=torch.float64, generator=generator(1, 0))
    moved = x @ turning(64, angle, generator(0, 0))
    same(moved.norm(dim=-1), x.norm(dim=-1), scale=1)
    cosine = (moved * x).sum(-1) / x.square().sum(-1)
    same(cosine, math.cos(angle), scale=1)


@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("degrees", [0.0, 180.0])
def test_no_rotation_and_minus_one_pass_every_norm(norm, folded, degrees):
    """The norms are odd once their biases turn with the stream: norm(-x) = -norm(x)."""
    assert change(norm=norm, folded=folded, angle=degrees, seeds=1) < 1e-10


@pytest.mark.parametrize("folded", [True, False])
@pytest.mark.parametrize("degrees", mostly([1e-5, 0.1, 5.0, 179.9], 1e-5))
def test_a_small_rotation_is_held_against_what_a_small_rotation_changes(folded, degrees):
    finding = found(basis(norm="layer", folded=folded, angle=degrees))["logit_change"]
    assert finding.holds
    assert finding.mean < 2 * min(degrees, 180 - degrees)


def test_what_a_rotation_by_next_to_nothing_changes_is_hidden_by_rounding():
    finding = found(basis(norm="layer", angle=1e-9))["logit_change"]
    assert finding.verdict == "not applicable"
    assert "rounding" in finding.premise


def test_the_probabilities_are_the_softmax_of_the_last_logits():
    answer = basis(norm="layer")
    logits = answer.tensors["logits"].data[:, -1]
    expected = logits.exp() / logits.exp().sum(-1, keepdim=True)
    same(answer.tensors["probabilities"].data, expected, scale=1)


def test_layer_norm_passes_a_rotation_only_if_it_keeps_the_ones_and_rms_norm_any():
    x = torch.randn(5, 16, dtype=torch.float64, generator=generator(0, 0))
    turn, keep = orthogonal(16, generator(1, 0)), fixing_ones(16, 1.0, generator(1, 0))
    layer, rms = LayerNorm(16, 1e-5).double(), RMSNorm(16, 1e-5).double()
    for norm, r, passes in (
        (rms, turn, True),
        (rms, keep, True),
        (layer, keep, True),
        (layer, turn, False),
    ):
        assert is_same(norm(x @ r), norm(x) @ r) == passes


def test_it_is_the_relu_that_privileges_hidden_units(monkeypatch):
    assert found(basis())["hidden_rotation"].mean > 1
    monkeypatch.setitem(feed_forward.ACTIVATIONS, "relu", lambda x: x)
    assert found(basis())["hidden_rotation"].mean < 1e-10


def test_a_reader_that_is_forgotten_shows(monkeypatch):
    whole = clinic.readings
    monkeypatch.setattr(clinic, "readings", lambda model: whole(model)[:-1])
    assert not found(basis())["logit_change"].holds


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"norm": "batch"}, "norm is 'batch'; it must be one of"),
        ({"rotation": "none"}, "rotation is 'none'; it must be one of"),
    ],
)
def test_what_is_unknown_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        basis(**question)
