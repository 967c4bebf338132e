"""Encoders with decoders of `transformers` with random sizes, saved and read: the same numbers at
every layer of both, and the same translation.
"""

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor

from model.errors import NotRead
from model.generation.decoding import IncrementalDecoder
from model.hub import describe, load
from tests.model.support.hub_models import TRANSLATORS, model_of
from tests.model.support.hub_numbers import check_read_exactly, greedy_ids

SOURCE = torch.tensor([7, 3, 31, 12, 3, 22, 9, 38, 5])
TARGET = torch.tensor([1, 8, 20, 4, 33, 6])


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("family", TRANSLATORS)
def test_a_translator_is_read_exactly(
    family: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    theirs = model_of(TRANSLATORS[family], number)
    inputs = {"input_ids": SOURCE[None], "decoder_input_ids": TARGET[None]}
    if "Encoder" in type(theirs).__name__:
        inputs = {"input_ids": SOURCE[None]}
    ours = check_read_exactly(theirs, family, inputs, tmp_path, monkeypatch)
    if describe(tmp_path)["head"] == "next word":
        ids = greedy_ids(IncrementalDecoder(ours, [SOURCE.tolist()]), TARGET[:1], 20)
        inputs["decoder_input_ids"] = torch.tensor([[int(TARGET[0]), *ids]])
        with torch.no_grad():
            chosen = theirs(**inputs).logits[0, :-1].argmax(-1)
        assert ids == chosen.tolist()


@pytest.mark.parametrize(
    ("family", "changed", "sentence"),
    [
        (
            "T5",
            {"feed_forward_proj": "gated-quick_gelu"},
            "feed_forward_proj is 'gated-quick_gelu'",
        ),
        ("T5", {"relative_attention_num_buckets": 16}, "only 32 is supported"),
        (
            "BART",
            {"tie_word_embeddings": False},
            "tie_word_embeddings is False; only True is supported",
        ),
        ("BART", {"decoder_ffn_dim": 7}, "decoder_ffn_dim is 7 but encoder_ffn_dim"),
        ("BART", {"normalize_before": True}, "normalize_before is True; only False is supported"),
        ("Marian", {"share_encoder_decoder_embeddings": False}, "only True is supported"),
        ("Marian", {"static_position_embeddings": False}, "only True is supported"),
    ],
)
def test_a_translator_that_is_not_read_is_refused_in_a_sentence(
    family: str, changed: dict, sentence: str, tmp_path: Path
):
    model_of(TRANSLATORS[family], 0).save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(NotRead) as refused:
        describe(tmp_path)
    assert sentence in str(refused.value)


def test_the_vectors_of_tokens_are_kept_once_where_the_target_has_positions_of_its_own(
    tmp_path: Path,
):
    model_of(TRANSLATORS["BART"], 0).save_pretrained(tmp_path)
    model = load(tmp_path)[1]
    assert isinstance(model.target_embedding.table, Tensor)
    assert model.target_embedding.table is model.embedding.token
    assert "target.token" not in model.state_dict()
    assert not torch.equal(model.target_embedding.position(3), model.embedding.position(3))
