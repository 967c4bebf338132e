"""The ledger of claims: everything measured holds, over several seeds, and each claim is one of the
notes' errors.
"""

import pytest

from model.clinics.claims import CLAIMS, claims


@pytest.fixture(scope="module")
def ledgers():
    """Of two seeds."""
    return [claims(seed=seed).fields for seed in (0, 1)]


def test_what_is_so_instead_is_what_is_measured_whatever_the_seed(ledgers):
    for ledger in ledgers:
        for claim in ledger["claims"]:
            assert claim["findings"]
            assert [finding for finding in claim["findings"] if finding.verdict == "fails"] == []


def test_every_error_of_the_notes_is_in_the_ledger(ledgers):
    told = ledgers[0]["claims"]
    assert len(told) == len(CLAIMS) == 12
    assert len({claim["id"] for claim in told}) == 12
    assert {claim["verdict"] for claim in told} <= {"wrong", "ambiguous", "disputed"}
    assert all(
        claim["notes"].endswith(".") and claim["instead"].endswith(".") and claim["source"]
        for claim in told
    )


def test_another_seed_draws_other_numbers_and_the_same_seed_the_same(ledgers):
    one, other = ledgers
    assert one == claims(seed=0).fields
    assert one != other
