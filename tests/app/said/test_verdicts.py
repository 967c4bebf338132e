"""Verdicts in words: bands, counts, what stands beside a heading and what would decide are said a
second time for findings that are put together here, with each verdict and each kind of band.
"""

from typing import Any

import pytest

from app.captions import verdicts
from app.captions.verdicts import Claim
from model.answers.measurements import Finding

ONE = {"unit": "", "law": "x = y"}


def statistical(name: str, mean: float, interval: Any, band: Any, **given: Any) -> Finding:
    """A finding of four seeds, judged by hand."""
    told = {"kind": "statistical", "seeds": 4, "holds": None, **ONE, **given}
    return Finding(
        name=name, title=f"Title of {name}", mean=mean, interval=interval, band=band, **told
    )


HOLDS = statistical("a", 1.107, (0.861, 1.304), (0.5, 2), verdict="holds", unit="nats")
FAILS = statistical("b", 3.2, (3.0, 3.4), (None, 2), verdict="fails")
UNDECIDED = statistical("c", 0.3, (0.1, 0.5), (0.25, None), verdict="undecided", seeds_needed=12)
ALONE = statistical(
    "d", 0.3, None, (0.25, None), verdict="undecided", seeds=1, seeds_needed=2, unit="bits"
)
OFF = statistical("e", 0.3, None, (0.25, 1), verdict="not applicable", premise="It is too short.")
MEASURED = Finding(
    name="f", title="Title of f", kind="exact", value=2.22e-16, band=(None, None),
    verdict="not applicable", holds=None, **ONE,
)  # fmt: skip
ALL = [HOLDS, FAILS, UNDECIDED, ALONE, OFF, MEASURED]


@pytest.mark.parametrize(
    ("low", "high", "said"),
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
        (1 - 1e-9, 1 + 1e-9, "1 within 1.00 × 10⁻⁹"),
        (-1e-9, 1e-9, "−1.00 × 10⁻⁹ to 1.00 × 10⁻⁹"),
        (None, 0.123456, "at most 0.123"),
    ],
)
def test_a_band_is_said_from_its_lower_end_to_its_upper(low, high, said: str):
    assert verdicts.band(statistical("a", 1.0, None, (low, high), verdict="holds")) == said


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (HOLDS, "1.11 nats (0.861 to 1.30, 4 seeds)"),
        (ALONE, "0.300 bits (1 seed)"),
        (MEASURED, "2.22 × 10⁻¹⁶"),
    ],
)
def test_a_number_is_told_with_its_unit_its_interval_and_its_seeds(finding: Finding, said: str):
    assert verdicts.format_finding(finding) == said


@pytest.mark.parametrize(
    ("needed", "kept", "said"),
    [
        (12, None, "About 12 seeds would decide"),
        (16, None, "About 16 seeds would decide"),
        (17, None, "It would take about 17 seeds, more than the 16 that are offered"),
        (1000, None, "It would take about 1000 seeds, more than the 16 that are offered"),
        (1001, None, "It would take more seeds than the 16 that are offered"),
        (4, 3, "It would take about 4 seeds, more than the 3 that were trained"),
        (3, 3, "About 3 seeds would decide"),
    ],
)
def test_how_many_seeds_would_decide_is_compared_with_those_that_there_are(needed, kept, said: str):
    one = statistical("c", 0.3, (0.1, 0.5), (0.2, 1), verdict="undecided", seeds_needed=needed)
    assert verdicts.deciding(one, kept) == said


@pytest.mark.parametrize(
    ("taken", "needed", "next_seeds"),
    [(2, 3, 4), (4, 5, 8), (4, 8, 8), (4, 9, 16), (8, 99, 16), (16, 99, None), (2, 2, 4)],
)
def test_the_seeds_to_take_next_are_the_fewest_offered_that_would_decide(taken, needed, next_seeds):
    given = {"seeds": taken, "seeds_needed": needed}
    one = statistical("c", 0.3, (0.1, 0.5), (0.2, 1), verdict="undecided", **given)
    assert verdicts.more_seeds([HOLDS, one, FAILS]) == next_seeds


def test_no_more_seeds_are_offered_where_all_is_decided():
    assert verdicts.more_seeds([HOLDS, FAILS, OFF, MEASURED]) is None


def test_the_counts_have_one_number_for_each_verdict():
    assert verdicts.counts(ALL) == (
        "1 of 4 checks passed, 1 failed, 2 undecided, 1 does not apply, 1 without a prediction"
    )
    assert verdicts.counts(ALL + ALL) == (
        "2 of 8 checks passed, 2 failed, 4 undecided, 2 do not apply, 2 without a prediction"
    )
    assert verdicts.counts([FAILS]) == "0 of 1 check passed, 1 failed"
    assert verdicts.counts([MEASURED]) == "1 without a prediction"


@pytest.mark.parametrize(
    ("rests_on", "before"),
    [
        ("a", ""),
        ("af", ""),
        ("f", ""),
        ("ab", "Here it does not hold: "),
        ("bce", "Here it does not hold: "),
        ("ae", "It does not apply here: "),
        ("ce", "It does not apply here: "),
        ("ac", "4 seeds do not decide: "),
        ("ad", "1 seed does not decide: "),
    ],
)
def test_a_heading_says_what_keeps_its_claim_from_being_true(rests_on: str, before: str):
    told = verdicts.heading(Claim("So it is", tuple(rests_on)), [*ALL, HOLDS])
    assert told == f"{before}So it is"


def test_a_heading_is_no_plain_one_where_most_checks_are_undecided():
    """By chance the one check that it rests on may hold with two seeds."""
    told = verdicts.heading(Claim("So it is", ("a",)), ALL)
    assert told == "4 seeds decide few checks: So it is"
    assert verdicts.heading(Claim("So it is"), ALL) == "So it is"


def test_what_stands_out_is_what_fails_then_what_is_undecided_then_what_does_not_apply():
    assert verdicts.standing_out([OFF, UNDECIDED, HOLDS, FAILS]) == [
        "Failed: Title of b. It is 3.20, and the law allows at most 2.",
        "Not decided yet: Title of c. 4 seeds give 0.100 to 0.500, and the law allows at least"
        " 0.25. About 12 seeds would decide.",
        "It is too short.",
    ]
    shown = verdicts.standing_out(ALL)
    assert [one.split(".")[0] for one in shown] == [
        "Failed: Title of b",
        "Not decided yet: Title of c",
        "Not decided yet: Title of d",
        "1 more in the table",
    ]


def test_a_row_of_the_table_says_verdict_number_and_band():
    assert [verdicts.row(one)[1:4] for one in ALL] == [
        ["✓ holds", "1.11 nats (0.861 to 1.30, 4 seeds)", "0.5 to 2"],
        ["✗ fails", "3.20 (3 to 3.40, 4 seeds)", "at most 2"],
        ["? undecided", "0.300 (0.100 to 0.500, 4 seeds)", "at least 0.25"],
        ["? undecided", "0.300 bits (1 seed)", "at least 0.25"],
        ["· does not apply", "0.300 (4 seeds)", "0.25 to 1"],
        ["· no prediction", "2.22 × 10⁻¹⁶", "none"],
    ]
