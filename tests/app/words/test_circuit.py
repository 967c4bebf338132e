"""What /circuit says of each view is read off the answer, and verdicts follow the numbers."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from app.words.circuit import address_of, favourite, words
from model.analyses import answer
from model.answers.answer import Answer

TWO = {"model": "induction-2", "text": "qvmtzkdbqvmtzkdb"}


@pytest.fixture(scope="module")
def paths() -> Answer:
    return answer("circuit", {**TWO, "part": "paths"})


def test_each_part_has_its_views_and_no_other():
    for question, views in (
        ({"part": "weights"}, {"ov", "input", "qk", "positions", "copying"}),
        ({"part": "composition"}, {"composition"}),
        ({"part": "paths"}, {"paths", "training"}),
    ):
        asked = answer("circuit", {**TWO, **question})
        assert words(asked, question)["views"].keys() == views


def test_the_first_row_is_told_with_its_word_and_its_number():
    asked = answer("circuit", {**TWO, "part": "weights", "layer": 1, "head": 0})
    row = asked.fields["circuits"]["ov"]["rows"][0]
    see = words(asked, {})["views"]["ov"]["see"]
    assert f"“{row['token']}” raises “{row['words'][0]}” most" in see
    assert "head 1.0 of the decoder" in see


def test_the_offset_of_most_rows_is_told_and_the_first_row_of_a_causal_map_has_no_choice():
    scores = np.full((4, 4), -np.inf)
    scores[np.tril_indices(4)] = 0.0
    scores[1, 0] = scores[2, 1] = scores[3, 3] = 1.0
    assert favourite(scores) == (-1, pytest.approx(2 / 3))


def test_the_verdict_on_the_single_path_follows_the_facts(paths: Answer):
    said = words(paths, {})["views"]["paths"]["more"]
    assert "is not the whole mechanism" in said
    kinder = [replace(fact, holds=True) for fact in paths.fields["facts"]]
    other = replace(paths, fields={**paths.fields, "facts": kinder}, inputs=paths.axes)
    assert "carries the repetition" in words(other, {})["views"]["paths"]["more"]


def test_links_take_away_the_paths_of_their_cases_and_no_other(paths: Answer):
    told = words(paths, TWO)["links"]
    own = [link["href"] for link in told if link["href"].startswith("/circuit?")]
    cases = [paths.fields["cases"][case]["without"] for case in ("path_alone", "without_path")]
    for href, without in zip(own, cases, strict=False):
        query = parse_qs(urlsplit(href).query)
        asked = answer("circuit", {**TWO, "part": "paths", "without": query["without"][0]})
        assert set(asked.fields["removed"]) == set(without)


def test_an_address_names_a_group_where_all_of_it_is_taken_away(paths: Answer):
    four = [f"0.3-1.{head}.k" for head in range(4)]
    assert address_of(paths.fields, four) == "0.3-1.?.k"
    assert address_of(paths.fields, four[:2]) == "0.3-1.0.k,0.3-1.1.k"
    assert address_of(paths.fields, []) == ""


def test_one_layer_is_told_to_have_no_pairs():
    asked = answer("circuit", {"model": "induction-1", "text": "abcab"})
    told = words(asked, {})["views"]
    assert "single layer" in told["composition"]["see"]
    assert "One layer has no paths from head to head" in told["paths"]["more"]


def test_an_encoder_whose_words_nobody_reads_is_said_to_be_one():
    question = {"model": "translator", "source": "i am cold", "attention": "encoder"}
    asked = answer("circuit", {**question, "part": "weights"})
    assert "No words are read from this encoder" in words(asked, {})["views"]["ov"]["more"]
    one = answer("circuit", {"model": "fill-in", "text": "i ___ cold", "part": "weights"})
    assert "No words are read" not in words(one, {})["views"]["ov"]["more"]
