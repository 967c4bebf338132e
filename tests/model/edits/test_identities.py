"""What holds of every edited run, exactly: edits that change nothing, what came before an edit, and
patches of everything.
"""

import pytest
import torch
from torch import Tensor

from model.edits.edit import read_edits
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.model.support.every_model import MODELS
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, ROW, SAINT, TAB, row_model, row_run
from tests.model.support.runs import runs_as, small_model, small_run
from tests.model.support.scene_runs import scene_run
from tests.rounding import SINGLE, same
from tests.thorough import mostly

EVERY = [
    *runs_as(lambda case: lambda: small_run(case[0], case[1], **case[2])),
    pytest.param(image_run, id="image"),
    pytest.param(scene_run, id="scene"),
    *(pytest.param(lambda case=case: row_run(**case), id=str(case)) for case in (FT, TAB, SAINT)),
]


ENDS = ("probabilities", "box.out")
"""What nothing else is computed from."""


def again(run: Run, *edits: dict) -> Run:
    """The same input with edits."""
    return run_model(run.model, Input(**run.input), read_edits(edits))


def same_bits(a: Run, b: Run) -> bool:
    return all(torch.equal(a.trace[name], b.trace[name]) for name in a.vocabulary)


def along_last(value: Tensor) -> list[float]:
    """Different numbers along the last axis: what is the same for all would not change a softmax or
    a norm.
    """
    generator = torch.Generator().manual_seed(0)
    return (0.2 + torch.rand(value.shape[-1], generator=generator)).tolist()


@pytest.mark.parametrize("make", EVERY)
def test_edits_that_change_nothing_give_the_same_bits(make):
    run = make()
    unedited = run_model(run.model, Input(**run.input))
    edited = again(
        run, {"op": "scale", "at": "*", "value": 1}, {"op": "add", "at": "*", "value": 0}
    )
    assert same_bits(unedited, edited)
    assert [change.elements for change in edited.edits] == [0, 0]
    assert all(change.largest_change is None for change in edited.edits)
    assert all(not change.invariants for change in edited.edits)


@pytest.mark.parametrize("make", EVERY)
def test_zero_and_then_the_original_values_give_the_same_bits(make):
    run = make()
    unedited = run_model(run.model, Input(**run.input))
    names = [name for name in run.vocabulary if name.endswith((".z", ".out", "logits", "head_out"))]
    both = [
        edit
        for name in names
        for edit in (
            {"op": "zero", "at": name},
            {"op": "set", "at": name, "value": unedited.trace[name].tolist()},
        )
    ]
    edited = again(run, *both)
    assert same_bits(unedited, edited)
    assert all(not change.invariants for change in edited.edits)


@pytest.mark.parametrize("make", [*EVERY[:21:3], EVERY[4], EVERY[7], *EVERY[21:]])
@pytest.mark.parametrize("layers", mostly(["first", "every"], "first"))
def test_an_edit_at_any_name_of_the_catalogue_changes_what_is_computed_from_it(make, layers):
    """The names of the second layer are those of the first; of it only the last ends elsewhere."""
    run = make()
    unedited = run_model(run.model, Input(**run.input))
    order = list(run.vocabulary)
    for name in order:
        if layers == "first" and ".1." in name and not name.endswith((".in", ".out")):
            continue
        numbers = along_last(unedited.trace[name])
        edited = again(run, {"op": "add", "at": name, "value": numbers})
        [change] = edited.edits
        assert change.elements == (edited.trace[name] != unedited.trace[name]).sum(), name
        assert change.elements > 0
        same(change.largest_change, max(numbers), SINGLE)
        later = [
            other
            for other in order
            if other != name and not torch.equal(edited.trace[other], unedited.trace[other])
        ]
        assert bool(later) == (name not in ENDS), name


