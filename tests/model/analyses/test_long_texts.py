"""Texts of 512 and 1,024 tokens, read without their maps, beside one pass that writes them all."""

from dataclasses import replace
from functools import cache
from types import MappingProxyType

import pytest
import torch
from torch import Tensor

from model import analyses
from model.errors import InvalidInput
from model.inputs.input import Input
from model.layers import masks
from model.runs.run_model import run_model
from model.trace import Recorder
from model.zoo.models import Model
from tests.model.support.runs import small_model, tokenizer
from tests.model.support.small import small
from tests.rounding import SINGLE, is_same, same
from tests.thorough import mostly

SHAPE = MappingProxyType(
    {"placement": "pre", "norm": "rms", "relative": "rope", "positions": "none", "n_kv_heads": 2}
)
WORDS = "the cat sees the dog . i am cold . "


@cache
def model() -> Model:
    """A small random model in double precision that reads 1,100 tokens."""
    single = small_model("decoder-only", **SHAPE)
    sizes = {"vocabulary_size": tokenizer().size, "max_length": 1100}
    transformer = small("decoder-only", **SHAPE, **sizes)
    return replace(single, config=transformer.config, transformer=transformer)


def text_of(tokens: int) -> Input:
    """A text of so many tokens: words, and letters that fill it up."""
    count = len(run_model(model(), Input(text=WORDS), maps=False).tokens["text"])
    text = WORDS * (tokens // count)
    while len(run_model(model(), Input(text=text), maps=False).tokens["text"]) < tokens:
        text += "e "
    return Input(text=text)


def whole_pass(ids: list[int]) -> dict[str, Tensor]:
    """Every activation of one pass that writes its maps."""
    network, recorder = model().transformer, Recorder()
    x = network.decode(torch.tensor(ids), masks.causal(len(ids)), trace=recorder)
    return {**recorder.values, "logits": network.unembed(x)}


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "load_model", lambda id: model())
    stored = {}

    def runs(model: Model, input: Input, **more) -> object:
        return stored.setdefault((input, *more.items()), run_model(model, input, **more))

    return lambda word, input, **more: analyses.answer(
        word, {"model": "small", "text": input.text, **more}, runs
    )


@pytest.mark.parametrize("n", mostly([512, 1024], 512))
def test_a_long_text_has_the_numbers_of_one_pass_with_all_maps(ask, n: int):
    input, start, stop = text_of(n), n - 40, n + 3
    run = run_model(model(), input, maps=False)
    ids = [token.id for token in run.tokens["text"]]
    assert len(ids) == n
    answer = ask("generate", input, window=f"{start}:{stop}", max_new_tokens=6, strategy="sample")
    new = [step["token"]["id"] for step in answer.fields["steps"]]
    whole = whole_pass([*ids, *new])
    maps = whole["decoder.1.attention.pattern"]
    for step, row in enumerate(answer.fields["steps"]):
        chances = whole["logits"][n - 1 + step].softmax(-1)
        for candidate in row["candidates"]:
            same(candidate["probability"], float(chances[candidate["id"]]), SINGLE, scale=1)
    patterns = answer.tensors["decoder.1.attention.pattern"].data
    last = min(stop, n + len(new) - 1)
    assert answer.fields["window"] == [start, last]
    same(patterns, maps[:, n - 1 : n - 1 + len(new), start:last], scale=1)
    block = {"rows": f"{start}:{n}", "columns": f"{start - 64}:{n - 64}"}
    cells = ask("attention", input, level="0", layer=1, head=3, **block)
    expected = maps[3, start:n, start - 64 : n - 64]
    same(cells.tensors["decoder.1.attention.mean"].data, expected, scale=1)
    tile = ask("attention", input, level="auto", layer=1, head=3).fields["tile"]
    assert tile["level"] == {512: 2, 1024: 3}[n]
    window = f"{start}:{start + 32}"
    for name, at in (("decoder.0.residual.out", 1), ("decoder.1.residual.out", -1)):
        stream = run.trace[name]
        same(stream, whole[name][:n], scale=1, what=at)
    norms = ask("residual", input, window=window, names="norm").tensors["norm"].data
    ends = whole["decoder.1.residual.out"][start : start + 32].norm(dim=-1)
    assert any(is_same(row, ends, scale=1) for row in norms)
    guesses = ask("logits", input, window=window, full=True).tensors["logits"].data
    same(guesses, whole["logits"][start : start + 32], scale=1)


def test_what_is_written_greedily_behind_a_long_text_is_what_it_writes_without_a_window(ask):
    text = Input(text=WORDS * 4)
    plain, long = (ask("generate", text, **more) for more in ({}, {"window": "0:8"}))
    assert long.fields["text"] == plain.fields["text"]
    assert long.fields["prediction"] == plain.fields["prediction"]
    beams = {"strategy": "beam", "beams": 3}
    plain, long = (ask("generate", text, **beams, **more) for more in ({}, {"window": "0:8"}))
    same(long.fields["tree"]["hypotheses"], plain.fields["tree"]["hypotheses"], SINGLE)


def test_the_steps_of_a_long_text_are_those_of_its_answer(ask):
    question = {"model": "small", "text": WORDS * 4, "window": "4:12", "max_new_tokens": 3}
    steps = list(analyses.stream("generate", question))
    answer = analyses.answer("generate", question)
    patterns = answer.tensors["decoder.0.attention.pattern"].data
    assert [step["token"] for step in steps] == [step["token"] for step in answer.fields["steps"]]
    streamed = torch.tensor([step["attention"][0] for step in steps], dtype=patterns.dtype)
    same(streamed, patterns.movedim(1, 0), scale=1)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"window": "0-8"}, "`window` is '0-8'; it must be two positions"),
        ({"window": "0:129", "text": WORDS * 20}, "`window` has 129 positions; the limit is"),
        ({"window": "500:510"}, "`window` is 500:.*; it must be an interval within 0 to"),
        ({"window": "0:8", "order": "shuffle"}, "`window`"),
        ({"window": "0:8", "edits": [{"op": "zero", "at": "decoder.0.attention.z"}]}, "`window`"),
        ({"window": "0:8", "max_new_tokens": 1090}, "max_new_tokens must be from 1 to"),
        ({"window": "0:8", "text": WORDS * 200}, "the limit of small is 1100"),
    ],
)
def test_what_cannot_be_written_behind_a_long_text_is_refused(ask, more: dict, message: str):
    text = Input(text=more.pop("text", WORDS * 4))
    with pytest.raises(InvalidInput, match=message):
        ask("generate", text, **more)


def test_beams_may_not_keep_more_of_a_long_text_than_fits(ask, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("model.runs.strategies.MAX_BYTES", 100_000)
    with pytest.raises(InvalidInput, match="Too many beams for this text: use at most") as refused:
        ask("generate", text_of(512), window="0:8", strategy="beam", beams=8)
    assert refused.value.field == "beams"


def test_the_translator_says_that_its_limit_was_chosen_and_why_where_it_writes():
    with pytest.raises(InvalidInput, match="the limit of translator is 64") as refused:
        analyses.answer("generate", {"model": "translator", "source": "i am cold " * 30})
    assert "the limit is Vitrine’s own" in refused.value.sentence.why
