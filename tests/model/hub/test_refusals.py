"""A folder that is not whole, or that computes what is not read here, is refused in a sentence, by
`describe` as by `load`, and nothing of it is loaded.
"""

import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.errors import NotRead
from model.hub import describe, load
from model.hub.checkpoint import Checkpoint
from model.zoo.cards import User
from model.zoo.models import load_model
from model.zoo.own_models import add_model
from tests.model.support.hub_models import Draw, gpt_2, gpt_neox, llama, model_of
from tests.thorough import mostly

TWO_GROUPS = next(n for n in range(9) if Draw(n).choice([1, 2, 3]) == 2)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of a Llama in one file, in shards, and of a GPT-NeoX."""
    folders = {name: tmp_path_factory.mktemp(name) for name in ("one", "shards", "neox")}
    model = model_of(llama, TWO_GROUPS)
    model.save_pretrained(folders["one"])
    model.save_pretrained(folders["shards"], max_shard_size="15KB")
    model_of(gpt_neox, 0).save_pretrained(folders["neox"])
    return folders


def keys(folder: Path, **changed: object) -> None:
    """Changes keys of config.json."""
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))


def without(folder: Path, key: str) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({k: v for k, v in json.loads(file.read_text()).items() if k != key}))


def tensors(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    """Changes the tensors of the one file of weights."""
    file = folder / "model.safetensors"
    found = load_file(file)
    change(found)
    save_file(found, file)


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("model-*.safetensors"))


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def only_a_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch opened'\ntR.")


def index(folder: Path, change: Callable[[dict], object]) -> None:
    file = folder / "model.safetensors.index.json"
    found = json.loads(file.read_text())
    change(found["weight_map"])
    file.write_text(json.dumps(found))


Q = "model.layers.0.self_attn.q_proj.weight"
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0}
KEYS: list[tuple[dict, str]] = [
    ({"auto_map": {"AutoModel": "theirs.Model"}}, "The model needs its own code"),
    ({"quantization_config": {"bits": 4}}, "quantized (quantization_config in config.json)"),
    ({"rope_parameters": YARN}, "rope_parameters has the kind 'yarn'; supported are"),
    ({"rope_scaling": {"type": "linear"}}, "rope_scaling has no 'factor', which the kind"),
    ({"rope_scaling": {"type": "linear", "factor": 0.5}}, "rope_factor is 0.5; it must be"),
    ({"rope_scaling": {"type": "linear", "factor": "x"}}, "rope_scaling is {'type': 'linear'"),
    ({"hidden_act": "quick_gelu"}, "hidden_act is 'quick_gelu'; supported are relu"),
    ({"is_decoder": True}, "is_decoder is True; only False is supported"),
    ({"logit_softcap": 30.0}, "has the unknown key 'logit_softcap'"),
    ({"model_type": "mamba"}, "model_type is 'mamba' in config.json; supported are"),
    ({"model_type": ["llama"]}, "in config.json; supported are"),
    ({"architectures": ["LlamaForTokenClassification"]}, "TokenClassification in config.json"),
    ({"architectures": None}, "The architecture is not stated in config.json; supported"),
    ({"num_hidden_layers": 10**9}, "has 1000000000 layers, but the weights"),
    ({"num_hidden_layers": 5}, "The weights are incomplete: no tensor gives"),
    ({"num_hidden_layers": 1}, "does not fit the model of config.json."),
    ({"num_attention_heads": 7}, "keys and values evenly."),
    ({"hidden_size": "wide"}, "d_model is 'wide'; it must be a whole number"),
    ({"head_dim": 7}, "d_head is 7; rotary positions need an even number."),
    ({"intermediate_size": 47}, "which does not fit config.json"),
    ({"rope_parameters": 7}, "rope_parameters is 7 in config.json, which is not valid"),
    ({"model_type": "mistral", "architectures": ["MistralForCausalLM"], "sliding_window": 8},
     "makes attention look back only 8 tokens; the minimum is"),
    ({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "use_sliding_window": True,
      "sliding_window": 8}, "use_sliding_window makes attention look back only 8"),
    ({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"],
      "layer_types": ["sliding_attention"]}, "layer_types has 'sliding_attention'"),
]  # fmt: skip
CHANGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("one", lambda at: (at / "config.json").unlink(), "has no readable config.json"),
    ("one", lambda at: (at / "config.json").write_text("{"), "is not JSON"),
    ("one", lambda at: (at / "config.json").write_text("[]"), "is not a JSON object"),
    ("one", shutil.rmtree, "is not a folder"),
    ("one", only_a_pickle, "pytorch_model.bin is a pickle, which can run code"),
    ("one", lambda at: (at / "model.safetensors").unlink(), "has no model.safetensors and no"),
    ("one", lambda at: cut_off(at / "model.safetensors"), "model.safetensors is truncated"),
    ("one", lambda at: tensors(at, lambda t: t.pop(Q)), "no tensor gives decoder.0."),
    ("one", lambda at: tensors(at, lambda t: t.update(x=t[Q].clone())), "Tensor x is unknown."),
    ("one", lambda at: tensors(at, lambda t: t.update({Q: t[Q][:-1].clone()})), f"Tensor {Q} has"),
    ("one", lambda at: tensors(at, lambda t: t.update({Q: t[Q].to(torch.int8)})), "has type I8"),
    ("neox", lambda at: without(at, "hidden_size"), "config.json has no 'hidden_size'"),
    ("shards", lambda at: shards(at)[1].unlink(), "The shard model-00002-of-"),
    ("shards", lambda at: cut_off(shards(at)[0]), "model-00001-of-"),
    ("shards", lambda at: index(at, dict.clear), "has no weight_map"),
    ("shards", lambda at: index(at, lambda m: m.pop(Q)), "is in a shard but not in"),
    ("shards", lambda at: index(at, lambda m: m.update(x=m[Q])), "Tensor x is in no shard"),
    ("shards", lambda at: index(at, lambda m: m.update({Q: "../other/m"})), "not a file in this"),
]  # fmt: skip


def only(name: str) -> Callable[[Path], object]:
    """The folder has this file alone."""
    return lambda at: (shutil.rmtree(at), at.mkdir(), (at / name).write_text("{}"))


CHANGES += [
    ("one", only("adapter_config.json"), "merge it into its model first (merge_and_unload)"),
    ("one", only("m.Q4_K_M.gguf"), "has GGUF files: use the original folder with safetensors."),
]
CHANGES += [("one", partial(keys, **changed), sentence) for changed, sentence in KEYS]
"""The folder, what is changed in it, and a piece of the sentence that refuses it."""


@pytest.mark.parametrize(("name", "change", "sentence"), CHANGES)
def test_a_folder_that_cannot_be_read_exactly_is_refused_in_a_sentence(
    saved: dict[str, Path], tmp_path: Path, name: str, change: Callable, sentence: str
):
    folder = shutil.copytree(saved[name], tmp_path / "folder")
    change(folder)
    for read in (describe, load):
        with pytest.raises(NotRead) as refused:
            read(folder)
        text = str(refused.value)
        assert sentence in text, text
        assert text.endswith(".")
        assert "\n" not in text
        assert len(text) < 400


def tokenizer(folder: Path, **model: object) -> None:
    whole = {"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []} | model}
    (folder / "tokenizer.json").write_text(json.dumps(whole))


def instead(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    """The file `name` is made by `make`."""
    return lambda folder: ((folder / name).unlink(missing_ok=True), make(folder / name))


def endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


def deep(file: Path) -> None:
    file.write_text("[" * 200_000)


def large(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(64_000_001)


HOSTILE = [
    (instead("config.json", os.mkfifo), "config.json in mine is not a regular file"),
    (instead("config.json", endless), "config.json in mine is not a regular file"),
    (instead("config.json", deep), "config.json in mine is nested too deeply"),
    (instead("config.json", large), "config.json in mine has more than 64,000,000 bytes"),
    (instead("config.json", lambda file: file.write_bytes(b"\xff")), "is not UTF-8 text."),
    (partial(keys, architectures=[{}]), "in config.json; supported for"),
    (partial(keys, model_type="\x1b[2J" * 400), "model_type is "),
    (partial(keys, eos_token_id=["<script>"]), "eos_token_id is ['<script>'], which is not a"),
    (instead("tokenizer.json", os.mkfifo), "tokenizer.json in mine is not a regular file"),
    (instead("tokenizer.json", deep), "tokenizer.json in mine is nested too deeply"),
    (instead("tokenizer_config.json", endless), "tokenizer_config.json in mine is not a regular"),
    (partial(tokenizer, vocab={"a": 2**31}), "The tokenizer in mine counts to 2,147,483,648"),
    (partial(tokenizer, merges=["a a"] * (2**20 + 1)), "the limit is 1,048,576 tokens and merges"),
    (partial(tokenizer, vocab={"a" * (2**23 + 1): 0}), "letters in all; the limit is"),
    (partial(tokenizer, vocab=7), "tokenizer.json in mine is not a tokenizer"),
    (instead("README.md", os.mkfifo), ""),
    (instead("other.safetensors", os.mkfifo), ""),
]  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), HOSTILE)
def test_what_a_folder_has_in_the_place_of_a_file_is_refused_before_it_is_read(
    saved: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    change: Callable, sentence: str,
):  # fmt: skip
    monkeypatch.setattr(User, "folder", tmp_path / "cards")
    folder = shutil.copytree(saved["one"], tmp_path / "mine")
    tokenizer(folder)
    change(folder)
    with pytest.raises(NotRead) if sentence else nullcontext() as refused:
        add_model(folder, "mine", "mine", 2**31)
    if refused:
        text = str(refused.value)
        assert sentence in text
        assert len(text) < 400
        assert text.isprintable()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t[Q].fill_(torch.nan), f"Tensor {Q} contains a number that is not finite"),
        (
            lambda t: t.update({"embed_tokens.weight": -t["model.embed_tokens.weight"]}),
            "but differ",
        ),
    ],
)
def test_weights_that_are_no_numbers_or_contradict_each_other_are_refused(
    saved: dict[str, Path], tmp_path: Path, change: Callable, sentence: str
):
    folder = shutil.copytree(saved["one"], tmp_path / "folder")
    tensors(folder, change)
    with pytest.raises(NotRead, match=sentence):
        load(folder)


def test_ids_that_the_model_does_not_have_are_ignored_and_the_card_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """GPT2Config(vocab_size=…) keeps the ids 50256 of the published model."""
    monkeypatch.setattr(User, "folder", tmp_path / "cards")
    folder = tmp_path / "mine"
    model_of(gpt_2, 0).save_pretrained(folder)
    rows = load(folder)[0].vocabulary_size
    tokenizer(folder, vocab={"a": 0, "<|endoftext|>": 7})
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<|endoftext|>"}')
    aside = add_model(folder, "mine", "mine", 2**31)["left_aside"]
    names = "bos_token_id and eos_token_id 50256"
    assert aside == {names: f"the model has only {rows} tokens"}
    assert load_model("mine").text_tokenizer.frame.ends == {7}
    tokenizer(folder, vocab={"a": 0, "b": rows})
    with pytest.raises(NotRead, match=f"has token {rows}, but the model only"):
        add_model(folder, "mine", "mine", 2**31)


def test_shards_hold_the_same_model_as_one_file(saved: dict[str, Path]):
    assert len(shards(saved["shards"])) > 1
    single, several = (load(saved[name])[1].state_dict() for name in ("one", "shards"))
    assert all(torch.equal(single[name], several[name]) for name in single.keys() | several.keys())


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_half_precision_is_read_into_single_and_said(
    saved: dict[str, Path], tmp_path: Path, half: torch.dtype
):
    folder = shutil.copytree(saved["one"], tmp_path / "folder")
    tensors(folder, lambda t: t.update({name: value.to(half) for name, value in t.items()}))
    read, whole = load(folder)[1], load(saved["one"])[1]
    assert describe(folder)["precision"] == {torch.float16: "f16", torch.bfloat16: "bf16"}[half]
    for name, value in whole.named_parameters():
        assert torch.equal(read.get_parameter(name), value.to(half).float())
        assert read.get_parameter(name).dtype == torch.float32


def test_what_is_said_of_a_model_is_what_its_folder_states(saved: dict[str, Path], tmp_path: Path):
    folder = shutil.copytree(saved["one"], tmp_path / "folder")
    (folder / "README.md").write_text('---\nlanguage: en\nlicense: "apache-2.0"\n---\n# Llama\n')
    facts, (config, _) = describe(folder), load(folder)
    assert facts["licence"] == "apache-2.0"
    assert describe(saved["one"])["licence"] is None
    assert facts["config"] == config.as_dict()
    assert facts["bytes"] == (folder / "model.safetensors").stat().st_size
    assert (facts["family"], facts["head"], facts["precision"]) == ("Llama", "next word", "f32")
    assert facts["vocabulary"] == config.vocabulary_size
    assert json.loads(json.dumps(facts)) == facts


def test_a_mask_that_an_old_file_keeps_is_left_aside_and_said(
    saved: dict[str, Path], tmp_path: Path
):
    folder = shutil.copytree(saved["neox"], tmp_path / "folder")
    name = "gpt_neox.layers.0.attention.bias"
    tensors(folder, lambda t: t.update({name: torch.ones(1, 1, 40, 40, dtype=torch.bool)}))
    assert describe(folder)["left_aside"] == {
        name: "a causal mask, which follows from the positions"
    }
    assert load(folder)


STRANGE = [None, -1, 0, "x", [], {"a": 1}, 10**12, True, 1.5]


@pytest.mark.parametrize("name", ["one", "neox"])
def test_no_strange_value_of_a_key_is_anything_but_read_or_refused(
    saved: dict[str, Path], tmp_path: Path, name: str
):
    folder = shutil.copytree(saved[name], tmp_path / "folder")
    stated = json.loads((folder / "config.json").read_text())
    for place, key in enumerate(sorted(stated)):
        for shift in range(3):
            keys(folder, **stated | {key: STRANGE[(place + 3 * shift) % len(STRANGE)]})
            with suppress(NotRead):
                describe(folder)


@pytest.mark.parametrize("name", mostly(["one", "neox"], "neox"))
def test_no_strange_shape_of_a_tensor_is_anything_but_refused(
    saved: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str
):
    whole = Checkpoint.read(saved[name])
    for tensor, header in whole.tensors.items():
        for shape in ((), (header.shape[0] + 1,), (1, *header.shape), (0,)):
            strange = whole.tensors | {tensor: replace(header, shape=shape)}
            monkeypatch.setattr(
                Checkpoint, "read", lambda folder, t=strange: replace(whole, tensors=t)
            )
            with pytest.raises(NotRead, match=re.escape(tensor)):
                describe(saved[name])
