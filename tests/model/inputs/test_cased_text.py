"""Text as it stands: every character comes back, every token says where it stood, and its label
shows what it is.
"""

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.errors import InvalidInput
from model.inputs.cased_text import CasedTextTokenizer, fit

START, END = 1, 2
N_SIGNS = 3

PLAY = """First Citizen:
Before we proceed any further, hear me speak.

All:
Speak, speak.

First Citizen:
You are all resolved rather to die than to famish?

All:
Resolved. resolved; 'tis o'er.
"""


@pytest.fixture(scope="module")
def tokenizer() -> CasedTextTokenizer:
    return fit(PLAY * 4, 480)


def spelled(text: str) -> str:
    return text.replace("\r\n", "\n").replace("’", "'")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@example(text=PLAY)
@example(text="🙂🙂 naïve 日本 e\u0301 ’tis")
@example(text="  two  spaces \n\n\n and\ttabs\r\nCR LF \r alone \u2028 \u00a0")
@example(text="\x00 NUL and \x07")
@example(text="<s> </s> <pad> <0x41> ▁ ##ing · ⏎")
def test_every_character_survives_the_way_to_ids_and_back(tokenizer, text):
    tokens = tokenizer.encode(text)
    assert tokenizer.decode([token.id for token in tokens]) == spelled(text)
    assert all(N_SIGNS <= token.id < tokenizer.size and not token.special for token in tokens)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters=["\r"]), max_size=40)
)
@example(text="🙂 naïve\n\n'tis  e\u0301")
def test_the_tokens_cover_the_text_without_a_gap_and_in_order(tokenizer, text):
    before = (0, 0)
    for token in tokenizer.encode(text):
        span = (token.start, token.end)
        assert span == before or (
            token.start == before[1] and token.end > token.start
        )  # the bytes of a character share its place
        before = span
    assert before[1] == len(text)


def test_a_token_of_printable_characters_stands_where_it_says():
    tokenizer = fit(PLAY * 4, 480)
    text = PLAY + string.printable.split(" ")[0]
    for token in tokenizer.encode(text):
        assert token.text.replace("·", " ").replace("⏎", "\n") == text[token.start : token.end]


def test_spaces_and_line_breaks_are_shown(tokenizer):
    tokens = tokenizer.encode("All:\nSpeak, speak.\n\nAll:", start=True, end=True)
    assert "".join(token.text for token in tokens) == "<s>All:⏎Speak,·speak.⏎⏎All:</s>"
    assert "⏎⏎" in [token.text for token in tokens]
    assert (tokens[0].id, tokens[-1].id) == (START, END)


def test_a_word_ends_at_spaces_marks_and_line_breaks_and_keeps_its_apostrophes(tokenizer):
    text = "All:\n\nSpeak'st thou,'tis café"
    words = {}
    for token in tokenizer.encode(text):
        words.setdefault(token.word, []).append((token.start, token.end))
    spans = [text[pieces[0][0] : pieces[-1][1]] for _, pieces in sorted(words.items())]
    assert spans == ["All", ":", "\n\n", "Speak'st", " thou", ",'", "tis", " café"]


def test_capitals_are_kept_apart(tokenizer):
    assert tokenizer.encode("Speak") != tokenizer.encode("speak")
    assert (
        tokenizer.decode([token.id for token in tokenizer.encode("SPEAK Speak")]) == "SPEAK Speak"
    )


def test_a_rare_character_becomes_its_bytes_in_utf_8(tokenizer):
    assert [token.text for token in tokenizer.encode("☃")] == [
        f"<0x{byte:02X}>" for byte in "☃".encode()
    ]


def test_half_a_surrogate_pair_is_refused(tokenizer):
    with pytest.raises(InvalidInput, match="surrogate"):
        tokenizer.encode("O Romeo \ud800")


def test_the_same_text_gives_the_same_encoding_of_at_most_the_size_asked_for(tokenizer):
    again = fit(PLAY * 4, 480)
    assert again.size == tokenizer.size <= 480
    assert again.backend.to_str() == tokenizer.backend.to_str()


def test_what_is_written_to_a_file_reads_as_before(tokenizer, tmp_path):
    tokenizer.backend.save(str(tmp_path / "tokenizer.json"))
    assert CasedTextTokenizer.load(tmp_path / "tokenizer.json").encode(PLAY) == tokenizer.encode(
        PLAY
    )
