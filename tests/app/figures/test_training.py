"""Figures of /training: they show the step and the head that were asked for, and outline where a
head of the role looks.
"""

import re

import pytest

from tests.rounding import SINGLE, same

TEXT = "abcabcab"


def lines(figure: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in figure["data"]}


def squares(figure: dict) -> list[int]:
    """How many cells each head's outline has."""
    paths = [shape["path"] for shape in figure["layout"]["shapes"] if shape["type"] == "path"]
    return [len(re.findall("L[^L]*L[^L]*L[^L]*Z", path)) for path in paths]


@pytest.fixture
def answer(ask) -> dict:
    return ask("training", text=TEXT)


def test_every_head_has_its_map_at_the_step_that_was_asked_for(ask, answer):
    drawn = ask("training/figures/maps", text=TEXT, at=200)
    pattern = answer["tensors"]["pattern"]["data"][answer["steps"].index(200)]
    (trace,) = drawn["data"]
    height, width = trace["meta"]["size"]
    assert len(trace["meta"]["tiles"]) == 12
    for i, (_, top, left, *_) in enumerate(trace["meta"]["tiles"]):
        layer, head = divmod(i, 4)
        for q in range(height):
            row = trace["z"][top + q][left : left + width]
            expected = pattern[layer][head][q]
            same(row[: q + 1], expected[: q + 1], SINGLE)
            assert row[q + 1 :] == [None] * (width - q - 1), "what the mask hides has no weight"


def test_outlined_is_where_a_head_of_the_role_looks(ask, answer):
    looked = {
        role: sum(map(sum, answer["tensors"][f"{role}.keys"]["data"]))
        for role in ("previous", "induction")
    }
    expected = [looked["previous"]] * 4 + [looked["induction"]] * 8
    assert squares(ask("training/figures/maps", text=TEXT)) == expected
    assert squares(ask("training/figures/maps", text=TEXT, head="1.2")) == [looked["induction"]]


def test_without_a_step_the_one_is_shown_at_which_the_head_has_formed(ask, answer):
    formed = ask("training/figures/loss", text=TEXT)
    assert formed == ask("training/figures/loss", text=TEXT, at=answer["formed"]["step"])
    assert formed != ask("training/figures/loss", text=TEXT, at=0)


def test_the_loss_is_drawn_for_both_models_on_the_scale_of_all_steps(ask, answer):
    first, last = (ask("training/figures/loss", text=TEXT, at=at) for at in (0, 3000))
    for model, name in enumerate(["2 layers", "1 layer"]):
        losses = answer["tensors"]["loss"]["data"][model]
        same(lines(first)[name]["y"], losses[0], SINGLE)
        same(lines(last)[name]["y"], losses[-1], SINGLE)
    assert first["layout"]["yaxis"]["range"] == last["layout"]["yaxis"]["range"]


def test_the_roles_over_training_are_what_followed_in_layer_1_and_the_letter_before_in_layer_0(
    ask, answer
):
    drawn = lines(ask("training/figures/time.roles", text=TEXT))
    for role, layer in (("previous", 0), ("induction", 1)):
        scores = answer["tensors"][f"held_out.{role}"]["data"]
        for head in range(4):
            curve = [at_step[layer][head] for at_step in scores]
            same(drawn[f"head {layer}.{head}"]["y"], curve, SINGLE)
    control = [max(at_step[2]) for at_step in answer["tensors"]["held_out.induction"]["data"]]
    same(drawn["1 layer"]["y"][-1], control[-1], SINGLE)


def test_a_point_over_training_chooses_its_step(ask, answer):
    for name in ("time.roles", "time.loss"):
        for trace in ask(f"training/figures/{name}", text=TEXT)["data"]:
            assert trace["meta"]["pick"]["step"] == [str(step) for step in answer["steps"]]


def test_with_the_maps_come_the_numbers_that_the_page_says(ask, answer):
    told = ask("training/figures/maps", text=TEXT, at=300)["layout"]["meta"]
    two, one = answer["tensors"]["held_out.repeat_loss"]["data"]
    place = answer["steps"].index(300)
    assert told["steps"] == answer["steps"]
    assert told["at"] == place
    assert f"2 layers {two[place]:.2f} nats" in told["beside"]["readout"]
    assert told["beside"]["readout"].endswith(f"1 layer {one[place]:.2f} nats")
    formed = answer["steps"].index(answer["formed"]["step"])
    assert told["beside"]["two"] == f"{two[formed]:.2f}"
    assert told["beside"]["one-before"] == f"{one[formed - 1]:.2f}"
    assert len(told["heads"]) == 12
    assert told["heads"][-1]["label"] == "one layer, head 3"


def test_figures_of_named_tensors_are_drawn_from_the_whole_answer(ask):
    assert ask("training/figures/maps", text=TEXT, names="pattern")["data"]
