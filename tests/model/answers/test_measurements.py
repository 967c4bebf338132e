"""A finding holds when its number lies in its band, and for no other reason."""

import pytest
import torch

from model.answers.laws import OPEN, Band, Law
from model.answers.measurements import analytic, exact, over_draws, pooled, statistical
from tests.rounding import PRINTED, SINGLE, near, same


def law(band: Band) -> Law:
    return Law("x", band=band)


@pytest.mark.parametrize(
    ("value", "band", "holds"),
    [(1, (1, 2), True), (2, (1, 2), True), (2.1, (1, 2), False), (0.9, (1, 2), False)],
)
def test_a_band_includes_its_ends(value, band, holds):
    assert exact(law(band), value).holds is holds
    assert analytic(law(band), value).holds is holds


@pytest.mark.parametrize(
    ("value", "band", "holds"),
    [(-9, (None, 2), True), (3, (None, 2), False), (9, (2, None), True), (1, (2, None), False)],
)
def test_a_side_of_a_band_may_be_open(value, band, holds):
    assert exact(law(band), value).holds is holds


def test_not_a_number_holds_nothing():
    assert not exact(law((0, 1)), float("nan")).holds


def test_a_statistical_finding_tells_its_mean_and_the_extremes_of_its_seeds():
    finding = statistical(law((1.9, 2.1)), [0.5, 1.5, 4.0])
    assert (finding.mean, finding.min, finding.max, finding.seeds) == (2.0, 0.5, 4.0, 3)
    assert finding.number == finding.mean


TEN = [9.0, 10.0, 11.0, 10.0]


@pytest.mark.parametrize(
    ("band", "verdict", "holds"),
    [
        ((8, 12), "holds", True),
        ((None, 12), "holds", True),
        ((12, None), "fails", False),
        ((0, 8), "fails", False),
        ((10, 12), "undecided", None),
        ((9.5, 10.5), "undecided", None),
        ((None, None), "not applicable", None),
    ],
)
def test_the_verdict_is_read_off_the_interval(band, verdict, holds):
    """The mean of TEN is 10, and its interval is about 8.7 to 11.3."""
    finding = statistical(law(band), TEN)
    assert (finding.verdict, finding.holds) == (verdict, holds)
    assert (finding.seeds_needed is None) == (verdict != "undecided")


def test_a_premise_that_is_switched_off_takes_the_verdict_away_from_every_kind_of_finding():
    why = "The keys are not independent."
    for finding in (
        exact(law((0, 1)), 5, premise=why),
        analytic(law((0, 1)), 0.5, premise=why),
        statistical(law((8, 12)), TEN, premise=why),
        pooled(law((8, 12)), torch.mean, torch.tensor(TEN), premise=why),
    ):
        assert (finding.verdict, finding.holds, finding.premise) == ("not applicable", None, why)


def test_one_seed_decides_nothing_and_asks_for_a_second():
    for finding in (
        statistical(law((0, 20)), [10]),
        pooled(law((0, 20)), torch.mean, torch.ones(1)),
    ):
        assert (finding.verdict, finding.interval, finding.seeds_needed) == ("undecided", None, 2)


def test_a_geometric_finding_is_judged_on_logarithms():
    finding = statistical(law((0, None)), [1.0, 4.0], geometric=True)
    same(finding.mean, 2.0)
    assert finding.method == "t on logarithms"
    low, high = finding.interval
    assert 0 < low < 2 < high
    same(low * high, 4.0, what="as many times smaller as larger")


def test_a_pooled_finding_takes_all_seeds_together_and_tells_what_each_gives_alone():
    samples = torch.tensor([[1.0, 0.0], [3.0, 0.0], [5.0, 1.0]])
    finding = pooled(law(OPEN), lambda some: some.mean(0).max().item(), samples)
    assert (finding.mean, finding.seeds, finding.values) == (3.0, 3, [1.0, 3.0, 5.0])
    assert (finding.min, finding.max) == (1.0, 5.0)
    assert finding.method == "bootstrap"


def test_where_one_seed_does_not_define_a_pooled_number_there_is_none():
    def spread(some: torch.Tensor) -> torch.Tensor:
        return some.std() if len(some) > 1 else torch.tensor(torch.nan)

    finding = pooled(law(OPEN), spread, torch.tensor([1.0, 3.0, 5.0]))
    assert (finding.values, finding.min, finding.max) == ([None, None, None], None, None)
    assert finding.mean == 2.0


def test_a_pooled_finding_is_the_same_whenever_it_is_made():
    samples = torch.randn(8, 5, generator=torch.Generator().manual_seed(3))
    first, again = (pooled(law((0, 1)), torch.median, samples) for _ in range(2))
    assert first == again


def test_a_law_about_draws_is_decided_by_all_draws_and_by_no_number_of_seeds():
    """Of four seeds with 2,500 draws each, the mean is known within 2%."""
    draws = torch.randn(4, 2500, generator=torch.Generator().manual_seed(0)) + 1
    finding = over_draws(law((0.95, 1.05)), draws)
    assert finding.holds
    low, high = finding.interval
    near((low, high), (finding.mean - 0.0196, finding.mean + 0.0196), PRINTED, abs=0.0005)
    same(finding.values, draws.mean(1).tolist(), SINGLE)
    undecided = over_draws(law((finding.mean + 0.01, None)), draws)
    assert undecided.verdict == "undecided"
    assert undecided.seeds_needed == 10_000
