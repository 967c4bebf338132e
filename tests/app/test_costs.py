"""Every size of a question has a cost, and no cost is left over; all but ADDED are measured."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

import pytest

from app.api.endpoint import endpoints
from app.experiments import attribution
from app.experiments.attribution import Attribution
from app.experiments.generate import Generate
from app.experiments.warmup import Warmup
from app.schema.costs import COSTS, owner
from app.schema.model_sizes import ModelSizes
from app.schema.questions import Placed
from tests.app.test_cost import BOUNDED
from tests.benchmarks.cost import POINTS
from tests.benchmarks.costs import fitted

PICTURES = ModelSizes(sublayers=24, d_model=384, max_length=197, pictures=True)
ADDED = {
    "Attribution": {
        *("picture_sublayers", "picture_channels", "picture_scores", "picture_flows"),
        *("wide_tokens", "wide_scores"),
    },
    "Generate": {"long_channels", "long_scores", "new_tokens", "new_channels", "new_scores"},
    "Heads": {"surveyed"},
}
"""The sizes that only users’ models have, so that no included model measures them."""


def measured_sizes() -> Iterator[tuple[str, Mapping[str, float]]]:
    """Those of all points, by the name of the class whose costs they have."""
    kinds = {word.name: word.question for word in endpoints()}
    for word, points in POINTS.items():
        for inputs in points:
            yield owner(kinds[word].sizes), kinds[word](**inputs).sizes()


def test_every_question_with_an_estimate_has_costs_and_there_are_no_others():
    assert {owner(word.question.sizes) for word in BOUNDED} == {*COSTS}


def test_every_size_has_a_cost_above_nothing_and_no_cost_is_left_over(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(attribution, "sizes_of", lambda id: PICTURES)
    picture = Attribution(model="deep", image="0").sizes()
    monkeypatch.undo()
    long = Generate(model="shakespeare", text="a", window="0:64").sizes()
    names: dict[str, set[str]] = {name: set() for name in COSTS}
    for name, sizes in [*measured_sizes(), ("Attribution", picture), ("Generate", long)]:
        names[name] |= sizes.keys()
    assert names == {name: {*costs} for name, costs in COSTS.items()}
    assert all(cost > 0 for costs in COSTS.values() for cost in costs.values())


def test_some_measurement_tells_what_each_size_costs():
    covered: dict[str, set[str]] = {name: ADDED.get(name, set()) for name in COSTS}
    for name, sizes in measured_sizes():
        covered[name] = covered[name] | {size for size, n in sizes.items() if n}
    assert covered == {name: {*costs} for name, costs in COSTS.items()}


def test_an_estimate_is_the_sum_of_what_its_sizes_cost(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(COSTS["Basis"], "answer", 0.5)
    monkeypatch.setitem(COSTS["Basis"], "seeds", 0.25)
    basis = next(word.question for word in endpoints() if word.name == "basis")
    assert basis(seeds=4).estimated_seconds() == 1.5


@pytest.mark.parametrize(
    "word", [word for word in BOUNDED if issubclass(word.question, Placed)], ids=lambda w: w.name
)
def test_the_placements_that_are_counted_are_those_that_a_clinic_measures(word):
    if word.name == "norms":  # it measures all of them
        return
    clinic = import_module(f"model.clinics.{word.name}")
    assert issubclass(word.question, Placed)
    assert word.question.compared == clinic.COMPARED


def fitted_often(costs: Mapping[str, float], points: Sequence) -> Mapping[str, float]:
    """As by a script that is run again and again: each time the costs move a part of the way."""
    for _ in range(30):
        costs = fitted(costs, points)
    return costs


def test_a_fit_finds_what_the_points_determine_and_leaves_the_rest():
    costs = {"answer": 0.1, "seeds": 0.02, "unseen": 3.0}
    sizes = [{"answer": 1, "seeds": n} for n in (1, 2, 8, 16)]
    points = [(size, 0.2 + 0.05 * size["seeds"]) for size in sizes]
    found = fitted_often(costs, points)
    assert 0.19 < found["answer"] < 0.21
    assert 0.0475 < found["seeds"] < 0.0525
    assert found["unseen"] == 3


def test_a_fit_scales_sizes_that_grow_together_by_as_much_as_the_points_say():
    costs = {"layers": 0.02, "products": 0.01}
    points = [({"layers": n, "products": n}, 0.06 * n) for n in (4, 8)]
    found = fitted_often(costs, points)
    assert 0.0588 < sum(found.values()) < 0.0612
    assert all(found.values())


@pytest.mark.parametrize(
    ("inputs", "steps"),
    [
        ({"layers": 18, "seed": 1}, 20),
        ({"layers": 18, "seed": 1, "seeds": 16}, 9),
        ({"layers": 10, "seed": 1, "seeds": 8}, 24),
        ({"layers": 6, "seed": 1, "stack": "decoder"}, 25),
    ],
)
def test_how_many_steps_a_training_takes_does_not_depend_on_costs(
    inputs: dict, steps: int, monkeypatch: pytest.MonkeyPatch
):
    for size in COSTS["Warmup"]:
        monkeypatch.setitem(COSTS["Warmup"], size, 1.0)
    assert Warmup(**inputs).steps == steps
