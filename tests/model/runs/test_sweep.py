"""A sweep gives every row what a run with its edits gives alone."""

from functools import cache

import pytest
import torch
import transformers

from model.edits.edit import Edits, read_edits
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.runs import sweep as sweeps
from model.runs.run import Run
from model.runs.run_model import run_model
from model.runs.sweep import sweep, sweep_steps
from model.zoo.models import Model
from tests.model.support.hub import with_random_weights
from tests.model.support.image_runs import image_run
from tests.model.support.models_of_others import hub_tokenizer
from tests.model.support.row_runs import FT, SAINT, TAB, row_run
from tests.model.support.runs import runs_as, small_run
from tests.model.support.scene_runs import scene_run
from tests.rounding import same

EVERY = [
    *runs_as(lambda case: lambda: small_run(case[0], case[1], **case[2])),
    pytest.param(image_run, id="image"),
    pytest.param(scene_run, id="scene"),
    *(pytest.param(lambda kind=kind: row_run(**kind), id=str(kind)) for kind in (FT, TAB, SAINT)),
]
ONCE = ("embedding.sum", "0.attention.z", "0.attention.head_out", "0.feed_forward.post")


def rows_for(run: Run) -> list[tuple]:
    """One row for each kind of edit and place, a row of two edits, and a row of none."""
    names = [name for name in run.vocabulary if name.endswith(ONCE)]
    single = [{"op": "scale", "at": name, "value": 0.5} for name in names]
    double = [{"op": "zero", "at": names[-1]}, {"op": "add", "at": names[0], "value": 0.25}]
    patch = {"op": "patch", "at": names[0]}
    return [read_edits(row) for row in ([], *([edit] for edit in single), double, [patch], [])]


@pytest.mark.parametrize("make", EVERY)
def test_every_row_equals_the_run_with_its_edits(make):
    run = make()
    names = ("logits", next(name for name in run.vocabulary if name.endswith("residual.out")))
    input, rows = Input(**run.input), rows_for(run)
    found = sweep(run.model, input, rows, names)
    for at, edits in enumerate(rows):
        expected = run_model(run.model, input, edits=edits).trace
        for name in names:
            same(found[name][at], expected[name], scale=1)


@pytest.mark.parametrize("make", EVERY)
def test_at_some_positions_the_logits_are_those_of_all_positions_there(make):
    run = make()
    input, rows = Input(**run.input), rows_for(run)
    whole = sweep(run.model, input, rows)["logits"]
    last = whole.shape[1] - 1
    for at in ([0], [last, 0]):
        part = sweep(run.model, input, rows, at=at)["logits"]
        same(part, whole[:, at], scale=1)


def test_the_runs_differ_from_one_another():
    run = small_run()
    logits = sweep(run.model, Input(**run.input), rows_for(run))["logits"]
    assert torch.equal(logits[0], logits[-1])
    assert all((logits[0] - row).abs().max() > 1e-4 for row in logits[1:-2])


def test_a_sweep_in_pieces_is_the_same(monkeypatch: pytest.MonkeyPatch):
    run = small_run()
    input, rows = Input(**run.input), rows_for(run)
    whole = sweep(run.model, input, rows)["logits"]
    monkeypatch.setattr(sweeps, "AT_ONCE", 2)
    pieces = [piece["logits"] for piece in sweep_steps(run.model, input, rows)]
    assert [len(piece) for piece in pieces[:-1]] == [2] * (len(pieces) - 1)
    same(torch.cat(pieces), whole, scale=1)


def test_over_a_large_vocabulary_a_pass_has_fewer_rows(monkeypatch: pytest.MonkeyPatch):
    run = small_run()
    input, rows = Input(**run.input), rows_for(run)
    positions = max(axis.size for axis in run.inputs.values())
    monkeypatch.setattr(sweeps, "LOGITS_AT_ONCE", 3 * 4 * positions * run.config.vocabulary_size)
    whole, single = (list(sweep_steps(run.model, input, rows, at=at)) for at in (None, [1]))
    assert max(len(piece["logits"]) for piece in whole) == 3
    assert len(single) == 1, "where one position is read, the vocabulary takes little"


