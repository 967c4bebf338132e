"""Runs that are made together are those that are made alone."""

from dataclasses import replace
from functools import cache

import pytest
import torch

from model import analyses
from model.activations.catalogue import activations
from model.analyses import runs_ahead
from model.arrangement.arrangement import UNARRANGED, Arrangement, read_arrangement
from model.edits.edit import Edits, read_edits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs import together
from model.runs.run import Run
from model.runs.run_model import Runs, run_model
from model.runs.together import Edited, edit_together, run_together
from model.zoo.models import Model, load_model
from tests.model.support.every_model import MODELS
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, SAINT, TAB, row_run
from tests.model.support.runs import runs_as, small_run
from tests.model.support.scene_runs import scene_run

EVERY = [
    *runs_as(lambda case: lambda: small_run(case[0], case[1], **case[2])),
    pytest.param(image_run, id="image"),
    pytest.param(scene_run, id="scene"),
    *(pytest.param(lambda kind=kind: row_run(**kind), id=str(kind)) for kind in (FT, TAB, SAINT)),
]
TEXTS = (
    "the cat sees the dog .",
    "i am cold .",
    "the dog sees the cat .",
    "late",
    "don 't see me .",
)


def inputs_like(run: Run) -> list[Input]:
    """Inputs of several lengths, two of them of one length: with a target and without."""
    input = Input(**run.input)
    if input.text is not None:
        return [Input(text=text) for text in TEXTS]
    if input.source is not None:
        sources = [Input(source=text) for text in TEXTS]
        return [*sources, *(replace(source, target="le chat voit") for source in sources[:3])]
    return [input, another(run)]


def another(run: Run) -> Input:
    """The parts of an image, a scene or a row in another order."""
    ((name, text),) = run.input.items()
    mark = ";" if ";" in text else ","
    first, *rest = text.split(mark)
    return Input(**{name: mark.join([*rest, first]).strip()})


def assert_equal(found: Run, reference: Run) -> None:
    facts = [
        (run.input, run.inputs, run.tokens, run.next_tokens, run.target_start, run.notes)
        for run in (found, reference)
    ]
    assert facts[0] == facts[1]
    assert list(found.trace) == list(reference.trace)
    for name, expected in reference.trace.items():
        assert torch.equal(found.trace[name], expected), name
    for name, expected in reference.constants.items():
        assert torch.equal(found.constants[name], expected), name
    for name, expected in reference.masks.items():
        assert torch.equal(found.masks[name], expected)


def assert_as_alone(model: Model, inputs: list[Input]) -> dict[Input, Run]:
    found = run_together(model, inputs)
    assert list(found) == inputs
    for input, run in found.items():
        separate = run_model(model, input)
        assert_equal(run, separate)
        assert run.unlike == separate.unlike
        if separate.confidence:
            assert run.confidence
            assert run.confidence.value == separate.confidence.value
    return found


@pytest.mark.parametrize("make", EVERY)
def test_the_runs_of_a_small_model_are_those_of_each_input_alone(make):
    run = make()
    assert_as_alone(run.model, inputs_like(run))


@pytest.mark.parametrize("id", MODELS)
def test_the_runs_of_a_shipped_model_are_those_of_each_example_alone(id):
    model = load_model(id)
    assert_as_alone(model, [Input(**example["input"]) for example in model.card["examples"]])


@pytest.mark.parametrize("letters", [1, 2, 4, 8])
def test_texts_of_few_letters_have_their_numbers_together_too(letters):
    texts = ("To be, or", "not to be", "that is the")
    assert_as_alone(load_model("shakespeare"), [Input(text=text[:letters]) for text in texts])


def test_inputs_of_one_length_take_one_pass_and_keep_memory_of_their_own(monkeypatch):
    model = small_run().model
    passes = {"encoded": [], "decode": []}
    for name, sizes in passes.items():
        wrapped = getattr(together, name)
        monkeypatch.setattr(
            together,
            name,
            lambda alike, wrapped=wrapped, sizes=sizes: sizes.append(len(alike)) or wrapped(alike),
        )
    monkeypatch.setattr(together, "AT_ONCE", 2)
    short, long = "the cat sees the dog .", "the cat sees the dog and the dog sees me ."
    sees, sees_dog = "le chat voit", "le chat voit le chien"
    texts = [(short, sees), (short, sees_dog), (long, sees), (long, sees_dog)]
    texts = [*texts, ("the dog sees the cat .", "le chien voit")]
    inputs = [Input(source=source, target=target) for source, target in texts]
    found = run_together(model, inputs)
    assert sorted(passes["encoded"]) == [1, 2, 2]
    assert sorted(passes["decode"]) == [1, 1, 1, 2]
    for input in inputs:
        assert found[input].bytes < 1.5 * run_model(model, input).bytes


def test_what_cannot_be_read_is_left_out_and_costs_the_others_nothing():
    model = small_run().model
    good = [Input(source=TEXTS[0]), Input(source=TEXTS[1])]
    bad = [Input(source=" "), Input(text="late"), Input(source="late", target=""), Input()]
    assert list(run_together(model, [bad[0], good[0], *bad[1:], good[1], good[0]])) == good


