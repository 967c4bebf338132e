"""What differs from the papers: every system that students ask for has an entry, and what an entry
says of a model is what the model's card, or its recipe, has.
"""

from pkgutil import resolve_name
from string import Formatter

import pytest

from model.notes.papers import Difference, System, called, numbers, systems
from model.zoo.models import ids, read_card

CARDS = {name: read_card(name) for name in ids()}
NAMED = {
    "BERT",
    "GPT",
    "T5",
    "ViT",
    "DETR",
    "Transformer-XL",
    "Image Transformer",
    "FT-Transformer",
    "TabTransformer",
    "SAINT",
    "Performer",
    "Admin",
    "B2T",
}
"""The systems under the names that students look for."""

EVERY = [(system, difference) for system in systems() for difference in system.differences]
every_difference = pytest.mark.parametrize(
    ("system", "difference"), EVERY, ids=lambda val: val.name if isinstance(val, System) else None
)


def stated(card: str, name: str):
    """A value of a card, or the constant of a module."""
    return resolve_name(name) if ":" in name else numbers(CARDS[card])[name]


def test_every_system_that_students_ask_for_has_one_entry_with_a_difference():
    assert [system.name for system in systems()] == list(dict.fromkeys(s.name for s in systems()))
    assert {system.name for system in systems()} == NAMED
    assert all(system.differences and system.pages for system in systems())


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_the_models_of_a_system_are_shipped_and_know_it(system: System):
    assert set(system.models) <= set(CARDS)
    assert all(system in called(model) for model in system.models)


@every_difference
def test_what_is_said_of_a_model_is_what_its_card_has(system: System, difference: Difference):
    assert set(difference.states) <= set(system.models)
    for model, values in difference.states.items():
        assert {name: stated(model, name) for name in values} == values


@every_difference
def test_what_is_said_to_be_in_no_model_is_in_none(system: System, difference: Difference):
    for choice, value in difference.absent.items():
        assert value not in {card["config"].get(choice) for card in CARDS.values()}


@every_difference
def test_numbers_in_the_words_come_from_the_card(system: System, difference: Difference):
    names = {name for _, name, _, _ in Formatter().parse(difference.ours) if name}
    assert not names or names <= set(numbers(CARDS[system.models[0]]))
    text = difference.ours_with_numbers(CARDS, system.models)
    assert "{" not in text
    assert text.endswith(".")
    assert difference.theirs.endswith(".")


def test_the_box_of_a_model_stands_on_its_pages_and_its_card_alone():
    detr = next(system for system in systems() if system.name == "DETR")
    assert detr.is_on("detection", "shapes")
    assert detr.is_on("models", "shapes")
    assert not detr.is_on("models", "digits")
    assert not detr.is_on("attention", "digits")
    admin = next(system for system in systems() if system.name == "Admin")
    assert admin.is_on("dependency", "translator")
    assert not admin.is_on("models", "translator")


def test_a_number_that_the_card_lacks_is_refused_and_not_left_out():
    with pytest.raises(KeyError):
        Difference("Size", "6 layers.", "{n_wheels} layers.").ours_with_numbers(CARDS, ("digits",))
