"""Models side by side: two or three, every field in words, and only what differs unless all is
asked for.
"""

import re

import httpx2
import pytest

from app.site.model_comparison import CHOICES, FIELDS, MEASURES, chosen, in_words, rows
from app.site.pages import cards

CARDS = cards()
BY_ID = {card["id"]: card for card in CARDS}


def together(*names: str) -> list[dict]:
    return [BY_ID[name] for name in names]


def test_every_field_and_every_measure_of_a_shipped_card_has_words():
    assert {name for card in CARDS for name in card["config"]} <= set(FIELDS)
    assert {name for card in CARDS for name in card["quality"]} <= set(MEASURES)
    assert len(set(FIELDS.values())) == len(FIELDS)


OTHER_WORDS = {
    "branch": "x + LN(f)",
    "rope": "rotary",
    "unembedding": "one token",
    "bypass": "all tokens and numbers",
}
"""Choices whose words are not their names."""


def test_a_choice_in_words_has_the_name_of_the_choice():
    for field, choices in CHOICES.items():
        for choice, words in choices.items():
            if choice == 0:
                continue
            name = OTHER_WORDS.get(choice, choice.replace("_", " ")).lower()
            choice_text = words.lower().removeprefix("no norm") or "none"
            assert choice_text.startswith(name), f"the {field} “{choice}” is told as “{words}”"


def test_two_models_that_differ_in_one_choice_have_one_row_of_it():
    pair = together("translator", "translator-pre")
    differing = dict(rows(pair)[7:])
    assert differing == {"norm placement": ["Post-LN", "Pre-LN"]}
    every = dict(rows(pair, alike=True))
    assert len(every) == 7 + len(BY_ID["translator"]["config"])
    assert every["attention heads"] == ["4", "4"]


def test_a_measure_that_all_models_have_is_a_row_and_the_main_one_of_all_is_not_told_twice():
    def measured(*names: str) -> list[str]:
        fields = {*FIELDS.values(), "parameters", "file size", "training time"}
        return [name for name, _ in rows(together(*names)) if name not in fields]

    assert measured("translator", "translator-pre", "prefix-translator") == [
        "main measure",
        "exact match",
        "chrF",
        "alignment",
    ]
    assert measured("translator", "speller") == ["main measure", "exact match"]
    assert measured("translator", "digits") == ["main measure"]
    exact = dict(rows(together("translator", "translator-pre")))["exact match"]
    assert exact == ["44%", "44%"]


def test_what_a_model_does_not_have_is_a_dash_and_not_a_0():
    table = dict(rows(together("translator", "digits")))
    assert table["image size (pixels)"] == ["–", "8"]
    assert table["decoder layers"] == ["3", "no decoder"]
    assert in_words("younger", None) == "–"
    assert in_words("younger", True) == "yes"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["digits", "translator"]),
        ({"first": "penguins-ft"}, ["penguins-ft", "penguins-tab"]),
        (
            {"first": "digits", "second": "shapes", "third": "fill-in"},
            ["digits", "shapes", "fill-in"],
        ),
        ({"first": "shapes", "second": "shapes"}, ["shapes"]),
        ({"first": "lost", "second": "gone", "third": "away"}, ["digits", "translator"]),
    ],
)
def test_the_address_chooses_and_what_it_does_not_choose_is_near(query: dict, expected: list):
    found = [card["id"] for card in chosen(CARDS, BY_ID["digits"], query)]
    assert found[0] == expected[0]
    assert len(found) == len(expected)
    if query.get("second") in BY_ID or query.get("first") == "penguins-ft":
        assert found == expected


def test_the_page_has_a_column_for_each_chosen_model_and_no_other(fake: httpx2.Client):
    query = {"show": "compare", "first": "digits", "second": "shapes"}
    html = fake.get("/models", params=query).text
    head = html[html.index("<thead>") : html.index("</thead>")]
    assert re.findall(r"<code>(.+?)</code>", head) == ["digits", "shapes"]
    form = html[html.index('<form class="compare') :]
    assert re.findall(r'value="([^"]+)" selected', form[: form.index("</form>")]) == [
        "digits",
        "shapes",
    ]
