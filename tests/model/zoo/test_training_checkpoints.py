"""The weights of a training's steps: one file, whole and as its card says, or refused."""

import hashlib

import pytest
import torch
from safetensors.torch import load, save

from model.errors import CorruptWeights
from model.inputs.letters import letters
from model.training.model_card import write_model
from model.zoo.training_checkpoints import FILE, load_checkpoints, pack_checkpoints, read_rounded
from tests.model.support.small import small

STEPS = (0, 50, 1000)


def tiny(seed: int):
    return small(dtype=torch.float32, vocabulary_size=letters().size, seed=seed)


@pytest.fixture
def shipped(tmp_path):
    """A folder of weights with one small model in it, which had other weights on its way."""
    for seed, step in enumerate(STEPS):
        path = tmp_path / "kept" / f"{step:06d}.safetensors"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(save(tiny(seed).state_dict()))
    content = pack_checkpoints(
        read_rounded(tmp_path / "kept", torch.float32), {"loss": torch.tensor([3.0, 2.0, 1.0])}
    )
    card = {
        "id": "tiny",
        "kept": {"steps": list(STEPS), "sha256": hashlib.sha256(content).hexdigest()},
    }
    (tmp_path / "weights" / "tiny").mkdir(parents=True)
    (tmp_path / "weights" / "tiny" / FILE).write_bytes(content)
    write_model(tmp_path / "weights" / "tiny", tiny(len(STEPS) - 1), letters(), card)
    return tmp_path / "weights"


def test_each_step_has_the_weights_it_had_and_everything_else_is_the_models(shipped):
    checkpoints = load_checkpoints("tiny", shipped)
    assert tuple(checkpoints.models) == STEPS
    assert checkpoints.held_out["loss"].tolist() == [3, 2, 1]
    for seed, model in enumerate(checkpoints.models.values()):
        assert all(
            torch.equal(weight, tiny(seed).state_dict()[name])
            for name, weight in model.transformer.state_dict().items()
        )
        assert model.card["id"] == model.id == "tiny"
        assert not any(parameter.requires_grad for parameter in model.transformer.parameters())


def test_steps_are_rounded_to_what_they_are_stored_as(shipped):
    halves = read_rounded(shipped.parent / "kept", torch.float16)
    assert tuple(halves) == STEPS
    for seed, weights in enumerate(halves.values()):
        whole = tiny(seed).state_dict()
        assert all(
            weight.dtype == torch.float16 and torch.equal(weight, whole[name].half())
            for name, weight in weights.items()
        )


def test_the_file_names_every_weight_by_its_step(shipped):
    names = set(load((shipped / "tiny" / FILE).read_bytes()))
    assert names == {f"{step}.{name}" for step in STEPS for name in tiny(0).state_dict()} | {
        "held_out.loss"
    }


def test_a_flipped_bit_is_refused(shipped):
    path = shipped / "tiny" / FILE
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptWeights, match="does not match its card"):
        load_checkpoints("tiny", shipped)
