"""Analyses of edited runs: what they show is what the edited run computed, and every sum that they
show still adds up.
"""

import json

import numpy as np
import pytest
import torch

from model import analyses
from model.activations.operands import cell_at
from model.analyses import ANALYSES, takes_edits
from model.analyses.explain import explain
from model.analyses.feed_forward import feed_forward
from model.analyses.journey import journey
from model.analyses.logits import logits
from model.analyses.residual import residual
from model.answers.answer import Answer
from model.edits.edit import read_edits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.stream.derivation import derivation_at, numbers_of
from model.interpretability.stream.residual import steps
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.model.support.asked import answer
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, SAINT, TAB, row_run
from tests.model.support.runs import small_run
from tests.model.support.scene_runs import scene_run
from tests.rounding import SHIPPED, SINGLE, same
from tests.thorough import mostly

TRANSLATION = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
DIGIT = {"model": "digits", "image": "three"}
ROW = {"model": "penguins-ft", "row": "adelie"}
CELL = {"name": "decoder.2.cross_attention.pattern", "at": "1,2,3", "direction": "forward"}
EDITABLE = [word for word in ANALYSES if takes_edits(word)]
QUESTIONS = dict.fromkeys(EDITABLE, TRANSLATION) | {
    "activations": {**TRANSLATION, "names": "decoder.2.*"},
    "detection": {"model": "shapes", "image": "three"},
    "explain": TRANSLATION | CELL,
    "images": DIGIT,
    "logits": TRANSLATION | {"lens": True, "attribution": True},
    "tables": ROW,
}
del QUESTIONS["generate"]  # which test_edited_generation.py asks
PLACEMENTS = ("post", "pre", "admin", "b2t", "branch", "none")
RUNS = {
    **{
        f"{placement}": lambda placement=placement: small_run("encoder-decoder", placement)
        for placement in PLACEMENTS
    },
    "gated": lambda: small_run("decoder-only", "pre", activation="silu", gated=True, norm="rms"),
    "image": image_run,
    "scene": scene_run,
    "row": lambda: row_run(**FT),
    "bypassed row": lambda: row_run(**TAB),
    "rows": lambda: row_run(**SAINT),
}


def edited_names(run: Run) -> list[str]:
    """Every activation that can be edited alone: of the second layer only those of the stream and
    of what is written into it, as its other numbers are those of the first, one layer further.
    """
    inside = [f"{stack}.1." for stack in ("encoder", "decoder")]
    return [
        name
        for name in run.vocabulary
        if not name.endswith("masked_scores")
        and (not name.startswith(tuple(inside)) or name.endswith((".in", ".out")))
    ]


INSIDE = ("q", "k", "v", "scores", "pattern", "z", "pre", "post")
"""Values inside a sub-layer: they reach the stream through what it writes, wherever the norm is."""


def names_for_the_stream(kind: str, run: Run) -> list[str]:
    """`edited_names`; under another placement of the norm only what the norm and the stream have to
    do with.
    """
    names = edited_names(run)
    if kind not in PLACEMENTS or kind == "post":
        return names
    return [name for name in names if name.rpartition(".")[2] not in INSIDE]


def again(run: Run, *edits: dict) -> Run:
    """The same input with edits."""
    return run_model(run.model, Input(**run.input), read_edits(edits))


def array(of: Answer, name: str) -> np.ndarray:
    return of.tensors[name].data.numpy()


ALIKE = [
    [{"op": "scale", "at": "*", "value": 1}],
    [{"op": "zero", "at": "*.attention.z"}, {"op": "patch", "at": "*.attention.z"}],
]


@pytest.mark.parametrize("word", QUESTIONS)
@pytest.mark.parametrize("edits", mostly(ALIKE, ALIKE[1]))
def test_edits_that_change_nothing_give_the_same_answer_bit_for_bit(word: str, edits: list):
    plain = answer(word, QUESTIONS[word])
    edited = answer(word, QUESTIONS[word] | {"edits": edits, "beside": True})
    assert list(edited.tensors) == list(plain.tensors) == list(edited.unedited)
    for name, tensor in plain.tensors.items():
        assert torch.equal(edited.tensors[name].data, tensor.data), name
        assert torch.equal(edited.unedited[name].data, tensor.data), name
    fields = {name: value for name, value in edited.fields.items() if name != "edits"}
    same = {name: value for name, value in plain.fields.items() if name in fields}
    assert json.dumps(fields, default=vars) == json.dumps(same, default=vars)
    assert plain.fields.keys() - fields.keys() <= {"confidence"}  # of held-out runs without edits


