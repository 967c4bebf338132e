"""Figures of /training: they show the step and the head that were asked for, and outline where a
head of the role looks.
"""

import re

import pytest

TEXT = "abcabcab"


def squares(figure: dict) -> list[int]:
    """How many cells each head's outline has."""
    paths = [shape["path"] for shape in figure["layout"]["shapes"] if shape["type"] == "path"]
    return [len(re.findall("L[^L]*L[^L]*L[^L]*Z", path)) for path in paths]


@pytest.fixture
def answer(ask) -> dict:
    return ask("training", text=TEXT)


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


def test_the_loss_is_drawn_on_the_scale_of_all_steps(ask):
    first, last = (ask("training/figures/loss", text=TEXT, at=at) for at in (0, 3000))
    assert first["layout"]["yaxis"]["range"] == last["layout"]["yaxis"]["range"]


def test_figures_of_named_tensors_are_drawn_from_the_whole_answer(ask):
    assert ask("training/figures/maps", text=TEXT, names="pattern")["data"]
