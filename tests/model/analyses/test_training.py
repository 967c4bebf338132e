"""Two layers and one on their way: every number of the answer against NumPy, and what the shipped
training shows.
"""

import math

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from model.analyses.training import MODELS, formed, training
from model.errors import InvalidInput, UnknownName
from model.training.recipes.induction import measured
from model.zoo.models import WEIGHTS, load_model
from model.zoo.training_checkpoints import FILE, load_checkpoints
from tests.rounding import RANDOM, SINGLE, near, same

TEXT = "hearthearthear"
HEADS = 4


def turned(x: np.ndarray) -> np.ndarray:
    """Channels 2i and 2i + 1 of position p as a complex number, turned by p / 10000^(2i / d)."""
    length, d = x.shape
    whole = x[:, 0::2] + 1j * x[:, 1::2]
    whole = whole * np.exp(1j * np.outer(np.arange(length), 10000.0 ** (-np.arange(0, d, 2) / d)))
    return np.stack([whole.real, whole.imag], axis=-1).reshape(length, d)


def read(
    weights: dict[str, np.ndarray], layers: int, ids: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Log probabilities [position, vocabulary] and patterns [layer, head, query, key] of attention
    layers alone, added to the stream.
    """
    x = weights["embedding.token"][ids] * np.sqrt(weights["embedding.token"].shape[1])
    n, d_head = len(ids), x.shape[1] // HEADS
    patterns = np.zeros((layers, HEADS, n, n))
    for layer in range(layers):
        q, k, v, o = (
            weights[f"decoder.{layer}.attention.{part}.weight"].astype(float)
            for part in ("query", "key", "value", "output")
        )
        out = np.zeros_like(x)
        for head in range(HEADS):
            channels = slice(head * d_head, (head + 1) * d_head)
            score = turned(x @ q[:, channels]) @ turned(x @ k[:, channels]).T / np.sqrt(d_head)
            score[np.triu_indices(n, 1)] = -np.inf
            score = np.exp(score - score.max(axis=1, keepdims=True))
            patterns[layer, head] = score / score.sum(axis=1, keepdims=True)
            out += patterns[layer, head] @ (x @ v[:, channels]) @ o[channels]
        x = x + out
    logits = x @ weights["untied"].T
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), patterns


def weights_at(id: str, step: int) -> dict[str, np.ndarray]:
    return {
        name.removeprefix(f"{step}."): value
        for name, value in load_file(WEIGHTS / id / FILE).items()
        if name.startswith(f"{step}.")
    }


@pytest.mark.parametrize("step", [0, 200, 3000])
def test_losses_patterns_and_scores_are_those_that_numpy_reads_out_of_the_kept_weights(step: int):
    answer = training(text=TEXT, step=step)
    ids = [1, *(3 + ord(letter) - ord("a") for letter in TEXT)]
    assert answer.axes["text"].ids == ids
    assert answer.axes["expected"].labels == list(TEXT)
    heard = [
        [1 <= k <= q and ids[k - 1] == ids[q] for k in range(len(ids))] for q in range(len(ids))
    ]
    before = np.eye(len(ids), k=-1, dtype=bool)
    at = 0
    for row, (id, layers) in enumerate(zip(MODELS, (2, 1), strict=True)):
        log_p, patterns = read(weights_at(id, step), layers, ids)
        loss = [-log_p[i, ids[i + 1]] for i in range(len(TEXT))]
        same(answer.tensors["loss"].data[row, 0], loss, scale=1)
        for layer in range(layers):
            same(answer.tensors["pattern"].data[0, at + layer], patterns[layer], scale=1)
            for role, keys in (("induction", np.array(heard)), ("previous", before)):
                assert np.array_equal(
                    answer.tensors[f"{role}.keys"].data.numpy().astype(bool), keys
                )
                expected = (patterns[layer] * keys).sum(axis=-1)[:, keys.any(axis=-1)].mean(axis=-1)
                same(answer.tensors[role].data[0, at + layer], expected, scale=1)
        at += layers
    assert answer.axes["layer"].labels == ["induction-2.0", "induction-2.1", "induction-1.0"]


def test_without_a_step_all_of_them_are_told_and_each_as_it_is_told_alone():
    every = training(text=TEXT)
    for place, step in enumerate(every.fields["steps"]):
        if step in (0, 250, 1700):
            single = training(text=TEXT, step=step)
            for name, tensor in single.tensors.items():
                whole = every.tensors[name].data
                where = tensor.axes.index("step") if "step" in tensor.axes else None
                same(tensor.data, whole if where is None else whole.narrow(where, place, 1))


def test_the_steps_come_in_order_from_fresh_weights_to_those_that_are_shipped():
    for id in MODELS:
        models, card = load_checkpoints(id).models, load_model(id).card
        steps = list(models)
        assert steps == sorted(steps) == card["kept"]["steps"]
        assert (steps[0], steps[-1], len(steps)) == (0, card["training"]["steps"], 20)
        last = models[card["training"]["steps"]].transformer.state_dict()
        assert all(
            torch.equal(weight, last[name])
            for name, weight in load_model(id).transformer.state_dict().items()
        )
    assert (
        load_model(MODELS[0]).card["kept"]["steps"] == load_model(MODELS[1]).card["kept"]["steps"]
    )


@pytest.mark.parametrize("id", MODELS)
def test_what_was_measured_of_a_step_is_what_its_weights_do(id: str):
    record = load_checkpoints(id)
    found, place = measured(record.models[250].transformer), list(record.models).index(250)
    for name, value in record.held_out.items():
        same(value[place], torch.tensor(found[name]), scale=1)
    same(load_model(id).card["kept"]["by_chance"], found["by_chance"], SINGLE)


def test_two_layers_learn_to_repeat_and_one_does_not():
    """Repeat loss under .3, accuracy over .95, what nothing can know costs about ln 26, and a
    control that stays far off.
    """
    two_layers, one_layer = (
        {name: value[-1] for name, value in load_checkpoints(id).held_out.items()} for id in MODELS
    )
    assert two_layers["repeat_loss"] < 0.3
    assert two_layers["repeat_accuracy"] > 0.95
    assert one_layer["repeat_accuracy"] < 0.3
    assert one_layer["repeat_loss"] > 2
    for measure in (two_layers, one_layer):
        near(measure["first_loss"].item(), math.log(26), RANDOM, rel=0.04)


def test_layer_two_looks_at_what_followed_layer_one_just_before_and_the_control_at_neither():
    answer = training(step=3000, names="held_out.induction,held_out.previous")
    induction, previous = (
        answer.tensors[f"held_out.{role}"].data[0] for role in ("induction", "previous")
    )
    chance = answer.fields["held_out"]["by_chance"]
    assert induction[1].min() > 8 * chance["induction"]
    assert previous[0].max() > 0.99
    assert induction[2].max() < 1.2 * chance["induction"]
    assert previous[2].max() < chance["previous"]


def test_the_head_has_formed_where_two_layers_leave_the_control_fastest():
    assert formed([0, 10, 20, 40], [4.0, 3.0, 2.9, 1.0], [4.0, 2.5, 2.4, 2.4]) == {
        "before": 20,
        "step": 40,
    }
    assert formed([0, 10, 30], [4.0, 3.0, 1.5], [4.0, 3.8, 3.8]) == {"before": 0, "step": 10}
    answer = training(names="held_out.repeat_loss", text="a")
    two_layers, one_layer = answer.tensors["held_out.repeat_loss"].data
    before, after = (
        answer.fields["steps"].index(answer.fields["formed"][name]) for name in ("before", "step")
    )
    assert two_layers[before] - two_layers[after] > 1
    assert one_layer[before] - one_layer[after] < 0.2


def test_where_no_letter_comes_twice_nothing_is_said_of_what_followed():
    answer = training(text="abc", step=0)
    assert answer.tensors["induction"].data.isneginf().all()
    assert answer.fields["by_chance"]["induction"] is None
    same(answer.fields["by_chance"]["previous"], (1 / 2 + 1 / 3 + 1 / 4) / 3)


def test_a_text_longer_than_in_training_is_said_to_be():
    assert "extrapolation" in training(text=TEXT * 4, step=0).fields["notes"][0]
    assert "notes" not in training(text=TEXT, step=0).fields


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"step": 3}, "Step 3 is not stored"),
        ({"step": -1}, "Step -1 is not stored"),
        ({"text": ""}, "empty"),
        ({"text": "l'heure"}, "only knows the letters a to z"),
        ({"text": "ab" * 48}, "the limit of induction-2 is 96"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(question: dict, sentence: str):
    with pytest.raises(InvalidInput, match=sentence):
        training(**question)


def test_an_unknown_tensor_gets_the_nearest_names():
    with pytest.raises(UnknownName, match="pattern"):
        training(step=0, names="patern")
