"""What a check lets through, and how it refuses: the sentence, the field, the limit and what was
given.
"""

import pytest

from model import checks
from model.errors import InvalidInput

REFUSED = [
    (
        (checks.check_between, "top", 30, 1, 20),
        ("top is 30; it must be between 1 and 20.", "top", 20, 30),
    ),
    (
        (checks.check_between, "base", 0.5, 1, 1e9),
        ("base is 0.5; it must be between 1 and 1e+09.", "base", 1, 0.5),
    ),
    (
        (checks.check_between, "seed", -1, 0, 2**31 - 1),
        ("seed is -1; it must be between 0 and 2147483647.", "seed", 0, -1),
    ),
    ((checks.check_at_least, "head", -1, 0), ("head is -1; it must be at least 0.", "head", 0, -1)),
    (
        (checks.check_within_length, "window", 13, 1, 12),
        ("window is 13; it must be between 1 and the length, 12.", "window", 12, 13),
    ),
    (
        (checks.check_within_length, "window", 0, 1, 12),
        ("window is 0; it must be between 1 and the length, 12.", "window", 1, 0),
    ),
    (
        (checks.check_one_of, "norm", "batch", ("layer", "rms")),
        ("norm is 'batch'; it must be one of layer, rms.", "norm", None, "batch"),
    ),
    (
        (checks.check_stack, "translator", "middle", ("encoder", "decoder")),
        ("translator has no middle; it has encoder and decoder.", "stack", None, "middle"),
    ),
    (
        (checks.check_layer, "decoder", 3, 3),
        ("Layer 3 does not exist; the decoder has layers 0 to 2.", "layer", 2, 3),
    ),
    (
        (checks.check_head, "translator", 4, 4),
        ("Head 4 does not exist; translator has heads 0 to 3.", "head", 3, 4),
    ),
    (
        (checks.check_position, "source", -1, 6),
        ("Position -1 does not exist; the source has positions 0 to 5.", "position", 5, -1),
    ),
]


@pytest.mark.parametrize(("call", "refusal"), REFUSED)
def test_a_refusal_says_what_was_given_and_what_is_possible(call, refusal):
    check, *arguments = call
    with pytest.raises(InvalidInput) as refused:
        check(*arguments)
    wrong = refused.value
    assert (str(wrong), wrong.field, wrong.limit, wrong.given) == refusal


def test_both_ends_of_a_range_are_let_through():
    for value in (1, 20):
        checks.check_between("top", value, 1, 20)
        checks.check_within_length("window", value, 1, 20)
    checks.check_at_least("head", 0, 0)
    checks.check_one_of("norm", "rms", ("layer", "rms"))
    checks.check_stack("translator", "decoder", ("encoder", "decoder"))
    for last in (0, 2):
        checks.check_layer("decoder", last, 3)
        checks.check_head("translator", last, 3)
        checks.check_position("source", last, 3)


def test_a_number_that_is_none_of_a_range_is_refused():
    with pytest.raises(InvalidInput, match="noise is nan"):
        checks.check_between("noise", float("nan"), 0, 1)
