"""Readers are operands the other way round, and their weights are slopes."""

import math
import random

import pytest
import torch

from model.analyses.explain import explain
from model.inputs.input import Input
from model.interpretability.stream.derivation import derivation_at, numbers_of
from model.interpretability.stream.readers import includes, readers
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.model.support.runs import CONFIGURATIONS, SPREAD_CONFIGURATIONS, small_run
from tests.rounding import SINGLE, same
from tests.thorough import mostly

SHIPPED = {
    "penguins-saint": Input(row="gentoo"),
    "penguins-tab": Input(row="gentoo"),
    "digits": Input(image="seven"),
    "shapes": Input(image="three"),
    "shakespeare-xl": Input(text="to be or not to be, that is the question"),
}
STEP = 1e-5


def random_cell(of: Run, name: str, draw: random.Random) -> dict[str, int]:
    shape = of.trace[name].shape
    return {
        role: draw.randrange(size)
        for role, size in zip(of.vocabulary[name].index, shape, strict=True)
    }


def random_operand(of: Run, draw: random.Random):
    """A random cell, and a random number of an activation among its operands."""
    while True:
        row = of.vocabulary[draw.choice(list(of.vocabulary))]
        if row.name == "probabilities" and of.trace["probabilities"].shape[-1] > 1000:
            continue
        cell = random_cell(of, row.name, draw)
        operands = derivation_at(of, numbers_of(of), row, cell).operands
        activations = [operand for operand in operands if operand.kind == "activation"]
        if activations:
            operand = draw.choice(activations)
            shape = of.trace[operand.name].shape
            place = [
                draw.randrange(size)
                if i is None
                else draw.randrange(*i)
                if isinstance(i, list)
                else i
                for i, size in zip(operand.index, shape, strict=True)
            ]
            return row, cell, operand.name, place


def is_read(of: Run, row, cell: dict[str, int], name: str, place: list[int]) -> bool:
    operands = derivation_at(of, numbers_of(of), row, cell).operands
    return any(read.name == name and all(map(includes, read.index, place)) for read in operands)


def assert_readers_are_operands_inverted(of: Run, times: int) -> None:
    draw = random.Random(7)
    for _ in range(times):
        row, cell, name, place = random_operand(of, draw)
        found = readers(of, name, place)
        places = {(reader.activation.name, *reader.at.values()) for reader in found}
        assert len(places) == len(found)
        assert (row.name, *cell.values()) in places
        for reader in draw.sample(found, min(10, len(found))):
            assert is_read(of, reader.activation, reader.at, name, place)
            assert reader.value == of.trace[reader.activation.name][(*reader.at.values(),)].item()
        for reading in {reader.activation.name: reader.activation for reader in found}.values():
            for _ in range(10):
                other = random_cell(of, reading.name, draw)
                known = (reading.name, *other.values()) in places
                assert known == is_read(of, reading, other, name, place)


def slope(of: Run, reader, name: str, place: list[int]) -> float:
    """The central difference of a reader when the number at `place` of `name` changes by STEP."""
    derivation = derivation_at(of, numbers_of(of), reader.activation, reader.at)
    ends = []
    for sign in (1, -1):
        values = []
        for operand in derivation.operands:
            changed = operand.values.double().clone()
            if operand.name == name and all(map(includes, operand.index, place)):
                axes = zip(operand.index, place, strict=True)
                inside = [
                    i - (index[0] if isinstance(index, list) else 0)
                    for index, i in axes
                    if index is None or isinstance(index, list)
                ]
                changed[tuple(inside)] += sign * STEP
            values.append(changed)
        ends.append(derivation.steps(values)[-1].value.item())
    return (ends[0] - ends[1]) / (2 * STEP)


def assert_weights_are_slopes(of: Run, times: int) -> None:
    draw = random.Random(11)
    for _ in range(times):
        _, _, name, place = random_operand(of, draw)
        if of.trace[name][tuple(place)].item() == -math.inf:
            continue
        found = readers(of, name, place)
        for reader in draw.sample(found, min(5, len(found))):
            if reader.value == -math.inf:
                continue
            measured = slope(of, reader, name, place)
            same(reader.weight, measured, SINGLE, scale=1, what=(name, reader))


@pytest.mark.parametrize("times", mostly([8, 25], 8))
@pytest.mark.parametrize(("family", "placement", "choices"), SPREAD_CONFIGURATIONS)
def test_a_number_reads_another_exactly_if_that_one_is_among_its_operands(
    family, placement, choices, times
):
    assert_readers_are_operands_inverted(small_run(family, placement, **choices), times)


@pytest.mark.parametrize("times", mostly([8, 25], 8))
@pytest.mark.parametrize(("family", "placement", "choices"), SPREAD_CONFIGURATIONS)
def test_a_weight_is_the_slope_of_the_reader(family, placement, choices, times):
    assert_weights_are_slopes(small_run(family, placement, **choices), times)


