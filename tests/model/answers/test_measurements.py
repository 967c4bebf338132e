"""A finding holds when its number lies in its band, and for no other reason."""

import pytest
import torch

from model.answers.measurements import analytic, exact, pooled, statistical


@pytest.mark.parametrize(
    ("value", "band", "holds"),
    [(1, (1, 2), True), (2, (1, 2), True), (2.1, (1, 2), False), (0.9, (1, 2), False)],
)
def test_a_band_includes_its_ends(value, band, holds):
    assert exact("x", value, "", band).holds is holds
    assert analytic("x", value, "", band).holds is holds


@pytest.mark.parametrize(
    ("value", "band", "holds"),
    [(-9, (None, 2), True), (3, (None, 2), False), (9, (2, None), True), (1, (2, None), False)],
)
def test_a_side_of_a_band_may_be_open(value, band, holds):
    assert exact("x", value, "", band).holds is holds


def test_not_a_number_holds_nothing():
    assert not exact("x", float("nan"), "", (0, 1)).holds


def test_a_statistical_finding_is_judged_by_its_mean_and_tells_its_extremes():
    finding = statistical("x", [0.5, 1.5, 4.0], "about 2", (1.9, 2.1))
    assert (
        finding.mean,
        finding.min,
        finding.max,
        finding.seeds,
        finding.holds,
    ) == (2.0, 0.5, 4.0, 3, True)
    assert not statistical("x", [0.5, 1.5, 4.6], "about 2", (1.9, 2.1)).holds


def test_a_pooled_finding_takes_all_seeds_together_and_leaves_one_out_in_turn():
    """The largest mean of a column; without the last row it is 2, without the first 4, without the
    second 3.5.
    """
    samples = torch.tensor([[1.0, 0.0], [3.0, 0.0], [5.0, 1.0]])
    finding = pooled("x", lambda some: some.mean(0).max().item(), samples, "", (None, None))
    assert (finding.mean, finding.min, finding.max, finding.seeds) == (3.0, 2.0, 4.0, 3)
    alone = pooled("x", lambda some: some.mean().item(), samples[:1], "", (None, None))
    assert (alone.mean, alone.min, alone.max, alone.seeds) == (0.5, 0.5, 0.5, 1)


def test_a_statistical_finding_has_the_number_of_each_seed_in_their_order():
    assert statistical("x", [4, 0.5, 1.5], "", (None, None)).values == [4.0, 0.5, 1.5]


def test_a_pooled_finding_tells_what_each_seed_gives_alone_and_what_the_others_give_without_it():
    samples = torch.tensor([[1.0, 0.0], [3.0, 0.0], [5.0, 1.0]])
    finding = pooled("x", lambda some: some.mean(0).max().item(), samples, "", (None, None))
    assert (finding.values, finding.left_out) == ([1.0, 3.0, 5.0], [4.0, 3.0, 2.0])
    alone = pooled("x", lambda some: some.mean().item(), samples[:1], "", (None, None))
    assert (alone.values, alone.left_out) == ([0.5], [])


def test_where_one_seed_does_not_define_a_pooled_number_there_is_none():
    def sharpness(some: torch.Tensor) -> torch.Tensor:
        return 1 / (some.max() - some.min())

    finding = pooled("x", sharpness, torch.tensor([1.0, 3.0, 5.0]), "", (None, None))
    assert finding.values == [None, None, None]
    assert (finding.mean, finding.left_out) == (0.25, [0.5, 0.25, 0.5])
