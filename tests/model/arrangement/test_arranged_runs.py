"""Runs of an input whose tokens stand in another order, are told other positions, or have pads
around them.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from model.analyses.detection import detection
from model.analyses.images import images
from model.arrangement.arrangement import read_arrangement
from model.edits.edit import read_edits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.stream.derivation import derivation_at, numbers_of
from model.layers.patch_embedding import unfold
from model.runs.run import Run
from model.runs.run_model import run_model, token_preparer
from tests.model.support.image_runs import PIXELS, image_model, image_run
from tests.model.support.row_runs import FT, SAINT, TAB, row_run
from tests.model.support.runs import RUNS, runs_as, small_model, small_run
from tests.model.support.scene_runs import scene_run
from tests.rounding import SINGLE, is_same, same
from tests.thorough import mostly

PAD = 0

TEXT_RUNS = runs_as(lambda case: case)
EVERY = [
    *runs_as(lambda case: lambda: small_run(case[0], case[1], **case[2])),
    pytest.param(image_run, id="image"),
    pytest.param(scene_run, id="scene"),
    *(pytest.param(lambda case=case: row_run(**case), id=str(case)) for case in (FT, TAB, SAINT)),
]


def arranged(run: Run, *edits: dict, **fields) -> Run:
    """The same input, arranged by the fields of a question."""
    return run_model(
        run.model, Input(**run.input), read_edits(edits), arranged=read_arrangement(fields)
    )


def n_typed(run: Run) -> int:
    """The number of tokens that an order names."""
    first = next(iter(run.tokens))
    return run.target_start or len(run.tokens[first])


def commas(numbers) -> str:
    return ",".join(map(str, numbers))


def turned(run: Run) -> list[int]:
    """An order that moves every token but the first, which may be [CLS]."""
    n = n_typed(run)
    return [0, *range(n - 1, 0, -1)]


def same_bits(a: Mapping[str, Tensor], b: Mapping[str, Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("make", EVERY)
def test_an_order_that_moves_nothing_gives_the_same_bits(make):
    run = make()
    same = arranged(run, order=commas(range(n_typed(run))))
    assert same_bits(same.trace, run.trace)
    assert not same.aligned
    [change] = same.edits
    assert (change.op, change.elements, change.largest_change) == ("order", 0, None)


@pytest.mark.parametrize("case", TEXT_RUNS)
def test_no_pad_and_a_shift_of_0_give_the_same_bits(case):
    family, placement, choices = case
    run = small_run(family, placement, **choices)
    fields = {} if "segment" in choices else {"pad": "left:0"}
    if choices.get("positions") != "none":
        fields |= {"positions": "shift:0"}
    assert same_bits(arranged(run, **fields).trace, run.trace)


@pytest.mark.parametrize("case", TEXT_RUNS)
def test_an_order_is_the_run_over_the_tokens_in_that_order(case):
    family, placement, choices = case
    run = small_run(family, placement, **choices)
    order = turned(run)
    axis = next(iter(run.tokens))
    index = [*order, *range(len(order), len(run.tokens[axis]))]
    if "segment" in choices:
        whole = run.model.text_tokenizer.encode(run.input["text"], start=True)
        lead = len(whole) - len(run.tokens[axis])
        tokens = {axis: [*whole[:lead], *(run.tokens[axis][at] for at in index)]}
    else:
        tokens = {**run.tokens, axis: [run.tokens[axis][at] for at in index]}
    over = token_preparer(run.model)
    with torch.inference_mode():
        expected = over(run.model, run.input, tokens)()
    found = arranged(run, order=commas(order))
    assert same_bits(found.trace, expected.trace)
    assert found.axes == expected.axes
    assert found.tokens == expected.tokens
    assert found.next_tokens == expected.next_tokens
    assert found.aligned.get(axis, list(range(len(index)))) == index


def test_an_order_and_then_its_inverse_give_the_same_bits():
    run = small_run("decoder-only")
    model, words = run.model, run.input["text"].split()
    typed = run_model(model, Input(text=" ".join(words[1:] + words[:1])))
    there = [token.text for token in run.tokens["text"]]
    here = [token.text for token in typed.tokens["text"]]
    back = arranged(typed, order=commas(here.index(text) for text in there))
    assert same_bits(back.trace, run.trace)
    assert back.axes["text"].labels == there


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_without_positions_and_with_a_full_mask_permuted_inputs_permute_the_outputs(placement):
    run = small_run("encoder-only", placement, positions="none")
    order = turned(run)
    found = arranged(run, order=commas(order)).trace["logits"]
    same(found, run.trace["logits"][order], scale=1)


def test_a_decoder_does_not_read_the_order_of_a_source_without_positions():
    run = small_run("encoder-decoder", "pre", positions="none")
    found = arranged(run, order=commas(turned(run))).trace["logits"]
    same(found, run.trace["logits"], scale=1)
    with_positions = small_run("encoder-decoder", "pre")
    moved = arranged(with_positions, order=commas(turned(run))).trace["logits"]
    assert (moved - with_positions.trace["logits"]).abs().max() > 1e-3


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_tokens_that_carry_their_positions_along_only_permute_the_outputs(positions):
    run = small_run("encoder-only", "pre", positions=positions)
    order = commas(turned(run))
    found = arranged(run, order=order, positions=order).trace["logits"]
    same(found, run.trace["logits"][turned(run)], scale=1)
    without = arranged(run, order=order).trace["logits"]
    assert (without - run.trace["logits"][turned(run)]).abs().max() > 1e-3


def test_positions_off_is_the_model_that_is_told_none():
    run = small_run("encoder-decoder")
    blind = small_model("encoder-decoder", positions="none")
    expected = run_model(blind, Input(**run.input)).trace
    found = arranged(run, positions="off")
    for name in found.trace:
        same(found.trace[name], expected[name], scale=1)
    [change] = found.edits
    assert change.names == ["encoder.embedding.position", "decoder.embedding.position"]
    assert change.elements == sum((run.trace[name] != 0).sum() for name in change.names)
    assert any("position = " in law.law for law in change.invariants)


@pytest.mark.parametrize("relative", ["alibi", "t5"])
def test_positions_off_takes_the_bias_from_the_scores(relative):
    run = small_run("decoder-only", "pre", relative=relative, positions="none")
    found = arranged(run, positions="off")
    blind = small_run("decoder-only", "pre", positions="none")
    assert all((found.trace[name] == 0).all() for name in found.edits[0].names)
    if relative == "alibi":  # it has no weights of its own: all other weights are the same draws
        same(found.trace["logits"], blind.trace["logits"], scale=1)


def test_a_shift_takes_the_positions_from_there_on():
    run = small_run("encoder-only", "post", positions="learned")
    table = run.model.transformer.embedding.learned
    found = arranged(run, positions="shift:3")
    n = len(run.tokens["text"])
    assert torch.equal(found.trace["encoder.embedding.position"], table[3 : 3 + n])
    by_name = arranged(run, positions=commas(range(3, 3 + n)))
    assert same_bits(by_name.trace, found.trace)


def test_sinusoids_have_a_position_at_any_number():
    run = small_run("encoder-only")
    found = arranged(run, positions="shift:1000").trace["encoder.embedding.position"]
    p = torch.arange(1000, 1000 + len(found), dtype=torch.float64)
    same(found[:, 0].double(), p.sin(), SINGLE, scale=1)
    same(found[:, 1].double(), p.cos(), SINGLE, scale=1)


def padded_and_plain(run: Run, side: str, *edits: dict, **fields) -> Run:
    return arranged(run, *edits, pad=f"{side}:3", **fields)


def exactly(family: str, placement: str, **choices) -> Run:
    """A run in float64. Pads make sums of other lengths, which are added in another order: in
    float32 they differ by its rounding, times the condition of what is computed. A normaliser of
    random features may lie near 0, where that is thousands.
    """
    model = small_model(family, placement, **choices)
    exact = replace(model, transformer=deepcopy(model.transformer).double())
    return run_model(exact, Input(**small_run(family, placement, **choices).input))


def of_typed(run: Run, padded: Run, name: str) -> Tensor:
    """The activation of the padded run at the tokens that were typed, along every axis."""
    value = padded.trace[name]
    for at, axis in enumerate(padded.activation(name).axes):
        if axis in padded.aligned:
            indices = [i for i, place in enumerate(padded.aligned[axis]) if place is not None]
            value = value.index_select(at, torch.tensor(indices))
    assert value.shape == run.trace[name].shape
    return value


def unpadded_alike(run: Run, padded: Run) -> bool:
    return all(
        is_same(of_typed(run, padded, name), run.trace[name], scale=1)
        for name in run.trace
        if not name.endswith("masked_scores")
        and not (
            run.config.positions.relative == "rope"
            and name.endswith((".attention.q", ".attention.k"))
        )
    )


def absolute(choices: dict) -> bool:
    """Whether a number depends on the position itself. The keys of persistent slots are not turned
    by rotary positions, and so the angle between them and a query is its position.
    """
    return (
        choices.get("positions", "sinusoidal") != "none"
        or choices.get("score") == "location"
        or (choices.get("relative") == "rope" and "slots" in choices)
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("case", [run for run in TEXT_RUNS if "segment" not in run.values[0][2]])
def test_hidden_pads_change_no_number_unless_they_move_absolute_positions(case, side):
    family, placement, choices = case
    run = exactly(family, placement, **choices)
    padded = padded_and_plain(run, side)
    moved = absolute(choices) if side == "left" else choices.get("positions") == "normalised"
    assert unpadded_alike(run, padded) is not moved
    assert any("numbers of the tokens change" in note for note in padded.notes) is moved
    axis = next(iter(run.tokens))
    pads = [at for at, token in enumerate(padded.tokens[axis]) if token.id == PAD]
    n = len(run.tokens[axis])
    assert pads == (list(range(3)) if side == "left" else list(range(n, n + 3)))
    assert [token.id for token in padded.next_tokens] == [token.id for token in run.next_tokens]
    assert padded.edits[0].elements == 3 * run.config.d_model


def test_the_logits_of_hidden_pads_differ_by_rounding():
    """Of float32 by some of its roundings, of float64 by as many of its own."""
    for make in (small_run, exactly):
        run = make("decoder-only", "pre", relative="rope", positions="none")
        expected = run.trace["logits"]
        for side in ("left", "right"):
            found = of_typed(run, padded_and_plain(run, side), "logits")
            same(found, expected)


def test_left_pads_whose_tokens_keep_their_positions_change_no_number():
    run = small_run("decoder-only")
    n = len(run.tokens["text"])
    padded = padded_and_plain(run, "left", positions=commas([0, 0, 0, *range(n)]))
    assert unpadded_alike(run, padded)
    assert not any("numbers of the tokens change" in note for note in padded.notes)


@pytest.mark.parametrize("side", ["left", "right"])
def test_what_a_hidden_pad_says_has_no_influence(side):
    run = small_run("encoder-decoder")
    plain = padded_and_plain(run, side)
    pads = [at for at, place in enumerate(plain.aligned["source"]) if place is None]
    loud = {
        "op": "set",
        "at": "encoder.embedding.token",
        "where": {"position": pads},
        "value": 7.0,
    }
    hidden = padded_and_plain(run, side, loud)
    assert torch.equal(hidden.trace["logits"], plain.trace["logits"])
    assert not torch.equal(
        hidden.trace["encoder.0.residual.out"][pads],
        0 * pads[0] + plain.trace["encoder.0.residual.out"][pads],
    )
    heard = padded_and_plain(run, side, loud, padding_mask="off").trace["logits"]
    visible = padded_and_plain(run, side, padding_mask="off").trace["logits"]
    assert (heard - visible).abs().max() > 1e-3
    assert (visible - plain.trace["logits"]).abs().max() > 1e-4


def test_a_causal_model_never_changes_before_the_first_token_that_moved():
    run = small_run("decoder-only", "pre")
    n = len(run.tokens["text"])
    order = [*range(n - 2), n - 1, n - 2]
    found = arranged(run, order=commas(order))
    for name in run.trace:
        if name.endswith(".scores"):
            continue  # before the mask, queries are compared with later keys too
        at = run.activation(name).axes.index("text")
        before, after = (variant.trace[name].narrow(at, 0, n - 2) for variant in (run, found))
        assert torch.equal(before, after), name
    assert not torch.equal(found.trace["logits"][n - 2 :], run.trace["logits"][n - 2 :])


def test_the_patches_of_an_image_in_another_order_are_the_image_with_its_patches_moved():
    run = image_run()
    order = turned(run)
    pixels = torch.tensor([PIXELS])
    patches = unfold(pixels, 2)[[at - 1 for at in order[1:]]]
    rows = [[0.0] * 8 for _ in range(8)]
    for place, patch in enumerate(patches):
        row, column = divmod(place, 4)
        for at, value in enumerate(patch.tolist()):
            rows[2 * row + at // 2][2 * column + at % 2] = value
    text = ",".join(str(value) for row in rows for value in row)
    expected = run_model(image_model(), Input(image=text))
    found = arranged(run, order=commas(order))
    assert same_bits(found.trace, expected.trace)
    labels = run.axes["image"].labels
    assert found.axes["image"].labels == [labels[at] for at in order]


def test_the_columns_of_a_table_have_no_order_that_the_answer_could_depend_on():
    run = row_run(**FT)
    found = arranged(run, order=commas(turned(run)))
    same(found.trace["logits"][0], run.trace["logits"][0], scale=1)
    assert found.axes["row"].value == [run.axes["row"].value[at] for at in turned(run)]
    assert found.edits[0].elements > 0


def test_a_shuffle_keeps_the_frame_and_is_the_same_for_the_same_seed():
    run = small_run("encoder-decoder")
    orders = {seed: arranged(run, order="shuffle", seed=seed).aligned["source"] for seed in (1, 2)}
    n = len(run.tokens["source"])
    for order in orders.values():
        assert sorted(order) == list(range(n))
        assert (order[0], order[-1]) == (0, n - 1)
    assert orders[1] != orders[2]
    assert arranged(run, order="shuffle", seed=1).aligned["source"] == orders[1]


def test_edits_of_activations_act_on_the_arranged_run():
    run = small_run("decoder-only")
    zero = {"op": "zero", "at": "decoder.embedding.token", "where": {"position": [1]}}
    order = turned(run)
    found = arranged(run, zero, order=commas(order))
    token = run.trace["decoder.embedding.token"][order].clone()
    token[1] = 0
    assert torch.equal(found.trace["decoder.embedding.token"], token)
    assert [change.op for change in found.edits] == ["order", "zero"]


def test_a_norm_is_frozen_at_the_statistics_of_the_unedited_run():
    run = small_run("encoder-decoder", "pre")
    freeze = {"op": "patch", "at": "*norm*.scale, *norm*.mean"}
    found = arranged(run, freeze, positions="off")
    free = arranged(run, positions="off")
    names = [name for name in run.trace if name.endswith((".scale", ".mean"))]
    assert len(names) == 2 * (2 * 2 + 2 * 3 + 2)  # of two layers of each stack and two final norms
    for name in names:
        assert torch.equal(found.trace[name], run.trace[name])
        assert not torch.equal(free.trace[name], run.trace[name])
    norm, scope = run.model.transformer.encoder[0].norm1, "encoder.0.norm1"
    x = found.trace["encoder.embedding.sum"]
    mean, scale = (run.trace[f"{scope}.{name}"][:, None] for name in ("mean", "scale"))
    expected = (x - mean) / scale * norm.gain + norm.bias
    same(found.trace[f"{scope}.out"], expected, scale=1)


LAYOUTS = [{"order": True}, {"positions": "off"}, {"positions": "shift:2"}, {"pad": "left:2"}]


def derived_alike(run: Run) -> None:
    """One cell of every activation follows from its operands; where the positions were changed, the
    number before the change does.
    """
    numbers, generator = numbers_of(run), torch.Generator().manual_seed(0)
    for name, row in run.vocabulary.items():
        values, stages = run.trace[name], run.stages.get(name)
        for _ in range(3):
            at = [int(torch.randint(size, (), generator=generator)) for size in values.shape]
            recorded = (stages[0].before if stages else values)[tuple(at)].item()
            if recorded == -torch.inf:
                continue
            where = dict(zip(row.index, at, strict=True))
            derived = derivation_at(run, numbers, row, where).steps()[-1].value.item()
            same(derived, recorded, SINGLE, scale=1, what=(name, where))


@pytest.mark.parametrize("fields", LAYOUTS, ids=str)
@pytest.mark.parametrize(
    "case",
    mostly((runs := [RUNS[i] for i in (0, 2, 6, 8, 14, 17, 19)]), runs[1], runs[4], runs[5]),
    ids=str,
)
def test_every_number_of_an_arranged_run_follows_from_its_operands(case, fields: dict):
    family, placement, choices = case
    run = small_run(family, placement, **choices)
    if "order" in fields:
        fields = {"order": commas(turned(run))}
    elif "segment" in choices or ("positions" in fields and choices.get("positions") == "none"):
        return
    derived_alike(arranged(run, **fields))


@pytest.mark.parametrize(
    "make",
    [image_run, scene_run, *(lambda case=case: row_run(**case) for case in (FT, TAB, SAINT))],
    ids=["image", "scene", "FT", "TAB", "SAINT"],
)
def test_every_number_of_an_image_or_a_row_in_another_order_follows_from_its_operands(make):
    run = make()
    derived_alike(arranged(run, order=commas(turned(run))))


WRONG = [
    ({"order": "1,0"}, "order", "`order` has 2 positions, but the input has"),
    ({"order": "0,0,1"}, "order", "is no order: give every position once, for example 2,0,1,"),
    ({"order": "0,1,3"}, "order", "is no order: give every position once, for example 2,0,1,"),
    ({"order": ""}, "order", "is no order: give every position once, for example 2,0,1,"),
    ({"order": "mix"}, "order", "or shuffle"),
    ({"order": "-1,0"}, "order", "is no order: give every position once, for example 2,0,1,"),
    ({"positions": "up"}, "positions", "is no choice of `positions`: use on, off, shift:3 or one"),
    (
        {"positions": "shift:"},
        "positions",
        "is no choice of `positions`: use on, off, shift:3 or one",
    ),
    (
        {"positions": "shift:-1"},
        "positions",
        "is no choice of `positions`: use on, off, shift:3 or one",
    ),
    (
        {"positions": "shift:1e3"},
        "positions",
        "is no choice of `positions`: use on, off, shift:3 or one",
    ),
    ({"positions": "1,2"}, "positions", "give one for each"),
    (
        {"positions": "9" * 400},
        "positions",
        "is no choice of `positions`: use on, off, shift:3 or one",
    ),
    ({"pad": "left"}, "pad", "it must be left or right and a number, for example left:2."),
    ({"pad": "above:2"}, "pad", "it must be left or right and a number, for example left:2."),
    ({"pad": "left:-2"}, "pad", "it must be left or right and a number, for example left:2."),
    ({"pad": "left:99"}, "pad", "tokens exceed the"),
    ({"pad": "left:1", "padding_mask": "maybe"}, "padding_mask", "must be on or off"),
]


@pytest.mark.parametrize(
    ("fields", "field", "says"), WRONG, ids=[str(row[0])[:40] for row in WRONG]
)
def test_an_arrangement_that_cannot_be_made_is_refused_in_a_sentence(fields, field, says):
    with pytest.raises(InvalidInput) as refused:
        arranged(small_run(), **fields)
    assert refused.value.field == field
    assert says in str(refused.value)
    assert str(refused.value).endswith(".")


MODELS = [
    (
        "rotary positions are no vectors",
        {"relative": "rope", "positions": "none"},
        "off",
        "rotates",
    ),
    ("offsets do not shift", {"relative": "alibi", "positions": "none"}, "shift:2", "offsets"),
    ("nothing is told", {"positions": "none"}, "off", "has no positions: leave out `positions`."),
    ("a learned table ends", {"positions": "learned"}, "shift:30", "only to 31"),
    ("a list is within the model", {}, "32,0,0,0,0,0", "only to 31"),
]


@pytest.mark.parametrize(
    ("choices", "positions", "says"), [row[1:] for row in MODELS], ids=[row[0] for row in MODELS]
)
def test_positions_that_a_model_does_not_have_are_refused(choices, positions, says):
    run = small_run("decoder-only", "pre", **choices)
    if "," in positions:
        n = len(run.tokens["text"])
        positions = commas([32, *[0] * (n - 1)])
    with pytest.raises(InvalidInput, match=says) as refused:
        arranged(run, positions=positions)
    assert refused.value.field == "positions"


@pytest.mark.parametrize("make", [image_run, scene_run, row_run], ids=["image", "scene", "row"])
def test_only_texts_have_pads(make):
    with pytest.raises(InvalidInput, match="does not take text, so it can’t be padded: leave out"):
        arranged(make(), pad="left:1")


@pytest.mark.parametrize(
    ("make", "analyse"), [(image_run, images), (scene_run, detection)], ids=["images", "detection"]
)
def test_patches_in_another_order_are_not_painted_on_the_picture(make, analyse):
    run = make()
    moved = arranged(run, order=commas(turned(run)))
    with pytest.raises(InvalidInput, match="leave out `order`") as refused:
        analyse(moved)
    assert refused.value.field == "order"
    assert analyse(arranged(run, positions="off")).tensors


def test_cls_stays_in_front():
    run = image_run()
    with pytest.raises(InvalidInput, match=r"\[CLS\]"):
        arranged(run, order=commas([1, 0, *range(2, n_typed(run))]))


def test_a_model_of_segments_takes_no_pads():
    run = small_run("decoder-only", "pre", relative="rope", positions="none", segment=2, memory=3)
    with pytest.raises(InvalidInput, match="segments"):
        arranged(run, pad="left:1")