@pytest.mark.parametrize("word", QUESTIONS)
def test_a_head_that_is_turned_off_changes_the_answer_and_the_unedited_stands_beside_it(word: str):
    zero = {"op": "zero", "at": "*attention.z", "where": {"head": [1]}}
    plain = answer(word, QUESTIONS[word])
    edited = answer(word, QUESTIONS[word] | {"edits": [zero], "beside": True})
    for name, tensor in plain.tensors.items():
        assert torch.equal(edited.unedited[name].data, tensor.data), name
    assert not plain.tensors or any(
        not torch.equal(edited.tensors[name].data, tensor.data)
        for name, tensor in plain.tensors.items()
    )
    assert edited.fields["edits"][0].elements > 0
    if word == "explain":
        assert edited.fields["value"] != plain.fields["value"]


@pytest.mark.parametrize(
    "kind",
    mostly(
        ["admin", "branch", "gated", "image", "bypassed row", "rows"],
        *("branch", "gated", "image"),  # rows after edits are read by the stream, below
    ),
)
def test_every_number_after_an_edit_anywhere_follows_from_its_edited_operands(kind: str):
    """Each activation is edited in turn. One cell of it and of every later one is derived from the
    numbers of the edited run; where the cell is edited, this is the number before the edit.
    """
    run, generator = RUNS[kind](), np.random.default_rng(0)
    names = list(run.vocabulary)
    for name in edited_names(run):
        edited = again(run, {"op": "scale", "at": name, "value": 1.25})
        numbers = numbers_of(edited)
        for other in names[names.index(name) :]:
            row, values = edited.vocabulary[other], edited.trace[other]
            where = {
                role: int(generator.integers(size))
                for role, size in zip(row.index, values.shape, strict=True)
            }
            stages = edited.stages.get(other)
            recorded = (stages[0].before if stages else values)[tuple(where.values())].item()
            derived = derivation_at(edited, numbers, row, where).steps()[-1].value.item()
            same(derived, recorded, SINGLE, scale=1, what=(name, other, where))
        assert stages_are_of(edited, name)


STREAM_ALIKE = {"pre", "admin", "branch", "scene", "row", "bypassed row"}
"""Their streams are summed as those of others; numbers after an edit are asked of some of them."""


def stages_are_of(edited: Run, name: str) -> bool:
    return not edited.stages or list(edited.stages) == [name]


def test_the_derivation_of_an_edited_number_ends_with_its_edits():
    run = small_run("encoder-decoder", "post")
    name = "decoder.1.cross_attention.pattern"
    before = run.trace[name][2, 1, 3].item()
    edited = again(
        run,
        {"op": "scale", "at": "decoder.0.norm1.out", "value": 1},
        {"op": "scale", "at": name, "value": 2, "where": {"head": [2]}},
        {"op": "set", "at": name, "value": 0.5, "where": {"head": [2], "query": [1], "key": [3]}},
    )
    fields = explain(edited, name=name, at="2,1,3").fields
    assert fields["set_by"] == [
        {"edit": 1, "op": "scale", "was": before, "value": 2 * before},
        {"edit": 2, "op": "set", "was": 2 * before, "value": 0.5},
    ]
    assert fields["value"] == 0.5
    same(fields["recomputed"], before, SINGLE)
    assert fields["difference"] == abs(before - fields["recomputed"])
    *_, last = fields["equations"]
    (result,) = [part for line in fields["equations"] for part in line if part.get("result")]
    assert last[0] == {"sign": "edit 3 (set):"}
    assert result is last[-1]
    assert result["value"] == 0.5
    beside = explain(edited, name=name, at="1,1,3").fields
    assert "set_by" not in beside


