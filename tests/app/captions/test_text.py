"""Tokens as readers see them: nothing in them is invisible."""

import unicodedata

import pytest

from app.captions.text import grouped, in_unit, number, percent, visible, weight
from model.words import LANGUAGE

FILLERS = ["\u034f", "\u115f", "\u2800", "\u3164", "\ufe00", "\ufe0f", "\U000e0000", "\U000e007f"]


@pytest.mark.parametrize("filler", FILLERS, ids=ascii)
def test_a_filler_a_variation_selector_or_a_tag_character_is_told_by_its_number(filler: str):
    assert visible(f"a{filler}b") == f"a⟨U+{ord(filler):04X}⟩b"


def test_no_control_or_space_character_hides():
    every = [chr(code) for code in range(0x3001)]
    hidden = [sign for sign in every if unicodedata.category(sign) in ("Cc", "Zs", "Zl", "Zp")]
    assert not [sign for sign in hidden if visible(sign) == sign]


def test_what_can_be_seen_is_not_touched():
    assert visible("j'ai été 😀 שלום </s>") == "j'ai été 😀 שלום </s>"


def test_a_share_has_two_digits_and_is_never_said_to_be_all_or_nothing_unless_it_is():
    shares = (0.596, 0.0411, 0.00412, 0.07, 0.997, -0.044, 1.03)
    printed = ["60%", "4.1%", "0.41%", "7%", "99.7%", "−4.4%", "103%"]
    assert [percent(share) for share in shares] == printed
    assert [percent(share) for share in (0, 1e-9, 0.9999, 1)] == [
        *("0%", "less than 0.01%", "more than 99.9%", "100%")
    ]


def test_in_french_a_space_that_does_not_break_stands_before_the_sign_of_a_share():
    before = LANGUAGE.set("fr")
    printed = [percent(share).replace("\u00a0", "~") for share in (0.596, -0.044, 1e-9, 0.9999)]
    LANGUAGE.reset(before)
    assert printed == ["60~%", "−4.4~%", "moins de 0.01~%", "plus de 99.9~%"]


def test_a_weight_in_a_cell_has_two_decimals_and_a_count_is_grouped():
    assert [weight(p) for p in (0.596, 0.004, 0.997, 1)] == [".60", "0", "1", "1"]
    assert [number(x) for x in (0.5951, -0.0449, 12.34)] == ["0.595", "−0.0449", "12.3"]
    assert grouped(2_240_000) == "2,240,000"


@pytest.mark.parametrize(
    ("language", "printed"),
    [("en", "0.06 nats, 1 row, 1.5 nats, 2 nats"), ("fr", "0.06 nat, 1 ligne, 1.5 nat, 2 nats")],
)
def test_a_unit_is_plural_from_where_the_language_has_it(language: str, printed: str):
    before = LANGUAGE.set(language)
    units = [in_unit("0.06", "nats"), in_unit("1", "rows"), in_unit("1.5", "nats")]
    units.append(in_unit("2", "nats"))
    LANGUAGE.reset(before)
    assert ", ".join(units) == printed
