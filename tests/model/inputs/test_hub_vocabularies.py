"""Folders without tokenizer.json: the lists of pieces of BERT, GPT-2 and RoBERTa cut texts as
`transformers` does, and what cannot be read as it was meant is refused in a sentence.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from transformers import BertTokenizer, GPT2Tokenizer, RobertaTokenizer

from model.errors import NotRead
from model.inputs.hub_text import HubTokenizer
from tests.model.support.hub_tokenizers import byte_level_with_blanks, word_piece

CASED = {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False}
FOLDERS = {
    "BERT": ("bert", {}, BertTokenizer),
    "a BERT of capitals": ("distilbert", CASED, BertTokenizer),
    "a BERT of accents": ("bert", {"strip_accents": False}, BertTokenizer),
    "GPT-2": ("gpt2", {"add_prefix_space": True}, GPT2Tokenizer),
    "RoBERTa": ("roberta", {}, RobertaTokenizer),
    "BART": ("bart", {"tokenizer_class": "BartTokenizerFast"}, RobertaTokenizer),
}


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40).filter(
    lambda text: not re.search(r"\[[A-Z]+\]|<.*>|___", text)  # a typed sign is text to us
)


@cache
def lists(kind: str) -> dict[str, str]:
    """The lists of pieces of a kind, by the names of their files."""
    if kind in ("bert", "distilbert", "marian", "t5"):
        backend, _ = word_piece()
        pieces = sorted(backend.get_vocab(), key=backend.token_to_id)
        return {"vocab.txt": "\n".join([*pieces, "Paris", "é", "caf", "##é"]) + "\n"}
    backend, _ = byte_level_with_blanks()
    merges = json.loads(backend.to_str())["model"]["merges"]
    pieces = [*sorted(backend.get_vocab(), key=backend.token_to_id), "<unk>", "<pad>"]
    lines = [piece if isinstance(piece, str) else " ".join(piece) for piece in merges]
    return {
        "vocab.json": json.dumps({piece: id for id, piece in enumerate(pieces)}),
        "merges.txt": "\n".join(["#version: 0.2", *lines]) + "\n",
    }


def write(folder: Path, kind: str, fields: dict) -> Path:
    """A folder of a model of this kind with its lists, and what tokenizer_config.json says."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": kind}))
    (folder / "tokenizer_config.json").write_text(json.dumps(fields))
    for name, text in lists(kind).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory):
    """Our tokenizer of each folder and that of transformers."""
    at = tmp_path_factory.mktemp("lists")
    folders = {name: write(at / name, *FOLDERS[name][:2]) for name in FOLDERS}
    return {
        name: (HubTokenizer.load(folder), FOLDERS[name][2].from_pretrained(folder))
        for name, folder in folders.items()
    }


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=texts)
@example(text="The capital of France is Paris.")
@example(
    text="  naïve CAFÉ, cafe\u0301 \u00a0 12,345.6 日本🙂👩‍👧 · ⏎ x\u200d\n\n\tyou're ＡＢＣ İı ß"
)
def test_a_text_has_the_ids_that_transformers_gives_it(both, text):
    for ours, theirs in both.values():
        tokens = ours.encode(text, start=True, end=True)
        assert [token.id for token in tokens] == theirs(text)["input_ids"]


def test_a_list_of_pieces_has_the_frame_and_the_blank_of_its_class(both):
    for ours, theirs in both.values():
        frame = ours.frame
        assert [*frame.before, *frame.after] == theirs("")["input_ids"]
        assert ours.mask == getattr(theirs, "mask_token_id", None)
        if frame.after:
            pair = ours.encode("is[SEP]Paris", start=True, end=True)
            assert [token.id for token in pair] == theirs("is", "Paris")["input_ids"]
    bert, theirs = both["BERT"]
    text = "Paris is [MASK] cold."
    assert [t.id for t in bert.encode(text, start=True, end=True)] == theirs(text)["input_ids"]
    roberta, _ = both["RoBERTa"]  # the space in front of a blank belongs to it
    assert [t.id for t in roberta.encode("is <mask>")] == [
        *(t.id for t in roberta.encode("is")),
        roberta.mask,
    ]


REFUSED = [
    ("bert", {"tokenizer_class": "CodeGenTokenizer"}, {}, "this is CodeGenTokenizer"),
    ("bert", {"do_basic_tokenize": False}, {}, "do_basic_tokenize is False"),
    ("bert", {"never_split": ["x"]}, {}, r"never_split is \['x'\]"),
    ("bert", {"do_lower_case": "no"}, {}, "vocab.txt in mine can’t be read as a tokenizer"),
    ("bert", {"cls_token": "<cls>"}, {}, "vocab.txt in mine has no piece for cls_token"),
    ("bert", {}, {"added_tokens.json": '{"<new>": 999}'}, "adds the piece '<new>' to vocab.txt"),
    ("bert", {}, {"added_tokens.json": "{"}, r"added_tokens.json in mine is not JSON"),
    ("bert", {"added_tokens_decoder": [7]}, {}, "The added pieces in"),
    ("t5", {}, {}, "has no tokenizer.json. Otherwise, a T5Tokenizer needs"),
    ("t5", {}, {"spiece.model": ""}, "spiece.model in mine is truncated or not a Sentence"),
    ("marian", {}, {}, "a MarianTokenizer needs vocab.json and source.spm and target.spm"),
    ("bert", {}, {"vocab.txt": None}, "has no tokenizer.json. Otherwise, a BertTokenizer needs"),
    (
        "gpt2",
        {},
        {"merges.txt": "a b c"},
        "vocab.json and merges.txt in mine can’t be read as a tokenizer",
    ),
    ("roberta", {}, {"merges.txt": None}, "has no tokenizer.json. Otherwise, a"),
    ("roberta", {}, {"vocab.json": "{}", "merges.txt": ""}, "has no piece for cls_token"),
]


@pytest.mark.parametrize(("kind", "fields", "files", "sentence"), REFUSED)
def test_lists_that_cannot_be_read_as_meant_are_refused_in_a_sentence(
    kind: str, fields: dict, files: dict, sentence: str, tmp_path: Path
):
    folder = write(tmp_path / "mine", kind, fields)
    for name, text in files.items():
        (folder / name).unlink() if text is None else (folder / name).write_text(text)
    with pytest.raises(NotRead, match=sentence) as refused:
        HubTokenizer.load(folder)
    assert str(refused.value).endswith(".")
