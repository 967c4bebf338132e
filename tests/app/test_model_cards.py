"""Cards of models: the stacks drawn are those of the configuration, numbers are told as they
were measured, and the table has the choices in which models differ.
"""

import re

import pytest

from app.site.model_cards import drawing, headline, how, measured, measures, size, stacks
from app.site.pages import cards

CONFIG = {
    "n_encoder_layers": 3,
    "n_decoder_layers": 3,
    "d_ff": 576,
    "n_heads": 4,
    "placement": "post",
    "positions": "sinusoidal",
    "relative": "none",
    "d_model": 192,
}
ENCODER_ALONE = CONFIG | {
    "n_encoder_layers": 0,
    "n_decoder_layers": 2,
    "d_ff": 0,
    "placement": "none",
    "positions": "none",
    "relative": "rope",
    "d_model": 64,
}


def card(id: str, config: dict) -> dict:
    return {
        "id": id,
        "name": f"The {id}",
        "family": "decoder-only",
        "config": config,
        "parameters": 36736,
        "bytes": 148200,
        "quality": {"note": {"how": "x"}, "repeat_accuracy": {"value": 0.9918, "how": "share"}},
        "training": {"minutes": 3.2},
    }


def n_parts(config: dict, kind: str) -> int:
    return len(re.findall(f'class="{kind}"', drawing(config)))


def test_the_sub_layers_drawn_are_those_of_the_configuration():
    assert stacks(CONFIG) == [
        [["attention", "feed-forward"]] * 3,
        [["attention", "cross", "feed-forward"]] * 3,
    ]
    assert stacks(ENCODER_ALONE) == [[["attention"]] * 2]
    kinds = ("attention whole", "cross whole", "feed-forward whole")
    assert [n_parts(CONFIG, kind) for kind in kinds] == [6, 3, 6]
    assert [n_parts(ENCODER_ALONE, kind) for kind in kinds] == [2, 0, 0]


@pytest.mark.parametrize(("placement", "norms"), [("post", 15), ("pre", 17), ("none", 0)])
def test_a_norm_is_drawn_for_every_sub_layer_that_has_one_and_at_the_end_of_pre_ln(
    placement: str, norms: int
):
    assert n_parts(CONFIG | {"placement": placement}, "norm") == norms


def test_positions_are_drawn_where_they_are_told():
    assert n_parts(CONFIG, "position") == 2
    assert n_parts(ENCODER_ALONE, "position ringed") == 2
    assert n_parts(ENCODER_ALONE | {"relative": "none"}, "position ringed") == 0


@pytest.mark.parametrize(
    "config", [CONFIG, ENCODER_ALONE, CONFIG | {"n_encoder_layers": 12, "n_decoder_layers": 12}]
)
def test_a_drawing_stays_in_its_box(config: dict):
    svg = drawing(config)
    (box,) = re.findall(r'viewBox="([^"]+)"', svg)
    left, top, width, height = map(float, box.split())
    for x, y in re.findall(r"M(-?[\d.]+) (-?[\d.]+)", svg):
        assert left <= float(x) <= left + width
        assert top <= float(y) <= top + height
    for end in re.findall(r"H([\d.]+)", svg):
        assert float(end) <= left + width


def test_numbers_are_told_as_they_were_measured():
    assert [size(148200), size(15263232)] == ["148 kB", "15.3 MB"]
    loss = {"value": 0.086762, "how": "-ln p", "unit": "nats per letter"}
    assert measured(loss) == "0.0868 nats per letter"
    assert headline(card("x", ENCODER_ALONE)) == "accuracy on the repeated part 99.2%"
    assert headline(card("x", ENCODER_ALONE) | {"quality": {}}) == ""
    beside = {"accuracy": {"value": 0.98, "baseline": 0.96, "how": "share of rows"}}
    both = "accuracy 98%, baseline 96%"
    assert headline(card("x", ENCODER_ALONE) | {"quality": beside}) == both


def test_what_stands_beside_a_measure_is_named_alike_where_it_is_shown_and_where_it_is_explained():
    beside = {"value": 0.5, "word_by_word": 0.1, "others": 0.4}
    explained = how(beside | {"how": "share. word_by_word: w. others: the same of others"})
    assert explained == "Share. Word by word: w. Other held-out sentences: the same of others."
    for card in cards():
        for measure in measures(card).values():
            assert not re.search(r"\w_\w*: ", how(measure))


def test_every_shipped_model_can_be_drawn():
    assert all(drawing(card["config"]) for card in cards())