def test_a_number_after_an_edit_has_the_edited_numbers_among_its_operands():
    run = again(
        small_run("encoder-decoder", "post"),
        {"op": "zero", "at": "decoder.1.cross_attention.z", "where": {"head": [2]}},
    )
    fields = explain(run, name="decoder.1.cross_attention.head_out", at="2,1,5").fields
    assert fields["value"] == fields["recomputed"] == 0
    assert set(fields["operands"][0]["values"]) == {0.0}
    forward = explain(run, name="decoder.1.cross_attention.v", at="2,1,3", direction="forward")
    (group,) = [reader for reader in forward.fields["readers"] if reader["name"].endswith(".z")]
    assert all(number["edited"] for number in group["largest"])
    other = explain(run, name="decoder.1.cross_attention.v", at="1,1,3", direction="forward")
    (group,) = [reader for reader in other.fields["readers"] if reader["name"].endswith(".z")]
    assert not any("edited" in number for number in group["largest"])


def test_a_masked_score_says_what_it_was_before_it_was_masked():
    run = small_run("encoder-decoder", "post")
    name = "encoder.0.attention.masked_scores"
    edited = again(run, {"op": "mask", "at": "encoder.0.attention.scores", "where": {"key": [2]}})
    fields = explain(edited, name=name, at="0,1,2").fields
    assert fields["value"] is None
    same(fields["recomputed"], run.trace[name][0, 1, 2])
    assert fields["set_by"][0]["value"] is None


@pytest.mark.parametrize("kind", mostly(RUNS, *(RUNS.keys() - STREAM_ALIKE)))
def test_the_parts_of_the_stream_sum_to_the_edited_stream_wherever_it_is_edited(kind: str):
    run = RUNS[kind]()
    for name in names_for_the_stream(kind, run):
        edited = again(run, {"op": "scale", "at": name, "value": 1.25})
        for stack in run.config.stacks:
            result = residual(edited, stack=stack)
            stream = edited.trace[steps(run.config, stack)[-1].name].numpy()
            same(array(result, "contributions").sum(0), stream, scale=1, what=name)
            assert result.fields["largest_difference"]["value"] < 1e-3, name
            norm = array(result, "norm")
            same(array(result, "projections").sum(1), norm, SINGLE, n=SHIPPED, scale=1)
            parts = [part["name"] for part in result.fields["parts"] if part["kind"] == "edit"]
            assert parts in ([], [name])


def test_what_an_edit_adds_to_the_stream_is_a_part_and_what_it_does_inside_a_sub_layer_is_none():
    run = small_run("encoder-decoder", "none")
    vector = np.linspace(-1, 1, run.config.d_model)
    for name in ("decoder.0.residual.out", "decoder.1.residual.in", "decoder.1.attention.out"):
        steered = residual(again(run, {"op": "add", "at": name, "value": vector.tolist()}))
        (i,) = [i for i, part in enumerate(steered.fields["parts"]) if part["kind"] == "edit"]
        same(
            array(steered, "contributions")[i],
            vector[None] + 0 * array(steered, "contributions")[i],
            scale=1,
        )
        same(array(steered, "part_norm")[i], np.linalg.norm(vector))
    inside = residual(
        again(run, {"op": "zero", "at": "decoder.1.attention.head_out", "where": {"head": [1]}})
    )
    assert all(part["kind"] != "edit" for part in inside.fields["parts"])
    (i,) = [
        i
        for i, part in enumerate(inside.fields["parts"])
        if part["name"] == "decoder.1.attention.head_out[1]"
    ]
    assert not array(inside, "contributions")[i].any()


def test_a_stream_that_an_edit_has_set_to_0_has_no_direction_and_no_number_that_is_not_finite():
    run = small_run("encoder-decoder", "none")
    edits = [{"op": "zero", "at": "*.residual.*"}, {"op": "zero", "at": "*.out"}]
    result = residual(again(run, *edits))
    assert all(tensor.data.isfinite().all() for tensor in result.tensors.values())
    assert not array(result, "norm").any()
    assert not array(result, "projections").any()
    assert not array(result, "dependency").any()


@pytest.mark.parametrize(
    "at", ["decoder.1.residual.out", "decoder.norm.out", "logits", "decoder.norm.mean"]
)
def test_a_logit_of_an_edited_run_is_the_sum_of_its_parts(at: str):
    edited = again(small_run("encoder-decoder", "pre"), {"op": "scale", "at": at, "value": 1.5})
    result = logits(edited, attribution=True, token=7)
    same(
        array(result, "attribution").sum(0),
        edited.trace["logits"][:, 7].numpy(),
        SINGLE,
        n=SHIPPED,
        scale=1,
    )


