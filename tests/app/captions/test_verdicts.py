"""Verdicts in words: bands, counts, what stands beside a heading and what would decide are said a
second time for findings that are put together here, with each verdict and each kind of band.
"""

from typing import Any

import pytest

from app.captions import verdicts
from app.captions.verdicts import Claim
from model.answers.measurements import Finding

LAW = {"unit": "", "law": "x = y"}


def statistical(name: str, mean: float, interval: Any, band: Any, **fields: Any) -> Finding:
    """A finding of four seeds, judged by hand."""
    defaults = {"kind": "statistical", "seeds": 4, "holds": None, **LAW, **fields}
    return Finding(
        name=name, title=f"Title of {name}", mean=mean, interval=interval, band=band, **defaults
    )


HOLDS = statistical("a", 1.107, (0.861, 1.304), (0.5, 2), verdict="holds", unit="nats")
FAILS = statistical("b", 3.2, (3.0, 3.4), (None, 2), verdict="fails")
UNDECIDED = statistical("c", 0.3, (0.1, 0.5), (0.25, None), verdict="undecided", seeds_needed=12)
SINGLE_SEED = statistical(
    "d", 0.3, None, (0.25, None), verdict="undecided", seeds=1, seeds_needed=2, unit="bits"
)
OFF = statistical("e", 0.3, None, (0.25, 1), verdict="not applicable", premise="It is too short.")
MEASURED = Finding(
    name="f", title="Title of f", kind="exact", value=2.22e-16, band=(None, None),
    verdict="not applicable", holds=None, **LAW,
)  # fmt: skip
ALL = [HOLDS, FAILS, UNDECIDED, SINGLE_SEED, OFF, MEASURED]


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (None, None, ""),
        (None, 2.0, "at most 2"),
        (3.0, None, "at least 3"),
        (-0.05, None, "at least −0.05"),
        (1e-300, None, "more than 0"),
        (0.0, None, "at least 0"),
        (0.0, 0.0, "exactly 0"),
        (2.5, 2.5, "exactly 2.5"),
        (0.9, 1.25, "0.9 to 1.25"),
        (-1.0, 2.0, "−1 to 2"),
        (1 - 1e-9, 1 + 1e-9, "1 within 10⁻⁹"),
        (2**0.5 - 1e-10, 2**0.5 + 1e-10, "1.41421356237 within 10⁻¹⁰"),
        (-1e-9, 1e-9, "−1.00 × 10⁻⁹ to 1.00 × 10⁻⁹"),
        (None, 0.123456, "at most 0.123"),
    ],
)
def test_a_band_is_said_from_its_lower_end_to_its_upper(low, high, text: str):
    assert verdicts.band(statistical("a", 1.0, None, (low, high), verdict="holds")) == text


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (HOLDS, "1.11 nats (0.861 to 1.30, 4 seeds)"),
        (SINGLE_SEED, "0.300 bits (1 seed)"),
        (MEASURED, "2.22 × 10⁻¹⁶"),
    ],
)
def test_a_number_is_told_with_its_unit_its_interval_and_its_seeds(finding: Finding, text: str):
    assert verdicts.format_finding(finding) == text


@pytest.mark.parametrize(
    ("needed", "n_recorded", "text"),
    [
        (12, None, "About 12 seeds would settle it"),
        (16, None, "About 16 seeds would settle it"),
        (17, None, "About 17 seeds would be needed; this page allows at most 16"),
        (1000, None, "About 1000 seeds would be needed; this page allows at most 16"),
        (1001, None, "The seeds vary too much to tell"),
        (4, 3, "About 4 seeds would be needed; 3 were trained"),
        (3, 3, "About 3 seeds would settle it"),
    ],
)
def test_how_many_seeds_would_decide_is_compared_with_those_that_there_are(
    needed, n_recorded, text: str
):
    finding = statistical("c", 0.3, (0.1, 0.5), (0.2, 1), verdict="undecided", seeds_needed=needed)
    assert verdicts.deciding(finding, n_recorded) == text


