"""The menu of how the input is read: every arrangement that it makes for every model is one that
the model takes.
"""

import pytest

from app.captions.arrangement import in_order
from app.site.arranging_menu import arranging, offered
from app.site.edit_menu import menu
from app.site.pages import cards, first_field
from model import analyses
from tests.thorough import mostly

CARDS = {card["id"]: card for card in cards()}
ALIKE = ("translator-pre", "speller", "pronouncer", "induction-1", "penguins-tab")
"""Models of the family and the input of another one."""
TOKENS = list(enumerate(["<s>", "i", "am", "cold", "</s>"]))


def edit_of(what: str, **chosen: str) -> dict[str, str] | None:
    return arranging(CARDS["translator"], what, chosen, TOKENS).state


def test_the_frame_stays_in_place_when_the_order_is_reversed():
    assert edit_of("order", how="reversed") == {"order": "0,3,2,1,4"}


def test_what_is_reversed_twice_is_as_it_is_given():
    turned = [TOKENS[at] for at in (0, 3, 2, 1, 4)]
    menu = arranging(CARDS["translator"], "order", {"how": "reversed"}, turned)
    assert menu.state == {"order": ""}
    assert menu.sentence == "unchanged"


def test_a_seed_always_draws_the_same_order_whatever_order_was_before():
    shuffled = edit_of("order", how="shuffled", number="7")
    assert shuffled is not None
    assert sorted(map(int, shuffled["order"].split(","))) == [0, 1, 2, 3, 4]
    turned = [TOKENS[at] for at in (0, 3, 2, 1, 4)]
    chosen = {"how": "shuffled", "number": "7"}
    assert arranging(CARDS["translator"], "order", chosen, turned).state == shuffled
    assert len({str(edit_of("order", how="shuffled", number=str(n))) for n in range(20)}) > 2


def test_pads_have_a_side_and_are_hidden_or_not():
    assert edit_of("pad") == {"pad": "left:2", "padding_mask": ""}
    chosen = {"how": "right", "number": "3", "mask": "off"}
    assert edit_of("pad", **chosen) == {"pad": "right:3", "padding_mask": "off"}


@pytest.mark.parametrize("typed", ["", "-1", "1.5", "x", "٣", "99999", " "])
@pytest.mark.parametrize(("what", "how"), [("order", "shuffled"), ("pad", "left")])
def test_what_is_no_whole_number_is_not_taken(what: str, how: str, typed: str):
    after = arranging(CARDS["translator"], what, {"how": how, "number": typed}, TOKENS)
    assert after.state is None
    assert "number" in after.sentence


@pytest.mark.parametrize("model", mostly(sorted(CARDS), *(CARDS.keys() - ALIKE)))
def test_every_model_takes_every_arrangement_of_its_menu(model: str):
    card = CARDS[model]
    question = {"model": model, **card["examples"][0]["input"], "top": 1}
    plain = analyses.answer("logits", question)
    axes = {name: {"labels": axis.labels} for name, axis in plain.axes.items()}
    answer = {"axes": axes, "expected_from": plain.fields["expected_from"]}
    tokens = in_order(answer, first_field(card))
    for what, _ in offered(card):
        hows = arranging(card, what, {}, tokens).fields[0].choices
        for how, _ in hows:
            after = menu(card, axes, {"what": what, "how": how}, tokens)
            assert after.edit is None
            assert after.state is not None
            assert after.sentence
            arranged = {name: value for name, value in after.state.items() if value}
            if arranged:  # an order that is drawn of two columns may be the one that is given
                assert analyses.answer("logits", {**question, **arranged}).fields["edits"]
