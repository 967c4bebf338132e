"""Texts of other people's tokenizers have the ids that transformers gives them, the frame that
their files name, labels in which everything can be seen, and no typed text becomes a sign.
"""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from model.errors import InvalidInput, NotRead
from model.inputs.foreign_tokenizer import probe
from model.inputs.hub_text import ROLES, SIGN_OF, HubTokenizer, printable
from tests.model.support.hub_tokenizers import KINDS, write_folder

SIGNS = ["<|endoftext|>", "[CLS]", "[SEP]", "[PAD]", "<pad>", "</s>", "<unk>", "[UNK]"]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Our tokenizer of each kind and that of transformers, from the same folder."""
    folders = {kind: write_folder(tmp_path_factory.mktemp("hub") / kind, kind) for kind in KINDS}
    return {
        kind: (HubTokenizer.load(folder), PreTrainedTokenizerFast.from_pretrained(folder))
        for kind, folder in folders.items()
    }


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40).filter(
    lambda text: not any(sign in text for sign in [*SIGNS, "<s>", "[MASK]", "<mask>", "___"])
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=texts)
@example(text="The capital of France is Paris.")
@example(text="  two  spaces\n\n\tand you're é e\u0301 日本🙂 · ⏎ ▁x \u202e")
def test_ids_and_the_text_of_ids_are_those_of_transformers(both, text):
    for ours, theirs in both.values():
        tokens = ours.encode(text, start=True, end=True)
        ids = [token.id for token in tokens]
        assert ids == theirs(text)["input_ids"]
        assert (
            ours.decode(ids)
            == theirs.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            or theirs.unk_token_id in ids
        )
        assert [token.id for token in tokens if token.special] == [
            *ours.frame.before,
            *ours.frame.after,
        ]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=texts)
def test_tokens_stand_where_they_say_and_cover_the_text(both, text):
    for kind, (ours, _) in both.items():
        tokens = ours.encode(text)
        assert all(0 <= token.start <= token.end <= len(text) for token in tokens)
        assert [token.start for token in tokens] == sorted(token.start for token in tokens)
        covered = set().union(*(range(token.start, token.end) for token in tokens))
        if kind != "word-piece":  # BERT drops control characters
            assert {at for at, sign in enumerate(text) if not sign.isspace()} <= covered
        words = [token.word for token in tokens]
        assert words == sorted(words)
        if kind == "byte-level":
            for token in tokens:
                place = text[token.start : token.end].replace(" ", "·").replace("\n", "⏎")
                assert place == token.text or "<0x" in token.text


@pytest.mark.parametrize("kind", KINDS)
def test_no_typed_sign_is_one(both, kind):
    ours, _ = both[kind]
    for text in (text for sign in SIGNS for text in (sign, f"is {sign} cold", f"{sign}{sign}")):
        tokens = ours.encode(text)
        assert len(tokens) > 1
        assert not any(token.special for token in tokens)
        assert not {token.id for token in tokens} & ours.frame.special
        assert all(token.start < token.end for token in tokens)


@pytest.mark.parametrize(("kind", "sign"), [("byte-level", "<|endoftext|>"), ("unigram", "</s>")])
def test_a_typed_sign_keeps_its_letters(both, kind, sign):
    ours, _ = both[kind]
    ids = [token.id for token in ours.encode(f"is {sign}")]
    assert ours.decode(ids).replace("<unk>", "/") == f"is {sign}"


def test_a_frame_is_what_the_files_name(both):
    frames = {kind: ours.frame for kind, (ours, _) in both.items()}
    gpt, bert, t5 = (frames[kind] for kind in ("byte-level", "word-piece", "unigram"))
    assert (gpt.before, gpt.after, gpt.start, gpt.ends, gpt.pad) == ((), (), 0, {0}, 0)
    assert gpt.special == {0}
    assert (bert.before, bert.after, bert.start, bert.ends, bert.pad) == ((2,), (3,), 2, set(), 0)
    assert bert.special == {0, 2, 3}  # what is unknown and what is masked are text
    assert (t5.before, t5.after, t5.start, t5.ends, t5.pad) == ((), (1,), 0, {1}, 0)
    assert t5.special == {0, 1}


def test_several_ends_and_a_start_of_the_generation_go_before_those_of_the_model(tmp_path):
    folder = write_folder(tmp_path / "m", "byte-level", eos_token_id=7, pad_token_id=None)
    generation = {"eos_token_id": [5, 9], "bos_token_id": 6}
    (folder / "generation_config.json").write_text(json.dumps(generation))
    frame = HubTokenizer.load(folder).frame
    assert (frame.start, frame.ends, frame.pad) == (6, {5, 9}, 5)
    assert frame.special == {0}  # pieces that end a text are text where they are typed


def test_a_label_shows_spaces_lines_and_bytes(both):
    labels = {
        kind: lambda text, t=ours: [x.text for x in t.encode(text)]
        for kind, (ours, _) in both.items()
    }
    assert "".join(labels["byte-level"]("is Paris\n\n x")) == "is·Paris⏎⏎·x"
    assert "".join(labels["unigram"]("is Paris")) == "·is·Paris"
    assert "".join(labels["word-piece"]("Paris café")).replace("##", "") == "pariscafe"
    rare = labels["byte-level"]("☃·")
    assert "".join(rare) == "<0xE2><0x98><0x83><0xC2><0xB7>"
    bert, _ = both["word-piece"]
    assert [t.text for t in bert.encode("is", start=True, end=True)] == ["[CLS]", "is", "[SEP]"]
    assert bert.label(10**6) == "<1000000>"


@given(st.binary(max_size=12))
def test_bytes_are_signs_as_the_library_writes_them(content):
    text = content.decode(errors="replace")
    signs = "".join(SIGN_OF[byte] for byte in text.encode())
    assert decoders.ByteLevel().decode([signs]) == text
    printed = printable(content)
    assert printed.isprintable()
    assert " " not in printed


def test_blanks_of_an_encoder_are_one_token(both):
    bert, theirs = both["word-piece"]
    for text in ("Paris is [MASK] cold.", "[MASK][MASK] x"):
        tokens = bert.encode(text, start=True, end=True)
        assert [token.id for token in tokens] == theirs(text)["input_ids"]
        assert [t.text for t in tokens if t.id == bert.mask] == ["<mask>"] * text.count("[MASK]")
        assert all(text[t.start : t.end] == "[MASK]" for t in tokens if t.id == bert.mask)
    assert [t.id for t in bert.encode("is ___")] == [t.id for t in bert.encode("is [MASK]")]
    assert both["unigram"][0].mask is None
    roberta, theirs = both["byte-level with blanks"]
    for text in ("Paris is  <mask> cold", "<mask><mask>x"):
        tokens = roberta.encode(text, start=True, end=True)
        assert [token.id for token in tokens] == theirs(text)["input_ids"]
        assert {text[t.start : t.end] for t in tokens if t.id == roberta.mask} == {"<mask>"}


def word_level(folder, **fields):
    """A folder whose tokens stand in the vocabulary, and none among the added ones."""
    pieces = ["[UNK]", "the", "cat", "[MASK]", "[CLS]", "a"]
    backend = Tokenizer(models.WordLevel({piece: id for id, piece in enumerate(pieces)}, "[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    folder.mkdir()
    backend.save(str(folder / "tokenizer.json"))
    known = {"unk_token": "[UNK]", "mask_token": "[MASK]"} | fields
    (folder / "tokenizer_config.json").write_text(json.dumps(known))
    return HubTokenizer.load(folder)


@pytest.mark.parametrize("takes_spaces", [True, False])
def test_a_blank_that_stands_in_the_vocabulary_alone_is_one(tmp_path, takes_spaces):
    named = {"content": "[MASK]", "lstrip": takes_spaces}
    ours = word_level(tmp_path / "m", mask_token=named)
    tokens = ours.encode("the [MASK] cat")
    assert [(t.text, t.id) for t in tokens] == [("the", 1), ("<mask>", 3), ("cat", 2)]
    assert ours.mask == 3


ODD = [None, -1, 3, 5, 10**6, 2**70, True, 1.5, "<script>", "a", [], [9**9, 2], {}, {"content": 7}]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_token_that_a_folder_names_oddly_is_refused_or_every_text_is_read(tmp_path, odd):
    named = []
    for number, name in enumerate(f"{role}_token{end}" for role in ROLES for end in ("", "_id")):
        try:
            ours = word_level(tmp_path / str(number), **{name: odd, "eos_token_id": 2})
        except NotRead as refused:
            named.append(str(refused).startswith(f"{name} is "))
            continue
        ids = [t.id for t in ours.encode("the [MASK] cat </s> [CLS]", start=True, end=True)]
        frame = ours.frame
        for id in [*ids, frame.pad, frame.start, *frame.before, *frame.ends, *frame.special]:
            assert 0 <= id < ours.rows
            assert ours.label(id)
        assert isinstance(ours.decode(ids), str)
        assert all(note.startswith(f"{name} ") for note in ours.left_aside)
    assert all(named)


def test_words_are_told_apart_where_the_whole_text_is_one_to_the_library(both):
    llama, _ = both["byte fallback"]
    words = {}
    for token in llama.encode("The capital of  France"):
        words[token.word] = words.get(token.word, "") + token.text
    assert "".join(words.values()) == "·The·capital·of··France"
    assert list(words) == list(range(len(words)))
    assert all(word.startswith("·") for word in words.values())
    assert len(words) >= 4


def test_what_is_no_tokenizer_is_refused_in_a_sentence(tmp_path):
    folder = write_folder(tmp_path / "mine", "unigram")
    with pytest.raises(InvalidInput, match="surrogate"):
        HubTokenizer.load(folder).encode("\ud800")
    Tokenizer(models.WordLevel({"a": 0}, "[UNK]")).save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(NotRead, match="This model’s tokenizer fails on this text"):
        HubTokenizer.load(tmp_path).encode("b")  # and it has no unknown token
    whole = (folder / "tokenizer.json").read_text()
    for broken in ("", "{}", whole[: len(whole) // 2], "[1, 2]"):
        (folder / "tokenizer.json").write_text(broken)
        with pytest.raises(NotRead, match=r"tokenizer\.json in mine is not"):
            HubTokenizer.load(folder / "tokenizer.json")
    (folder / "tokenizer.json").write_text(whole)
    (folder / "config.json").write_text("{")
    with pytest.raises(NotRead, match=r"config\.json in mine is not JSON"):
        HubTokenizer.load(folder)
    shutil.rmtree(folder)
    folder.mkdir()
    with pytest.raises(NotRead, match=r"mine has no tokenizer\.json"):
        HubTokenizer.load(folder)


def written_again(file: Path, **parts: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | parts))


def replaced(pattern: str, content: str, times: int) -> dict:
    rule = {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
    return {"type": "Sequence", "normalizers": [rule] * times}


BACK_AND_FORTH = {
    "type": "Split",
    "pattern": {"Regex": "(x+x+)+y"},
    "behavior": "Isolated",
    "invert": False,
}


@pytest.mark.parametrize(
    ("parts", "text", "what"),
    [
        ({"pre_tokenizer": BACK_AND_FORTH}, "x" * 40 + "z", "fails on this text: Onig"),
        ({"normalizer": replaced("(?=Q)", "Q", 30)}, "Q" * 40, "more than 64 times as long"),
        ({"normalizer": replaced("Q", "Q" * 1000, 2)}, "", "text 1,000,000 times as long"),
    ],
)
def test_a_tokenizer_that_panics_or_blows_a_text_up_is_refused_when_added_and_when_asked(
    parts, text, what, tmp_path
):
    file = write_folder(tmp_path / "mine", "byte-level") / "tokenizer.json"
    probe(file)
    written_again(file, **parts)
    with pytest.raises(NotRead, match=what):
        HubTokenizer.load(file).encode(text)
    with pytest.raises(NotRead, match=rf"tokenizer\.json in mine is not supported\. .*{what}"):
        probe(file)
