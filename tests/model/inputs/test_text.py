"""Text becomes tokens and text again: nothing is lost, nothing is unknown, and nothing typed
becomes a special token. A frame says which ids stand around a text, which end it, and which are
text.
"""

import unicodedata

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.errors import InvalidInput
from model.inputs.text import WORD_START, Frame, TextTokenizer, fit, tidy
from model.zoo import models
from tests.model.support.runs import SENTENCES, tokenizer

PAD, START, END = 0, 1, 2
N_SIGNS = 3

HOSTILE = [
    "</s>",
    "<s>",
    "<pad>",
    "<S>",
    "▁<s>",
    "<0xE2>",
    "##ing",
    "<b>bold</b>",
    "<img src=x onerror=alert(1)>",
    "\u202eabc",
    "\u0000",
    "[PAD]",
]
TOKENIZERS = {
    "small": tokenizer,
    "shipped": lambda: TextTokenizer.load(models.WEIGHTS / "translator" / "tokenizer.json"),
}
BART = Frame(
    pad=1, before=(0,), after=(2,), start=2, ends=frozenset({2}), special=frozenset(range(3))
)
LLAMA = Frame(
    pad=9, before=(8,), after=(), start=8, ends=frozenset({9, 7}), special=frozenset({7, 8, 9})
)


@pytest.fixture(scope="module", params=TOKENIZERS)
def any_tokenizer(request):
    return TOKENIZERS[request.param]()


def letters(text: str) -> str:
    """What must survive: every character but spaces, composed, in lower case, with one kind of
    apostrophe.
    """
    composed = unicodedata.normalize("NFC", text)
    return "".join("".join(char.lower() for char in composed).replace("’", "'").split())


anything = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters=[WORD_START]
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(words=st.lists(anything, max_size=5))
@example(words=["naïve", "日本", "£5", "e\u0301te\u0301", "🙂", "don’t", "aujourd'hui", "x" * 30])
def test_every_character_survives_the_way_to_ids_and_back(any_tokenizer, words):
    text = " ".join(words)
    ids = [token.id for token in any_tokenizer.encode(text)]
    assert letters(any_tokenizer.decode(ids)) == letters(text)
    assert all(N_SIGNS <= id < any_tokenizer.size for id in ids)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(words=st.lists(anything, max_size=5))
def test_tokens_stand_where_they_say_in_the_text_and_in_order(any_tokenizer, words):
    text = " ".join(words)
    tokens = any_tokenizer.encode(text)
    assert all(0 <= token.start <= token.end <= len(text) for token in tokens)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    covered = set().union(*(range(token.start, token.end) for token in tokens))
    assert {i for i, char in enumerate(text) if not char.isspace()} <= covered


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_typed_is_ever_a_special_token(any_tokenizer, hostile):
    for text in (hostile, f"i am {hostile} cold", f"{hostile}{hostile}", hostile.upper()):
        tokens = any_tokenizer.encode(text, start=True, end=True)
        assert [token.id for token in tokens if token.special] == [START, END]
        assert not {token.id for token in tokens[1:-1]} & {PAD, START, END}
        assert len(tokens) > 2


def test_words_of_the_text_it_was_fitted_on_stay_whole_when_they_are_frequent():
    roomy = fit(SENTENCES * 3, 600)
    assert [token.text for token in roomy.encode("the cat sees the dog .")] == [
        "the",
        "cat",
        "sees",
        "the",
        "dog",
        ".",
    ]
    assert [token.word for token in roomy.encode("the cat sees")] == [0, 1, 2]
    assert len(tokenizer().encode("the cat sees the dog .")) > 6


def test_a_piece_inside_a_word_is_marked_and_counts_as_the_same_word():
    tokens = tokenizer().encode("the catdog")
    assert [token.word for token in tokens] == [0] + [1] * (len(tokens) - 1)
    assert not tokens[1].text.startswith("##")
    assert all(token.text.startswith("##") for token in tokens[2:])


def test_a_rare_character_becomes_its_bytes_in_utf_8():
    pieces = [token.text for token in tokenizer().encode("☃")]
    assert [piece for piece in pieces if piece != WORD_START] == [
        f"<0x{byte:02X}>" for byte in "☃".encode()
    ]


def test_half_a_surrogate_pair_is_refused(any_tokenizer):
    with pytest.raises(InvalidInput, match="surrogate"):
        any_tokenizer.encode("i am \ud800 cold")


def test_the_size_asked_for_is_the_most_there_can_be_and_the_same_text_gives_the_same_encoding():
    again = fit(SENTENCES * 3, 420)
    assert again.size == tokenizer().size <= 420
    assert again.backend.to_str() == tokenizer().backend.to_str()


def test_tidied_text_has_the_spaces_people_write():
    assert tidy("j' ai froid .") == "j'ai froid."
    assert tidy("it 's late , isn 't it ?") == "it's late, isn't it ?"


def test_ids_stand_between_what_is_before_and_after():
    assert BART.around([5, 6]) == [0, 5, 6, 2]
    assert LLAMA.around(iter([5])) == [8, 5]
    assert (BART.opening, LLAMA.opening) == ((2, 0), (8,))
    assert BART.end == 2
    assert LLAMA.end == 7
    assert BART.closing == {2}
    assert LLAMA.closing == {7, 9}


@pytest.mark.parametrize("frame", [BART, LLAMA])
def test_an_end_and_a_text_are_known_one_by_one_and_together(frame: Frame):
    ids = torch.arange(12).view(3, 4)
    assert frame.ended(ids).tolist() == [[id in frame.ends for id in row] for row in ids.tolist()]
    assert frame.is_text(ids).tolist() == [
        [id not in frame.special for id in row] for row in ids.tolist()
    ]
    assert not Frame(0, (), (), 0, frozenset(), frozenset()).ended(ids).any()


def test_a_shipped_model_reads_s_text_s_and_pads_with_the_first_piece():
    frame, label = TextTokenizer.frame, models.load_model("translator").tokenizer.label
    assert [label(id) for id in (frame.pad, frame.start, frame.end)] == ["<pad>", "<s>", "</s>"]
    assert (frame.before, frame.after, frame.special) == ((1,), (2,), {0, 1, 2})