def test_a_score_is_masked_in_its_row_alone():
    run = small_run("decoder-only")
    hide = {"op": "mask", "at": "decoder.0.attention.scores", "where": {"key": [0], "query": [1]}}
    rows = [read_edits([hide]), ()]
    pattern = "decoder.0.attention.pattern"
    found = sweep(run.model, Input(**run.input), rows, (pattern,))[pattern]
    assert found[0, :, 1, 0].eq(0).all()
    assert torch.equal(found[1], run.trace[pattern])


def test_rows_are_patched_from_other_inputs_of_the_same_length():
    run = small_run("decoder-only")
    other = {"text": run.input["text"].replace("cat", "dog")}
    at = "decoder.0.residual.out"
    rows = [read_edits([{"op": "patch", "at": at, "from": other}]), ()]
    found = sweep(run.model, Input(**run.input), rows)["logits"]
    there = run_model(run.model, Input(**other)).trace["logits"]
    same(found[0], there, scale=1)
    same(found[1], run.trace["logits"], scale=1)


def test_a_row_that_names_nothing_or_makes_an_infinite_number_is_refused():
    run = small_run()
    input = Input(**run.input)
    with pytest.raises(UnknownName):
        sweep(run.model, input, [(), read_edits([{"op": "zero", "at": "nowhere.q"}])])
    big = {"op": "scale", "at": "encoder.0.attention.z", "value": 1e39}
    with pytest.raises(InvalidInput, match="infinite"):
        sweep(run.model, input, [read_edits([big])])


@cache
def a_small_smollm() -> tuple[torch.nn.Module, Model]:
    """A random Llama of three layers of nine heads in groups of three, as transformers has it and
    as ours.
    """
    tokenizer = hub_tokenizer("byte-level")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.size,
        hidden_size=36,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    theirs, ours = with_random_weights(transformers.LlamaForCausalLM(config))
    card = {"limits": {}, "quality": {}}
    return theirs, Model("smol", ours.config, ours, tokenizer, card, "random initialization")


def off(layer: int, head: int) -> Edits:
    return read_edits(
        [{"op": "zero", "at": f"decoder.{layer}.attention.z", "where": {"head": [head]}}]
    )


def test_a_head_turned_off_gives_the_logits_of_transformers_without_its_part_of_o_proj():
    theirs, model = a_small_smollm()
    input, heads = Input(text="The cat sat on it."), [(2, 8), (0, 0), (1, 4)]
    found = sweep(model, input, [(), *(off(*head) for head in heads)], at=[-1, 3])["logits"]
    ids = torch.tensor([[token.id for token in model.text_tokenizer.encode(input.text)]])
    with torch.no_grad():
        same(found[0], theirs(ids).logits[0, [-1, 3]], scale=1)
        for (layer, head), ours in zip(heads, found[1:], strict=True):
            channels = torch.arange(36) // 4 != head
            output = theirs.model.layers[layer].self_attn.o_proj
            hook = output.register_forward_pre_hook(lambda _, x, mask=channels: (x[0] * mask,))
            expected = theirs(ids).logits[0, [-1, 3]]
            hook.remove()
            assert (ours - found[0]).abs().max() > 1e-3
            same(ours, expected, scale=1)


def test_a_row_passes_through_the_layers_from_its_first_edit_on():
    _, model = a_small_smollm()
    sizes, stack = [], model.transformer.stack("decoder")
    hooks = [
        stack[layer].feed_forward.register_forward_pre_hook(lambda _, x: sizes.append(len(x[0])))
        for layer in range(3)
    ]
    both = (*off(2, 1), *off(1, 0))
    found = sweep(model, Input(text="The cat"), [off(2, 0), (), off(0, 0), both])["logits"]
    for hook in hooks:
        hook.remove()
    assert sizes == [2, 3, 4], "the run without edits, and those that an edit has changed so far"
    for row, edits in ((0, off(2, 0)), (1, ()), (2, off(0, 0)), (3, both)):
        expected = run_model(model, Input(text="The cat"), edits=edits).logits
        same(found[row], expected, scale=1)
