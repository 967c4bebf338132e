"""Every clinic has a table of laws, in which each law has a name of its own, a title and a text."""

import pytest

from model.answers.laws import OPEN, Law, by_name, each
from tests.model.clinics.laws import TABLES, laws_of

LAW = Law("right.{}", "Right with {}", "above {n:,} of {letters}", (1, 2), "letters")


@pytest.mark.parametrize("clinic", TABLES)
def test_every_law_has_a_title_and_a_text_and_says_what_it_allows(clinic: str):
    for name, law in laws_of(clinic).items():
        assert law.name == name
        assert "{" not in law.name + law.title
        assert law.title
        assert law.text or name == "mean_dependency", "which is that of the chosen placement"
        low, high = law.band
        assert None in (low, high) or low <= high
    assert len({law.title for law in laws_of(clinic).values()}) == len(laws_of(clinic))


def test_numbers_of_the_question_stand_in_the_text():
    assert LAW.with_numbers(n=1000, letters=3) == Law(
        LAW.name, LAW.title, "above 1,000 of 3", (1, 2), "letters"
    )


def test_a_law_that_does_not_speak_of_the_question_allows_every_number():
    assert (LAW.where(True).band, LAW.where(False).band) == ((1, 2), OPEN)
    assert LAW.where(False).text == LAW.text


def test_one_law_for_each_of_several_things_may_state_its_own():
    first, second = each({"1": "one head", "2": "two heads"}, LAW, {"2": ("all", (3, None))})
    assert first == Law("right.1", "Right with one head", LAW.text, (1, 2), "letters")
    assert second == Law("right.2", "Right with two heads", "all", (3, None), "letters")
    assert by_name(first, second) == {"right.1": first, "right.2": second}
