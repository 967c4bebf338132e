"""The agreement over held-out inputs is measured on inputs that are held out, and can be measured
again.
"""

from itertools import islice
from pathlib import Path

import pytest

from model.inputs.input import Input
from model.interpretability.attribution.answer import attributed_answer
from model.runs.run_model import run_model
from model.training.experiments.attribution import INPUTS, POINTS, Attributions, images
from model.training.recipes.digits import Digits
from model.zoo.models import load_model
from model.zoo.results import load_result
from tests.rounding import REMEASURED, near, same


class OfDigits(Attributions):
    """Without the files of the other members."""

    def __init__(self):
        self.data, self.targets = Path(), {}


def test_a_kept_agreement_is_measured_again():
    """On another machine two neighbours may change their ranks, which moves the rank correlation
    of n tokens by at most 12 / (n (n + 1)). The last point is left out: uniform attention looks at
    all patches alike, and which of them counts as the larger is decided by rounding alone.
    """
    assert POINTS[-1] == "uniform"
    recorded = load_result("attribution")["measured"]["digits"]
    measuring = OfDigits()
    for seed in (0, INPUTS - 1):
        found = measuring.measure("digits", seed)
        assert len(found) == len(POINTS)
        n = len(measuring.targets["digits"][seed].tokens)
        swap = 12 / (n * (n + 1))
        near(found[:-1], recorded[seed][:-1], REMEASURED, abs=swap)


def test_the_images_are_those_of_the_test():
    first, second = islice(images(Path()), 2)
    test = Digits().test.images
    for image, expected in ((first, test[0]), (second, test[1])):
        run = run_model(load_model("digits"), image)
        patches = run.constants["patches"]
        same(patches.sum(), expected.sum())


def test_a_method_that_orders_nothing_counts_as_no_correlation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "model.training.experiments.attribution.correlation", lambda first, other: None
    )
    assert OfDigits().measure("digits", 0) == [0.0] * len(POINTS)


def test_an_answer_is_the_one_that_a_page_opens_on():
    measuring = OfDigits()
    measuring.measure("digits", 0)
    first = next(images(Path()))
    assert isinstance(first, Input)
    usual = attributed_answer(run_model(load_model("digits"), first), first)
    assert measuring.targets["digits"][0].index == usual.index
