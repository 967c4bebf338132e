"""Signs that are typed to a model that was added: those of a chat are tokens, and [SEP] makes a
pair. Ids, kinds of texts and logits are those of `transformers`.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, processors
from transformers import PreTrainedTokenizerFast

from model.analyses.explain import explain
from model.analyses.logits import logits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.cards import User
from model.zoo.models import load_model
from model.zoo.own_models import add_model
from tests.model.support.hub_models import model_of
from tests.model.support.hub_tokenizers import KINDS
from tests.rounding import SHIPPED, same
from tests.thorough import mostly

SMALL = {"num_hidden_layers": 2, "hidden_size": 24, "num_attention_heads": 2}


def added(
    folder: Path, backend: Tokenizer, settings: dict, make: Callable[[int], torch.nn.Module]
) -> tuple[torch.nn.Module, PreTrainedTokenizerFast]:
    """Adds the model that `make` makes for so many tokens; it and its tokenizer in transformers."""
    theirs = model_of(lambda draw: make(backend.get_vocab_size()), 0)
    theirs.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    backend.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
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


WHERE = ("tokenizer_config.json", "chat_template.jinja", "")


@pytest.mark.parametrize(
    ("kind", "where"),
    mostly(
        (
            cases := [
                pytest.param(kind, where)
                for kind in ("byte-level", "byte fallback")
                for where in WHERE
            ]
        ),
        *(cases[0], cases[4], cases[5]),
    ),
)
def test_the_signs_of_a_chat_are_tokens_where_the_folder_has_a_template(
    kind: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(User, "folder", tmp_path / "cards")
    backend, settings = KINDS[kind]()
    backend.add_special_tokens(["<|im_start|>", AddedToken("<|im_end|>", rstrip=True)])
    (tmp_path / "mine").mkdir()
    if where == "chat_template.jinja":
        (tmp_path / "mine" / where).write_text("{{ messages }}")
    if where == "tokenizer_config.json":
        settings |= {"chat_template": "{{ messages }}"}
    _, theirs = added(tmp_path / "mine", backend, settings, llama)
    for text in CHATS:
        run, signs = read(text), "<|im_end|>" in text
        ids = [token.id for token in run.tokens["text"]]
        assert (ids == theirs(text)["input_ids"]) == (bool(where) or not signs)
        notes = [note for note in run.notes if "Read as special tokens" in note]
        assert bool(notes) == (bool(where) and signs)
        assert all("<|im_start|> and <|im_end|>" in note for note in notes)
        words = [token.word for token in run.tokens["text"] if token.word is not None]
        assert words == sorted(words)


def bert(rows: int, labels: int = 3) -> torch.nn.Module:
    return transformers.BertForSequenceClassification(
        transformers.BertConfig(
            vocab_size=rows, intermediate_size=33, num_labels=labels, **SMALL, pad_token_id=0
        )
    )


def roberta(rows: int) -> torch.nn.Module:
    return transformers.RobertaForSequenceClassification(
        transformers.RobertaConfig(
            vocab_size=rows, intermediate_size=33, type_vocab_size=1, num_labels=3, **SMALL
        )
    )


NAME = "encoder.embedding.token_type"
PAIRS = [("The capital", "is  Paris"), ("i am cold", "you're not; x"), ("café", "a")]


@pytest.mark.parametrize(
    ("kind", "make", "signs"),
    [
        ("word-piece", bert, [" [SEP] ", "[SEP]"]),
        ("byte-level with blanks", roberta, [" [SEP] ", "</s></s>", " </s> "]),
    ],
)
def test_two_texts_with_a_separator_are_a_pair(
    kind: str, make: Callable, signs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(User, "folder", tmp_path / "cards")
    backend, settings = KINDS[kind]()
    if kind == "word-piece":
        backend.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
    settings |= {"sep_token": "[SEP]" if kind == "word-piece" else "</s>"}
    model, theirs = added(tmp_path / "mine", backend, settings, make)
    for first, second in PAIRS:
        inputs = theirs(first, second, return_tensors="pt", return_token_type_ids=True)
        with torch.no_grad():
            expected = model(**inputs).logits[0]
        for sign in signs:
            run = read(f"{first}{sign}{second}")
            text = f"{first}{sign}{second}"
            tokens = run.tokens["text"]
            assert [token.id for token in tokens] == inputs["input_ids"][0].tolist()
            same(run.logits[0], expected, n=SHIPPED, scale=1)
            assert any("Read as a pair" in note for note in run.notes)
            inside = [t for t in tokens if t.special and t.end > t.start]
            assert {text[t.start : t.end] for t in inside} == {sign.strip()}
            assert "is" not in first or text[tokens[1].start :].startswith("The")
    for wrong in ("one [SEP]", "[SEP] one", "one [SEP] two [SEP] three"):
        with pytest.raises(InvalidInput, match="A pair is two texts separated by one"):
            read(wrong)
    run = read("one and two")
    assert run.notes == []
    fields = logits(run).fields
    assert fields["answered_at"] == [0]
    first = "[CLS]" if kind == "word-piece" else "<s>"
    assert f"is the class at {first}, the first position" in fields["notes"][0]
    cell = explain(read("The capital [SEP] is"), name=NAME, at="5,0")
    assert cell.fields["operands"][0]["index"][0] == int(kind == "word-piece")