@pytest.mark.parametrize("at", ["decoder.norm.out", "decoder.norm.scale", "logits"])
def test_the_lens_ends_with_the_output_of_the_edited_model(at: str):
    run = small_run("encoder-decoder", "pre")
    edited = again(run, {"op": "scale", "at": at, "value": 1.5})
    lens = array(logits(edited, lens=True, full=True), "lens.logits")
    assert np.array_equal(lens[-1], edited.trace["logits"].numpy())
    plain = array(logits(run, lens=True, full=True), "lens.logits")
    assert np.array_equal(lens[:-1], plain[:-1])


def test_the_lens_reads_the_edited_stream():
    run = small_run("encoder-decoder", "post")
    edited = again(run, {"op": "zero", "at": "decoder.0.feed_forward.out"})
    before, after = (
        array(logits(variant, lens=True, full=True), "lens.logits") for variant in (run, edited)
    )
    changed = [not np.array_equal(*pair) for pair in zip(before, after, strict=True)]
    assert changed == [False, False, False, True, True, True, True]


@pytest.mark.parametrize(
    ("family", "choices"),
    [("encoder-decoder", {}), ("decoder-only", {"activation": "silu", "gated": True})],
)
@pytest.mark.parametrize("value", ["pre", "post", "out"])
@pytest.mark.parametrize("placement", ["post", "none"])
def test_what_the_neurons_write_and_what_an_edit_adds_is_the_output(
    placement, value, family, choices
):
    run = small_run(family, placement, **choices)
    name = f"decoder.1.feed_forward.{value}"
    edited = again(run, {"op": "scale", "at": name, "value": 1.5})
    result = feed_forward(edited, position=1, top=3)
    parts = [array(result, "written").sum(0), array(result, "rest"), array(result, "bias")]
    parts += [array(result, "edit")] if value == "out" else []
    assert ("edit" in result.tensors) == (value == "out")
    same(sum(parts), edited.trace["decoder.1.feed_forward.out"][1].numpy(), scale=1)
    stream, terms = array(result, "stream"), result.fields["terms"]
    same(stream[:2].sum(0), stream[terms.index("sum")], scale=1)


@pytest.mark.parametrize(("placement", "last"), [("post", "edited"), ("none", "edited")])
def test_a_point_that_an_edit_has_set_stands_below_the_sum(placement: str, last: str):
    run = small_run("encoder-decoder", placement)
    edited = again(run, {"op": "scale", "at": "decoder.1.residual.out", "value": 2})
    result = feed_forward(edited, position=1)
    assert result.fields["terms"][-1] == last
    assert np.array_equal(array(result, "stream")[-1], edited.trace["decoder.1.residual.out"][1])


def test_a_journey_keeps_its_token_and_its_heads_whatever_the_edits_do():
    plain = answer("journey", TRANSLATION)
    head = {"head": [plain.fields["head"]]}
    at = f"encoder.{plain.fields['layer']}.attention.masked_scores"
    edits = [{"op": "set", "at": at, "value": 0, "where": head}]
    edited = answer("journey", TRANSLATION | {"edits": edits})
    for choice in ("followed", "read_at", "layer", "head"):
        assert edited.fields[choice] == plain.fields[choice]
    weights = array(edited, "weights")
    same(weights, 1 / len(weights), scale=1)


def test_a_journey_shows_the_numbers_of_the_edited_run():
    zero = {"op": "zero", "at": "decoder.2.cross_attention.z"}
    edited = answer("journey", TRANSLATION | {"edits": [zero]})
    run = run_model(
        load_model("translator"),
        Input(source="i am cold", target="j' ai froid"),
        read_edits([zero]),
    )
    here = edited.fields["read_at"]
    largest = run.trace["logits"][here].topk(10).values
    assert torch.equal(edited.tensors["logits"].data, largest)
    assert journey(run, run).fields["steps"]


