"""Encoders of `transformers` with random sizes and each of their heads, saved and read: the same
numbers at every layer.
"""

import json
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from model.errors import NotRead
from model.hub import describe, load
from tests.model.support.hub_models import ENCODERS, model_of, roberta
from tests.model.support.hub_numbers import check_read_exactly, our_numbers

TEXT = {"input_ids": torch.tensor([[7, 3, 31, 12, 3, 22, 9, 38, 5]])}
HEADS = {"Masked": "masked word", "PreTraining": "masked word", "Classification": "classes"}


def inputs_of(theirs) -> dict[str, torch.Tensor]:
    """A text, or an image of the model's size."""
    config = theirs.config
    if not hasattr(config, "image_size"):
        return TEXT
    shape = 1, config.num_channels, config.image_size, config.image_size
    return {"pixel_values": torch.rand(shape, generator=torch.Generator().manual_seed(2))}


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("family", ENCODERS)
def test_an_encoder_is_read_exactly(
    family: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    theirs = model_of(ENCODERS[family], number)
    check_read_exactly(theirs, family, inputs_of(theirs), tmp_path, monkeypatch)
    facts, name = describe(tmp_path), type(theirs).__name__
    assert facts["head"] == next((kind for end, kind in HEADS.items() if end in name), "none")
    assert len(facts["classes"]) == (theirs.config.num_labels if facts["head"] == "classes" else 0)
    aside = ("pooler", "seq_relationship", "predictions.bias", "lm_head.bias")
    assert all(any(name in key for name in aside) for key in facts["left_aside"])


@pytest.mark.parametrize(
    ("family", "name", "number"),
    [
        ("XLM-RoBERTa", "XLMRoberta", 0),
        ("XLM-RoBERTa", "XLMRoberta", 1),
        ("CamemBERT", "Camembert", 2),
    ],
)
def test_a_model_with_the_code_of_roberta_is_read_exactly(
    family: str, name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    theirs = model_of(lambda draw: roberta(draw, name), number)
    check_read_exactly(theirs, family, TEXT, tmp_path, monkeypatch)


def test_the_names_of_the_first_files_of_bert_are_read(tmp_path: Path):
    """They call the gain of a norm gamma and its bias beta, and keep one matrix twice."""
    theirs = model_of(lambda draw: transformers.BertForMaskedLM(transformers.BertConfig(
        vocab_size=40, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=9, max_position_embeddings=16)), 0)  # fmt: skip
    theirs.save_pretrained(tmp_path)
    expected, file = our_numbers(load(tmp_path)[1], TEXT), tmp_path / "model.safetensors"
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): value
        for name, value in load_file(file).items()
    }
    old["cls.predictions.decoder.weight"] = old["bert.embeddings.word_embeddings.weight"].clone()
    old["bert.embeddings.position_ids"] = torch.arange(16)[None]
    save_file(old, file)
    found = our_numbers(load(tmp_path)[1], TEXT)
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    old["cls.predictions.decoder.weight"] += 1
    save_file(old, file)
    with pytest.raises(NotRead, match="should be equal, but differ"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("family", "number", "changed", "sentence"),
    [
        (
            "BERT",
            1,
            {"problem_type": "regression"},
            "only single-label classification is supported.",
        ),
        ("BERT", 1, {"id2label": {"0": "score"}}, "The head has 1 labels"),
        ("BERT", 0, {"position_embedding_type": "relative_key"}, "only 'absolute' is supported"),
        ("BERT", 0, {"is_decoder": True}, "is_decoder is True"),
        ("RoBERTa", 0, {"pad_token_id": 0}, "pad_token_id is 0; only 1 is supported"),
        ("ViT", 0, {"image_size": [4, 6]}, "image_size is [4, 6]; only squares are supported"),
        ("ViT", 0, {"image_size": 7, "patch_size": 3}, "can’t be cut into patches of side"),
    ],
)
def test_a_head_or_a_size_that_is_not_read_is_refused_in_a_sentence(
    family: str, number: int, changed: dict, sentence: str, tmp_path: Path
):
    model_of(ENCODERS[family], number).save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(NotRead) as refused:
        describe(tmp_path)
    assert sentence in str(refused.value)
