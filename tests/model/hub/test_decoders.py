"""Decoders of `transformers` with random sizes, saved and read: the same numbers at every layer,
and the same text.
"""

import json
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder
from model.hub import describe, load
from tests.model.support.hub_models import DECODERS, Draw, llama_like, model_of
from tests.model.support.hub_numbers import check_read_exactly, greedy_ids

TEXT = torch.tensor([7, 3, 31, 12, 3, 22, 9, 38, 5])


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("family", DECODERS)
def test_a_decoder_is_read_exactly(
    family: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    theirs = model_of(DECODERS[family], number)
    ours = check_read_exactly(theirs, family, {"input_ids": TEXT[None]}, tmp_path, monkeypatch)
    ids = greedy_ids(IncrementalDecoder(ours), TEXT, 20)
    with torch.no_grad():
        whole = torch.cat([TEXT, torch.tensor(ids)])[None]
        chosen = theirs(input_ids=whole).logits[0, len(TEXT) - 1 : -1].argmax(-1)
    assert ids == chosen.tolist()  # by induction, each the best one after those before it


def test_a_decoder_without_a_head_gives_streams_and_says_that_it_has_no_logits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole = model_of(DECODERS["GPT-2"], 1)
    assert isinstance(whole, transformers.GPT2LMHeadModel)
    inputs = {"input_ids": TEXT[None]}
    ours = check_read_exactly(whole.transformer, "GPT-2", inputs, tmp_path, monkeypatch)
    assert describe(tmp_path)["head"] == "none"
    with pytest.raises(InvalidInput, match="This model has no head"):
        ours.unembed(torch.zeros(1, ours.config.d_model))
    whole.save_pretrained(tmp_path / "whole")
    assert load(tmp_path / "whole")[0].head.absent is False


@pytest.mark.parametrize(
    ("family", "number", "older"),
    [
        ("GPT-NeoX", 3, {"rotary_emb_base": "rope_theta", "rotary_pct": "partial_rotary_factor"}),
        ("Llama", 0, {"rope_theta": "rope_theta", "rope_scaling": "none"}),
    ],
)
def test_rotary_positions_as_older_files_state_them_are_the_same(
    family: str, number: int, older: dict[str, str], tmp_path: Path
):
    model_of(DECODERS[family], number).save_pretrained(tmp_path)
    config, file = load(tmp_path)[0], tmp_path / "config.json"
    keys = json.loads(file.read_text())
    stated = keys.pop("rope_parameters")
    assert config.positions.rotary.base != 10000 or config.positions.rotary.channels, (
        "a base or a share that is no default"
    )
    file.write_text(json.dumps(keys | {key: stated.get(name) for key, name in older.items()}))
    assert load(tmp_path)[0] == config


LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 600,  # of 5 pairs 2 are kept, 1 between and 2 slow
}
LINEAR = {"rope_type": "linear", "rope_theta": 500.0, "factor": 2.5}
LONGER = [
    ("Llama", {"rope_parameters": LLAMA3, "head_dim": 10}, 40),
    ("Llama", {"rope_parameters": LINEAR, "head_dim": 6}, 40),
    ("Mistral", {"sliding_window": 4096, "max_position_embeddings": 9000}, 4096),
    ("Qwen2", {"use_sliding_window": True, "max_window_layers": 1, "hidden_size": 24,
               "sliding_window": 5000, "max_position_embeddings": 9000}, 5000),
]  # fmt: skip


@pytest.mark.parametrize(("family", "stated", "most"), LONGER)
def test_positions_for_longer_texts_are_those_of_transformers_as_far_as_they_are_read(
    family: str, stated: dict, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def make(draw: Draw) -> torch.nn.Module:
        config = getattr(transformers, f"{family}Config")(**llama_like(draw) | stated)
        return getattr(transformers, f"{family}ForCausalLM")(config)

    check_read_exactly(model_of(make, 1), family, {"input_ids": TEXT[None]}, tmp_path, monkeypatch)
    config, file = load(tmp_path)[0], tmp_path / "config.json"
    assert config.max_length == most
    keys = json.loads(file.read_text())
    if family == "Llama":  # as older files state it
        old = keys.pop("rope_parameters")
        keys |= {"rope_theta": old.pop("rope_theta"), "rope_scaling": old}
        file.write_text(json.dumps(keys))
        assert load(tmp_path)[0] == config


def test_the_names_of_the_first_files_of_gpt_2_are_read(tmp_path: Path):
    """They have no prefix before the names of the decoder, and keep masks."""
    model_of(DECODERS["GPT-2"], 0).save_pretrained(tmp_path)
    file = tmp_path / "model.safetensors"
    whole, old = load(tmp_path)[1].state_dict(), load_file(file)
    old = {name.removeprefix("transformer."): value for name, value in old.items()}
    save_file(old | {"h.0.attn.bias": torch.ones(1, 1, 40, 40, dtype=torch.uint8)}, file)
    again = load(tmp_path)[1].state_dict()
    assert all(torch.equal(again[name], whole[name]) for name in again.keys() | whole.keys())