def test_a_row_without_a_value_is_run_with_the_same_edits():
    zero = {"op": "zero", "at": "encoder.1.attention.z", "where": {"head": [0, 2]}}
    edited = answer("tables", ROW | {"edits": [zero]})
    columns = {column["name"]: column["value"] for column in edited.fields["columns"]}
    for name, chances in zip(
        edited.axes["cleared"].labels, edited.tensors["without"].data, strict=True
    ):
        row = ",".join(
            f"{column}={value}" for column, value in columns.items() if column != name and value
        )
        run = run_model(load_model("penguins-ft"), Input(row=row), read_edits([zero]))
        assert torch.equal(chances, run.trace["probabilities"][0]), name
    assert edited.fields["facts"] == []
    assert any("not measured with edits" in note for note in edited.fields["notes"])


def test_no_value_is_removed_where_an_edit_names_positions():
    zero = {"op": "zero", "at": "encoder.1.residual.in", "where": {"position": [6]}}
    edited = answer("tables", ROW | {"edits": [zero]})
    assert edited.tensors["without"].data.shape == (0, 3)
    assert any("No value is removed" in note for note in edited.fields["notes"])


def test_the_last_point_of_an_image_and_of_a_scene_is_the_output_of_the_edited_model():
    digit = answer("images", DIGIT | {"edits": [{"op": "scale", "at": "logits", "value": 0.5}]})
    scene = [
        {"op": "scale", "at": "logits", "value": 0.5},
        {"op": "scale", "at": "box.out", "value": 0.5},
    ]
    boxes = answer("detection", QUESTIONS["detection"] | {"edits": scene, "beside": True})
    plain = answer("images", DIGIT)
    run = run_model(load_model("digits"), Input(image="three"))
    expected = (run.trace["logits"][0].double() / 2).softmax(-1).numpy()
    same(array(digit, "says")[-1], expected, scale=1)
    assert np.array_equal(array(digit, "says")[:-1], array(plain, "says")[:-1])
    was, now = boxes.unedited["boxes"].data, boxes.tensors["boxes"].data
    same(now[-1], was[-1] / 2)
    assert torch.equal(now[:-1], was[:-1])


@pytest.mark.parametrize("field", [{"grid": 6}, {"window": 1}])
def test_another_grid_of_an_edited_image_is_refused(field: dict):
    edits = [{"op": "zero", "at": "encoder.0.attention.z"}]
    with pytest.raises(InvalidInput, match="or `edits`"):
        answer("images", DIGIT | field | {"edits": edits})


def test_an_edit_of_what_nothing_reads_is_said_to_show_nowhere():
    edits = [{"op": "zero", "at": "probabilities"}]
    result = answer("logits", TRANSLATION | {"edits": edits})
    assert any("does not show the edit" in note for note in result.fields["notes"])


def test_the_axes_of_the_unedited_tensors_are_told_where_they_are_others():
    edits = [{"op": "scale", "at": "decoder.1.residual.in", "value": 2}]
    result = answer("residual", TRANSLATION | {"edits": edits, "beside": True})
    assert list(result.unedited_axes) == ["part"]
    assert result.axes["part"].size == result.unedited_axes["part"].size + 1
    assert result.unedited["part_norm"].data.shape[0] == result.unedited_axes["part"].size


def test_how_large_an_answer_is_is_known_before_any_edit_is_made():
    """Also where each edit is one more part of the stream."""

    class TooLarge(Exception):
        pass

    edits = [{"op": "scale", "at": "*", "value": 0.9}, {"op": "add", "at": "*.out", "value": 0.1}]
    question = TRANSLATION | {"edits": edits, "beside": True}
    whole, edits_of_runs = answer("residual", question), []

    def runs(*of, edits=(), **more):
        edits_of_runs.append(edits)
        return run_model(*of, edits=edits, **more)

    def fits(result):
        if result.axes["part"].size >= whole.axes["part"].size:
            raise TooLarge

    with pytest.raises(TooLarge):
        analyses.answer("residual", question, runs, fits)
    assert not any(edits_of_runs)


def test_cells_of_an_edited_run_are_named_as_those_of_any_run():
    run = again(small_run("encoder-decoder", "post"), {"op": "zero", "at": "logits"})
    row = run.activation("logits")
    assert list(cell_at(row, run.trace["logits"].shape, "1,2").values()) == [1, 2]