@pytest.mark.parametrize("model", mostly(SHIPPED, *(SHIPPED.keys() - {"digits"})))
def test_it_holds_for_rows_images_scenes_and_remembered_text_too(model):
    of = run_model(load_model(model), SHIPPED[model])
    assert_readers_are_operands_inverted(of, times=8)
    assert_weights_are_slopes(of, times=8)


def test_an_attention_weight_is_read_by_the_channels_of_z_with_the_value_of_its_key():
    of, scope = small_run(), "decoder.1.cross_attention"
    found = readers(of, f"{scope}.pattern", [2, 1, 3])
    assert [tuple(reader.at.values()) for reader in found] == [
        (2, 1, channel) for channel in range(of.config.d_head)
    ]
    same([reader.weight for reader in found], of.trace[f"{scope}.v"][2, 3])


def test_a_channel_of_z_is_read_by_every_channel_that_its_head_writes_with_a_row_of_w_o():
    of, scope = small_run(), "encoder.0.attention"
    found = readers(of, f"{scope}.z", [3, 2, 1])
    row = of.model.transformer.get_parameter(f"{scope}.output.weight")[3 * of.config.d_head + 1]
    same([reader.weight for reader in found], row.detach())
    assert {reader.activation.name for reader in found} == {f"{scope}.head_out"}


def test_a_logit_is_read_by_all_probabilities_of_its_position_as_softmax_s_derivative_says():
    of = small_run("decoder-only")
    found = readers(of, "logits", [1, 5])
    p = of.trace["probabilities"][1].double()
    expected = p * (torch.eye(len(p), dtype=torch.float64)[5] - p[5])
    same([reader.weight for reader in found], expected, SINGLE, scale=1)


def test_a_key_that_several_heads_of_queries_share_is_read_by_each_of_them():
    of = small_run("decoder-only", "pre", relative="rope", n_kv_heads=2)
    stream = readers(of, "decoder.0.norm1.out", [1, 3])
    heads = {reader.at["head"] for reader in stream if reader.activation.name.endswith(".k")}
    assert heads == set(range(of.config.n_heads))


def test_the_last_numbers_of_a_model_are_read_by_none():
    fields = explain(small_run(), name="probabilities", at="0,3", direction="forward").fields
    assert (fields["readers"], fields["readers_count"]) == ([], 0)


def test_explain_tells_the_largest_readers_of_each_activation_and_how_many_there_are():
    of = small_run()
    fields = explain(of, name="encoder.0.residual.in", at="1,2", direction="forward").fields
    found = readers(of, "encoder.0.residual.in", [1, 2])
    count = sum(group["count"] for group in fields["readers"])
    assert fields["readers_count"] == len(found) == count
    for group in fields["readers"]:
        weights = [abs(each.weight) for each in found if each.activation.name == group["name"]]
        largest = [abs(each["weight"]) for each in group["largest"]]
        assert largest == sorted(weights, reverse=True)[: len(largest)]


def test_backward_an_answer_has_no_readers():
    assert "readers" not in explain(small_run(), name="logits", at="0,3").fields


def on_from(of: Run, name: str, at: list[int]) -> tuple[str, list[int]] | None:
    """Where somebody goes on who follows a number forward: to the first guess where one is told,
    and before that to the largest reader in the last activation that is told.
    """
    place = ",".join(map(str, at))
    groups = explain(of, name=name, at=place, direction="forward").fields["readers"]
    if not groups:
        return None
    by_name = {group["name"]: group for group in groups}
    group = by_name.get("probabilities") or by_name.get("logits") or groups[-1]
    return group["name"], (group["first_guess"] or group["largest"][0])["at"]


@pytest.mark.parametrize(
    ("family", "placement", "choices"),
    # an encoder alone, a decoder alone without norms, two stacks, and one with a prefix
    mostly(CONFIGURATIONS, *(CONFIGURATIONS[number] for number in (2, 4, 6, 19))),
)
def test_a_weight_of_attention_leads_forward_step_by_step_to_the_word_that_is_said_first(
    family, placement, choices
):
    of = small_run(family, placement, **choices)
    weights = f"{of.config.stacks[-1]}.0.attention.pattern"
    query = of.trace[weights].shape[1] - 1
    way = [(weights, [0, query, 0])]
    while place := on_from(of, *way[-1]):
        way.append(place)
    name, at = way[-1]
    word = int(of.trace["probabilities"][query].argmax())
    assert (name, at) == ("probabilities", [query, word])
    assert [name for name, _ in way[-2:]] == ["logits", "probabilities"]
    assert len({name for name, _ in way}) == len(way), "no step of the way is told twice"
    assert any("residual" in name for name, _ in way)
