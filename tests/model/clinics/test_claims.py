"""The ledger of claims: everything measured holds, over several seeds, and each claim is one of the notes' errors."""

import pytest

from model.clinics.claims import CLAIMS, claims


@pytest.mark.usefixtures("shapes_on_trust")
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_what_is_so_instead_is_what_is_measured_whatever_the_seed(claim):
    for seed in range(4):
        findings = claim.measure(seed)
        assert findings
        assert [finding for finding in findings if not finding["holds"]] == []


def test_every_error_of_the_notes_is_in_the_ledger():
    told = claims().fields["claims"]
    assert len(told) == 12
    assert len({claim["id"] for claim in told}) == 12
    assert {claim["verdict"] for claim in told} <= {"wrong", "ambiguous", "disputed"}
    assert all(claim["notes"].endswith(".") and claim["instead"].endswith(".") and claim["source"] for claim in told)


@pytest.mark.usefixtures("shapes_on_trust")
def test_another_seed_draws_other_numbers_and_the_same_seed_the_same():
    one, again, other = (claims(seed=seed).fields for seed in (0, 0, 1))
    assert one == again
    assert one != other