@pytest.mark.parametrize("model", MODELS)
def test_every_model_of_the_zoo_runs_with_an_edit_at_every_name(model: str):
    inputs = Input(**load_model(model).card["examples"][0]["input"])
    run = run_model(
        load_model(model), inputs, read_edits([{"op": "scale", "at": "*", "value": 0.9}])
    )
    [change] = run.edits
    assert change.names == list(run.vocabulary)
    assert change.elements > 0


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_patching_every_input_of_a_layer_gives_the_outputs_of_the_other_run(placement: str):
    model = small_model("encoder-decoder", placement)
    here = Input(source="the cat sees the dog .", target="le chat voit")
    there = {"source": "the dog sees the cat .", "target": "voit le chat"}
    last = "encoder.norm.out" if placement == "pre" else "encoder.1.residual.out"
    patches = [
        {"op": "patch", "at": name, "from": there} for name in (last, "decoder.1.residual.in")
    ]
    edited, other = (
        run_model(model, here, read_edits(patches)),
        run_model(model, Input(**there)),
    )
    names = list(other.vocabulary)
    for name in names[names.index("decoder.1.residual.in") :]:
        same((edited.trace[name] - other.trace[name]).nan_to_num(), 0, SINGLE, scale=1, what=name)
    assert not torch.equal(
        edited.trace["decoder.0.residual.out"], other.trace["decoder.0.residual.out"]
    )


CAUSAL = [
    {},
    {"relative": "rope", "n_kv_heads": 2},
    {"relative": "alibi", "positions": "none"},
]


@pytest.mark.parametrize("choices", CAUSAL, ids=str)
@pytest.mark.parametrize("name", ["0.residual.in", "0.attention.v", "1.feed_forward.post"])
def test_a_causal_model_never_changes_before_the_edited_position(choices: dict, name: str):
    model, text = small_model("decoder-only", "pre", **choices), Input(text="the cat sees me")
    edit = {"op": "add", "at": f"decoder.{name}", "where": {"position": [3]}, "value": 5}
    before, after = run_model(model, text), run_model(model, text, read_edits([edit]))
    assert torch.equal(before.trace["logits"][:3], after.trace["logits"][:3])
    assert (before.trace["logits"][3] != after.trace["logits"][3]).any()


def test_what_was_computed_before_an_edit_has_the_same_bits():
    run = small_run()
    names = list(run.vocabulary)
    at = "decoder.0.cross_attention.z"
    edited = again(run, {"op": "zero", "at": at})
    unedited = run_model(run.model, Input(**run.input))
    for name in names[: names.index(at)]:
        assert torch.equal(edited.trace[name], unedited.trace[name]), name


def test_edits_of_different_layers_commute():
    first = {"op": "zero", "at": "decoder.0.attention.z", "where": {"head": [1]}}
    second = {"op": "scale", "at": "decoder.1.feed_forward.post", "value": 0.5}
    third = {"op": "swap", "at": "encoder.1.residual.out", "where": {"position": [0, 3]}}
    forth, back = again(small_run(), first, second, third), again(small_run(), third, second, first)
    assert same_bits(forth, back)
    assert forth.edits == back.edits[::-1]


def test_the_edits_of_a_row_leave_the_other_rows_of_its_table_as_they_were():
    model, row = row_model(**SAINT), Input(row=ROW)
    edit = {"op": "zero", "at": "encoder.0.residual.in"}
    before, after = run_model(model, row), run_model(model, row, read_edits([edit]))
    assert (after.trace["encoder.0.residual.in"] == 0).all()
    assert torch.equal(before.constants["references.0"], after.constants["references.0"])


def test_the_edits_of_a_text_in_segments_are_those_of_the_segment_that_is_shown():
    choices = {"relative": "alibi", "positions": "none", "segment": 3, "memory": 3, "norm": "rms"}
    run = small_run("decoder-only", "post", **choices)
    edited = again(run, {"op": "zero", "at": "decoder.*.residual.in"})
    for name, memory in run.constants.items():
        assert torch.equal(memory, edited.constants[name])


def test_a_target_that_is_not_given_is_the_one_written_without_edits():
    model = load_model("translator")
    inputs = Input(source="i am cold")
    edited = run_model(model, inputs, read_edits([{"op": "zero", "at": "decoder.2.*.z"}]))
    assert edited.input == run_model(model, inputs).input
    assert any("without the edits" in note for note in edited.notes)
    assert edited.confidence is None
