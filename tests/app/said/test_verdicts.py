"""Verdicts in words: bands, counts, what stands beside a heading and what would decide are said a
second time for findings that are put together here, with each verdict and each kind of band.
"""

from typing import Any

import pytest

from app.captions import verdicts
from app.captions.verdicts import Claim
from model.answers.laws import Law
from model.answers.measurements import Finding, exact
from tests.app.asked import CLINICS, answers
from tests.app.said.printed import limit, short
from tests.app.said.titles import required
from tests.model.clinics.laws import TABLES, laws_of

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


def second_row(one: Finding) -> list[str]:
    """The verdict, the number and the band of a finding, said a second time."""
    measured = one.value if one.kind != "statistical" else one.mean
    assert measured is not None
    unit = one.unit.replace("tokens", "token") if short(measured) == "1" else one.unit
    said = short(measured) + (f" {unit}" if unit else "")
    if one.kind == "statistical":
        between = f"{short(one.interval[0])} to {short(one.interval[1])}, " if one.interval else ""
        said += f" ({between}{one.seeds} {'seed' if one.seeds == 1 else 'seeds'})"
    low, high = one.band
    ends = {
        (True, True): lambda: "none",
        (True, False): lambda: f"at most {limit(high)}",
        (False, True): lambda: "more than 0" if 0 < low < 1e-99 else f"at least {limit(low)}",
        (False, False): lambda: both(low, high),
    }
    return [verdict(one), said, ends[low is None, high is None]()]


def both(low: float, high: float) -> str:
    if low == high:
        return f"exactly {limit(low)}"
    if f"{low:.2e}" == f"{high:.2e}":
        return f"{short((low + high) / 2)} within {short((high - low) / 2)}"
    return f"{limit(low)} to {limit(high)}"


def verdict(one: Finding) -> str:
    """By the interval alone, or by the number where it is no mean of seeds."""
    if one.premise is not None:
        return "· does not apply"
    ends = one.interval or (one.number, one.number)
    if one.band == (None, None):
        return "· no prediction"
    if one.kind == "statistical" and one.interval is None:
        return "? undecided"
    low, high = one.band
    above = [low is None or low <= end for end in ends]
    below = [high is None or end <= high for end in ends]
    if all(above) and all(below):
        return "✓ holds"
    return "? undecided" if any(above) and any(below) else "✗ fails"


@pytest.mark.parametrize("word", CLINICS)
def test_every_row_of_the_table_says_its_verdict_its_number_and_its_band(word: str):
    for _, answer in answers(word):
        for one in answer.fields["findings"]:
            row = verdicts.row(one)
            assert row[1:4] == second_row(one), f"/{word}, {one.name}: {row[1:4]}"


@pytest.mark.parametrize("band", [(None, 2), (1, None), (1, 2), (1.5, 1.5), (None, None)])
def test_a_number_without_seeds_holds_exactly_within_its_band(band):
    for value in (0.5, 1.0, 1.5, 2.0, 2.5):
        one = exact(Law("a", text="x = y", band=band), value)
        row = verdicts.row(one)
        assert row[1:4] == second_row(one), f"{value} in {band}: {row[1:4]}"


def test_numbers_of_both_renderings_agree():
    for value in (0.0, 3.0, -2.5, 1e5, 99999.0, 0.00123, 0.000999, 6.02e23, -4.2e-7, 0.9996):
        assert verdicts.short(value) == short(value), value


@pytest.mark.parametrize("clinic", TABLES)
def test_the_title_of_a_finding_says_what_was_measured(clinic: str):
    titles = {name: law.title for name, law in laws_of(clinic).items()}
    shared = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    assert not shared, f"{clinic}: “{min(shared)}” is the title of two findings"
    for name, title in titles.items():
        for said in required(clinic.replace("_", "-"), name):
            assert said.strip().lower() in title.lower(), (
                f"{clinic}: the title of {name} is “{title}” and should say “{said.strip()}”"
            )
