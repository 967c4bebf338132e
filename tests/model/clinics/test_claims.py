"""The ledger of claims: everything measured holds, over several seeds, and each claim is one of the
notes' errors.
"""

from functools import cache

import pytest

from model.clinics.claims import CLAIMS, claims
from model.notes import rows
from tests.model.clinics.every_clinic import reported_answer
from tests.thorough import mostly


@pytest.fixture(scope="module")
def ledger():
    return reported_answer("claims").answer.fields


@cache
def other() -> dict:
    """Of another seed."""
    return claims(seed=1).fields


@pytest.mark.parametrize("seed", mostly([0, 1], 0))
def test_what_is_so_instead_is_what_is_measured_whatever_the_seed(ledger, seed):
    for claim in (other() if seed else ledger)["claims"]:
        assert claim["findings"]
        assert [finding for finding in claim["findings"] if finding.verdict == "fails"] == []


def test_every_error_of_the_notes_is_in_the_ledger(ledger):
    entries = ledger["claims"]
    assert len(entries) == len(CLAIMS) == 18
    assert len({claim["id"] for claim in entries}) == 18
    assert {claim["verdict"] for claim in entries} <= {
        "wrong",
        "partly right",
        "ambiguous",
        "disputed",
    }
    assert all(
        claim["notes"].endswith(".") and claim["instead"].endswith(".") and claim["source"]
        for claim in entries
    )


def test_a_claim_is_told_as_its_row_of_the_notes_tells_it(ledger):
    noted = {row.item: row for row in rows()}
    for claim in ledger["claims"]:
        row = noted[claim["item"]]
        assert claim["notes"] == row.text
        assert claim["instead"] == row.settled
        assert any(f"claims#{claim['id']}." in address for address in row.measured)


def test_heads_make_as_many_multiplications_as_counted_by_hand(ledger):
    """Four projections of n tokens of width d, and n x n scores and sums over all heads."""
    n, d = 8, 64
    found = {
        finding.name: finding
        for claim in ledger["claims"]
        for finding in claim["findings"]
        if claim["id"] == "cost"
    }
    assert f"{4 * n * d**2 + 2 * n**2 * d:,}" in found["products"].law
    assert found["products"].value == 0


@pytest.mark.thorough  # tests/app/test_clinics.py asks it of the page of every clinic
def test_another_seed_draws_other_numbers_and_the_same_seed_the_same(ledger):
    assert ledger == claims(seed=0).fields
    assert ledger != other()