@pytest.mark.parametrize(
    ("taken", "needed", "next_seeds"),
    [(2, 3, 4), (4, 5, 8), (4, 8, 8), (4, 9, 16), (8, 99, 16), (16, 99, None), (2, 2, 4)],
)
def test_the_seeds_to_take_next_are_the_fewest_offered_that_would_decide(taken, needed, next_seeds):
    fields = {"seeds": taken, "seeds_needed": needed}
    finding = statistical("c", 0.3, (0.1, 0.5), (0.2, 1), verdict="undecided", **fields)
    assert verdicts.more_seeds([HOLDS, finding, FAILS]) == next_seeds


def test_no_more_seeds_are_offered_where_all_is_decided():
    assert verdicts.more_seeds([HOLDS, FAILS, OFF, MEASURED]) is None


def test_the_counts_have_one_number_for_each_verdict():
    assert verdicts.counts(ALL) == (
        "1 of 4 checks as expected, 1 not reproduced, 2 inconclusive, 1 not applicable,"
        " 1 without a prediction"
    )
    assert verdicts.counts(ALL + ALL) == (
        "2 of 8 checks as expected, 2 not reproduced, 4 inconclusive, 2 not applicable,"
        " 2 without a prediction"
    )
    assert verdicts.counts([FAILS]) == "0 of 1 check as expected, 1 not reproduced"
    assert verdicts.counts([MEASURED]) == "1 without a prediction"


@pytest.mark.parametrize(
    ("rests_on", "confirmed"),
    [
        ("a", True),
        ("af", True),
        ("f", True),
        ("ab", False),
        ("bce", False),
        ("ae", False),
        ("ce", False),
        ("ac", False),
        ("ad", False),
    ],
)
def test_a_heading_is_a_question_where_its_claim_is_not_confirmed(rests_on: str, confirmed: bool):
    heading = verdicts.heading(Claim("So it is", tuple(rests_on), "Is it so?"), [*ALL, HOLDS])
    assert heading == ("So it is" if confirmed else "Is it so?")


def test_a_heading_is_a_question_where_most_checks_are_undecided():
    """By chance the one check that it rests on may hold with two seeds."""
    heading = verdicts.heading(Claim("So it is", ("a",), "Is it so?"), ALL)
    assert heading == "Is it so?"
    assert verdicts.heading(Claim("So it is"), ALL) == "So it is"


def test_what_stands_out_is_what_fails_then_what_is_undecided_then_what_does_not_apply():
    assert verdicts.standing_out([OFF, UNDECIDED, HOLDS, FAILS]) == [
        "Title of b: 3.20 (expected at most 2).",
        "Title of c: inconclusive, 0.100 to 0.500 with 4 seeds (expected at least 0.25). About 12"
        " seeds would settle it.",
        "It is too short.",
    ]
    sentences = verdicts.standing_out(ALL)
    assert [sentence.split(":")[0] for sentence in sentences] == [
        "Title of b",
        "Title of c",
        "Title of d",
        "1 more in the table.",
    ]


def test_a_row_of_the_table_says_verdict_number_and_band():
    assert [verdicts.row(finding)[1:4] for finding in ALL] == [
        ["✓ as expected", "1.11 nats (0.861 to 1.30, 4 seeds)", "0.5 to 2"],
        ["✗ not reproduced", "3.20 (3 to 3.40, 4 seeds)", "at most 2"],
        ["? inconclusive", "0.300 (0.100 to 0.500, 4 seeds)", "at least 0.25"],
        ["? inconclusive", "0.300 bits (1 seed)", "at least 0.25"],
        ["· not applicable", "0.300 (4 seeds)", "0.25 to 1"],
        ["· no prediction", "2.22 × 10⁻¹⁶", "none"],
    ]