def ran_ahead(wanted: list[str], waiting: list[str], known: list[str] = ()) -> list[str | None]:
    """The sources whose runs are made ahead, of questions to the translator."""

    def questions(sources):
        return [("attention", {"model": "translator", "source": source}) for source in sources]

    runs = runs_ahead(questions(wanted), questions(waiting), lambda _, input: input.source in known)
    return [input.source for _, input, _, _ in runs]


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


EDITS = (
    lambda attention: [{"op": "zero", "at": f"{attention}.z", "where": {"head": [0]}}],
    lambda attention: [
        {"op": "add", "at": f"{attention}.head_out", "where": {"head": [0]}, "value": 0.5},
        {"op": "scale", "at": f"{attention}.k", "value": 2.0},
    ],
    lambda attention: [{"op": "scale", "at": f"{attention}.pattern", "value": 0.5}],
    lambda attention: [{"op": "set", "at": "logits", "value": 0.0}],
    lambda attention: [{"op": "scale", "at": f"{attention}.z", "value": 1e38}],
)
"""By the name of an attention; the last is refused, because what comes of it is not finite."""
ARRANGED = ({}, {"order": "shuffle", "seed": 1}, {"positions": "off"}, {"pad": "left:2"})


def edited_like(run: Run) -> list[Edited]:
    """Inputs of several lengths, each with edits of its own or read in an order of its own."""
    first = next(name for name in activations(run.config) if name.endswith("attention.z"))
    every = [read_edits(make(first.removesuffix(".z"))) for make in EDITS]
    arranged = [read_arrangement(text) for text in ARRANGED]
    cases = [
        Edited(input, every[(place + number) % len(every)], arranged[number])
        for number, input in enumerate(inputs_like(run)[: len(arranged)])
        for place in range(len(every))
    ]
    return [*cases, *(Edited(cases[0].input, (), arrangement) for arrangement in arranged[1:])]


def keeping(model: Model) -> Runs:
    """Makes runs of the model, those without edits once."""
    plain = cache(lambda input: run_model(model, input))

    def runs(
        _: Model, input: Input, *, edits: Edits = (), arranged: Arrangement = UNARRANGED
    ) -> Run:
        if not edits and arranged == UNARRANGED:
            return plain(input)
        return run_model(model, input, edits, arranged, runs)

    return runs


def edited_alone(runs: Runs, model: Model, case: Edited) -> Run | None:
    try:
        return runs(model, case.input, edits=case.edits, arranged=case.arranged)
    except InvalidInput:
        return None


@pytest.mark.parametrize("make", EVERY)
def test_edited_runs_are_those_of_each_alone_and_a_refused_one_costs_the_others_nothing(make):
    run = make()
    cases, runs = edited_like(run), keeping(run.model)
    separate = {case: edited_alone(runs, run.model, case) for case in cases}
    assert None in separate.values()
    found = edit_together(run.model, cases, runs)
    assert list(found) == [case for case, run in separate.items() if run is not None]
    for case, edited in found.items():
        expected = separate[case]
        assert_equal(edited, expected)
        assert edited.edited_by == expected.edited_by
        assert edited.aligned == expected.aligned
        assert [(report.op, report.at, report.elements) for report in edited.edits] == [
            (report.op, report.at, report.elements) for report in expected.edits
        ]
        assert list(edited.stages) == list(expected.stages)
        for name, stages in expected.stages.items():
            for stage, alike in zip(edited.stages[name], stages, strict=True):
                assert torch.equal(stage.after, alike.after)


def test_edited_runs_of_one_length_take_one_pass(monkeypatch):
    model, sizes = small_run().model, []
    whole = together.decode
    monkeypatch.setattr(together, "decode", lambda alike: sizes.append(len(alike)) or whole(alike))
    edits = [read_edits(make("decoder.0.cross_attention")) for make in EDITS[:3]]
    cases = [
        Edited(Input(source=source, target="le chat voit"), changes, UNARRANGED)
        for source, changes in zip((TEXTS[0], TEXTS[2], TEXTS[0]), edits, strict=True)
    ]
    edit_together(model, cases, run_model)
    assert sizes == [3]


def test_runs_with_few_edits_are_made_ahead_and_those_without_before_them():
    few = [{"op": "zero", "at": "decoder.*.cross_attention.z"}]
    many = [{"op": "zero", "at": "*"}]
    another = [{"op": "patch", "at": "*.z", "from": {"source": "late", "target": "en"}}]
    questions = [
        ("attention", {"model": "translator", "source": source, "edits": edits})
        for edits in (few, many, another)
        for source in ("i am cold", "he is late")
    ]
    ahead = [
        (input.source, bool(more))
        for _, input, more, _ in runs_ahead(questions, [], lambda *of, **more: False)
    ]
    plain, edited = [("i am cold", False), ("he is late", False)], [("i am cold", True)]
    assert ahead == [*plain, *edited, ("he is late", True)]
