"""Tokens as readers see them: nothing in them is invisible."""

import unicodedata

import pytest

from app.captions.text import visible

FILLERS = ["\u034f", "\u115f", "\u2800", "\u3164", "\ufe00", "\ufe0f", "\U000e0000", "\U000e007f"]


@pytest.mark.parametrize("filler", FILLERS, ids=ascii)
def test_a_filler_a_variation_selector_or_a_tag_character_is_told_by_its_number(filler: str):
    assert visible(f"a{filler}b") == f"a⟨U+{ord(filler):04X}⟩b"


def test_no_control_or_space_character_hides():
    every = [chr(code) for code in range(0x3001)]
    hidden = [one for one in every if unicodedata.category(one) in ("Cc", "Zs", "Zl", "Zp")]
    assert not [one for one in hidden if visible(one) == one]


def test_what_can_be_seen_is_not_touched():
    assert visible("j'ai été 😀 שלום </s>") == "j'ai été 😀 שלום </s>"
