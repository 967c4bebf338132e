"""Signs that are typed to a model that was added: those of a chat are tokens, and [SEP] makes a
pair. Ids, kinds of texts and logits are those of `transformers`.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import AddedToken, Tokenizer
from transformers import PreTrainedTokenizerFast

from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.cards import Own
from model.zoo.models import load_model
from model.zoo.own_models import add_model
from tests.model.support.hub_models import drawn
from tests.model.support.hub_tokenizers import KINDS

SMALL = {"num_hidden_layers": 2, "hidden_size": 24, "num_attention_heads": 2}


def added(
    folder: Path, backend: Tokenizer, said: dict, make: Callable[[int], torch.nn.Module]
) -> tuple[torch.nn.Module, PreTrainedTokenizerFast]:
    """Adds the model that `make` makes for so many tokens; it and its tokenizer in transformers."""
    theirs = drawn(lambda draw: make(backend.get_vocab_size()), 0)
    theirs.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    backend.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    add_model(folder, "mine", "mine", 2**31)
    return theirs, PreTrainedTokenizerFast.from_pretrained(folder)


def read(text: str) -> Run:
    return run_model(load_model("mine"), Input(text=text))


def llama(rows: int) -> torch.nn.Module:
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(vocab_size=rows, intermediate_size=33, **SMALL)
    )


CHATS = [
    "<|im_start|>user\nhi there<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>  <|im_end|> you're  <|im_end|><s>",
    "a text without a sign",
]


@pytest.mark.parametrize("where", ["tokenizer_config.json", "chat_template.jinja", ""])
@pytest.mark.parametrize("kind", ["byte-level", "byte fallback"])
def test_the_signs_of_a_chat_are_tokens_where_the_folder_has_a_template(
    kind: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Own, "folder", tmp_path / "cards")
    backend, said = KINDS[kind]()
    backend.add_special_tokens(["<|im_start|>", AddedToken("<|im_end|>", rstrip=True)])
    (tmp_path / "mine").mkdir()
    if where == "chat_template.jinja":
        (tmp_path / "mine" / where).write_text("{{ messages }}")
    if where == "tokenizer_config.json":
        said |= {"chat_template": "{{ messages }}"}
    _, theirs = added(tmp_path / "mine", backend, said, llama)
    for text in CHATS:
        run, signs = read(text), "<|im_end|>" in text
        ids = [token.id for token in run.tokens["text"]]
        assert (ids == theirs(text)["input_ids"]) == (bool(where) or not signs)
        notes = [note for note in run.notes if "Read as special tokens" in note]
        assert bool(notes) == (bool(where) and signs)
        assert all("<|im_start|> and <|im_end|>" in note for note in notes)
        words = [token.word for token in run.tokens["text"] if token.word is not None]
        assert words == sorted(words)
