"""Nothing is loaded that is not what its card says."""

import hashlib
import json
import random

import pytest
import torch
from safetensors.torch import save

from model.errors import CorruptWeights, UnknownName
from model.inputs.letters import letters
from model.training.model_card import write_model
from model.zoo.models import WEIGHTS, ids, load_model, load_weights, read_card
from tests.model.support.runs import tokenizer
from tests.model.support.small import small


@pytest.fixture
def shipped(tmp_path):
    """A folder of weights with one small model in it."""
    model = small(dtype=torch.float32, vocabulary_size=tokenizer().size)
    write_model(
        tmp_path / "tiny",
        model,
        tokenizer(),
        {"id": "tiny", "limits": {"tokens": 32, "trained_tokens": 8}},
    )
    return tmp_path, model


def test_what_was_written_is_what_is_read(shipped):
    folder, model = shipped
    assert ids(folder) == ["tiny"]
    read = load_model("tiny", folder)
    assert read.config == model.config
    assert all(
        torch.equal(a, b)
        for a, b in zip(
            read.transformer.state_dict().values(), model.state_dict().values(), strict=True
        )
    )
    assert read.tokenizer.encode("the cat") == tokenizer().encode("the cat")
    assert not any(parameter.requires_grad for parameter in read.transformer.parameters())


def test_a_model_of_letters_reads_letters(tmp_path):
    write_model(
        tmp_path / "tiny",
        small(dtype=torch.float32, vocabulary_size=letters().size),
        letters(),
        {"id": "tiny"},
    )
    assert [token.text for token in load_model("tiny", tmp_path).tokenizer.encode("Ab c")] == [
        "a",
        "b",
        "c",
    ]


def test_a_hundred_flipped_bits_are_refused_each_one(shipped):
    folder, _ = shipped
    path, draw = folder / "tiny" / "model.safetensors", random.Random(0)
    content = path.read_bytes()
    for _ in range(100):
        damaged, bit = bytearray(content), draw.randrange(8 * len(content))
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(CorruptWeights, match="does not match its card"):
            load_model("tiny", folder)
    path.write_bytes(content)
    load_model("tiny", folder)


def test_an_encoding_that_cuts_words_otherwise_is_refused(shipped):
    folder, _ = shipped
    path = folder / "tiny" / "tokenizer.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"▁t"', '"▁T"'), encoding="utf-8")
    with pytest.raises(CorruptWeights, match="encoding file does not match its card"):
        load_model("tiny", folder)


def test_half_a_file_is_refused(shipped):
    folder, _ = shipped
    path = folder / "tiny" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorruptWeights, match="does not match its card"):
        load_model("tiny", folder)


def with_digest(tensors: dict) -> tuple[bytes, str]:
    """A file whose digest is right, so that its content is what is judged."""
    content = save({name: value.contiguous() for name, value in tensors.items()})
    return content, hashlib.sha256(content).hexdigest()


def lacking(tensors):
    del tensors["decoder.0.norm3.gain"]


def surplus(tensors):
    tensors["decoder.2.norm3.gain"] = torch.ones(16)


def transposed(tensors):
    tensors["encoder.1.feed_forward.hidden.weight"] = tensors[
        "encoder.1.feed_forward.hidden.weight"
    ].mT


def not_a_number(tensors):
    tensors["encoder.0.attention.key.bias"][3] = torch.nan


def infinite(tensors):
    tensors["embedding.token"][0, 0] = -torch.inf


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (
            lacking,
            ("Weight decoder.0.norm3.gain has shape None; the"),
        ),
        (
            surplus,
            ("Weight decoder.2.norm3.gain has shape"),
        ),
        (
            transposed,
            ("Weight encoder.1.feed_forward.hidden.weight has shape"),
        ),
        (
            not_a_number,
            r"Weight encoder\.0\.attention\.key\.bias contains a number that is not finite\.",
        ),
        (infinite, r"Weight embedding\.token contains a number that is not finite\."),
    ],
)
def test_a_wrong_tensor_is_refused_by_name(damage, sentence):
    model = small(dtype=torch.float32)
    tensors = {name: value.clone() for name, value in model.state_dict().items()}
    load_weights(model, *with_digest(tensors))
    damage(tensors)
    with pytest.raises(CorruptWeights, match=sentence):
        load_weights(model, *with_digest(tensors))


def test_what_is_no_weights_file_at_all_is_refused():
    content = b"not a safetensors file"
    with pytest.raises(CorruptWeights, match="not a safetensors file"):
        load_weights(small(dtype=torch.float32), content, hashlib.sha256(content).hexdigest())


def test_models_come_in_the_stated_order_and_others_after_them_by_name(shipped):
    folder, _ = shipped
    for name in ("b", "a", "c"):
        (folder / name).mkdir()
        (folder / name / "card.json").write_text("{}")
    (folder / "order.txt").write_text("tiny\nc\nlost\n", encoding="utf-8")
    assert ids(folder) == ["tiny", "c", "a", "b"]


def test_a_card_says_how_large_the_file_of_weights_is(shipped):
    folder, model = shipped
    card = read_card("tiny", folder)
    assert (
        card["bytes"]
        == len((folder / "tiny" / "model.safetensors").read_bytes())
        > 4 * card["parameters"]
    )
    assert card["config"] == model.config.as_dict()


def test_the_translator_is_shipped_first_and_whatever_is_ordered_is_shipped():
    assert ids()[0] == "translator"
    assert set((WEIGHTS / "order.txt").read_text(encoding="utf-8").split()) <= set(ids())


def test_an_unknown_model_gets_the_nearest_names(shipped):
    folder, _ = shipped
    with pytest.raises(UnknownName, match=r"There is no model named 'tinny'\. Did you mean tiny"):
        load_model("tinny", folder)


def test_the_shipped_card_tells_the_truth_about_its_weights():
    for name in ids():
        model = load_model(name)
        assert model.card["id"] == name
        assert model.card["parameters"] == sum(p.numel() for p in model.transformer.parameters())
        assert (
            model.card["config"]
            == model.config.as_dict()
            == json.loads(json.dumps(model.config.as_dict()))
        )
        assert model.tokenizer.size == model.config.n_logits
