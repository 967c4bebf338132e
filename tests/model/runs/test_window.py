"""A window of a long text has the numbers of the same positions in a run of the whole text."""

from dataclasses import replace

import pytest

from model import analyses
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.long_text import longest
from model.runs.run_model import run_model
from model.runs.window import OF_MAPS, run_window
from tests.model.support.asked import answer
from tests.model.support.runs import small_model
from tests.model.support.small import config_of
from tests.rounding import same

TEXT = "the cat sees the dog " * 3
RESIDUAL = {"model": "shakespeare", "text": "ROMEO:\nBut soft, what light?\n" * 8}


@pytest.mark.parametrize(
    "choices",
    [
        {"placement": "pre", "relative": "rope", "positions": "none", "n_kv_heads": 2},
        {"placement": "post", "positions": "learned"},
    ],
    ids=["rope", "learned"],
)
def test_a_window_has_the_numbers_of_its_positions(choices):
    model = small_model("decoder-only", **choices)
    whole = run_model(model, Input(text=TEXT))
    window = run_window(run_model(model, Input(text=TEXT), maps=False), (7, 12))
    left_out = {name for name in whole.trace if name.rpartition(".")[2] in OF_MAPS}
    assert set(window.trace) == set(whole.trace) - left_out
    for name, value in window.trace.items():
        along = whole.vocabulary[name].axes.index("text")
        expected = whole.trace[name].narrow(along, 7, 5)
        same(value, expected, scale=1, what=name)
    assert window.expected == whole.expected[7:12]


def test_the_residual_stream_of_a_window_is_that_of_the_whole_text():
    whole = answer("residual", RESIDUAL | {"names": "norm,projections"})
    window = analyses.answer(
        "residual", RESIDUAL | {"names": "norm,projections", "window": "20:28"}
    )
    for name in ("norm", "projections"):
        expected = whole.tensors[name].data[..., 20:28]
        same(window.tensors[name].data, expected, scale=1)
    assert window.fields["notes"][-1] == "Shown are the positions 20 to 27 of the text."
    assert window.axes["text"].labels == whole.axes["text"].labels[20:28]


def test_the_guesses_of_a_window_are_those_of_the_whole_text():
    query = RESIDUAL | {"lens": True, "top": 3, "attribution": True}
    whole, window = answer("logits", query), analyses.answer("logits", query | {"window": "20:28"})
    assert window.fields["top_tokens"] == whole.fields["top_tokens"][20:28]
    assert window.fields["expected"] == whole.fields["expected"][20:28]
    for name in ("top_probability", "lens.top_probability", "lens.entropy", "attribution"):
        along = max(
            map(whole.tensors[name].axes.index, {"text", "expected"} & {*whole.tensors[name].axes})
        )
        expected = whole.tensors[name].data.narrow(along, 20, 8)
        same(window.tensors[name].data, expected, scale=1, what=name)


@pytest.mark.parametrize("word", ["residual", "logits"])
@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"window": "20"}, "`window` is '20'; it must be two positions"),
        ({"window": "0:200", "text": "O Romeo! " * 90}, "the limit is 128"),
        ({"window": "9:9"}, "`window` is 9:9; it must be an interval within 0 to"),
        ({"window": "0:8", "order": "shuffle"}, "`window`"),
        ({"window": "0:8", "model": "translator", "text": None, "source": "i am"}, "not causal"),
    ],
)
def test_a_window_that_a_text_does_not_have_is_refused(word, more, sentence):
    question = {name: value for name, value in (RESIDUAL | more).items() if value is not None}
    with pytest.raises(InvalidInput, match=sentence):
        analyses.answer(word, question)


def test_what_is_kept_of_a_long_text_of_a_large_model_has_a_bound():
    sizes = {"d_model": 2048, "n_heads": 32, "n_kv_heads": 8, "d_ff": 64, "max_length": 4096}
    config = config_of(family="decoder-only", n_decoder_layers=16, vocabulary_size=13, **sizes)
    model = replace(small_model("decoder-only"), config=config)
    numbers = 17 * 2048 + 16 * 2 * 8 * 64
    assert longest(model) == 512 * 2**20 // (4 * numbers) == 2621
