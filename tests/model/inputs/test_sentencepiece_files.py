"""Texts of Marian and T5 have the ids that `transformers` and sentencepiece give them. The three
small models and the ids were made once, with sentencepiece 0.2.3, which the tests do without.
"""

import json
import shutil
from pathlib import Path

import pytest

from model.errors import NotRead
from model.inputs.hub_text import HubTokenizer
from model.inputs.sentencepiece_files import fields, read_sentencepiece

MARIAN, T5 = (Path(__file__).parent / name for name in ("marian", "t5"))
CONFIG = {"model_type": "marian", "is_encoder_decoder": True, "decoder_start_token_id": 77}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = shutil.copytree(MARIAN, tmp_path / "mine")
    (copy / "config.json").write_text(json.dumps(CONFIG))
    return copy


def test_a_source_and_a_target_have_the_ids_that_transformers_gives_them(folder: Path):
    tokenizer = HubTokenizer.load(folder)
    recorded = json.loads((MARIAN / "ids.json").read_text(encoding="utf-8"))
    assert len(recorded) > 200
    for text, expected in recorded.items():
        for name, ids in zip(("source", "target"), expected, strict=True):
            tokens = tokenizer.tokenizer_for(name).encode(text, start=True, end=True)
            assert [token.id for token in tokens] == ids, (name, text)
            assert all(0 <= token.start <= token.end <= len(text) for token in tokens)
            assert [token.word for token in tokens[:-1]] == sorted(t.word for t in tokens[:-1])


def test_the_frame_is_that_of_marian_and_labels_are_those_of_the_pieces(folder: Path):
    tokenizer = HubTokenizer.load(folder)
    frame = tokenizer.frame
    assert (frame.before, frame.after, frame.start, frame.ends) == ((), (0,), 77, {0})
    assert (frame.pad, frame.special) == (77, {0, 77})
    code, *rest = tokenizer.encode(">>fra<< the cat")
    assert (code.text, code.start, code.end, code.word) == (">>fra<<", 0, 7, 0)
    assert "".join(token.text for token in rest) == "·the·cat"
    ids = [token.id for token in tokenizer.tokenizer_for("target").encode("le chat")]
    assert tokenizer.decode([77, *ids, 0]) == "le chat"
    assert tokenizer.decode([]) == ""
    typed = tokenizer.encode("the </s> cat é<unk>s")
    assert not any(token.special for token in typed)
    assert [token.text for token in typed][-5:-2] == ["u", "n", "k"]


@pytest.fixture
def t5(tmp_path: Path) -> Path:
    copy = shutil.copytree(T5, tmp_path / "mine")
    (copy / "config.json").write_text(
        '{"model_type": "t5", "is_encoder_decoder": true, "decoder_start_token_id": 0}'
    )
    return copy


def test_a_text_of_t5_has_the_ids_that_sentencepiece_gives_it(t5: Path):
    tokenizer = HubTokenizer.load(t5)
    recorded = json.loads((T5 / "ids.json").read_text(encoding="utf-8"))
    assert len(recorded) > 170
    for text, expected in recorded.items():
        for name in ("source", "target"):
            tokens = tokenizer.tokenizer_for(name).encode(text, start=True, end=True)
            assert [token.id for token in tokens] == expected, text
            assert all(0 <= token.start <= token.end <= len(text) for token in tokens)


def test_the_gaps_of_t5_stand_behind_its_pieces_and_are_no_text(t5: Path):
    tokenizer = HubTokenizer.load(t5)
    n = len(read_sentencepiece(t5 / "spiece.model").pieces)
    frame = tokenizer.frame
    assert (frame.before, frame.after, frame.start, frame.ends) == ((), (1,), 0, {1})
    assert frame.special == {0, 1, *range(n, n + 100)}
    assert [tokenizer.label(n), tokenizer.label(n + 99)] == ["<extra_id_99>", "<extra_id_0>"]
    ids = [token.id for token in tokenizer.encode("That is good.")]
    assert tokenizer.decode([0, *ids, 1]) == "That is good."
    (t5 / "tokenizer_config.json").write_text('{"extra_ids": 3}')
    assert HubTokenizer.load(t5).frame.special == {0, 1, n, n + 1, n + 2}


def test_the_fields_of_a_message_are_read_by_hand():
    message = b"\x08\x96\x01" + b"\x12\x02hi" + b"\x1d\x00\x00\x80\x3f" + b"\x21" + bytes(8)
    assert list(fields(message)) == [(1, 150), (2, b"hi"), (3, b"\x00\x00\x80\x3f"), (4, bytes(8))]


BPE, BYTES, NO_SPACE = b"\x12\x02\x18\x02", b"\x12\x03\x98\x02\x01", b"\x1a\x02\x18\x00"
TYPED = b"\x0a\x0a\x0a\x01x\x15" + bytes(4) + b"\x18\x04"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda whole: b"", "source.spm in mine is truncated or not a SentencePiece model"),
        (lambda whole: whole[:-3], "is truncated or not a SentencePiece model"),
        (lambda whole: b"\xff" * 40, "is truncated or not a SentencePiece model"),
        (lambda whole: whole + BPE, "has model_type = 2; only 1 is supported."),
        (lambda whole: whole + BYTES, "has byte_fallback = 1"),
        (lambda whole: whole + NO_SPACE, "has add_dummy_prefix = 0"),
        (lambda whole: whole + TYPED, "has pieces of kind 4, which are not supported."),
    ],
)
def test_a_model_that_is_not_whole_or_cuts_otherwise_is_refused_in_a_sentence(
    folder: Path, change, sentence: str
):
    file = folder / "source.spm"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(NotRead, match=sentence) as refused:
        read_sentencepiece(file)
    assert str(refused.value).endswith(".")
    with pytest.raises(NotRead, match=sentence):
        HubTokenizer.load(folder)
