"""Blanks: [MASK] and ___ are one token and one word, whatever stands around them, and nothing else
that is typed is.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.errors import InvalidInput
from model.inputs.masked_text import BLANK, MaskedTextTokenizer, fit
from model.inputs.text import TextTokenizer
from tests.model.support.runs import SENTENCES

N_SIGNS = 3


@pytest.fixture(scope="module")
def tokenizer() -> MaskedTextTokenizer:
    return fit(SENTENCES * 3, 600)


@pytest.mark.parametrize("blank", ["[MASK]", "___", "__", "______"])
def test_a_blank_is_one_token_and_one_word_at_its_place(tokenizer, blank):
    text = f"the {blank} sees the dog ."
    tokens = tokenizer.encode(text, start=True, end=True)
    assert [token.text for token in tokens] == [
        "<s>",
        "the",
        "<mask>",
        "sees",
        "the",
        "dog",
        ".",
        "</s>",
    ]
    assert [token.word for token in tokens] == [None, 0, 1, 2, 3, 4, 5, None]
    assert tokens[2].id == tokenizer.mask == tokenizer.size - 1
    assert tokens[2].special
    assert all(text[token.start : token.end] == token.text for token in tokens[3:-1])
    assert text[tokens[2].start : tokens[2].end] == blank


def test_blanks_need_no_spaces_and_may_follow_each_other(tokenizer):
    tokens = tokenizer.encode("the___dog[MASK][MASK].")
    assert [token.text for token in tokens] == ["the", "<mask>", "dog", "<mask>", "<mask>", "."]
    assert [token.word for token in tokens] == list(range(6))


@pytest.mark.parametrize(
    "typed",
    [
        "<mask>",
        "<MASK>",
        "[mask]",
        "[ MASK ]",
        "_",
        "▁<mask>",
        "<pad>",
        "</s>",
        "<s>",
        "mask",
        "\u2581",
    ],
)
def test_nothing_else_that_is_typed_is_a_blank_or_special(tokenizer, typed):
    for text in (typed, f"the {typed} dog", f"{typed}{'' if typed == '_' else typed}"):
        tokens = tokenizer.encode(text)
        assert not any(token.special for token in tokens)
        assert not {token.id for token in tokens} & {*range(N_SIGNS), tokenizer.mask}


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    text=st.lists(
        st.characters(exclude_categories=["Cs"]) | st.just("[MASK]") | st.just("___"), max_size=12
    ).map("".join)
)
@example(text="🙂___\r\n\t[MASK]\x00日本")
def test_between_blanks_the_pieces_are_those_of_the_text_alone(tokenizer, text):
    tokens = tokenizer.encode(text)
    parts = BLANK.split(text)
    expected = [[token.text for token in tokenizer.encode(part)] for part in parts]
    joined = expected[0] + [piece for part in expected[1:] for piece in ["<mask>", *part]]
    assert [token.text for token in tokens] == joined
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    words = [token.word for token in tokens]
    assert words == sorted(words)
    assert set(words) == set(range(len(set(words))))


def test_text_without_blanks_reads_as_in_the_encoding_of_pieces(tokenizer):
    pieces = TextTokenizer(tokenizer.backend)
    for sentence in SENTENCES:
        assert tokenizer.encode(sentence, start=True, end=True) == pieces.encode(
            sentence, start=True, end=True
        )


def test_half_a_surrogate_pair_is_refused_beside_a_blank(tokenizer):
    with pytest.raises(InvalidInput, match="surrogate"):
        tokenizer.encode("___ \ud800")


def test_a_blank_decodes_to_its_label(tokenizer):
    assert (
        tokenizer.decode([token.id for token in tokenizer.encode("the ___ dog")])
        == "the <mask> dog"
    )
