"""How an analysis is called follows from its signature, and every run is made by the function that
the caller hands in.
"""

from pkgutil import iter_modules

import pytest
import torch
from torch import Tensor

from app.worker.process import State
from model import analyses
from model.analyses import CLINICS, answer, function_of, parameters_by_type
from model.arrangement.arrangement import Arrangement
from model.edits.edit import Edits
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import Runs, run_model
from model.zoo.models import Model
from tests.model.support.asked_fields import asked_fields

TEXT = {"model": "shakespeare", "text": "To be"}
PAIR = {"source": "I am cold.", "target": "j'ai froid."}
QUESTIONS = [
    ("attention", TEXT, 1),
    ("masks", TEXT | {"pattern": "causal"}, 1),
    ("masks", {"pattern": "causal"}, 0),
    ("positions", TEXT, 1),
    ("positions", {"model": "shakespeare"}, 0),
    ("modes", {"text": PAIR["source"]}, 4),
    ("training", {"text": "abcabc", "step": 0}, 2),
    ("generate", {"model": "translator", **PAIR, "max_new_tokens": 1}, 2),
    ("generate", {"model": "translator", "source": PAIR["source"], "max_new_tokens": 1}, 1),
]


@pytest.mark.parametrize(("word", "question", "most"), QUESTIONS)
def test_every_run_of_an_analysis_is_made_by_the_function_that_is_handed_in(
    monkeypatch, word: str, question: dict, most: int
):
    runs = []

    def counting(model: Model, input: Input, maps: bool = True) -> Run:
        runs.append((model.id, input))
        return run_model(model, input, maps=maps)

    def refusing(model: Model, input: Input, maps: bool = True) -> Run:
        raise AssertionError("an analysis made a run of its own")

    for module in iter_modules(analyses.__path__):
        monkeypatch.setattr(f"model.analyses.{module.name}.run_model", refusing, raising=False)
    answer(word, question, counting)
    assert len(runs) == most


@pytest.mark.parametrize(("word", "question", "most"), [row for row in QUESTIONS if row[2]])
def test_no_analysis_changes_a_run_that_is_kept(word: str, question: dict, most: int):
    runs: list[tuple[Run, dict[str, Tensor]]] = []

    def keeping(model: Model, input: Input, maps: bool = True) -> Run:
        run = run_model(model, input, maps=maps)
        runs.append((run, {name: tensor.clone() for name, tensor in run.trace.items()}))
        return run

    answer(word, question, keeping)
    for run, before in runs:
        assert all(torch.equal(run.trace[name], before[name]) for name in before)


def test_what_is_handed_to_an_analysis_follows_from_its_annotations():
    assert parameters_by_type(function_of("attention")) == {Run: "run"}
    assert parameters_by_type(function_of("generate")) == {
        Model: "model",
        Input: "input",
        Runs: "runs",
        Edits: "edits",
        Arrangement: "arranged",
    }
    assert parameters_by_type(function_of("masks")) == {Runs: "runs"}
    assert all(parameters_by_type(function_of(clinic)) == {} for clinic in CLINICS)


def test_the_fields_of_a_question_are_its_own_parameters_and_those_of_an_input():
    assert asked_fields("tokens") == {"model", "source", "target", "text", "image", "row"}
    assert asked_fields("logits") - asked_fields("tokens") >= {"edits", "beside", "order", "lens"}
    assert asked_fields("training") == {"text", "step", "names"}
    assert asked_fields("circuits-theory") >= {"seed", "seeds"}


def test_the_worker_tells_the_kept_steps_of_a_training_apart(monkeypatch):
    """They have the id of one model, and a run that was kept of one is not taken for another's."""
    monkeypatch.setattr(State, "analyses", analyses, raising=False)
    monkeypatch.setattr(State, "memo", {})
    State.keep_runs(4, 2**28)
    question = {"text": "abcabc", "names": "loss"}
    first = answer("training", question | {"step": 0}, **State.memo).tensors["loss"].data
    steps = answer("training", question, **State.memo).fields["steps"]
    last = answer("training", question | {"step": steps[-1]}, **State.memo).tensors["loss"].data
    assert not first.equal(last)
    repeated = answer("training", question | {"step": steps[-1]}, **State.memo).tensors["loss"].data
    assert repeated.equal(last)


def test_edits_and_beside_are_of_the_words_that_read_their_numbers_off_a_run():
    zero = {"op": "zero", "at": "decoder.1.attention.z"}
    question = {"model": "translator", "source": "i am cold", "edits": [zero]}
    edited = answer("logits", {**question, "beside": True})
    plain = answer("logits", {"model": "translator", "source": "i am cold"})
    assert edited.unedited["top_logit"].data.equal(plain.tensors["top_logit"].data)
    assert not edited.tensors["top_logit"].data.equal(plain.tensors["top_logit"].data)
    assert edited.axes == plain.axes
    assert not answer("logits", question).unedited
    with pytest.raises(TypeError, match="edits"):
        answer("tokens", question)
