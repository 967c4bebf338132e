"""Runs that are made together are those that are made alone."""

from dataclasses import replace

import pytest
import torch

from model import analyses
from model.analyses import runs_ahead
from model.inputs.input import Input
from model.runs import together
from model.runs.run import Run
from model.runs.run_model import run_model
from model.runs.together import run_together
from model.zoo.models import Model, ids, load_model
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, SAINT, TAB, row_run
from tests.model.support.runs import runs_as, small_run
from tests.model.support.scene_runs import scene_run

EVERY = [
    *runs_as(lambda one: lambda: small_run(one[0], one[1], **one[2])),
    pytest.param(image_run, id="image"),
    pytest.param(scene_run, id="scene"),
    *(pytest.param(lambda one=one: row_run(**one), id=str(one)) for one in (FT, TAB, SAINT)),
]
EXACT = 1e-6
"""Of the largest number of an activation, or of 1. On the processors tried no bit differs; another
may multiply a matrix of another height in another order.
"""
TEXTS = (
    "the cat sees the dog .",
    "i am cold .",
    "the dog sees the cat .",
    "late",
    "don 't see me .",
)


def inputs_like(run: Run) -> list[Input]:
    """Inputs of several lengths, two of them of one length: with a target and without."""
    given = Input(**run.input)
    if given.text is not None:
        return [Input(text=text) for text in TEXTS]
    if given.source is not None:
        own = [Input(source=text) for text in TEXTS]
        return [*own, *(replace(one, target="le chat voit") for one in own[:3])]
    return [given, another(run)]


def another(run: Run) -> Input:
    """The parts of an image, a scene or a row in another order."""
    ((name, text),) = run.input.items()
    mark = ";" if ";" in text else ","
    first, *rest = text.split(mark)
    return Input(**{name: mark.join([*rest, first]).strip()})


def assert_equal(found: Run, alone: Run) -> None:
    told = [
        (one.input, one.inputs, one.tokens, one.next_tokens, one.target_start, one.notes)
        for one in (found, alone)
    ]
    assert told[0] == told[1]
    assert list(found.trace) == list(alone.trace)
    for name, expected in alone.trace.items():
        most = max(1.0, float(expected[torch.isfinite(expected)].abs().max()))
        torch.testing.assert_close(found.trace[name], expected, rtol=0, atol=EXACT * most)
    for name, expected in alone.constants.items():
        torch.testing.assert_close(found.constants[name], expected, rtol=0, atol=EXACT)
    for name, expected in alone.masks.items():
        assert torch.equal(found.masks[name], expected)


def assert_as_alone(model: Model, inputs: list[Input]) -> dict[Input, Run]:
    found = run_together(model, inputs)
    assert list(found) == inputs
    for input, run in found.items():
        alone = run_model(model, input)
        assert_equal(run, alone)
        assert run.unlike == alone.unlike
        if alone.confidence:
            assert run.confidence
            assert run.confidence.value == pytest.approx(alone.confidence.value, abs=EXACT)
    return found


@pytest.mark.parametrize("make", EVERY)
def test_the_runs_of_a_small_model_are_those_of_each_input_alone(make):
    run = make()
    assert_as_alone(run.model, inputs_like(run))


@pytest.mark.parametrize("id", ids())
def test_the_runs_of_a_shipped_model_are_those_of_each_example_alone(id):
    model = load_model(id)
    assert_as_alone(model, [Input(**one["input"]) for one in model.card["examples"]])


def test_inputs_of_one_length_take_one_pass_and_keep_memory_of_their_own(monkeypatch):
    model = small_run().model
    passes = {"encoded": [], "decode": []}
    for name, sizes in passes.items():
        own = getattr(together, name)
        monkeypatch.setattr(
            together,
            name,
            lambda alike, own=own, sizes=sizes: sizes.append(len(alike)) or own(alike),
        )
    monkeypatch.setattr(together, "AT_ONCE", 2)
    short, long = "the cat sees the dog .", "the cat sees the dog and the dog sees me ."
    sees, sees_dog = "le chat voit", "le chat voit le chien"
    given = [(short, sees), (short, sees_dog), (long, sees), (long, sees_dog)]
    given = [*given, ("the dog sees the cat .", "le chien voit")]
    some = [Input(source=source, target=target) for source, target in given]
    found = run_together(model, some)
    assert sorted(passes["encoded"]) == [1, 2, 2]
    assert sorted(passes["decode"]) == [1, 1, 1, 2]
    for one in some:
        assert found[one].bytes < 1.5 * run_model(model, one).bytes


def test_what_cannot_be_read_is_left_out_and_costs_the_others_nothing():
    model = small_run().model
    good = [Input(source=TEXTS[0]), Input(source=TEXTS[1])]
    bad = [Input(source=" "), Input(text="late"), Input(source="late", target=""), Input()]
    assert list(run_together(model, [bad[0], good[0], *bad[1:], good[1], good[0]])) == good


def ran_ahead(asked: list[str], waiting: list[str], known: list[str] = ()) -> list[str | None]:
    """The sources whose runs are made ahead, of questions to the translator."""

    def questions(sources):
        return [("attention", {"model": "translator", "source": source}) for source in sources]

    made = runs_ahead(questions(asked), questions(waiting), lambda _, input: input.source in known)
    return [input.source for _, input, _ in made]


def test_with_a_run_that_must_be_made_those_are_made_that_are_needed_later():
    assert ran_ahead(["i am cold"], ["he is late", "i am cold"]) == ["i am cold", "he is late"]
    assert ran_ahead(["i am cold"], ["he is late"], known=["i am cold"]) == []
    assert ran_ahead(["i am cold"], ["he is late"], known=["he is late"]) == []


def test_only_so_many_are_made_that_nobody_waits_long(monkeypatch):
    monkeypatch.setattr(analyses, "LETTERS_TOGETHER", 30)
    assert ran_ahead(["i am cold", "he is late"], ["she is ill"]) == [
        "i am cold",
        "he is late",
        "she is ill",
    ]
    assert ran_ahead(["i am cold", "he is late"], ["she is asleep"]) == ["i am cold", "he is late"]


def test_nothing_is_run_for_no_input():
    assert run_together(small_run().model, []) == {}
